package github_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

var variables = github.AppVariables{AppID: "APP_ID", InstallationID: "INSTALLATION_ID", PrivateKey: "KEY", PrivateKeyPath: "KEY_PATH"}

func readSettings(env map[string]string) (github.AppSettings, bool, error) {
	return variables.Read(func(name string) string { return env[name] })
}

func TestSettingsOfAnApp(t *testing.T) {
	key := string(appKeyPEM())
	file := filepath.Join(t.TempDir(), "app.pem")
	require.NoError(t, os.WriteFile(file, []byte(key), 0o600))
	cases := map[string]map[string]string{
		"the key itself":                {"KEY": key},
		"the key with escaped lines":    {"KEY": strings.ReplaceAll(key, "\n", `\n`)},
		"the key in quotes on one line": {"KEY": `"` + strings.ReplaceAll(key, "\n", `\n`) + `"`},
		"the key with Windows's lines":  {"KEY": strings.ReplaceAll(key, "\n", "\r\n")},
		"the key's file":                {"KEY_PATH": file},
	}
	for name, env := range cases {
		t.Run(name, func(t *testing.T) {
			env["APP_ID"], env["INSTALLATION_ID"] = "12", " 34\n"
			settings, given, err := readSettings(env)
			require.NoError(t, err)
			assert.True(t, given)
			assert.EqualValues(t, 12, settings.AppID)
			assert.EqualValues(t, 34, settings.InstallationID)
			_, err = github.NewApp(settings, github.AppOptions{})
			require.NoError(t, err)
		})
	}
	_, given, err := readSettings(nil)
	require.NoError(t, err)
	assert.False(t, given)
}

func TestSettingsOfAnAppThatAreWrong(t *testing.T) {
	key := string(appKeyPEM())
	half := key[:len(key)/2]
	cases := []struct {
		name, want string
		env        map[string]string
	}{
		{"only the id", "set INSTALLATION_ID and KEY or KEY_PATH too", map[string]string{"APP_ID": "1"}},
		{"no key", "set KEY or KEY_PATH too", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "2"}},
		{"no id", "set APP_ID too", map[string]string{"INSTALLATION_ID": "2", "KEY": key}},
		{"no installation", "set INSTALLATION_ID too", map[string]string{"APP_ID": "1", "KEY": key}},
		{"two keys", "KEY and KEY_PATH are both set", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "2", "KEY": key, "KEY_PATH": "x"}},
		{"an id that is a name", "APP_ID is not a number", map[string]string{"APP_ID": "my-app", "INSTALLATION_ID": "2", "KEY": key}},
		{"an installation below zero", "INSTALLATION_ID is not a number", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "-2", "KEY": key}},
		{"half a key", "KEY holds no private key in PEM", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "2", "KEY": half}},
		{"something else", "KEY holds no private key in PEM", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "2", "KEY": "hunter2-hunter2"}},
		{"a file that is not there", "KEY_PATH names a file that cannot be read", map[string]string{"APP_ID": "1", "INSTALLATION_ID": "2", "KEY_PATH": "/no/such/file"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, given, err := readSettings(c.env)
			assert.True(t, given)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "hunter2")
			assert.NotContains(t, err.Error(), half[40:80])
		})
	}
	_, err := github.NewApp(github.AppSettings{PrivateKey: []byte(half)}, github.AppOptions{})
	require.ErrorContains(t, err, "from BEGIN to END")
	assert.NotContains(t, err.Error(), half[40:80])
}
