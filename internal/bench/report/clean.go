package report

import (
	"math"

	"github.com/ghx-dev/bench-action/internal/markdown"
)

// maxText is how many characters of a text that is not ours are shown.
const maxText = 300

// oneLine makes a text of unknown origin fit to show.
func oneLine(s string) string { return markdown.Clean(s, maxText) }

// inLog has a line that may be printed to a workflow's log be no command
// there. What it is made of was cut already.
func inLog(s string) string { return markdown.Log(s, math.MaxInt) }

// escape writes a text of unknown origin as Markdown that shows it as it is.
func escape(s string) string { return markdown.Text(s, maxText) }

// code is escape for a code span.
func code(s string) string { return markdown.Code(s, maxText) }
