package actioncli

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// build takes the checkout's credentials out of the workspace and builds the
// ghx that is measured.
func (a *action) build(ctx context.Context) (ghxbuild.Built, error) {
	if err := dropCredentials("."); err != nil {
		return ghxbuild.Built{}, err
	}
	workspace, err := os.Getwd()
	if err != nil {
		return ghxbuild.Built{}, fault.Infraf("find the workspace: %w", err)
	}
	if a.source != "" {
		workspace = a.source
	}
	b := &ghxbuild.Builder{Workspace: workspace, Account: a.account, Path: a.getenv("PATH")}
	var ghx ghxbuild.Built
	err = a.log.Foreign(func(w io.Writer) error {
		b.Output = w
		ghx, err = b.Build(ctx, ghxbuild.Wanted{
			Script: a.inputs.BuildCommand, Command: a.inputs.GHXCommand, Skill: a.inputs.GHXSkill, Base: a.inputs.BaseGHXCommand,
		})
		return err
	})
	if err == nil {
		a.log.Line("Measured is " + ghx.Describe())
	}
	return ghx, err
}

// dropCredentials takes out of a checkout's configuration what lets git in: a
// header with the token, or the file that has it. Agents could read it.
func dropCredentials(folder string) error {
	file := path.Join(folder, ".git", "config")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fault.Infraf("read the checkout's configuration: %w", err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		low := strings.ToLower(line)
		if !strings.Contains(low, "extraheader") && !strings.Contains(low, "git-credentials") {
			kept.WriteString(line)
		}
	}
	if kept.Len() == len(text) {
		return nil
	}
	const ownerOnly = 0o600
	if err := os.WriteFile(file, []byte(kept.String()), ownerOnly); err != nil {
		return fault.Infraf("take the credentials out of the checkout: %w; set persist-credentials: false at actions/checkout", err)
	}
	return nil
}

// output tells the runner what the step came to.
func (a *action) output(r actions.Result) { a.teller.files.SetOutputs(actions.Values(r)) }
