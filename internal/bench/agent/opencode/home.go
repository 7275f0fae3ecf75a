package opencode

import "github.com/ghx-dev/bench-action/internal/bench/agent"

// Places in the home folder.
const (
	configFolder = ".config"
	dataFolder   = ".local/share"
	stateFolder  = ".local/state"
	cacheFolder  = ".cache"
	modelsFile   = ".config/opencode/models.json"
)

// homeFiles are what a home folder begins with, folders with a final slash.
//
// OpenCode installs a package of its own from npm into the folder of its
// configuration, unless there are node_modules and a lock file that names it.
// The list of models is empty: one that is given by its address needs none.
func homeFiles() []agent.File {
	return []agent.File{
		{Name: configFolder + "/"},
		{Name: configFolder + "/opencode/"},
		{Name: configFolder + "/opencode/node_modules/"},
		{Name: configFolder + "/opencode/package-lock.json", Content: `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`},
		{Name: modelsFile, Content: "{}"},
	}
}
