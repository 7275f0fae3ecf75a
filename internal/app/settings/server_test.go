package settings_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	secret = "a-secret-of-the-webhook"
	// expectations is a file that can be used.
	expectations = "../../../scenarios/expectations.json"
)

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
	c, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir()}), "")
	require.NoError(t, err)
	assert.Equal(t, ":8080", c.Address)
	assert.Equal(t, "sqlite:"+filepath.Join(c.DataDir, "bench.db"), c.Database)
	assert.True(t, c.Credentials.Empty())
	assert.Equal(t, "https://api.github.com", c.APIURL)
}

// everyVariable sets everything in the environment but the private key's file,
// which the key itself would go before.
func everyVariable(key string) map[string]string {
	return map[string]string{
		"PORT": "80", "BENCH_APP_ADDR": "127.0.0.1:9", "BENCH_APP_PUBLIC_URL": "https://bench.example.com/", "BENCH_APP_DATA_DIR": "d",
		"DATABASE_URL": "postgres://u:p@h/x", "BENCH_APP_WORKERS": "3", "BENCH_APP_PARALLEL": "4", "BENCH_APP_MAX_RUN_USD": "2.5", "BENCH_APP_MAX_DAY_USD": "40", "BENCH_APP_KEEP": "100h", "BENCH_APP_KEEP_RUNS": "200h", "BENCH_APP_STOP_TIMEOUT": "1m", "BENCH_APP_METRICS_TOKEN": "a-token-of-metrics",
		"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_URL": "https://ghe.example.com", "BENCH_APP_LOG_LEVEL": "debug",
		"BENCH_APP_ID": "42", "BENCH_APP_PRIVATE_KEY": strings.ReplaceAll(key, "\n", `\n`), "BENCH_APP_WEBHOOK_SECRET": secret,
		"BENCH_APP_CLIENT_ID": "Iv1.x", "BENCH_APP_CLIENT_SECRET": "shhhhhhh", "BENCH_APP_LOCAL_OWNERS": "octo, org", "BENCH_MODEL_API_KEY": "a-model-key",
		"BENCH_APP_MODEL_BASE_URL": "http://127.0.0.1:1/v1", "BENCH_APP_BUILD_COMMAND": "make", "BENCH_APP_GHX_COMMAND": "node x.js", "BENCH_APP_GHX_SKILL": "SKILL.md", "BENCH_APP_EXPECTATIONS": expectations,
		"BENCH_APP_LOCAL_REACH": "127.0.0.1:5432, db.example.com:5433", "BENCH_APP_LOCAL_PG_PASSWORD": "a-password-of-postgres",
	}
}

// everyKey is a file that sets everything but the private key itself.
func everyKey(keyFile string) string {
	return `
port: 80
addr: 127.0.0.1:9
public-url: https://bench.example.com
data-dir: d
database-url: postgres://u:p@h/x
workers: 3
parallel: 4
max-run-usd: 2.5
max-day-usd: 40
keep: 100h
keep-runs: 200h
stop-timeout: 1m
metrics-token: a-token-of-metrics
github-api-url: https://ghe.example.com/api/v3
github-url: https://ghe.example.com
log-level: debug
app-id: 42
private-key-path: ` + keyFile + `
webhook-secret: ` + secret + `
client-id: Iv1.x
client-secret: shhhhhhh
local-owners: octo,org
model-api-key: a-model-key
model-base-url: http://127.0.0.1:1/v1/
build-command: make
ghx-command: node x.js
ghx-skill: SKILL.md
expectations: ` + expectations + `
local-reach: 127.0.0.1:5432,db.example.com:5433
local-pg-password: a-password-of-postgres
`
}

func TestEverySettingIsReadFromTheEnvironmentAndFromAFile(t *testing.T) {
	key := newKey(t)
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(keyFile, []byte(key), 0o600))
	want := settings.Server{
		Address: "127.0.0.1:9", PublicURL: "https://bench.example.com", DataDir: "d", Database: "postgres://u:p@h/x",
		Workers: 3, Parallel: 4, MaxRunUSD: 2.5, MaxDayUSD: 40, Keep: 100 * time.Hour, KeepRuns: 200 * time.Hour, StopTimeout: time.Minute, MetricsToken: "a-token-of-metrics", APIURL: "https://ghe.example.com/api/v3", GitHubURL: "https://ghe.example.com",
		LogLevel:    slog.LevelDebug,
		Credentials: settings.Credentials{AppID: 42, PrivateKey: key, WebhookSecret: secret, ClientID: "Iv1.x", ClientSecret: "shhhhhhh"},
		Local: settings.LocalRuns{
			Owners: []string{"octo", "org"}, ModelKey: "a-model-key", ModelBaseURL: "http://127.0.0.1:1/v1", Build: "make", GHXCommand: "node x.js", GHXSkill: "SKILL.md", Expectations: expectations,
			Reach: []string{"127.0.0.1:5432", "db.example.com:5433"}, PGPassword: "a-password-of-postgres",
		},
	}
	fromEnv, err := settings.ReadServer(env(everyVariable(key)), "")
	require.NoError(t, err)
	want.Credentials.PrivateKey = strings.TrimSpace(key)
	fromEnv.Credentials.PrivateKey = strings.TrimSpace(fromEnv.Credentials.PrivateKey)
	assert.Equal(t, want, fromEnv)

	fromFile, err := settings.ReadServer(env(nil), write(t, everyKey(keyFile)))
	require.NoError(t, err)
	fromFile.Credentials.PrivateKey = strings.TrimSpace(fromFile.Credentials.PrivateKey)
	assert.Equal(t, want, fromFile)
	assert.Subset(t, fromFile.Secrets(), []string{secret, "shhhhhhh", "p", "a-model-key", "a-token-of-metrics", "a-password-of-postgres"})
}

func TestTheEnvironmentGoesBeforeTheFile(t *testing.T) {
	c, err := settings.ReadServer(env(map[string]string{"BENCH_APP_WORKERS": "5"}), write(t, "workers: 3\nparallel: 6\n"))
	require.NoError(t, err)
	assert.Equal(t, []int{5, 6}, []int{c.Workers, c.Parallel})
}

func TestAllProblemsAreNamedAtOnce(t *testing.T) {
	file := write(t, "workers: [1]\ncolour: blue\nkeep: 1h\n")
	_, err := settings.ReadServer(env(map[string]string{
		"PORT": "70000", "BENCH_APP_ADDR": "nowhere", "BENCH_APP_PUBLIC_URL": "bench.example.com", "DATABASE_URL": "mysql://u:hunter22@h",
		"BENCH_APP_ID": "the-app", "BENCH_APP_PRIVATE_KEY": "hunter22", "BENCH_APP_WEBHOOK_SECRET": "hunter22", "BENCH_APP_CLIENT_ID": "x",
		"BENCH_APP_LOG_LEVEL": "loud", "GITHUB_API_URL": "ftp://x", "BENCH_APP_METRICS_TOKEN": "hunter22",
	}), file)
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	lines := strings.Split(err.Error(), "\n")
	for _, says := range []string{
		`PORT is "70000": write a number from 1 to 65535`, `BENCH_APP_ADDR is "nowhere"`, "BENCH_APP_PUBLIC_URL is no address: write one with https:// and no more than a path, such as https://bench.example.com",
		"DATABASE_URL is of no use", `BENCH_APP_ID is "the-app": write a number`, "BENCH_APP_PRIVATE_KEY is no private key", "BENCH_APP_WEBHOOK_SECRET is short", "BENCH_APP_METRICS_TOKEN is short",
		"one of BENCH_APP_CLIENT_ID and BENCH_APP_CLIENT_SECRET is missing", `BENCH_APP_LOG_LEVEL is "loud"`, "GITHUB_API_URL is no address: write one with https:// and no more than a path, such as https://api.github.com",
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
	assert.Len(t, lines, 15)
	assert.NotContains(t, err.Error(), "hunter22")
}

func TestCredentialsAreWholeOrMissing(t *testing.T) {
	_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_WEBHOOK_SECRET": secret, "BENCH_APP_DATA_DIR": t.TempDir()}), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "BENCH_APP_ID is missing")
	assert.Contains(t, err.Error(), "BENCH_APP_PRIVATE_KEY or BENCH_APP_PRIVATE_KEY_PATH is missing")
}

func TestAMisspeltNameIsToldWithTheOneThatWasMeant(t *testing.T) {
	unknown := settings.UnknownVariables([]string{
		"BENCH_APP_PUBLICURL=hunter22", "BENCH_APP_WEBHOOK_SECRETS=hunter22", "BENCH_APP_DATABASE_URL=hunter22", "BENCH_APP_MODEL_API_KEY=hunter22", "BENCH_APP_ZEBRA=hunter22",
		"BENCH_APP_WORKERS=3", "BENCH_APP_CONFIG=x.yml", "BENCH_APP_EMPTY=", "BENCH_APPS=1", "PATH=/bin", "odd",
	}, "BENCH_APP_CONFIG")
	assert.Equal(t, []string{
		`BENCH_APP_PUBLICURL is no setting and has no effect: did you mean "BENCH_APP_PUBLIC_URL"?`,
		`BENCH_APP_WEBHOOK_SECRETS is no setting and has no effect: did you mean "BENCH_APP_WEBHOOK_SECRET"?`,
		`BENCH_APP_DATABASE_URL is no setting and has no effect: did you mean "DATABASE_URL"?`,
		`BENCH_APP_MODEL_API_KEY is no setting and has no effect: did you mean "BENCH_MODEL_API_KEY"?`,
		"BENCH_APP_ZEBRA is no setting and has no effect: `bench-app serve --help` lists them",
	}, unknown)
	_, err := settings.ReadServer(env(nil), write(t, "worker: 3\n"))
	assert.ErrorContains(t, err, `sets worker, which is no setting: did you mean "workers"?`)
}

func TestAFileOfExpectationsIsReadBeforeItIsNeeded(t *testing.T) {
	for text, says := range map[string]string{
		"pricing: none\n":               ":1:1: ",
		"{\n  \"thresholds\": 1\n}\n":   ":2:3: ",
		"{\n  \"pricing\": {\"x\": 1}}": ":2:",
	} {
		file := write(t, text)
		_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_EXPECTATIONS": file, "BENCH_APP_DATA_DIR": t.TempDir()}), "")
		require.ErrorContains(t, err, "  BENCH_APP_EXPECTATIONS names a file that cannot be used:\n    "+file)
		assert.ErrorContains(t, err, "    "+file+says)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	_, err := settings.ReadServer(env(nil), write(t, "expectations: /nowhere.json\n"))
	assert.ErrorContains(t, err, "expectations in ")
	assert.ErrorContains(t, err, "names a file that cannot be read: open /nowhere.json")
}

func TestADataFolderThatIsNoneIsNamedByItsSetting(t *testing.T) {
	_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": write(t, "")}), "")
	assert.ErrorContains(t, err, "BENCH_APP_DATA_DIR cannot be used, as the App's credentials in it cannot be read: open ")
}

func TestAFileThatIsNoYAMLIsNotRepeated(t *testing.T) {
	_, err := settings.ReadServer(env(nil), write(t, "webhook-secret: 'hunter22\n - ]"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter22")
	assert.ErrorContains(t, err, ", line 1, is no YAML")
	_, err = settings.ReadServer(env(nil), write(t, "port: 80\nport: 81\n"))
	assert.ErrorContains(t, err, ", line 2, is no YAML with a name of its own")
	_, err = settings.ReadServer(env(nil), filepath.Join(t.TempDir(), "missing.yml"))
	assert.ErrorContains(t, err, "BENCH_APP_CONFIG names a file that cannot be read")
}

func TestAKeyThatIsOfNoUseIsNamedOnceAsItWasGiven(t *testing.T) {
	folder := t.TempDir()
	set := map[string]string{"BENCH_APP_ID": "1", "BENCH_APP_WEBHOOK_SECRET": secret, "BENCH_APP_DATA_DIR": folder}
	for path, says := range map[string]string{
		filepath.Join(folder, "none.pem"): "BENCH_APP_PRIVATE_KEY_PATH names a file that cannot be read: open ",
		write(t, "hunter22"):              "which holds no private key of RSA in PEM: give the whole",
	} {
		set["BENCH_APP_PRIVATE_KEY_PATH"] = path
		_, err := settings.ReadServer(env(set), "")
		require.ErrorContains(t, err, says)
		assert.Len(t, strings.Split(err.Error(), "\n"), 2, "one problem: %s", err)
		assert.NotContains(t, err.Error(), "hunter22")
	}
	set["BENCH_APP_PRIVATE_KEY"] = newKey(t)
	_, err := settings.ReadServer(env(set), "")
	assert.Error(t, err, "the wrong path is told all the same")
}

func TestSavedCredentialsAreUsedWhereNoneAreSet(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	saved := settings.Credentials{AppID: 1, Slug: "x", PrivateKey: newKey(t), WebhookSecret: secret}
	require.NoError(t, settings.SaveCredentials(folder, saved))
	info, err := os.Stat(filepath.Join(folder, "credentials.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left behind")

	c, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": folder}), "")
	require.NoError(t, err)
	assert.Equal(t, saved, c.Credentials)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "credentials.json"), []byte(`{"webhook_secret":"hunter22`), 0o600))
	_, err = settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": folder}), "")
	require.Error(t, err)
	assert.Contains(t, err.Error(), "credentials.json does not hold")
	assert.NotContains(t, err.Error(), "hunter22")
}

// named returns the variables and the keys of the settings in the help.
func named(t *testing.T) (variables, keys []string) {
	t.Helper()
	for line := range strings.Lines(settings.ServerHelp()) {
		columns := strings.Fields(line)
		require.Greater(t, len(columns), 2, "a variable, a key and what they are: %s", line)
		variables, keys = append(variables, columns[0]), append(keys, columns[1])
	}
	return variables, keys
}

// What the help names is what the test of every setting sets, and the other way
// round.
func TestHelpNamesEverySetting(t *testing.T) {
	variables, keys := named(t)
	assert.ElementsMatch(t, append(slices.Collect(maps.Keys(everyVariable(""))), "BENCH_APP_PRIVATE_KEY_PATH"), variables)
	want := []string{"private-key"}
	for line := range strings.Lines(strings.TrimSpace(everyKey(""))) {
		key, _, _ := strings.Cut(line, ":")
		want = append(want, key)
	}
	assert.ElementsMatch(t, want, keys)
}
