package conduct

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// settingsSuffix ends the name of the check run about settings that a pull request
// proposes.
const settingsSuffix = " (settings)"

// checkProposed points at each mistake in the settings that a pull request proposes,
// if it proposes other ones than its base has. They count once they are merged, so
// what goes wrong here keeps nothing from being measured.
func (c *Conductor) checkProposed(ctx context.Context, client *github.Client, e ghevent.Event, known found) {
	if err := c.tellProposed(ctx, client, e, known); err != nil {
		c.opts.Log.WarnContext(ctx, "proposed settings were not checked", slog.String("repository", e.Repo.FullName()),
			slog.Int("pull_request", known.pull.Number), slog.String("problem", c.opts.Redact(err.Error())))
	}
}

func (c *Conductor) tellProposed(ctx context.Context, client *github.Client, e ghevent.Event, known found) error {
	text, err := readSettings(ctx, client, e, known.pull.HeadSHA)
	if errors.Is(err, errNoSettings) || err == nil && text == known.text {
		return nil
	}
	if err != nil {
		return err
	}
	_, problems := c.parseSettings(text)
	if len(problems) == 0 {
		return nil
	}
	start := publish.Start{HeadSHA: known.pull.HeadSHA, Name: settings.Defaults().CheckName + settingsSuffix}
	told, _, err := client.REST.Checks.ListCheckRunsForRef(ctx, e.Repo.Owner, e.Repo.Name, start.HeadSHA, &gh.ListCheckRunsOptions{CheckName: &start.Name})
	if err != nil {
		return github.Explain("list the check runs", err)
	}
	if told.GetTotal() > 0 {
		return nil
	}
	title := fmt.Sprintf("%d mistakes in the proposed %s", len(problems), settings.Path)
	if len(problems) == 1 {
		title = "A mistake in the proposed " + settings.Path
	}
	end := publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Failure, Output: comment.CheckOutput{
		Title:   title,
		Summary: "Once this is merged nothing would be measured. This pull request is measured by the settings of `" + known.pull.BaseRef + "`, if there are any.",
	}}}
	for _, p := range problems.Sorted() {
		end.Output.Annotations = append(end.Output.Annotations, comment.Annotation{
			Path: settings.Path, StartLine: p.Line, EndLine: p.Line, Level: comment.LevelFailure, Title: p.Path, Message: p.Message,
		})
	}
	var failed []error
	for _, n := range publish.New(client, e.Repo.Owner, e.Repo.Name).Check(start).Complete(ctx, end) {
		failed = append(failed, n.Err)
	}
	return errors.Join(failed...)
}
