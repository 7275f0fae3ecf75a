package dashboard

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Filter says which runs are wanted, newest first. What is empty restricts nothing.
type Filter struct {
	// Repos are those that may be seen.
	Repos   []string
	State   State
	Verdict bench.Verdict
	Model   string
	Kind    Kind
	// Search is what the run has to be found by.
	Search Search
	// Before is the id of a run; what is older comes. Empty is the start.
	Before string
	Limit  int
}

// Search finds runs by any of these; nothing is found if all are empty but Text.
type Search struct {
	// Text is what was asked for, in words.
	Text string
	// Repos are those whose name has it.
	Repos []string
	// Pull is the number of a pull request, 0 for none; Commit and ID are how the commit
	// and the run's id begin.
	Pull       int
	Commit, ID string
}

// Empty reports whether nothing is searched for.
func (s Search) Empty() bool { return s.Text == "" }

var (
	// aCommit and anID are how beginnings of these look: few enough are found.
	aCommit = regexp.MustCompile(`^[0-9a-f]{4,40}$`)
	anID    = regexp.MustCompile(`^[0-9a-z][0-9a-z_-]{3,80}$`)
)

// newSearch returns what a text looks for among repositories; nil for a page that is of
// one already.
func newSearch(text string, repos []string) Search {
	s := Search{Text: strings.TrimSpace(text)}
	small := strings.ToLower(s.Text)
	if n, err := strconv.Atoi(strings.TrimPrefix(small, "#")); err == nil && n > 0 {
		s.Pull = n
	}
	if aCommit.MatchString(small) {
		s.Commit = small
	}
	if anID.MatchString(small) {
		s.ID = small
	}
	for _, repo := range repos {
		if small != "" && strings.Contains(strings.ToLower(repo), small) {
			s.Repos = append(s.Repos, repo)
		}
	}
	return s
}

// newFilter reads a filter from a page's address. What is none of the choices restricts
// nothing.
func newFilter(query url.Values, repos []string) Filter {
	f := Filter{Repos: repos, Model: query.Get("model"), Before: query.Get("before"), Limit: pageLimit + 1, Search: newSearch(query.Get("q"), repos)}
	if state := State(query.Get("state")); slices.Contains(states(), state) {
		f.State = state
	}
	if verdict := bench.Verdict(query.Get("verdict")); slices.Contains(verdicts(), verdict) {
		f.Verdict = verdict
	}
	if kind := Kind(query.Get("kind")); slices.Contains(kinds(), kind) {
		f.Kind = kind
	}
	return f
}

// newRepoFilter reads a filter from the address of a page of one repository: its name
// finds nothing, as all runs are of it.
func newRepoFilter(query url.Values, repo string) Filter {
	f := newFilter(query, []string{repo})
	f.Search.Repos = nil
	return f
}

func states() []State { return []State{Queued, Running, Finished, Stopped, Broken, Skipped} }

func verdicts() []bench.Verdict {
	return []bench.Verdict{bench.VerdictPass, bench.VerdictFail, bench.VerdictInconclusive, bench.VerdictNone}
}

func kinds() []Kind { return []Kind{PullRequest, Baseline, Command, MergeQueue} }

// values are the filter as a page's address has it.
func (f Filter) values() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"q": f.Search.Text, "state": string(f.State), "verdict": string(f.Verdict), "kind": string(f.Kind), "model": f.Model} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// choice is one of those of a filter's field.
type choice struct {
	Value, Text string
	Chosen      bool
}

// field is a field of the form that filters runs.
type field struct {
	Name, Label, Any string
	Choices          []choice
}

// form is what filters a list of runs.
type form struct {
	Search string
	// About says what may be searched for.
	About  string
	Fields []field
	// On says that something is filtered.
	On bool
	// Series is that of the page, which a form must not lose; empty for none.
	Series string
}

func newForm(f Filter, models []string) form {
	out := form{Search: f.Search.Text, On: len(f.values()) > 0}
	add := func(name, label, every string, chosen string, values []string) {
		made := field{Name: name, Label: label, Any: every}
		if chosen != "" && !slices.Contains(values, chosen) {
			values = append(values, chosen)
		}
		for _, value := range values {
			made.Choices = append(made.Choices, choice{value, strings.ReplaceAll(value, "_", " "), value == chosen})
		}
		out.Fields = append(out.Fields, made)
	}
	add("state", "State", "any state", string(f.State), texted(states()))
	add("verdict", "Verdict", "any verdict", string(f.Verdict), texted(verdicts()))
	add("kind", "Kind", "any kind", string(f.Kind), texted(kinds()))
	add("model", "Model", "any model", f.Model, models)
	for i := range out.Fields[len(out.Fields)-1].Choices { // a model is named as it is
		c := &out.Fields[len(out.Fields)-1].Choices[i]
		c.Text = c.Value
	}
	return out
}

func texted[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}
