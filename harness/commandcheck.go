package harness

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
)

var _ Checker = (*CommandRunner)(nil)

// Check looks for the program.
func (r *CommandRunner) Check(_ context.Context, taskIDs []string, _ bool) []Check {
	name, path := r.options.Command[0], r.program()
	if !strings.ContainsRune(name, filepath.Separator) {
		path = r.options.Host.LookPath(name)
	}
	c := r.options.Host.CheckProgram("command", cmp.Or(path, name), "command")
	if c.Err == nil {
		c.Err = Distinct("the list of tasks", taskIDs)
	}
	return []Check{c}
}
