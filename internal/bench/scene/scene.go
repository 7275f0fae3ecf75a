// Package scene says what the fixtures repository has: its people, files,
// workflows, issues, pull requests, releases and boards, and the texts that
// scenarios give to agents.
//
// [Plain] is what never varies, as on GitHub: its names tell whose they are, so
// that they can be removed. [Draw] draws one of many scenes that are alike in
// what scenarios need and differ in everything else, for sandboxes (rule S15);
// nothing in it tells of a benchmark.
package scene

import (
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Scene is what a fixtures repository has once it is seeded. Resources are the
// names under which a manifest lists things.
type Scene struct {
	// Variation is nil where nothing was drawn.
	Variation *bench.Variation `yaml:"-"`
	Ground    Ground           `yaml:"-"`
	// Common are the labels of every issue and pull request.
	Common []string `yaml:"-"`
	// Labels are those that the repository has, besides Common.
	Labels    []Label   `yaml:"labels"`
	Milestone Milestone `yaml:"milestone"`
	Issues    []Issue   `yaml:"issues"`
	Pulls     []Pull    `yaml:"pulls"`
	// Published is a release that is out, Draft that of the next one.
	Published Release `yaml:"published"`
	Draft     Release `yaml:"draft"`
	// UnusedTag is that of a release which is to be made.
	UnusedTag string `yaml:"unused_tag"`
	// Board is the owner's, OrgBoard an empty one of an organization's.
	Board     Board     `yaml:"board"`
	OrgBoard  Board     `yaml:"org_board"`
	Workflows Workflows `yaml:"workflows"`
	// BehindBase is the branch that a pull request is behind, RunsBranch that on
	// which workflows are started.
	BehindBase string `yaml:"behind_base"`
	RunsBranch string `yaml:"runs_branch"`
	// Texts are what agents are given to write. Missing names what is not there.
	Texts   map[string]any `yaml:"texts"`
	Missing map[string]any `yaml:"missing"`
	// Kinds are the labels of bugs and of wishes.
	Kinds [2]string `yaml:"kinds"`
	// Adding are labels to add to the issue for triage, Setting those to give to
	// the prepared issue in place of its own.
	Adding  []string `yaml:"adding"`
	Setting []string `yaml:"setting"`
	// Assignees and Reviewers are who is to be assigned, and asked for a review;
	// empty leaves it to the repository.
	Assignees []string `yaml:"assignees"`
	Reviewers []string `yaml:"reviewers"`
	// missingTag is that of no release.
	missingTag string
	// prefix begins all titles, branchPrefix all branches and tagPrefix all tags;
	// empty where the scene was drawn.
	prefix, branchPrefix, tagPrefix string
}

// Label is a label of the repository. Color is six hexadecimal digits.
type Label struct {
	Name        string `yaml:"name"`
	Color       string `yaml:"color"`
	Description string `yaml:"description"`
}

// Milestone is an open milestone.
type Milestone struct {
	Title string `yaml:"title"`
}

// Issue is an issue.
type Issue struct {
	// Resource is empty for one that no scenario is about.
	Resource string    `yaml:"resource"`
	Title    string    `yaml:"title"`
	Body     string    `yaml:"body"`
	Comments []Comment `yaml:"comments"`
	Closed   bool      `yaml:"closed"`
	// Labels are besides the scene's common ones.
	Labels []string `yaml:"labels"`
	// Assigned issues have an assignee, and are in the milestone. Assignee is
	// who; empty leaves it to the repository.
	Assigned bool   `yaml:"assigned"`
	Assignee string `yaml:"assignee"`
	// Kind is the label that fits, where somebody is to find it out.
	Kind string `yaml:"kind"`
	// Author is who wrote one that was there before.
	Author string `yaml:"-"`
	// Parent, Blocker and Child are the resources that the issue is related to.
	Parent  string `yaml:"parent"`
	Blocker string `yaml:"blocker"`
	Child   string `yaml:"child"`
}

// Comment is a comment, the reviewer's or the owner's.
type Comment struct {
	ByReviewer bool     `yaml:"by_reviewer"`
	Body       string   `yaml:"body"`
	Reactions  []string `yaml:"reactions"`
}

// Pull is a pull request of one commit with one file.
type Pull struct {
	// Resource is empty for one that no scenario is about.
	Resource string `yaml:"resource"`
	// Branch is the whole name of its branch, Base that of its base; empty means
	// the default branch.
	Branch string `yaml:"branch"`
	Base   string `yaml:"base"`
	Title  string `yaml:"title"`
	Body   string `yaml:"body"`
	Path   string `yaml:"path"`
	File   string `yaml:"file"`
	// Labels are besides the scene's common ones.
	Labels []string `yaml:"labels"`
	Draft  bool     `yaml:"draft"`
	// Conflicts is true where the base has the file with another content.
	Conflicts bool `yaml:"conflicts"`
	// Verdict is the reviewer's: APPROVE, REQUEST_CHANGES or empty for none.
	Verdict string `yaml:"verdict"`
	// Issue is the resource of the issue whose branch it is opened from, so that
	// it is linked to it: merging it closes the issue.
	Issue string `yaml:"issue"`
	// Assigned pull requests have an assignee, as [Issue] has.
	Assigned  bool      `yaml:"assigned"`
	Assignee  string    `yaml:"assignee"`
	Comments  []Comment `yaml:"comments"`
	Reactions []string  `yaml:"reactions"`
	Threads   []Thread  `yaml:"threads"`
	// OneReview has all threads in one review; otherwise each is one of its own.
	OneReview bool `yaml:"one_review"`
	// Facts are what else the manifest tells of it.
	Facts map[string]any `yaml:"facts"`
}

// Thread is a thread of a reviewed pull request's file.
type Thread struct {
	Line     int    `yaml:"line"`
	Body     string `yaml:"body"`
	Resolved bool   `yaml:"resolved"`
}

// Reviews is how many reviews there are: those that threads came in, and the
// verdict.
func (p Pull) Reviews() int {
	reviews := len(p.Threads)
	if p.OneReview {
		reviews = 1
	}
	if p.Verdict != "" {
		reviews++
	}
	return reviews
}

// Release is a release.
type Release struct {
	Tag   string `yaml:"tag"`
	Name  string `yaml:"name"`
	Body  string `yaml:"body"`
	Draft bool   `yaml:"draft"`
}

// Board is a project.
type Board struct {
	Title string `yaml:"title"`
	// Note is a draft of an issue on it.
	Note Note `yaml:"note"`
	// Options are those of its field Priority, in order; Chosen is the one that
	// scenarios set.
	Options []string `yaml:"options"`
	Chosen  string   `yaml:"chosen"`
	// More are the resources that are on the board besides pull request and note.
	More []string `yaml:"-"`
}

// Items is how many items are on the owner's board: a pull request, the note, and
// more.
func (b Board) Items() int { return 2 + len(b.More) }

// Note is a draft of an issue on a board.
type Note struct {
	Title string `yaml:"title"`
	Body  string `yaml:"body"`
}

// Workflows are the files of the repository's workflows, and what is given to
// those that are started by hand.
type Workflows struct {
	// CI runs for every pull request.
	CI string `yaml:"ci"`
	// Failing fails on its first attempt and passes on the second.
	Failing string `yaml:"failing"`
	// FailingJob is its job that does so, after one that passes.
	FailingJob string `yaml:"failing_job"`
	// Long goes on until it is cancelled.
	Long string `yaml:"long"`
	// Uploading leaves artifacts.
	Uploading string `yaml:"uploading"`
	// Input is the name of the one input that they take, Value what it is given.
	Input string `yaml:"input"`
	Value string `yaml:"value"`
}

// Issue returns the issue that is a resource.
func (s *Scene) Issue(resource string) (Issue, bool) {
	return find(s.Issues, func(i Issue) bool { return i.Resource == resource })
}

// Pull returns the pull request that is a resource.
func (s *Scene) Pull(resource string) (Pull, bool) {
	return find(s.Pulls, func(p Pull) bool { return p.Resource == resource })
}

func find[T any](all []T, match func(T) bool) (found T, known bool) {
	if at := slices.IndexFunc(all, match); at >= 0 {
		return all[at], true
	}
	return found, false
}

// Branches are the whole names of all branches that are seeded.
func (s *Scene) Branches() []string {
	names := []string{s.BehindBase, s.RunsBranch}
	for _, p := range s.Pulls {
		names = append(names, p.Branch)
	}
	return names
}

// Tags are those of the releases, and of the one that is to be made.
func (s *Scene) Tags() []string { return []string{s.Published.Tag, s.Draft.Tag, s.UnusedTag} }

// LabelNames are the names of all labels.
func (s *Scene) LabelNames() []string {
	names := slices.Clone(s.Common)
	for _, l := range s.Labels {
		names = append(names, l.Name)
	}
	return names
}

// BranchPrefix and TagPrefix begin the names of all branches and tags that are
// seeded; empty where these have nothing in common.
func (s *Scene) BranchPrefix() string { return s.branchPrefix }

// TagPrefix is as [Scene.BranchPrefix].
func (s *Scene) TagPrefix() string { return s.tagPrefix }

// sortedNames returns the keys of a map, so that it is always walked in one order.
func sortedNames[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }

// Owns reports whether something of that title is the scene's.
func (s *Scene) Owns(title string) bool {
	if s.Variation == nil {
		return strings.HasPrefix(title, s.prefix)
	}
	isIssue := slices.ContainsFunc(s.Issues, func(i Issue) bool { return i.Title == title })
	return isIssue || slices.ContainsFunc(s.Pulls, func(p Pull) bool { return p.Title == title })
}
