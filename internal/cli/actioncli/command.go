package actioncli

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// obey does what a comment asks for, if its author may ask.
func (a *action) obey(ctx context.Context, asked ghevent.Request) (int, error) {
	cmd, mistake := asked.Command, asked.Mistake
	if mistake == nil && len(a.inputs.ModeFiles) == 0 {
		mistake = cmd.CheckModes()
	}
	may, err := a.teller.publisher.MayCommand(ctx, a.event.Comment.Author.Login)
	if err != nil {
		return exitInfrastructure, err
	}
	switch {
	case !may && (mistake != nil || !cmd.Name.ForAll()):
		return exitFine, a.refuseOnce(ctx, cmd.Name)
	case mistake != nil:
		return exitFine, a.answer(ctx, "confused", comment.Mistaken(mistake, here()...))
	}
	switch cmd.Name {
	case command.Run:
		return a.runFor(ctx, cmd)
	case command.Help:
		return exitFine, a.answer(ctx, "+1", comment.Helped(here()...))
	case command.Status:
		return a.status(ctx)
	default:
		return exitFine, a.answer(ctx, "confused", comment.Refused(cmd.Name, comment.NotHere))
	}
}

// here are the commands that a workflow can carry out.
func here() []command.Name { return []command.Name{command.Run, command.Status, command.Help} }

// answer reacts to the comment, and replies.
func (a *action) answer(ctx context.Context, reaction, body string) error {
	a.teller.warn(a.teller.publisher.React(ctx, a.event.Comment.ID, reaction))
	return a.teller.publisher.Reply(ctx, a.event.PullNumber, body)
}

// refuseOnce refuses a command of somebody who may give none, with an answer if there
// is none yet.
func (a *action) refuseOnce(ctx context.Context, name command.Name) error {
	mark := comment.RefusalMark(a.event.Comment.Author.Login)
	said, err := a.teller.publisher.Said(ctx, a.event.PullNumber, mark)
	if err != nil {
		return err
	}
	a.teller.warn(a.teller.publisher.React(ctx, a.event.Comment.ID, "-1"))
	if said {
		return nil
	}
	return a.teller.publisher.Reply(ctx, a.event.PullNumber, comment.Refused(name, comment.NoPermission)+"\n"+mark+"\n")
}

// runFor runs what a command asks for on the pull request's head.
func (a *action) runFor(ctx context.Context, cmd command.Command) (int, error) {
	e := a.event
	pull, err := ghevent.AskPull(ctx, a.teller.client, e.Repo, e.PullNumber)
	if err != nil {
		return exitInfrastructure, err
	}
	if pull.Closed {
		return exitFine, a.answer(ctx, "confused", comment.Refused(cmd.Name, comment.Closed))
	}
	a.event.HeadSHA, a.event.BaseSHA = pull.HeadSHA, pull.BaseSHA
	if pull.Fork {
		// The workflow has this repository's secrets.
		return exitFine, a.answer(ctx, "confused", comment.Refused(cmd.Name, comment.NotApproved))
	}
	// The workflow's own suites begin with the push too, so all of them count.
	late, err := a.teller.publisher.PushedAfter(ctx, a.event.HeadSHA, a.event.Comment.At, 0)
	if err != nil {
		return exitInfrastructure, err
	}
	if late {
		return exitFine, a.answer(ctx, "confused", comment.Refused(cmd.Name, comment.Outdated))
	}
	if a.inputs.Benchmark != actions.BenchmarkGHX && !isPlain(cmd) {
		return exitFine, a.answer(ctx, "confused", comment.Refused(cmd.Name, comment.OtherBenchmark))
	}
	a.apply(cmd)
	a.teller.commit(a.event.HeadSHA)
	if err := a.answer(ctx, "rocket", comment.Accepted(cmd.Name, a.teller.announced(a.plan()))); err != nil {
		a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
	}
	if a.inputs.BuildCommand != actions.BuildNone || len(a.inputs.ModeFiles) > 0 || a.inputs.Benchmark != actions.BenchmarkGHX {
		if a.source, err = ghxbuild.Fetch(ctx, a.teller.client, e.Repo.Owner, e.Repo.Name, a.event.HeadSHA); err != nil {
			return a.broken(ctx, err)
		}
		a.temporary = append(a.temporary, a.source)
		a.tree = ghxbuild.TreeOf(ctx, a.teller.client, e.Repo.Owner, e.Repo.Name, a.event.HeadSHA)
	}
	return a.measure(ctx)
}

// isPlain reports whether a command has nothing but its name.
func isPlain(cmd command.Command) bool {
	return cmd.Profile == "" && cmd.Set == "" && len(cmd.Scenarios) == 0 && len(cmd.Modes) == 0 && cmd.Repetitions == bench.Repetitions{} && cmd.Model == ""
}

// apply has a command's words count in place of the inputs. A run of something else
// than the inputs say has a check and a comment of its own, which nobody requires.
func (a *action) apply(cmd command.Command) {
	usual := a.inputs
	a.setInputs(cmd)
	if !reflect.DeepEqual(usual, a.inputs) {
		a.inputs.CheckName += comment.PartialSuffix
		a.teller.rename(a.inputs.CheckName)
	}
}

func (a *action) setInputs(cmd command.Command) {
	in := &a.inputs
	baseline := in.Baseline
	if cmd.Profile != "" {
		// What the inputs say is for another profile.
		if usual := cmd.Profile.UsualModes(); !slices.Equal(usual, in.Profile.UsualModes()) && in.Candidate == bench.GHX {
			in.Modes, in.Baseline = usual, usual[0]
		}
		if in.ScenarioSet == actions.UsualSet(in.Profile) {
			in.ScenarioSet = actions.UsualSet(cmd.Profile)
		}
		in.Profile = cmd.Profile
		if in.Repetitions.Adapt() != cmd.Profile.ByEvidence() {
			in.Repetitions = cmd.Profile.UsualRepetitions()
		}
	}
	if cmd.Set != "" {
		in.ScenarioSet, in.Scenarios = cmd.Set, nil
	}
	if len(cmd.Scenarios) > 0 {
		in.Scenarios = cmd.Scenarios
	}
	if len(cmd.Modes) > 0 {
		in.Modes = cmd.Modes
		if !slices.Contains(cmd.Modes, in.Baseline) && slices.Contains(cmd.Modes, baseline) {
			in.Baseline = baseline
		}
	}
	if cmd.Repetitions.Most > 0 {
		in.Repetitions = cmd.Repetitions
	}
	if cmd.Model != "" {
		in.Model = cmd.Model
	}
}

// status tells what the last run on the pull request came to.
func (a *action) status(ctx context.Context) (int, error) {
	last, err := a.teller.last(ctx)
	if err != nil {
		return exitInfrastructure, err
	}
	body := fmt.Sprintf("There is no run of `%s` on this pull request yet: comment `/bench run`.", a.inputs.CheckName)
	if last != nil {
		body = comment.StatusReply(comment.Run{
			Suite: last.Suite, ID: last.RunID, Commit: last.Commit, At: a.now(), Phase: comment.Finished, Previous: last, Commands: here(),
		})
	}
	return exitFine, a.answer(ctx, "+1", body)
}
