package ghevent

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/comment"
)

// Rules say what keeps a head from being measured by itself. They are a
// repository's settings or a workflow's inputs, and hold alike for both.
type Rules struct {
	// SkipMarker has [skip bench] in the head commit's message be heeded.
	SkipMarker bool
	// Drafts has drafts measured too.
	Drafts bool
	// RunLabel and SkipLabel steer single pull requests; an empty name means no
	// such label.
	RunLabel, SkipLabel string
	// Paths are patterns as [ParsePaths] takes them; none means every path. Those
	// that cannot be read hold nothing back: whoever reads rules refuses them.
	Paths []string
}

// Head is what is known of what is to be measured.
type Head struct {
	Pull Pull
	// CommitMessage is the head commit's, empty where it is not known.
	CommitMessage string
	// ChangedFiles are the paths that the pull request touches, old names of
	// renamed files included. Nil means that they are not known, and then no
	// filter holds anything back: better one run too many.
	ChangedFiles []string
}

// Skip returns why a head is not measured by itself, empty if nothing speaks
// against it.
func (r Rules) Skip(h Head) comment.Skip {
	switch {
	case r.SkipMarker && !h.Pull.Fork && !h.Pull.ByBot && marked(h.CommitMessage):
		// A title is not asked: its author may be anybody. Who has pushed to a branch
		// of the repository may write, but bots write what they have read elsewhere.
		return comment.SkipMarker
	case has(h.Pull.Labels, r.SkipLabel) || r.RunLabel != "" && !has(h.Pull.Labels, r.RunLabel):
		return comment.SkipLabel
	case h.Pull.Draft && !r.Drafts:
		return comment.SkipDraft
	case untouched(r.Paths, h.ChangedFiles):
		return comment.SkipPaths
	default:
		return ""
	}
}

// marked reports whether a text asks for nothing to be run.
func marked(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "[skip bench]") || strings.Contains(text, "[bench skip]")
}

// has reports whether a label is there; names of labels are without case.
func has(labels []string, name string) bool {
	return name != "" && slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, name) })
}

// untouched reports whether the changed files are known and the patterns leave
// all of them out.
func untouched(patterns, changed []string) bool {
	if len(patterns) == 0 || changed == nil {
		return false
	}
	paths, err := ParsePaths(patterns)
	return err == nil && !paths.Any(changed)
}
