package actioncli

import (
	"cmp"
	"context"
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

// obey does what a comment asks for, if its author may ask. Wrong is what is wrong with
// the inputs, nil if nothing is.
func (a *action) obey(ctx context.Context, asked ghevent.Request, wrong error) (int, error) {
	cmd, mistake := asked.Command, asked.Mistake
	if mistake == nil && len(a.inputs.ModeFiles) == 0 {
		mistake = cmd.CheckModes()
	}
	switch {
	case mistake != nil:
		return exitFine, a.refuse(ctx, "confused", comment.Mistaken(mistake, here()...))
	case !slices.Contains(here(), cmd.Name):
		return exitFine, a.refuse(ctx, "confused", comment.Refused(cmd.Name, comment.NotHere))
	}
	may, err := a.teller.publisher.MayCommand(ctx, a.event.Comment.Author.Login)
	switch {
	case err != nil:
		return exitInfrastructure, err
	case cmd.Name.ForAll():
		return a.inform(ctx, cmd.Name, may)
	case !may:
		return exitFine, a.refuse(ctx, "-1", comment.Refused(cmd.Name, comment.NoPermission))
	case wrong != nil:
		return exitInvalid, cmp.Or(a.refuse(ctx, "confused", comment.WithBrokenInputs(cmd.Name, wrong)), wrong)
	default:
		return a.runFor(ctx, cmd)
	}
}

// here are the commands that a workflow can carry out.
func here() []command.Name {
	return []command.Name{command.Run, command.Status, command.Approve, command.Help}
}

// inform answers what anybody may ask. Who may not command gets no comment of his own
// for each time that he asks.
func (a *action) inform(ctx context.Context, name command.Name, may bool) (int, error) {
	body := comment.Helped(here()...)
	if name == command.Status {
		var err error
		if body, err = a.status(ctx); err != nil {
			return exitInfrastructure, err
		}
	}
	if may {
		return exitFine, a.answer(ctx, "+1", body)
	}
	return exitFine, a.refuse(ctx, "+1", body)
}

// answer reacts to the comment, and replies.
func (a *action) answer(ctx context.Context, reaction, body string) error {
	a.teller.warn(a.teller.publisher.React(ctx, a.event.Comment.ID, reaction))
	return a.teller.publisher.Reply(ctx, a.event.PullNumber, body)
}

// refuse reacts to the comment, and says why it leads to nothing: in one comment for
// each who comments, however often.
func (a *action) refuse(ctx context.Context, reaction, body string) error {
	login := a.event.Comment.Author.Login
	a.teller.warn(a.teller.publisher.React(ctx, a.event.Comment.ID, reaction))
	return a.teller.publisher.Answer(ctx, a.event.PullNumber, comment.RefusalMark(login), comment.ForOne(login, body))
}

// runFor runs what a command asks for on the pull request's head.
func (a *action) runFor(ctx context.Context, cmd command.Command) (int, error) {
	e := a.event
	pull, err := ghevent.AskPull(ctx, a.teller.client, e.Repo, e.PullNumber)
	if err != nil {
		return exitInfrastructure, err
	}
	a.event.HeadSHA, a.event.BaseSHA = pull.HeadSHA, pull.BaseSHA
	switch why, err := a.held(ctx, cmd, pull); {
	case err != nil:
		return exitInfrastructure, err
	case why != "":
		return exitFine, a.refuse(ctx, "confused", comment.Refused(cmd.Name, why))
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

// held returns why the pull request's head is not measured for a command, empty if it
// is. The workflow has this repository's secrets, so a fork's commit is measured only
// for somebody who says by its full name that he has read it.
func (a *action) held(ctx context.Context, cmd command.Command, pull ghevent.Pull) (comment.Refusal, error) {
	approves, other := cmd.Name == command.Approve, a.inputs.Benchmark != actions.BenchmarkGHX
	switch {
	case pull.Closed:
		return comment.Closed, nil
	case approves && !pull.Fork:
		return comment.OwnBranch, nil
	case approves && cmd.Commit != pull.HeadSHA:
		return comment.UnknownCommit, nil
	case approves && other:
		return comment.KeyToFork, nil
	case approves:
		return "", nil
	case pull.Fork:
		return comment.NotApproved, nil
	case other && !isPlain(cmd):
		return comment.OtherBenchmark, nil
	}
	// The workflow's own suites begin with the push too, so all of them count.
	late, err := a.teller.publisher.PushedAfter(ctx, pull.HeadSHA, a.event.Comment.At, 0)
	if late {
		return comment.Outdated, err
	}
	return "", err
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
func (a *action) status(ctx context.Context) (string, error) {
	pull, err := ghevent.AskPull(ctx, a.teller.client, a.event.Repo, a.event.PullNumber)
	if err != nil {
		return "", err
	}
	last, err := a.teller.last(ctx)
	return comment.StandingReply(a.inputs.CheckName, last, pull.HeadSHA), err
}
