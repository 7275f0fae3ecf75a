package actioncli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// teller tells on GitHub and in the job's summary how a run goes and what it
// came to. What cannot be told there is a warning in the log: it never hides
// the verdict.
type teller struct {
	action    *action
	client    *github.Client
	publisher *publish.Publisher
	files     *actions.Files
	began     time.Time

	mu    sync.Mutex
	check *publish.Check
	// run is what was said last, from the beginning with what the inputs and the event
	// say. What is said next is made of it, so that nothing is lost on the way.
	run comment.Run
}

// What the post step finds: the check's id and name, and the commit that it is of.
const (
	stateCheck  = "external-id"
	stateName   = "check-name"
	stateCommit = "commit"
)

func newTeller(a *action) (*teller, error) {
	place := a.event.Place
	client, err := github.New(github.Options{
		RESTURL: place.APIURL, GraphQLURL: place.GraphQLURL, Token: a.inputs.Token, Patience: a.patience(),
	})
	if err != nil {
		return nil, err
	}
	t := &teller{
		action: a, client: client, publisher: publish.New(client, a.event.Repo.Owner, a.event.Repo.Name),
		files: actions.NewFiles(a.getenv, rand.Reader, a.log), began: a.now(),
		run: comment.Run{
			Suite: a.inputs.CheckName, Commit: a.event.HeadSHA, Links: comment.Links{Job: place.RunURL},
			Commands: here(), OnNoVerdict: a.inputs.OnNoVerdict,
		},
	}
	return t, nil
}

// silent reports whether nothing is to be told on GitHub: a shard's part is
// told of by the job that merges the shards.
func (t *teller) silent() bool { return t.action.inputs.Shard != "" || t.action.inputs.Token == "" }

// commit sets the commit that is told of.
func (t *teller) commit(sha string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run.Commit = sha
}

// rename sets the name of the check and of the comment.
func (t *teller) rename(suite string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.run.Suite = suite
}

// announced is what there is to say of a plan.
func (t *teller) announced(plan *comment.Plan) comment.Run {
	run := t.in(comment.Queued)
	run.Plan, run.At = plan, t.action.now()
	return run
}

// in is what there is to say of the run in a phase, as far as it is known by now.
func (t *teller) in(phase comment.Phase) comment.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := t.run
	run.Phase = phase
	return run
}

// last returns what our comment says of the last run, nil if there is none.
func (t *teller) last(ctx context.Context) (*comment.Marker, error) {
	return t.publisher.Standing(ctx, t.action.event.PullNumber, t.run.Suite)
}

// findPull finds the open pull request whose head a workflow's run was of. The event
// does not name that of a fork, nor does it know of pushes since; what the run itself
// has written is not asked.
func (t *teller) findPull(ctx context.Context) error {
	e := &t.action.event
	if e.Name != ghevent.WorkflowRun || e.Run.Event != ghevent.PullRequest || t.action.inputs.Token == "" {
		return nil
	}
	e.PullNumber = 0
	owner, _, _ := strings.Cut(e.Run.HeadRepo, "/")
	pulls, err := ghevent.AskPullsFrom(ctx, t.client, e.Repo, owner, e.Run.HeadBranch)
	if err != nil {
		return err
	}
	for _, pull := range pulls {
		if pull.HeadSHA == e.HeadSHA {
			e.Pull, e.PullNumber, e.BaseSHA = &pull, pull.Number, pull.BaseSHA
			return nil
		}
	}
	return fault.Invalidf("no open pull request has its head at commit %s: somebody has pushed since, or it was closed", e.HeadSHA)
}

// checked reports whether the commit has a check of ours. A job may have the name, too,
// but not the id.
func (t *teller) checked(ctx context.Context) (bool, error) {
	name := t.action.inputs.CheckName
	return t.publisher.Checked(ctx, t.action.event.HeadSHA, name, func(id string) bool {
		return externalID.MatchString(id) && strings.HasSuffix(id, "-"+name)
	})
}

// externalID is the form of what [teller.externalID] returns in a workflow.
var externalID = regexp.MustCompile(`^[0-9]+-[0-9]+-.`)

// begin opens the check run.
func (t *teller) begin(ctx context.Context, plan *comment.Plan) {
	t.mu.Lock()
	t.run.Phase, t.run.Plan, t.run.At = comment.Running, plan, t.action.now()
	run := t.run
	t.mu.Unlock()
	if t.silent() || t.action.event.HeadSHA == "" {
		return
	}
	t.files.SaveState(stateCheck, t.externalID())
	t.files.SaveState(stateName, t.action.inputs.CheckName)
	t.files.SaveState(stateCommit, t.action.event.HeadSHA)
	check, notices := t.publisher.StartCheck(ctx, t.start(), comment.Check(run))
	t.warn(notices)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.check = check
}

// externalID tells the check of this job's run from others.
func (t *teller) externalID() string {
	place := t.action.event.Place
	return fmt.Sprintf("%s-%d-%s", cmp.Or(place.RunID, "local"), place.Attempt, t.action.inputs.CheckName)
}

func (t *teller) start() publish.Start {
	return publish.Start{
		HeadSHA: t.action.event.HeadSHA, Name: t.action.inputs.CheckName, ExternalID: t.externalID(), DetailsURL: t.action.event.Place.RunURL,
	}
}

// progress shows how far the run is. It does not wait for GitHub.
func (t *teller) progress(ctx context.Context, p comment.Progress) {
	p.Elapsed = t.action.now().Sub(t.began)
	t.show(ctx, func(run *comment.Run) { run.Progress = &p })
}

// surface shows what changed for agents. It does not wait for GitHub.
func (t *teller) surface(ctx context.Context, c *bench.SurfaceChange) {
	t.show(ctx, func(run *comment.Run) { run.Surface = c })
}

// show shows a change of what is said of the run in its check.
func (t *teller) show(ctx context.Context, change func(*comment.Run)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.run)
	if t.check == nil {
		return
	}
	check, now, output := t.check, t.action.now(), comment.Check(t.run).Output
	go func() { t.warn(check.Progress(ctx, now, output)) }()
}

// told is where on GitHub something was told.
type told struct{ checkURL, commentURL string }

// finish tells what a run came to, which [teller.in] begins: in the job's summary,
// in the check run and in the comment.
func (t *teller) finish(ctx context.Context, end comment.Run) told {
	end.At = t.action.now()
	if t.action.event.Name == ghevent.PullRequest && t.action.event.Fork {
		end.Notices = append(end.Notices, comment.ForkNotice)
	}
	var where told
	if !t.silent() {
		where.checkURL = t.complete(ctx, end)
		end.Links.Check = where.checkURL
		posted, notices := t.publisher.Comment(ctx, t.action.event.PullNumber, t.action.inputs.Comment, end)
		t.warn(notices)
		where.commentURL = posted.URL
	}
	t.files.AddSummary(comment.JobSummary(end))
	return where
}

// complete ends the check run, which is begun for that where none is open.
func (t *teller) complete(ctx context.Context, end comment.Run) string {
	if t.action.event.HeadSHA == "" {
		return ""
	}
	t.mu.Lock()
	check := t.check
	t.mu.Unlock()
	if check == nil {
		started, notices := t.publisher.StartCheck(ctx, t.start(), comment.Check(end))
		t.warn(notices)
		check = started
	}
	t.warn(check.Complete(ctx, publish.End{CheckRun: comment.Check(end), At: end.At}))
	return check.URL()
}

func (t *teller) warn(notices []publish.Notice) {
	for _, n := range notices {
		t.action.log.Warning(actions.Position{Title: "bench"}, n.String())
	}
}
