package settings_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
)

// compose is what is read of compose.yaml.
type compose struct {
	Services struct {
		App struct {
			Ports   []string `yaml:"ports"`
			EnvFile []struct {
				Path     string `yaml:"path"`
				Required bool   `yaml:"required"`
			} `yaml:"env_file"`
			Environment map[string]string `yaml:"environment"`
			Healthcheck struct {
				Test []string `yaml:"test"`
			} `yaml:"healthcheck"`
		} `yaml:"app"`
	} `yaml:"services"`
}

// orDefault finds a variable of Compose with the value that it has by default.
var orDefault = regexp.MustCompile(`\$\{\w+:-([^{}]*)\}`)

// The file tells people to put settings into .env. What it sets itself goes
// before that, so it sets no more than what the container is made of.
func TestComposeLosesNoSetting(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "compose.yaml"))
	require.NoError(t, err)
	var file compose
	require.NoError(t, yaml.Unmarshal(data, &file))
	app := file.Services.App

	require.Len(t, app.EnvFile, 1)
	assert.Equal(t, ".env", app.EnvFile[0].Path)
	assert.False(t, app.EnvFile[0].Required, "it works without one")

	variables, _ := named(t)
	set := map[string]string{}
	for name, value := range app.Environment {
		assert.Contains(t, variables, name, "a setting that there is")
		assert.Contains(t, []string{"DATABASE_URL", "BENCH_APP_DATA_DIR", "BENCH_APP_ADDR"}, name, "what .env says of it is lost")
		set[name] = orDefault.ReplaceAllString(value, "$1")
	}
	set["PORT"] = "3000" // a setting in .env, and there the machine's port
	c, err := settings.ReadServer(env(set), "")
	require.NoError(t, err)
	assert.Equal(t, []string{"${PORT:-8080}" + c.Address}, app.Ports)
	assert.Contains(t, app.Healthcheck.Test, "http://127.0.0.1"+c.Address+"/healthz")
	assert.Equal(t, "postgres://bench:bench@database/bench", c.Database)
}
