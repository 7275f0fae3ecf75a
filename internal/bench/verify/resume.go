package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// sameRun refuses to go on with a run as another one, and names the first
// difference.
func sameRun(before, now ledger.RunInfo) error {
	for _, d := range []change{
		{"model", before.Model.Text(), now.Model.Text()},
		toolChange("", before.Git, now.Git),
		toolChange("base ", before.Base(), now.Base()),
		{"fixture seed", before.SeedID, now.SeedID},
		{"variation of fixtures", variations(before), variations(now)},
		{"target", before.Target, now.Target},
		{"order", order(before), order(now)},
		{"list of modes", fmt.Sprint(before.Modes), fmt.Sprint(now.Modes)},
		{"number of repetitions", repetitions(before), repetitions(now)},
		{"scenario set", before.ScenarioSet, now.ScenarioSet},
		{"list of scenarios", fmt.Sprint(scenarioIDs(before)), fmt.Sprint(scenarioIDs(now))},
		{"shard", shard(before), shard(now)},
		{"ledger file", before.OutputJSONL, now.OutputJSONL},
		{"folder of transcripts", before.Transcripts, now.Transcripts},
	} {
		if d.was != d.is {
			return otherRun(before, d.what, d.was, d.is)
		}
	}
	for i, s := range before.Scenarios {
		if hash := now.Scenarios[i].Hash; s.Hash != hash {
			return otherRun(before, "content of scenario "+s.ID, s.Hash, hash)
		}
	}
	for _, mode := range before.Modes {
		was, is := before.ModeFiles[mode], now.ModeFiles[mode]
		if was.Hash == "" { // it is no file's, or of an older version
			continue
		}
		for _, d := range []change{{"content of the file of mode " + string(mode), was.Hash, is.Hash}, toolChange("mode "+string(mode)+"'s ", was.Git, is.Git)} {
			if d.was != d.is {
				return otherRun(before, d.what, d.was, d.is)
			}
		}
	}
	if !slices.Equal(before.Cells, now.Cells) {
		return otherRun(before, "plan", cells(before), cells(now))
	}
	return nil
}

// change is what may not differ when a run goes on.
type change struct{ what, was, is string }

// toolChange compares the tooling of two runs: its content where both know it,
// so that a commit without a change goes on and a checkout with one does not.
func toolChange(of string, before, now bench.GitRef) change {
	if before.Tree != nil && now.Tree != nil {
		return change{of + "content (the hash of its tree)", *before.Tree, *now.Tree}
	}
	return change{of + "commit", orUnknown(before.Commit), orUnknown(now.Commit)}
}

func otherRun(before ledger.RunInfo, what, was, is string) error {
	return fault.Invalidf("run %s cannot go on: its %s is %s, now it would be %s; set it as it was, or start a new run",
		before.RunID, what, orNone(was), orNone(is))
}

func orUnknown(text *string) string {
	if text == nil {
		return "unknown"
	}
	return *text
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func repetitions(r ledger.RunInfo) string {
	return bench.Repetitions{First: cmp.Or(r.FirstLook, r.Repetitions), Most: r.Repetitions}.String()
}

func order(r ledger.RunInfo) string { return fmt.Sprintf("%s with seed %d", r.OrderKind, r.OrderSeed) }

func variations(r ledger.RunInfo) string { return r.Identity().Variations.String() }

func shard(r ledger.RunInfo) string {
	if r.Shard == nil {
		return ""
	}
	return r.Shard.String()
}

func cells(r ledger.RunInfo) string {
	if len(r.Cells) == 0 {
		return "empty"
	}
	return fmt.Sprintf("%d cells that begin with %s", len(r.Cells), r.Cells[0])
}

func scenarioIDs(r ledger.RunInfo) []string {
	ids := make([]string, 0, len(r.Scenarios))
	for _, s := range r.Scenarios {
		ids = append(ids, s.ID)
	}
	return ids
}

// sameSuite reports whether the modes of two runs can be compared (rules N1
// and G11). How often their scenarios are repeated may differ.
func sameSuite(a, b ledger.RunInfo) bool {
	return a.Model.Signature() == b.Model.Signature() && a.ScenarioSet == b.ScenarioSet && a.SeedID == b.SeedID && variations(a) == variations(b) &&
		orUnknown(a.Git.Commit) == orUnknown(b.Git.Commit) && (a.Git.Tree == nil || b.Git.Tree == nil || *a.Git.Tree == *b.Git.Tree) && maps.Equal(a.Identity().ScenarioHashes, b.Identity().ScenarioHashes)
}
