package comment

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/markdown"
)

// The limits, in bytes; GitHub counts some of them in characters, of which
// there are never more. They are below GitHub's own where those were seen to
// be counted otherwise.
const (
	// MaxComment is for a comment; GitHub's limit is 65,536.
	MaxComment = 65_000
	// MaxCheckText is for a check run's summary and its text, each.
	MaxCheckText = 65_535
	// MaxJobSummary is for a step's job summary. GitHub shows none at all above
	// 1 MiB, and other steps' texts may count.
	MaxJobSummary = 1<<20 - 64<<10
)

// How many lines the longest lists have at most; more is for the report.
const (
	mostInComment = 100
	mostInSummary = 2000
)

// Comment returns the body of the suite's sticky comment, at most
// [MaxComment] bytes. It begins with the run's [Marker].
func Comment(r Run) string {
	marker := r.Marker().String() + "\n"
	return marker + fit(slices.Concat(r.story(), []section{r.chart()}, r.details(mostInComment), []section{r.foot()}), MaxComment-len(marker), r.reportLink())
}

// JobSummary returns the text for a workflow's job summary, at most
// [MaxJobSummary] bytes.
func JobSummary(r Run) string {
	return fit(slices.Concat(r.story(), []section{r.chart()}, r.details(mostInSummary), []section{r.foot()}), MaxJobSummary, r.reportLink())
}

// CheckRun is what a check run is created or updated with.
type CheckRun struct {
	Status CheckStatus
	// Conclusion is empty until Status is completed.
	Conclusion Conclusion
	Output     CheckOutput
}

// CheckOutput is a check run's output.
type CheckOutput struct {
	// Title is plain text of one line.
	Title string
	// Summary and Text are Markdown of at most [MaxCheckText] bytes each. Text
	// may be empty.
	Summary, Text string
	// Annotations are at most [MaxAnnotations].
	Annotations []Annotation
}

// Check returns the suite's check run.
func Check(r Run) CheckRun {
	report := r.reportLink()
	return CheckRun{
		Status: r.Status(), Conclusion: r.Conclusion(),
		Output: CheckOutput{
			Title:       markdown.Log(r.headline().title(), maxTitle),
			Summary:     fit(append(r.story(), r.foot()), MaxCheckText, report),
			Text:        fit(append([]section{r.textChart()}, r.details(mostInSummary)...), MaxCheckText, report),
			Annotations: r.annotations(),
		},
	}
}

// story is what everybody reads: the verdict, and why.
func (r Run) story() []section {
	return []section{
		r.head(), r.notices(), r.progressBar(), r.planBefore(), r.worstByEvidence(), r.endpointsTable(), r.consequences(),
		r.reasons(), r.worstScenarios(), r.checksTable(), r.looks(), r.omissions(), r.surface(), r.toolChanges(), r.uncertain(), r.changes(), r.missing(), r.regressions(),
	}
}

// planBefore is the plan as long as it says more than the figures do.
func (r Run) planBefore() section {
	if !r.showsPlan() {
		return section{}
	}
	return section{open: r.Plan.table()}
}

func (r Run) showsPlan() bool { return r.Plan != nil && (r.Phase == Queued || r.Phase == Running) }

// details are for those who want to know more; lists have so many lines.
func (r Run) details(most int) []section {
	return []section{r.warnings().folded("Warnings"), r.modesTable(), r.scenariosTable(most), r.failures(most)}
}
