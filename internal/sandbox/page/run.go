package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func runsOf(s *model.State, repo *model.Repo) []*model.Run {
	return s.Runs.Where(func(r *model.Run) bool { return r.RepoID == repo.ID })
}

// runs are the workflow runs of a repository.
func runs(at *look) (any, bool) {
	s := at.state
	repo, found := at.repo()
	if !found {
		return nil, false
	}
	return list(at, repo, "Runs", "runs", runsOf(s, repo), func(r *model.Run) entry {
		result := resultPill(r.Current().Status, r.Current().Conclusion)
		return entry{
			Pill: &result, When: when(r.UpdatedAt),
			Link:  link{workflowName(s, r) + ": " + cmp.Or(r.DisplayTitle, strconv.FormatInt(r.ID, 10)), repoPath(s, repo, "runs", strconv.FormatInt(r.ID, 10))},
			Notes: []string{r.Event, r.HeadBranch, count(len(r.Attempts), "attempt", "attempts"), "by " + s.Login(r.ActorID)},
		}
	})
}

func workflowName(s *model.State, r *model.Run) string {
	if w := s.Workflows.Get(r.WorkflowID); w != nil {
		return w.Name
	}
	return "(workflow gone)"
}

type runView struct {
	top
	repoTop
	Pill      pill
	Heading   string
	Facts     []fact
	Attempts  []attemptView
	Artifacts []entry
}

type attemptView struct {
	Number int
	Pill   pill
	Notes  []string
	Jobs   []jobView
}

type jobView struct {
	Name  string
	Pill  pill
	Steps []stepView
}

type stepView struct {
	Name string
	Pill pill
	Log  string
}

// run is the page of a workflow run: its attempts, the newest first.
func run(at *look) (any, bool) {
	s := at.state
	repo, found := at.repo()
	id, err := strconv.ParseInt(at.PathValue("id"), 10, 64)
	if !found || err != nil {
		return nil, false
	}
	r := s.Runs.Get(id)
	if r == nil || r.RepoID != repo.ID {
		return nil, false
	}
	now := r.Current()
	view := runView{
		top: top{Title: fmt.Sprintf("Run %d of %s", r.ID, s.FullName(repo)), Above: above(s, repo)}, repoTop: repoTops(s, repo, "runs"),
		Pill: resultPill(now.Status, now.Conclusion), Heading: workflowName(s, r) + ": " + r.DisplayTitle,
		Facts: some(
			newFact("Event", r.Event), newFact("Branch", r.HeadBranch), newFact("Commit", shortSHA(r.HeadSHA)), newFact("Number", strconv.Itoa(r.Number)),
			newFact("Started by", s.Login(r.ActorID)), newFact("Inputs", inputs(r)...), related(s, "Pull request", []model.ID{r.PullID}),
		),
	}
	for n, a := range slices.Backward(r.Attempts) {
		view.Attempts = append(view.Attempts, attemptOf(s, n+1, a))
	}
	for _, a := range s.ArtifactsOf(repo, r.ID) {
		view.Artifacts = append(view.Artifacts, entry{Link: link{Text: a.Name}, Notes: []string{a.File}, When: when(a.CreatedAt)})
	}
	return view, true
}

func inputs(r *model.Run) []string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		texts = append(texts, name+"="+r.Inputs[name])
	}
	return texts
}

func attemptOf(s *model.State, number int, a model.Attempt) attemptView {
	v := attemptView{Number: number, Pill: resultPill(a.Status, a.Conclusion), Notes: []string{"by " + s.Login(a.ActorID), when(a.StartedAt)}}
	for _, id := range a.Jobs {
		job := s.Jobs.Get(id)
		if job == nil {
			continue
		}
		shown := jobView{Name: job.Name, Pill: resultPill(job.Status, job.Conclusion)}
		for _, step := range job.Steps {
			shown.Steps = append(shown.Steps, stepView{step.Name, resultPill(step.Status, step.Conclusion), clipped(step.Log)})
		}
		v.Jobs = append(v.Jobs, shown)
	}
	return v
}

type projectView struct {
	top
	Heading string
	Facts   []fact
	Fields  []string
	Items   []itemView
}

type itemView struct {
	Kind   string
	Link   link
	Values []string
}

// project is the page of a project: a table of its items.
func project(at *look) (any, bool) {
	s := at.state
	id, err := strconv.ParseInt(at.PathValue("id"), 10, 64)
	if err != nil {
		return nil, false
	}
	p := s.Projects.Get(id)
	if p == nil {
		return nil, false
	}
	state := openOrClosed(p.ClosedAt != nil)
	view := projectView{
		top: top{Title: fmt.Sprintf("Project %s/%d", s.Login(p.OwnerID), p.Number), Above: home()}, Heading: p.Title,
		Facts: some(newFact("About", p.ShortDescription), newFact("State", state), newFact("Owner", s.Login(p.OwnerID)), newFact("Read me", clipped(p.Readme))),
	}
	own := slices.DeleteFunc(s.FieldsOf(p), func(f *model.ProjectField) bool { return !hasValues(f.Type) })
	for _, f := range own {
		view.Fields = append(view.Fields, f.Name)
	}
	for _, i := range s.ItemsOf(p)[:min(len(s.ItemsOf(p)), maxList)] {
		view.Items = append(view.Items, itemOf(s, i, own))
	}
	return view, true
}

// hasValues reports whether items have values of their own of a type.
func hasValues(t model.FieldType) bool {
	return slices.Contains([]model.FieldType{model.FieldText, model.FieldNumber, model.FieldDate, model.FieldSingleSelect, model.FieldIteration}, t)
}

func itemOf(s *model.State, i *model.ProjectItem, fields []*model.ProjectField) itemView {
	v := itemView{Kind: "draft"}
	switch issue := s.Issues.Get(i.IssueID); {
	case i.Draft != nil:
		v.Link.Text = i.Draft.Title
	case issue == nil:
		v.Kind, v.Link.Text = "gone", "(gone)"
	case issue.Pull != nil:
		v.Kind, v.Link = "pull request", link{fmt.Sprintf("#%d %s", issue.Number, issue.Title), issuePath(s, issue)}
	default:
		v.Kind, v.Link = "issue", link{fmt.Sprintf("#%d %s", issue.Number, issue.Title), issuePath(s, issue)}
	}
	if i.Archived {
		v.Kind += ", archived"
	}
	for _, f := range fields {
		text := ""
		if value, set := i.Values[f.ID]; set {
			text = changes.ValueText(s, value)
		}
		v.Values = append(v.Values, text)
	}
	return v
}
