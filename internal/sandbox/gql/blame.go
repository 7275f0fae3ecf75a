package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// blameRange are lines of a file, counted from 1, that came with one commit.
type blameRange struct {
	by          commit
	first, last int
	age         int
}

// oldestAge is how GitHub shows the oldest lines of a file; the newest are 1.
const oldestAge = 10

// blameOf tells with which commit each line of a file came.
func blameOf(_ *query, c commit, args graphql.Args) (any, error) {
	at := strings.Trim(args.String("path"), "/")
	e, err := c.repo.Git.Entry(c.Hash, at)
	if err != nil || e.Type != "blob" {
		return nil, unresolved("a blob with the path '%s'.", at)
	}
	content, err := c.repo.Git.Blob(e.Hash)
	if err != nil {
		return nil, err
	}
	commits, err := c.repo.Git.Log(c.Hash, at, 0)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.Lines(string(content)))
	by := make([]int, len(lines))
	// now maps each line to where it is in the version that is looked at, 0 for
	// one whose commit is known.
	now := make([]int, len(lines))
	for n := range lines {
		by[n], now[n] = len(commits)-1, n+1
	}
	for n, one := range commits {
		if err := blameOn(commit{c.repo, one}, at, n, by, now); err != nil {
			return nil, err
		}
	}
	return rangesOf(c.repo, commits, by), nil
}

// blameOn notes the lines that a commit brought, and where the others were
// before it.
func blameOn(c commit, at string, n int, by, now []int) error {
	files, err := c.repo.Git.Diff(c.parent(), c.Hash)
	if err != nil {
		return err
	}
	f := slices.IndexFunc(files, func(f gitstore.FileDiff) bool { return f.Path == at })
	if f < 0 {
		return nil
	}
	for line, place := range now {
		if place == 0 {
			continue
		}
		shift, added := 0, false
		for _, h := range files[f].Hunks {
			for _, l := range h.Lines {
				switch {
				case l.Kind == '+' && l.New == place:
					added = true
				case l.Kind == '+' && l.New < place:
					shift--
				case l.Kind == '-' && h.NewStart+h.NewLines <= place:
					shift++
				case l.Kind == ' ' && l.New == place:
					shift = l.Old - place
				}
			}
			if h.NewStart <= place && place < h.NewStart+h.NewLines {
				break
			}
		}
		if added {
			by[line], now[line] = n, 0
			continue
		}
		now[line] = place + shift
	}
	return nil
}

func rangesOf(r *model.Repo, commits []gitstore.Commit, by []int) []blameRange {
	ranges := []blameRange{}
	for n, at := range by {
		if last := len(ranges) - 1; last >= 0 && ranges[last].by.Hash == commits[at].Hash {
			ranges[last].last = n + 1
			continue
		}
		age := 1 + at*(oldestAge-1)/max(1, len(commits)-1)
		ranges = append(ranges, blameRange{by: commit{r, commits[at]}, first: n + 1, last: n + 1, age: age})
	}
	return ranges
}
