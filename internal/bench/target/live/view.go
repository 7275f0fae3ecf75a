package live

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// unjudged says what a view does not see, as rows and reports do.
const unjudged = "judged are the issues and pull requests of the fixtures, read before and after, and what the agent made; " +
	"not judged are others, branches, runs, releases, boards, reactions and relations"

// view is what the verifier sees of issues and pull requests, and of what
// people have said there, by kind and name.
type view map[string]sighting

// sighting is one object: the change that made it, with the fields that the log
// of a sandbox has of it, by the same names. Title, ID and author are the
// object's. Cut is true if a list of what belongs to it was not read whole.
type sighting struct {
	bench.Change
	fields map[string]any
	cut    bool
	// of is the key of the issue or pull request that it belongs to, its own for
	// these.
	of string
}

// viewer reads views with the verifier's token.
type viewer struct {
	client *github.Client
	repo   bench.ManifestRepo
	agent  string
}

func newViewer(opts Options, repo bench.ManifestRepo, access target.Access) (*viewer, error) {
	client, err := github.New(github.Options{
		RESTURL: access.RESTURL, GraphQLURL: access.GraphQLURL, Token: access.Token, Transport: opts.Transport, Patience: opts.Patience,
	})
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err)
	}
	return &viewer{client, repo, opts.AgentLogin}, nil
}

// conversations returns the numbers of the issues and pull requests among
// resources of a manifest, which the ids of their nodes tell.
func conversations(m bench.Manifest, resources []string) []int64 {
	numbers := map[int64]bool{}
	for _, name := range resources {
		id, _ := m.Resources[name]["id"].(string)
		if number := bench.WholeNumber(m.Resources[name]["number"]); number != 0 && (strings.HasPrefix(id, "I_") || strings.HasPrefix(id, "PR_")) {
			numbers[number] = true
		}
	}
	return slices.Sorted(maps.Keys(numbers))
}

// read looks at issues and pull requests. Those that are not there are not in
// the view.
func (v *viewer) read(ctx context.Context, numbers []int64) (view, error) {
	seen := view{}
	for _, number := range numbers {
		var answer struct {
			Repository struct{ IssueOrPullRequest *conversation }
		}
		err := v.client.GraphQL(ctx, conversationQuery, map[string]any{"owner": v.repo.Owner, "name": v.repo.Name, "number": number}, &answer)
		switch {
		case github.NotFound(err):
		case err != nil:
			return nil, fault.Wrap(fault.Infrastructure, fmt.Errorf("read %s#%d: %w", v.repo.FullName, number, err))
		case answer.Repository.IssueOrPullRequest != nil:
			answer.Repository.IssueOrPullRequest.addTo(seen, fmt.Sprintf("%s#%d", v.repo.FullName, number))
		}
	}
	return seen, nil
}

// changes tells how two views differ, in the words of a sandbox's log, and what
// else the agent is known to have made. What others have made meanwhile is no
// change of the agent's.
func (v *viewer) changes(before, after view, made []Made) []bench.Change {
	var all []bench.Change
	for _, key := range slices.Sorted(maps.Keys(after)) {
		now := after[key]
		was, known := before[key]
		c := now.Change
		switch {
		case !known && (before[now.of].cut || after[now.of].cut), !known && v.agent != "" && c.Actor != "" && !strings.EqualFold(c.Actor, v.agent):
			continue
		case !known:
			c.Kind = bench.ChangeCreated
		default:
			c.Kind, c.Actor = bench.ChangeChanged, ""
		}
		if c.Fields = differing(was.fields, now.fields); known && len(c.Fields) == 0 {
			continue
		}
		all = append(all, c)
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		was := before[key]
		parent, there := after[was.of]
		if _, still := after[key]; still || was.of != key && (!there || parent.cut || before[was.of].cut) {
			// What was said goes with what it was said on.
			continue
		}
		c := was.Change
		c.Kind, c.Actor = bench.ChangeDeleted, ""
		all = append(all, c)
	}
	markConsequences(all)
	return append(all, v.others(made)...)
}

// differing returns the fields that differ, by name; of a new object, which has
// none before, those that are not empty.
func differing(was, now map[string]any) []bench.FieldChange {
	var fields []bench.FieldChange
	for _, name := range slices.Sorted(maps.Keys(now)) {
		b, a := was[name], now[name]
		if reflect.DeepEqual(a, b) || was == nil && (a == nil || a == false) {
			continue
		}
		fields = append(fields, bench.FieldChange{Name: name, Before: b, After: a})
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, still := now[name]; !still && was[name] != nil {
			fields = append(fields, bench.FieldChange{Name: name, Before: was[name]})
		}
	}
	return fields
}

// markConsequences names what GitHub does by itself: a merge closes the issues
// that it fixes, and a comment on a line is in a review without words.
func markConsequences(all []bench.Change) {
	merged := slices.ContainsFunc(all, func(c bench.Change) bool { return c.Object == objectPull && becomes(c, "merged", true) })
	commented := slices.ContainsFunc(all, func(c bench.Change) bool { return c.Object == objectReviewComment && c.Kind == bench.ChangeCreated })
	for i, c := range all {
		switch {
		case c.Object == objectIssue && c.Kind == bench.ChangeChanged && merged && becomes(c, "state", "closed") && hasOnly(c, "state", "state_reason"):
			all[i].Cause = "closing keyword"
		case c.Object == objectReview && c.Kind == bench.ChangeCreated && commented && becomes(c, "state", "COMMENTED") && hasOnly(c, "state"):
			all[i].Cause = "review"
		}
	}
}

func becomes(c bench.Change, field string, to any) bool {
	return slices.ContainsFunc(c.Fields, func(f bench.FieldChange) bool { return f.Name == field && f.After == to })
}

func hasOnly(c bench.Change, fields ...string) bool {
	return !slices.ContainsFunc(c.Fields, func(f bench.FieldChange) bool { return !slices.Contains(fields, f.Name) })
}

// others are the things that the agent has made and that views do not have.
// Their fields are not known.
func (v *viewer) others(made []Made) (all []bench.Change) {
	for _, m := range made {
		object, name := string(m.Kind), m.Name
		switch tag, isTag := strings.CutPrefix(name, "refs/tags/"); {
		case m.Kind == MadeIssue || m.Kind == MadePull:
			// Views have them.
			continue
		case m.Kind == MadeMilestone:
			name = fmt.Sprint(m.Number)
		case m.Kind == MadeRef && isTag:
			object, name = "tag", tag
		case m.Kind == MadeRef:
			object, name = "branch", strings.TrimPrefix(name, "refs/heads/")
		}
		all = append(all, bench.Change{
			Kind: bench.ChangeCreated, Object: object, Name: v.repo.FullName + ": " + name, ID: int64(-1 - len(all)), Actor: v.agent, Partial: true,
		})
	}
	return all
}

// looking reads what an attempt is about before it begins, and returns how to
// tell what has become of it. It is nil where nothing can be read so.
func (t *Target) looking(ctx context.Context, p *place, m bench.Manifest, needs target.Needs, access target.Access) (func(context.Context) (target.Seen, error), error) {
	if !needs.Mutating {
		return nil, nil
	}
	v, err := newViewer(t.opts, m.Repo, access)
	if err != nil {
		return nil, err
	}
	numbers := conversations(m, needs.Resources)
	before, err := v.read(ctx, numbers)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (target.Seen, error) {
		p.mu.Lock()
		made := slices.Clone(p.made)
		p.mu.Unlock()
		all := slices.Clone(numbers)
		for _, one := range made {
			if one.Kind == MadeIssue || one.Kind == MadePull {
				all = append(all, one.Number)
			}
		}
		after, err := v.read(ctx, all)
		if err != nil {
			return target.Seen{}, err
		}
		return target.Seen{Changes: v.changes(before, after, made), Unjudged: unjudged}, nil
	}, nil
}
