package housetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file of a case is a line with its name, in a comment, and the source. An
// empty want means that nothing is wrong.
func TestRulesFindWhatIsWrong(t *testing.T) {
	const ours = `import _ "` + modulePath
	cases := []struct {
		rule, name string
		files      []string
		want       string
	}{
		{"imports point down", "an import of a lower layer", []string{"// internal/bench/runner/a.go\npackage runner\n" + ours + `internal/bench"`}, ""},
		{"imports point down", "an import of the same layer", []string{"// internal/bench/audit/a.go\npackage audit\n" + ours + `internal/bench/verify"`}, ""},
		{"imports point down", "a delivery's way that turns back", []string{"// internal/app/runs/a.go\npackage runs\n" + ours + `internal/app/service"`},
			"internal/app/runs imports internal/app/service, which is in a higher layer"},
		{"imports point down", "an import of a higher layer", []string{"// internal/bench/gate/a.go\npackage gate\n" + ours + `internal/bench/runner"`},
			"internal/bench/gate imports internal/bench/runner, which is in a higher layer"},
		{"imports point down", "a folder that nobody thought of", []string{"// internal/bench/new/a.go\npackage new\n"}, "internal/bench/new is in no layer"},
		{"some packages import the standard library alone", "a package of somebody else", []string{"// internal/bench/stats/a.go\npackage stats\nimport _ \"gonum.org/v1/gonum\""},
			"internal/bench/stats imports gonum.org/v1/gonum"},
		{"some packages import the standard library alone", "a package of ours", []string{"// internal/fault/a.go\npackage fault\n" + ours + `internal/redact"`},
			"internal/fault imports " + modulePath + "internal/redact"},
		{"some packages import the standard library alone", "a folder below is another package", []string{"// internal/bench/gate/a.go\npackage gate\n" + ours + `internal/bench"`}, ""},
		{"some folders stand alone", "a part of the sandbox in another", []string{"// internal/sandbox/a.go\npackage sandbox\n" + ours + `internal/sandbox/rest"`}, ""},
		{"some folders stand alone", "the sandbox and the vocabulary", []string{"// internal/sandbox/rest/a.go\npackage rest\n" + ours + `internal/bench"`},
			"internal/sandbox/rest imports internal/bench"},
		{"some folders stand alone", "the harness and the benchmark", []string{"// harness/taubench/a.go\npackage taubench\n" + ours + `internal/bench"`},
			"harness/taubench imports internal/bench"},
		{"some folders are imported by few", "a target on the sandbox", []string{"// internal/bench/target/a.go\npackage target\n" + ours + `internal/sandbox"`}, ""},
		{"some folders are imported by few", "a runner on the sandbox", []string{"// internal/bench/runner/a.go\npackage runner\n" + ours + `internal/sandbox/model"`},
			"internal/bench/runner imports internal/sandbox/model"},
		{"some folders are imported by few", "test code in the program", []string{"// internal/app/a.go\npackage app\n" + ours + `internal/testkit/fake"`},
			"internal/app imports internal/testkit/fake: besides tests, only nobody may"},
		{"providers know neither each other nor the runner", "a provider in another", []string{"// internal/bench/agent/opencode/a.go\npackage opencode\n" + ours + `internal/bench/agent/scripted"`},
			"internal/bench/agent/opencode imports internal/bench/agent/scripted"},
		{"providers know neither each other nor the runner", "the runner in a provider", []string{"// internal/bench/agent/scripted/a.go\npackage scripted\n" + ours + `internal/bench/runner"`},
			"internal/bench/agent/scripted imports internal/bench/runner"},
		{"providers know neither each other nor the runner", "a part of a provider", []string{"// internal/bench/agent/opencode/a.go\npackage opencode\n" + ours + `internal/bench/agent/opencode/api"`}, ""},
		{"providers know neither each other nor the runner", "what all providers are", []string{"// internal/bench/agent/opencode/a.go\npackage opencode\n" + ours + `internal/bench/agent"`}, ""},
		{"comment, report and gate do not import each other", "the gate in a report", []string{"// internal/bench/report/a.go\npackage report\n" + ours + `internal/bench/gate"`},
			"internal/bench/report imports internal/bench/gate"},
		{"gate and evidence are pure", "a file", []string{"// internal/bench/gate/a.go\npackage gate\nimport _ \"os/exec\""}, "internal/bench/gate imports os/exec"},
		{"gate and evidence are pure", "the network", []string{"// internal/bench/gate/a.go\npackage gate\nimport _ \"net/http\""}, "internal/bench/gate imports net/http"},
		{"gate and evidence are pure", "arithmetic", []string{"// internal/bench/gate/a.go\npackage gate\nimport _ \"math\""}, ""},
		{"the environment, the clock and the exit are the wiring's", "a clock", []string{"// internal/app/a.go\npackage app\nimport \"time\"\n\nvar now = time.Now"},
			"internal/app/a.go:5 uses time.Now"},
		{"the environment, the clock and the exit are the wiring's", "the environment under another name",
			[]string{"// internal/app/a.go\npackage app\nimport sys \"os\"\nfunc f() { sys.Getenv(\"A\") }"}, "internal/app/a.go:4 uses os.Getenv"},
		{"the environment, the clock and the exit are the wiring's", "the wiring", []string{"// internal/cli/a.go\npackage cli\nimport \"os\"\nfunc f() { os.Exit(1) }"}, ""},
		{"the environment, the clock and the exit are the wiring's", "another thing called os", []string{"// internal/app/a.go\npackage app\nfunc f(os x) { os.Exit(1) }"}, ""},
		{"the environment, the clock and the exit are the wiring's", "a pause", []string{"// internal/app/a.go\npackage app\nimport \"time\"\nvar d = time.Since"}, ""},
		{"every package has one comment", "none", []string{"// internal/app/a.go\n\npackage app"}, "internal/app has 0 package comments"},
		{"every package has one comment", "two", []string{"// internal/app/a.go\n// Package app is.\npackage app", "// internal/app/b.go\n// Package app is.\npackage app"},
			"internal/app has 2 package comments [internal/app/a.go internal/app/b.go]"},
		{"names of packages say something", "a name that says nothing", []string{"// internal/util/a.go\npackage util"}, `internal/util: the name "util"`},
		{"names of packages say something", "a folder that says nothing", []string{"// internal/common/a.go\npackage good"}, `internal/common: the name "good"`},
		{"there is no init function", "one", []string{"// internal/app/a.go\npackage app\n\nfunc init() {}"}, "internal/app/a.go:4 is an init function"},
		{"there is no init function", "a method of that name", []string{"// internal/app/a.go\npackage app\nfunc (a T) init() {}"}, ""},
		{"files are not long", "a long one", []string{"// internal/app/a.go\npackage app\n" + strings.Repeat("\n", maxLines)}, "internal/app/a.go has 452 lines"},
		{"files are not long", "the longest", []string{"// internal/app/a.go\npackage app\n" + strings.Repeat("\n", maxLines-2)}, ""},
		{"interfaces are small", "five methods", []string{"// internal/app/a.go\npackage app\ntype I interface{ A(); B(); C(); D(); E() }"}, "internal/app/a.go:3: the interface has 5 methods"},
		{"interfaces are small", "a constraint", []string{"// internal/app/a.go\npackage app\ntype I interface{ ~int | ~string }"}, ""},
	}
	covered := map[string]bool{}
	for _, c := range cases {
		t.Run(c.rule+": "+c.name, func(t *testing.T) {
			breaches := check(t, c.rule, c.files)
			if c.want == "" {
				assert.Empty(t, breaches)
				return
			}
			covered[c.rule] = true
			require.Len(t, breaches, 1)
			assert.Contains(t, breaches[0], c.want)
		})
	}
	for _, rule := range houseRules {
		assert.True(t, covered[rule.name], "no case shows that the rule %q can be broken", rule.name)
	}
}

// check applies a rule to files in memory.
func check(t *testing.T, name string, files []string) []string {
	t.Helper()
	packages := map[string]*pkg{}
	var m module
	for _, text := range files {
		first, _, _ := strings.Cut(text, "\n")
		at := strings.TrimPrefix(first, "// ")
		folder := at[:strings.LastIndex(at, "/")]
		if packages[folder] == nil {
			packages[folder] = &pkg{folder: folder}
			m = append(m, packages[folder])
		}
		_, source, _ := strings.Cut(text, "\n")
		packages[folder].parse(t, at, at, "\n"+source)
	}
	for _, rule := range houseRules {
		if rule.name == name {
			return rule.check(m)
		}
	}
	require.Fail(t, "unknown rule", name)
	return nil
}
