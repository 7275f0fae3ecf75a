package config_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const secret = "a-secret-of-the-webhook"

func newKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

// env looks variables up in a map.
func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bench-app.yml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestNothingHasToBeSet(t *testing.T) {
	c, err := config.Read(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir()}), "")
	require.NoError(t, err)
	assert.Equal(t, ":8080", c.Address)
	assert.Equal(t, "sqlite:"+filepath.Join(c.DataDir, "bench.db"), c.Database)
	assert.True(t, c.Credentials.Empty())
	assert.Equal(t, "https://api.github.com", c.APIURL)
}

func TestEverySettingIsReadFromTheEnvironmentAndFromAFile(t *testing.T) {
	key := newKey(t)
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(keyFile, []byte(key), 0o600))
	want := config.Config{
		Address: "127.0.0.1:9", PublicURL: "https://bench.example.com", DataDir: "d", Database: "postgres://u:p@h/x",
		Workers: 3, Parallel: 4, Keep: 100 * time.Hour, StopTimeout: time.Minute, APIURL: "https://ghe.example.com/api/v3", GitHubURL: "https://ghe.example.com",
		LogLevel:    slog.LevelDebug,
		Credentials: config.Credentials{AppID: 42, PrivateKey: key, WebhookSecret: secret, ClientID: "Iv1.x", ClientSecret: "shhhhhhh"},
		Local: config.Local{
			Owners: []string{"octo", "org"}, ModelKey: "a-model-key", ModelBaseURL: "http://127.0.0.1:1/v1", Build: "make", GHXCommand: "node x.js", GHXSkill: "SKILL.md", Expectations: keyFile,
		},
	}
	fromEnv, err := config.Read(env(map[string]string{
		"PORT": "80", "BENCH_APP_ADDR": "127.0.0.1:9", "BENCH_APP_PUBLIC_URL": "https://bench.example.com/", "BENCH_APP_DATA_DIR": "d",
		"DATABASE_URL": "postgres://u:p@h/x", "BENCH_APP_WORKERS": "3", "BENCH_APP_PARALLEL": "4", "BENCH_APP_KEEP": "100h", "BENCH_APP_STOP_TIMEOUT": "1m",
		"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_URL": "https://ghe.example.com", "BENCH_APP_LOG_LEVEL": "debug",
		"BENCH_APP_ID": "42", "BENCH_APP_PRIVATE_KEY": strings.ReplaceAll(key, "\n", `\n`), "BENCH_APP_WEBHOOK_SECRET": secret,
		"BENCH_APP_CLIENT_ID": "Iv1.x", "BENCH_APP_CLIENT_SECRET": "shhhhhhh", "BENCH_APP_LOCAL_OWNERS": "octo, org", "BENCH_MODEL_API_KEY": "a-model-key",
		"BENCH_APP_MODEL_BASE_URL": "http://127.0.0.1:1/v1", "BENCH_APP_BUILD_COMMAND": "make", "BENCH_APP_GHX_COMMAND": "node x.js", "BENCH_APP_GHX_SKILL": "SKILL.md", "BENCH_APP_EXPECTATIONS": keyFile,
	}), "")
	require.NoError(t, err)
	want.Credentials.PrivateKey = strings.TrimSpace(key)
	fromEnv.Credentials.PrivateKey = strings.TrimSpace(fromEnv.Credentials.PrivateKey)
	assert.Equal(t, want, fromEnv)

	fromFile, err := config.Read(env(nil), write(t, `
port: 80
addr: 127.0.0.1:9
public-url: https://bench.example.com
data-dir: d
database-url: postgres://u:p@h/x
workers: 3
parallel: 4
keep: 100h
stop-timeout: 1m
github-api-url: https://ghe.example.com/api/v3
github-url: https://ghe.example.com
log-level: debug
app-id: 42
private-key-path: `+keyFile+`
webhook-secret: `+secret+`
client-id: Iv1.x
client-secret: shhhhhhh
local-owners: octo,org
model-api-key: a-model-key
model-base-url: http://127.0.0.1:1/v1/
build-command: make
ghx-command: node x.js
ghx-skill: SKILL.md
expectations: `+keyFile+`
`))
	require.NoError(t, err)
	fromFile.Credentials.PrivateKey = strings.TrimSpace(fromFile.Credentials.PrivateKey)
	assert.Equal(t, want, fromFile)
	assert.Subset(t, fromFile.Secrets(), []string{secret, "shhhhhhh", "p", "a-model-key"})
}

func TestTheEnvironmentGoesBeforeTheFile(t *testing.T) {
	c, err := config.Read(env(map[string]string{"BENCH_APP_WORKERS": "5"}), write(t, "workers: 3\nparallel: 6\n"))
	require.NoError(t, err)
	assert.Equal(t, []int{5, 6}, []int{c.Workers, c.Parallel})
}

func TestAllProblemsAreNamedAtOnce(t *testing.T) {
	file := write(t, "workers: [1]\ncolour: blue\nkeep: 1h\n")
	_, err := config.Read(env(map[string]string{
		"PORT": "70000", "BENCH_APP_ADDR": "nowhere", "BENCH_APP_PUBLIC_URL": "bench.example.com", "DATABASE_URL": "mysql://u:hunter22@h",
		"BENCH_APP_ID": "the-app", "BENCH_APP_PRIVATE_KEY": "hunter22", "BENCH_APP_WEBHOOK_SECRET": "hunter22", "BENCH_APP_CLIENT_ID": "x",
		"BENCH_APP_LOG_LEVEL": "loud", "GITHUB_API_URL": "ftp://x",
	}), file)
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	lines := strings.Split(err.Error(), "\n")
	for _, says := range []string{
		`PORT is "70000": write a number from 1 to 65535`, `BENCH_APP_ADDR is "nowhere"`, "BENCH_APP_PUBLIC_URL is no address such as https://bench.example.com",
		"DATABASE_URL is of no use", `BENCH_APP_ID is "the-app": write a number`, "BENCH_APP_PRIVATE_KEY is no private key", "BENCH_APP_WEBHOOK_SECRET is short",
		"one of BENCH_APP_CLIENT_ID and BENCH_APP_CLIENT_SECRET is missing", `BENCH_APP_LOG_LEVEL is "loud"`, "GITHUB_API_URL is no address",
		"workers in " + file + " is not a plain value", file + " sets colour, which is no setting", "keep in " + file + ` is "1h": write a duration from 72h0m0s`,
	} {
		found := 0
		for _, line := range lines {
			if strings.HasPrefix(line, "  "+says) {
				found++
			}
		}
		assert.Equal(t, 1, found, "%q in\n%s", says, err)
	}
	assert.Len(t, lines, 14)
	assert.NotContains(t, err.Error(), "hunter22")
}

func TestCredentialsAreWholeOrMissing(t *testing.T) {
	_, err := config.Read(env(map[string]string{"BENCH_APP_WEBHOOK_SECRET": secret, "BENCH_APP_DATA_DIR": t.TempDir()}), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "BENCH_APP_ID is missing")
	assert.Contains(t, err.Error(), "BENCH_APP_PRIVATE_KEY or BENCH_APP_PRIVATE_KEY_PATH is missing")
}

func TestAFileThatIsNoYAMLIsNotRepeated(t *testing.T) {
	_, err := config.Read(env(nil), write(t, "webhook-secret: 'hunter22\n - ]"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter22")
	_, err = config.Read(env(nil), filepath.Join(t.TempDir(), "missing.yml"))
	assert.ErrorContains(t, err, "cannot be read")
}

func TestSavedCredentialsAreUsedWhereNoneAreSet(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	saved := config.Credentials{AppID: 1, Slug: "x", PrivateKey: newKey(t), WebhookSecret: secret}
	require.NoError(t, config.SaveCredentials(folder, saved))
	info, err := os.Stat(filepath.Join(folder, "credentials.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left behind")

	c, err := config.Read(env(map[string]string{"BENCH_APP_DATA_DIR": folder}), "")
	require.NoError(t, err)
	assert.Equal(t, saved, c.Credentials)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "credentials.json"), []byte(`{"webhook_secret":"hunter22`), 0o600))
	_, err = config.Read(env(map[string]string{"BENCH_APP_DATA_DIR": folder}), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "credentials.json does not hold")
	assert.NotContains(t, err.Error(), "hunter22")
}

func TestHelpNamesEverySetting(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "database-url", "BENCH_APP_PRIVATE_KEY_PATH", "GITHUB_API_URL"} {
		assert.Contains(t, config.Help(), name)
	}
}
