package actioncli

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// findRows looks for the rows of an earlier run, and closes their folder to
// agents: it tells of earlier attempts. Where there are none all cells run,
// since artifacts expire, and downloads fail.
func (a *action) findRows() error {
	folder := a.inputs.Rows
	if folder == "" {
		return nil
	}
	// Links that lead out of the workspace are refused.
	workspace, err := os.OpenRoot(".")
	if err != nil {
		return fault.Infraf("enter the workspace: %w", err)
	}
	defer workspace.Close()
	_, err = workspace.Stat(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Invalidf("input rows: %w; name a folder of the workspace that can be read", err)
	}
	var files []string
	if err == nil {
		if files, err = ledger.FilesBelow(folder); err != nil {
			return err
		}
	}
	if len(files) == 0 {
		a.log.Notice(actions.Position{Title: "bench"}, "There are no rows of an earlier run in "+folder+", so all cells are run.")
		a.inputs.Rows = ""
		return nil
	}
	const ours = 0o700
	// A folder that is somebody else's cannot be closed; the run can go on.
	_ = workspace.Chmod(folder, ours)
	return nil
}
