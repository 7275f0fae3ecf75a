package harness

import (
	"regexp"
	"slices"
	"strings"
)

// pythonFrame is a line of a Python traceback that names a file.
var pythonFrame = regexp.MustCompile(`(?m)^\s*File "([^"]+)", line \d+`)

// remote are the folders of Python packages that reach out of the process: the
// API of a model, a network, a sandbox. What fails in them is not the agent's own.
var remote = []string{
	"/litellm/", "/openai/", "/anthropic/", "/google/", "/httpx/", "/httpcore/", "/aiohttp/", "/requests/", "/urllib3/",
	"/harbor/environments/", "/psycopg2/", "/docker/", "/e2b/", "/daytona/", "/modal/",
}

// RaisedByAgent reports whether a Python traceback, the innermost call last, is of
// an error in the agent's own code: it passes through a file that is the agent's,
// as ours has it, and from there not into a package that reaches out of the
// process, such as a model's API.
func RaisedByAgent(traceback string, ours func(file string) bool) bool {
	for _, frame := range slices.Backward(pythonFrame.FindAllStringSubmatch(traceback, -1)) {
		file := frame[1]
		if slices.ContainsFunc(remote, func(folder string) bool { return strings.Contains(file, folder) }) {
			return false
		}
		if ours(file) {
			return true
		}
	}
	return false
}

// InExperiment reports whether a file is of the experiment's folder, and not of a
// Python environment in it.
func (h Host) InExperiment(file string) bool {
	return strings.HasPrefix(file, h.Path(".")+"/") && !strings.Contains(file, "/site-packages/") && !strings.Contains(file, "/lib/python")
}
