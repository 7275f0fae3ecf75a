package conformance_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

func TestExplore(t *testing.T) {
	list := os.Getenv("LIST")
	if list == "" {
		t.Skip()
	}
	gh := realtool.Find(t, realtool.GH())
	base := newWorld(t)
	data, _ := os.ReadFile(list)
	only := regexp.MustCompile(os.Getenv("ONLY"))
	failed := 0
	for _, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' || !only.MatchString(line) {
			continue
		}
		world := base.Clone()
		c := at(t, world, gh)
		ids := map[string]string{}
		world.Look(func(s *model.State) {
			for r := range s.Runs.All() {
				if r.HeadBranch == "topic" {
					ids["30433642"] = fmt.Sprint(r.ID)
					ids["399444496"] = fmt.Sprint(r.Current().Jobs[1])
				}
			}
			for w := range s.Workflows.All() {
				ids["159038"] = fmt.Sprint(w.ID)
			}
			for p := range s.Projects.All() {
				ids["PVT_1"] = model.NodeID("PVT", 0, p.ID)
			}
			for f := range s.ProjectFields.All() {
				if f.Name == "Note" {
					ids["PVTF_1"] = model.FieldNodeID(f)
				}
				_ = f
			}
			for i := range s.ProjectItems.All() {
				ids["PVTI_1"] = model.NodeID("PVTI", i.ProjectID, i.ID)
			}
		})
		shown := line
		for a, b := range ids {
			line = strings.ReplaceAll(line, a, b)
		}
		if regexp.MustCompile(`^gh (pr status|pr create --|pr checkout|api 'repos/\{)`).MatchString(line) {
			c.Must(t, gh, "repo", "clone", fullName, ".")
			c.Must(t, "git", "checkout", "-q", "feat")
		}
		os.WriteFile(c.Work+"/asset.txt", []byte("asset"), 0o600)
		os.WriteFile(c.Work+"/body.md", []byte("body"), 0o600)
		r := c.Run(t, "sh", "-c", strings.Replace(line, "gh ", gh+" ", 1))
		mark := "ok  "
		if r.Code != 0 {
			mark = "FAIL"
			failed++
		}
		out := strings.TrimSpace(r.Stdout)
		if os.Getenv("FULL") == "" && len(out) > 300 {
			out = out[:300] + "…"
		}
		fmt.Printf("%s %s\n      out: %s\n      err: %s\n", mark, shown, strings.ReplaceAll(out, "\n", "\n           "), strings.TrimSpace(r.Stderr))
	}
	fmt.Println("failed", failed)
}
