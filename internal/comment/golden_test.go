package comment_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestPagesAreAsTheyWere(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			testkit.CheckGolden(t, e.reason, "testdata/"+e.name+".comment.md", []byte(comment.Comment(e.run)))
			if e.name != "limits" { // its check run has the same sections in four times the size
				testkit.CheckGolden(t, e.reason, "testdata/"+e.name+".check.md", []byte(written(comment.Check(e.run))))
			}
		})
	}
	testkit.CheckGolden(t, "a job summary is the comment without its marker", "testdata/fail.summary.md", []byte(comment.JobSummary(failing())))
}

// written shows everything in a check run.
func written(c comment.CheckRun) string {
	var out strings.Builder
	fmt.Fprintf(&out, "status: %s\nconclusion: %s\ntitle: %s\n\n=== summary\n\n%s\n=== text\n\n%s", c.Status, c.Conclusion, c.Output.Title, c.Output.Summary, c.Output.Text)
	for _, a := range c.Output.Annotations {
		fmt.Fprintf(&out, "\n=== %s:%d-%d %s: %s\n%s\n", a.Path, a.StartLine, a.EndLine, a.Level, a.Title, a.Message)
	}
	return out.String()
}
