package changes

import (
	"maps"
	"reflect"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// inOtherForm are the fields of the model that are told as others, by type.
var inOtherForm = map[string][]string{
	"Issue": {"Closed"}, "Milestone": {"Closed"}, "Run": {"Attempts"}, "Workflow": {"Disabled"}, "Thread": {"FileWide"},
	"Discussion": {"Closed", "CategoryID"}, "Project": {"ClosedAt"}, "ProjectItem": {"Values"},
}

func isDerived(of reflect.Type, name string) bool {
	return slices.Contains(inOtherForm[of.Name()], name)
}

// derived returns the fields of a row that the model has in another form, or
// elsewhere.
func derived(s *model.State, row any) []field {
	switch r := row.(type) {
	case *model.Issue:
		return issueFields(s, r)
	case *model.Discussion:
		return []field{{name: "state", value: state(r.Closed, "open", "closed")}, {name: "category", value: categoryName(s, r)}}
	case *model.Milestone:
		return []field{{name: "state", value: state(r.Closed, "open", "closed")}}
	case *model.Workflow:
		return []field{{name: "state", value: state(r.Disabled, "active", "disabled_manually")}}
	case *model.Thread:
		return []field{{name: "subject_type", value: state(r.FileWide, "line", "file")}}
	case *model.Project:
		return []field{{name: "closed", value: r.ClosedAt != nil}}
	case *model.ProjectItem:
		return itemFields(s, r)
	case *model.ReviewComment:
		return placeFields(s, r)
	case *model.Run:
		return runFields(s, r)
	default:
		return nil
	}
}

// categoryName is the name of a discussion's category.
func categoryName(s *model.State, d *model.Discussion) string {
	if repo := s.Repos.Get(d.RepoID); repo != nil {
		if c := repo.Category(d.CategoryID); c != nil {
			return c.Name
		}
	}
	return gone
}

// state is the name of a state that is on or off.
func state(on bool, whenOff, whenOn string) string {
	if on {
		return whenOn
	}
	return whenOff
}

func issueFields(s *model.State, i *model.Issue) []field {
	fields := []field{{name: "state", value: state(i.Closed, "open", "closed")}}
	if i.Pull == nil {
		return fields
	}
	fields = append(fields, field{name: "merged", value: i.Pull.Merged()})
	repo := s.Repos.Get(i.RepoID)
	if repo == nil || !i.Pull.Merged() {
		return fields
	}
	if commit, err := repo.Git.Commit(plumbing.NewHash(i.Pull.MergeCommitSHA)); err == nil {
		fields = append(fields, field{name: "merge_commit_message", value: commit.Message})
	}
	return fields
}

func itemFields(s *model.State, i *model.ProjectItem) []field {
	var fields []field
	for _, id := range slices.Sorted(maps.Keys(i.Values)) {
		f := s.ProjectFields.Get(id)
		if f != nil {
			fields = append(fields, field{name: "values." + f.Name, value: valuer{s}.projectValue(f, i.Values[id])})
		}
	}
	return fields
}

// placeFields are where a comment is, which its thread knows.
func placeFields(s *model.State, c *model.ReviewComment) []field {
	t := s.Threads.Get(c.ThreadID)
	if t == nil {
		return nil
	}
	return []field{
		{name: "path", value: t.Path}, {name: "line", value: t.Line}, {name: "start_line", value: t.StartLine},
		{name: "side", value: orNil(string(t.Side))}, {name: "start_side", value: orNil(string(t.StartSide))},
	}
}

// runFields are those of a run's newest attempt.
func runFields(s *model.State, run *model.Run) []field {
	if len(run.Attempts) == 0 {
		return nil
	}
	var jobs, steps []any
	now, logs := run.Current(), false
	for _, id := range now.Jobs {
		job := s.Jobs.Get(id)
		if job == nil {
			continue
		}
		logs = logs || job.Log() != ""
		if job.Attempt != len(run.Attempts) {
			continue
		}
		jobs = append(jobs, job.Name)
		for _, step := range job.Steps {
			steps = append(steps, job.Name+" / "+step.Name+": "+string(step.Conclusion))
		}
	}
	fields := []field{
		{name: "status", value: string(now.Status)}, {name: "conclusion", value: orNil(string(now.Conclusion))},
		{name: "attempt", value: len(run.Attempts)}, {name: "rerun", value: orNil(string(now.Rerun))},
		{name: "triggering_actor", value: s.Login(now.ActorID)}, {name: "logs", value: logs},
	}
	if jobs != nil {
		fields = append(fields, field{name: "jobs", value: jobs}, field{name: "steps", value: steps})
	}
	return fields
}
