package benchcli

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

//go:embed scenariotemplates
var scenarioTemplates embed.FS

// newSet is the set that new scenarios are put into.
const newSet = "mine"

const (
	typeAtomic   = "atomic"
	typeWorkflow = "workflow"
)

var (
	newID     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-(wf|wf-\d{3}|\d{3})$`)
	worldName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	// idLine and nameLine are those of a scenario, schemaLine leads to the
	// schema of the folder that it ships in.
	idLine     = regexp.MustCompile(`(?m)^  "id": .*$`)
	nameLine   = regexp.MustCompile(`(?m)^  "name": .*$`)
	schemaLine = regexp.MustCompile(`(?m)^  "\$schema": .*\n`)
)

// newFlags are the flags of `bench scenarios new`.
type newFlags struct{ kind, task, world, dir string }

func (a *app) scenariosNewCommand() *cobra.Command {
	var f newFlags
	cmd := &cobra.Command{
		Use:   "new ID",
		Short: "Start a scenario of your own from a template that works",
		Long: `new writes a scenario that can be tried at once, to be changed from there: ID.json
in a folder, and its id into the set "` + newSet + `" of that folder's ` + scenario.SetsFile + `.

The id tells the type: <words>-001 is an atomic scenario, <words>-wf or
<words>-wf-001 a workflow. Without --task it is about an issue that is looked at or
closed; with --task it is a copy of the scenario that ships for that capability.
With --world it is in a world of yours, worlds/NAME.yaml in the folder, which is
written if it is not there.

Nothing that is there is written over.`,
		Example: `  bench scenarios new tidy-issues-wf
  bench scenarios new label-bugs-001 --task issue.labels.add
  bench scenarios new shop-issue-001 --world shop --dir bench-scenarios
  bench scenarios check mine
  bench scenarios try tidy-issues-wf --scenarios mine --script tidy.sh`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.newScenario(f, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "type", "", "make a scenario of this `TYPE`, "+typeAtomic+" or "+typeWorkflow+" (default: what the id says)")
	flags.StringVar(&f.task, "task", "", "make it about this `CAPABILITY`, such as pr.merge")
	flags.StringVar(&f.world, "world", "", "have it in the world of this `NAME`")
	flags.StringVar(&f.dir, "dir", newSet, "write into this `DIR`")
	return cmd
}

func (a *app) newScenario(f newFlags, id string) error {
	if !newID.MatchString(id) {
		return fault.Invalidf("the id %q is none: want small letters, digits and hyphens, and -001, -wf or -wf-001 at the end", id)
	}
	kind := typeAtomic
	if strings.HasSuffix(id, "-wf") || strings.Contains(id, "-wf-") {
		kind = typeWorkflow
	}
	if f.kind != "" && f.kind != kind {
		return fault.Invalidf("--type is %q, but %s is the id of one that is %s: want <words>-001 for %s, <words>-wf for %s", f.kind, id, kind, typeAtomic, typeWorkflow)
	}
	if f.world != "" && !worldName.MatchString(f.world) {
		return fault.Invalidf("--world %q is no name of a world: want small letters, digits and hyphens", f.world)
	}
	text, err := templateOf(kind, f.task)
	if err != nil {
		return err
	}
	text = schemaLine.ReplaceAllLiteralString(text, "")
	text = idLine.ReplaceAllLiteralString(text, fmt.Sprintf("  \"id\": %q,", id))
	made := map[string][]byte{}
	if f.world != "" {
		text = strings.Replace(text, `"fixture": {`, fmt.Sprintf("\"fixture\": {\n    \"world\": %q,", f.world), 1)
		file := filepath.Join(f.dir, "worlds", f.world+".yaml")
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			if made[file], err = scenarioTemplates.ReadFile("scenariotemplates/world.yaml"); err != nil {
				return err
			}
		}
	}
	file := filepath.Join(f.dir, id+".json")
	if _, err := os.Stat(file); err == nil {
		return fault.Invalidf("%s is there already: take another id, or another --dir", file)
	}
	made[file] = []byte(text)
	sets := filepath.Join(f.dir, scenario.SetsFile)
	if made[sets], err = withMember(sets, id); err != nil {
		return err
	}
	for name, content := range made {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fault.Invalidf("--dir %s cannot be written to: %w", f.dir, err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return fault.Invalidf("%s cannot be written: %w", name, err)
		}
	}
	fmt.Fprintf(a.stdout, `%s is there, in the set %q of %s.

What to do next:
  change it: what the agent is told, what must hold, what may change
  bench scenarios check %s
  bench scenarios try %s --scenarios %s --script FILE
  bench scenarios footprint %s --scenarios %s --script FILE
`, file, newSet, sets, f.dir, id, f.dir, id, f.dir)
	return nil
}

// templateOf returns the text of a scenario to begin with: one that ships for a
// capability, or the template of a type.
func templateOf(kind, task string) (string, error) {
	if task != "" {
		if _, known := scenario.FindCapability(task); !known {
			return "", fault.Invalidf("--task %q is no capability%s", task, jsondoc.DidYouMean(task, scenario.CapabilityIDs()))
		}
	}
	if kind == typeAtomic && task != "" {
		return shippedFor(task)
	}
	text, err := scenarioTemplates.ReadFile("scenariotemplates/" + kind + ".json")
	if task == "" || err != nil {
		return string(text), err
	}
	return strings.Replace(string(text), `["issue.close"]`, fmt.Sprintf("[%q]", task), 1), nil
}

// shippedFor returns the text of the first scenario that ships for a capability
// and succeeds, in the fixtures that all have.
func shippedFor(task string) (string, error) {
	library, err := loadLibrary("")
	if err != nil {
		return "", err
	}
	all := library.All()
	at := slices.IndexFunc(all, func(s bench.Scenario) bool {
		return s.Task == task && s.Assertions.Outcome() == bench.OutcomeSuccess && s.World() == ""
	})
	if at < 0 {
		return "", fault.Invalidf("no scenario ships for %s: leave --task out, and change the template's", task)
	}
	files, err := fs.Glob(scenarios.Files, "*/"+all[at].ID+".json")
	if err != nil || len(files) == 0 {
		return "", errors.Join(err, fmt.Errorf("no file of %s", all[at].ID))
	}
	text, err := scenarios.Files.ReadFile(files[0])
	return nameLine.ReplaceAllLiteralString(string(text), fmt.Sprintf("  \"name\": %q,", all[at].Name+", in my way")), err
}

// withMember returns a file of sets with an id in the set of new scenarios.
func withMember(file, id string) ([]byte, error) {
	sets := map[string]json.RawMessage{}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Invalidf("%s cannot be read: %w", file, err)
	}
	var members []string
	if err == nil {
		if err := json.Unmarshal(text, &sets); err != nil {
			return nil, fault.Invalidf("%s is no JSON object of sets: %w", file, err)
		}
		if set, there := sets[newSet]; there && json.Unmarshal(set, &members) != nil {
			return nil, fault.Invalidf("%s: %s is no list of ids", file, newSet)
		}
	}
	if !slices.Contains(members, id) {
		members = append(members, id)
	}
	if sets[newSet], err = json.Marshal(members); err != nil {
		return nil, err
	}
	text, err = json.MarshalIndent(sets, "", "  ")
	return append(text, '\n'), err
}
