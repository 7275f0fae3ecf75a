package comment

import (
	"fmt"
	"iter"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// Level is an annotation's, as GitHub's API names it.
type Level string

// The levels.
const (
	LevelNotice  Level = "notice"
	LevelWarning Level = "warning"
	LevelFailure Level = "failure"
)

// Annotation explains a line of a file. Its texts are plain.
type Annotation struct {
	Path string
	// StartLine and EndLine count from 1.
	StartLine, EndLine int
	Level              Level
	// Title and Message are far below GitHub's limits of 255 characters and
	// 64 KiB.
	Title, Message string
}

const (
	// MaxAnnotations is how many a check run gets in all: with more of them the
	// page of a pull request becomes hard to use.
	MaxAnnotations = 200
	// AnnotationsPerRequest is how many GitHub takes at once.
	AnnotationsPerRequest = 50
)

// Requests yields the annotations in portions for one request each. The first
// creates or updates the check run and is there even without annotations; each
// further one adds its own.
func (o CheckOutput) Requests() iter.Seq[[]Annotation] {
	if len(o.Annotations) == 0 {
		return slices.Values([][]Annotation{nil})
	}
	return slices.Chunk(o.Annotations, AnnotationsPerRequest)
}

// annotations explain what has a place, the worst first.
func (r Run) annotations() []Annotation {
	var all []Annotation
	if r.Phase == Broken && r.Places.Problem != nil {
		all = append(all, annotate(*r.Places.Problem, LevelFailure, r.headline().title(), bench.Sentence(fault.Public(r.Problem))))
	}
	for _, c := range r.checks() {
		place, known := r.Places.Thresholds[c.Name]
		if known && !c.Passed {
			all = append(all, annotate(place, r.level(), c.Name.Label(), fmt.Sprintf("%s, the rule is %s. %s", c.ValueText(), c.RuleText(), bench.Sentence(c.Reason))))
		}
	}
	for _, s := range r.worst() {
		if place, known := r.Places.Scenarios[s.ID]; known {
			all = append(all, annotate(place, r.scenarioLevel(s), "Scenario "+s.ID, r.complaints(s, markdown.Log)))
		}
	}
	return all[:min(len(all), MaxAnnotations)]
}

// level is that of whatever made the verdict.
func (r Run) level() Level {
	if r.Conclusion() == Failure {
		return LevelFailure
	}
	return LevelNotice
}

// scenarioLevel is a warning where the candidate failed.
func (r Run) scenarioLevel(s bench.ScenarioSummary) Level {
	if r.Conclusion() == Failure && r.badness(s).failed > 0 {
		return LevelWarning
	}
	return LevelNotice
}

func annotate(p Place, level Level, title, message string) Annotation {
	line := max(p.Line, 1)
	return Annotation{
		Path: p.Path, StartLine: line, EndLine: line, Level: level,
		Title: markdown.Log(title, maxTitle), Message: markdown.Log(message, maxReason),
	}
}
