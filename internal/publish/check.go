package publish

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

const (
	// DefaultProgressEvery is the least time between two updates of progress.
	DefaultProgressEvery = 15 * time.Second
	// progressTimeout is how long an update of progress may take, because the
	// verdict waits for it.
	progressTimeout = 10 * time.Second
)

// Start describes a check run to open.
type Start struct {
	// HeadSHA is the pull request's head commit.
	HeadSHA string
	// Name is what branch protection knows the check by.
	Name string
	// ExternalID tells this run of the work from others: a check run with it
	// that is still open is taken over.
	ExternalID string
	// DetailsURL is where the check run leads to; empty means GitHub's page
	// of it.
	DetailsURL string
	// ID is the check run's if it is known, so that it need not be looked
	// for, and URL its page; 0 and empty if not.
	ID  int64
	URL string
	// ProgressEvery is the least time between two updates of progress; 0
	// means [DefaultProgressEvery].
	ProgressEvery time.Duration
}

// End is how a check run ends.
type End struct {
	// What is shown; its status is completed whatever it says.
	comment.CheckRun
	// At is when the work ended; the zero time means now.
	At time.Time
	// Buttons are shown on the check run's page, at most three.
	Buttons []Button
}

// Button asks its maker for something about a check run. GitHub takes labels
// and identifiers of at most 20 characters, and descriptions of at most 40.
type Button struct{ Label, Description, Identifier string }

// Check is a check run on its way. It is safe for concurrent use.
type Check struct {
	publisher *Publisher
	start     Start

	// mu is held while a request is on its way.
	mu sync.Mutex
	// run is nil until there is a check run.
	run *gh.CheckRun
	// forbidden is true once the token was refused: there is no use in trying
	// again.
	forbidden bool
	ended     bool
	// shown is true once GitHub has taken the end.
	shown bool
	// reported is when progress was last reported.
	reported time.Time
}

// StartCheck opens a check run; of what is shown, annotations are for its end. What
// cannot be opened is a notice; the check can be used nevertheless: its end makes up
// for it where it can.
func (p *Publisher) StartCheck(ctx context.Context, start Start, shown comment.CheckRun) (*Check, []Notice) {
	c := &Check{publisher: p, start: start}
	err := c.open(ctx, shown)
	if unclear(err) {
		// It may be there: then it is found.
		err = c.open(ctx, shown)
	}
	c.forbidden = refused(err)
	return c, noticed("open check run", err)
}

// OpenCheck returns the check run that a start describes if it is still open,
// nil if it is not.
func (p *Publisher) OpenCheck(ctx context.Context, start Start) (*Check, []Notice) {
	c := &Check{publisher: p, start: start}
	run, err := c.find(ctx)
	if run == nil {
		return nil, noticed("look for open check run", err)
	}
	c.run = run
	return c, nil
}

// Checked reports whether a commit has a check run of a name and with an external id
// that ours would have. Those of jobs, which may have any name, have another one.
func (p *Publisher) Checked(ctx context.Context, sha, name string, ours func(externalID string) bool) (bool, error) {
	for run, err := range p.checkRuns(ctx, sha, name) {
		if err != nil {
			return false, github.Explain("look for check runs", err)
		}
		if ours(run.GetExternalID()) {
			return true, nil
		}
	}
	return false, nil
}

// checkRuns returns all check runs of a name.
func (p *Publisher) checkRuns(ctx context.Context, sha, name string) iter.Seq2[*gh.CheckRun, error] {
	return github.Pages(func(page gh.ListOptions) ([]*gh.CheckRun, *gh.Response, error) {
		all, response, err := p.client.REST.Checks.ListCheckRunsForRef(ctx, p.owner, p.name, sha,
			&gh.ListCheckRunsOptions{CheckName: &name, Filter: new("all"), ListOptions: page})
		if err != nil {
			return nil, response, err
		}
		return all.CheckRuns, response, nil
	})
}

// Check returns the check run that a start describes, and asks GitHub nothing
// yet: its end finds the one that is open, or makes one.
func (p *Publisher) Check(start Start) *Check {
	c := &Check{publisher: p, start: start}
	if start.ID != 0 {
		c.run = &gh.CheckRun{ID: &start.ID, HTMLURL: optional(start.URL)}
	}
	return c
}

// Ended reports whether GitHub shows the check run's end.
func (c *Check) Ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

// ID returns the check run's number, 0 if there is none.
func (c *Check) ID() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run.GetID()
}

// URL returns the address of the check run's page, empty if there is none.
func (c *Check) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run.GetHTMLURL()
}

// open takes over the check run that is open, or makes one. It does not end it.
func (c *Check) open(ctx context.Context, shown comment.CheckRun) error {
	status, output := comment.StatusInProgress, view(shown.Output, nil)
	if shown.Status == comment.StatusQueued {
		status = comment.StatusQueued
	}
	run, err := c.find(ctx)
	if err != nil {
		return err
	}
	if run != nil {
		c.run = run
		err := c.update(ctx, gh.UpdateCheckRunOptions{Status: new(string(status)), Output: output})
		if err == nil || !refused(err) {
			return err
		}
		// Another App's check run has the same name and id.
		c.run = nil
	}
	return c.create(ctx, gh.CreateCheckRunOptions{Status: new(string(status)), Output: output})
}

// find returns the open check run of this name and external id, nil if there
// is none.
func (c *Check) find(ctx context.Context) (*gh.CheckRun, error) {
	if c.start.ID != 0 {
		return &gh.CheckRun{ID: &c.start.ID, HTMLURL: optional(c.start.URL)}, nil
	}
	for run, err := range c.publisher.checkRuns(ctx, c.start.HeadSHA, c.start.Name) {
		if err != nil {
			return nil, err
		}
		if run.GetExternalID() == c.start.ExternalID && run.GetStatus() != string(comment.StatusCompleted) {
			return run, nil
		}
	}
	return nil, nil
}

// create makes a check run of what a start and the options say.
func (c *Check) create(ctx context.Context, options gh.CreateCheckRunOptions) error {
	options.Name, options.HeadSHA = c.start.Name, c.start.HeadSHA
	options.ExternalID, options.DetailsURL = optional(c.start.ExternalID), optional(c.start.DetailsURL)
	run, _, err := c.publisher.client.REST.Checks.CreateCheckRun(ctx, c.publisher.owner, c.publisher.name, options)
	if err == nil {
		c.run = run
	}
	return err
}

func (c *Check) update(ctx context.Context, options gh.UpdateCheckRunOptions) error {
	options.Name, options.DetailsURL = c.start.Name, optional(c.start.DetailsURL)
	_, _, err := c.publisher.client.REST.Checks.UpdateCheckRun(ctx, c.publisher.owner, c.publisher.name, c.run.GetID(), options)
	return err
}

// Progress shows how far the work is. At is the time now: an update that comes
// too early after the one before, or while another one is on its way, is left
// out.
func (c *Check) Progress(ctx context.Context, at time.Time, output comment.CheckOutput) []Notice {
	if !c.mu.TryLock() {
		return nil
	}
	defer c.mu.Unlock()
	every := cmp.Or(c.start.ProgressEvery, DefaultProgressEvery)
	if c.run == nil || c.forbidden || c.ended || at.Sub(c.reported) < every {
		return nil
	}
	c.reported = at
	ctx, cancel := context.WithTimeout(ctx, progressTimeout)
	defer cancel()
	// The status is left out: should this arrive after the end, it must not
	// open the check run again.
	err := c.update(ctx, gh.UpdateCheckRunOptions{Output: view(output, nil)})
	c.forbidden = refused(err)
	return noticed("show progress in check run", err)
}

// Complete ends the check run, once; further calls do nothing. The verdict goes
// first, further annotations follow; what GitHub does not accept of them is
// left out. It goes on for a moment after ctx has ended.
func (c *Check) Complete(ctx context.Context, end End) []Notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.forbidden && c.run == nil {
		return nil
	}
	c.ended = true
	ctx, cancel := outliving(ctx)
	defer cancel()
	var notices []Notice
	if over := len(end.Output.Annotations) - comment.MaxAnnotations; over > 0 {
		end.Output.Annotations = end.Output.Annotations[:comment.MaxAnnotations]
		notices = append(notices, Notice{fault.Infraf("publish annotations: %d are left out, more than %d are not shown", over, comment.MaxAnnotations)})
	}
	portions := slices.Collect(end.Output.Requests())
	end.Output.Annotations = portions[0]
	err := c.conclude(ctx, end)
	if github.StatusOf(err) == http.StatusUnprocessableEntity {
		notices = append(notices, noticed("publish all of the check run", err)...)
		err = c.conclude(ctx, end.bare())
		c.shown = err == nil
		return append(notices, noticed("complete check run", err)...)
	}
	c.shown = err == nil
	if err != nil {
		return append(notices, noticed("complete check run", err)...)
	}
	return append(notices, noticed("publish further annotations", c.annotate(ctx, end.Output, portions[1:]))...)
}

// bare is an end without what GitHub may not have accepted.
func (e End) bare() End {
	const left = "The details could not be shown here; they are in the log and the summary of the job."
	output := comment.CheckOutput{Title: cmp.Or(e.Output.Title, string(e.Conclusion)), Summary: left}
	return End{CheckRun: comment.CheckRun{Conclusion: e.Conclusion, Output: output}, At: e.At}
}

// conclude gives the check run its conclusion, in a new one if there is none
// that could be changed.
func (c *Check) conclude(ctx context.Context, end End) error {
	if c.run == nil {
		// One that was made without our knowing may be found now; if it
		// cannot be looked for, there is nothing to lose.
		c.run, _ = c.find(ctx)
	}
	if c.run == nil {
		return c.createEnded(ctx, end)
	}
	err := c.updateEnded(ctx, end)
	if unclear(err) && !c.hasEnded(ctx, end) {
		err = c.updateEnded(ctx, end)
	} else if unclear(err) {
		err = nil
	}
	if refused(err) {
		// It is gone, or another App's.
		return c.createEnded(ctx, end)
	}
	return err
}

func (c *Check) createEnded(ctx context.Context, end End) error {
	return c.create(ctx, gh.CreateCheckRunOptions{
		Status: new(string(comment.StatusCompleted)), Conclusion: new(string(end.Conclusion)), CompletedAt: end.at(), Output: view(end.Output, end.Output.Annotations), Actions: end.actions(),
	})
}

func (c *Check) updateEnded(ctx context.Context, end End) error {
	return c.update(ctx, gh.UpdateCheckRunOptions{
		Status: new(string(comment.StatusCompleted)), Conclusion: new(string(end.Conclusion)), CompletedAt: end.at(), Output: view(end.Output, end.Output.Annotations), Actions: end.actions(),
	})
}

func (e End) actions() []*gh.CheckRunAction {
	var actions []*gh.CheckRunAction
	for _, b := range e.Buttons {
		actions = append(actions, &gh.CheckRunAction{Label: b.Label, Description: b.Description, Identifier: b.Identifier})
	}
	return actions
}

// hasEnded reports whether the check run is as it should be at the end.
func (c *Check) hasEnded(ctx context.Context, end End) bool {
	run, _, err := c.publisher.client.REST.Checks.GetCheckRun(ctx, c.publisher.owner, c.publisher.name, c.run.GetID())
	return err == nil && run.GetStatus() == string(comment.StatusCompleted) && run.GetConclusion() == string(end.Conclusion)
}

// CompleteDoubles ends the other check runs of the same name and external id that are
// open: where two open one at the same time, neither finds the other's.
func (c *Check) CompleteDoubles(ctx context.Context, end End) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	end.Output = comment.CheckOutput{Title: cmp.Or(end.Output.Title, string(end.Conclusion)), Summary: "Another check run of this name has the details."}
	end.Buttons = nil
	for run, err := range c.publisher.checkRuns(ctx, c.start.HeadSHA, c.start.Name) {
		if err != nil {
			return github.Explain("look for check runs of the same work", err)
		}
		if run.GetExternalID() != c.start.ExternalID || run.GetStatus() == string(comment.StatusCompleted) || run.GetID() == c.run.GetID() {
			continue
		}
		double := &Check{publisher: c.publisher, start: c.start, run: run}
		if err := double.updateEnded(ctx, end); err != nil && !refused(err) { // another App's is refused
			return github.Explain("complete a second check run of the same work", err)
		}
	}
	return nil
}

// annotate adds the annotations beyond those of the first request.
func (c *Check) annotate(ctx context.Context, output comment.CheckOutput, portions [][]comment.Annotation) error {
	for _, portion := range portions {
		if err := c.update(ctx, gh.UpdateCheckRunOptions{Output: view(output, portion)}); err != nil {
			return err
		}
	}
	return nil
}

func (e End) at() *gh.Timestamp {
	if e.At.IsZero() {
		return nil
	}
	return &gh.Timestamp{Time: e.At}
}

// view is an output as GitHub takes it, nil if there is nothing to show. A
// title and a summary are always there together.
func view(o comment.CheckOutput, annotations []comment.Annotation) *gh.CheckRunOutput {
	if o.Title+o.Summary+o.Text == "" && len(annotations) == 0 {
		return nil
	}
	view := &gh.CheckRunOutput{
		Title: new(cmp.Or(o.Title, "-")), Summary: new(cmp.Or(o.Summary, o.Title, "-")), Text: optional(o.Text),
	}
	for _, a := range annotations {
		view.Annotations = append(view.Annotations, &gh.CheckRunAnnotation{
			Path: new(a.Path), StartLine: new(a.StartLine), EndLine: new(max(a.EndLine, a.StartLine)),
			AnnotationLevel: new(string(a.Level)), Title: optional(a.Title), Message: new(a.Message),
		})
	}
	return view
}

// optional returns a pointer to text, nil for empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
