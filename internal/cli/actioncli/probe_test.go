package actioncli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// planted is what the probe looks for.
const planted = "planted-secret"

// where is a place of the runner's, or of an earlier step's, below a folder.
var where = []struct{ what, path, text string }{
	{"a header of the checkout", "work/.git/config.worktree", "[http]\n\textraheader = \\\n\t%s\n"},
	{"what stands for GitHub", "work/.git/modules/objects/config", "[url \"https://%s@github.com/\"]\n\tinsteadOf = https://github.com/\n"},
	{"an included file", "work/.git/credentials.inc", "[http]\n\textraheader = %s\n"},
	{"a helper", "work/.git/worktrees/w/config", "[credential]\n\thelper = !echo password=%s\n"},
	{"a repository in a folder of another name", "work/bare/config", "[remote \"o\"]\n\turl = https://x:%s@github.com/a\n"},
	{"another checkout", "work/deep/in/the/tree/.git/config", "[http]\n\textraheader = %s\n"},
	{"a package manager's, in the workspace", "work/.npmrc", "//registry.npmjs.org/:_authToken=%s\n"},
	{"one that a step has put there", "work/gha-creds-1.json", "%s"},
	{"one that no name tells", "work/made/by/a/step", "%s"},
	{"the configuration of git", "home/.gitconfig", "[url \"https://%s@github.com/\"]\n"},
	{"git's store", "home/.git-credentials", "https://x:%s@github.com"},
	{"curl's", "home/.netrc", "machine github.com password %s"},
	{"a package manager's, in the home", "home/.npmrc", "//registry.npmjs.org/:_authToken=%s\n"},
	{"Docker's", "home/.docker/config.json", `{"auths":{"ghcr.io":{"auth":"%s"}}}`},
	{"that of gh", "home/.config/gh/hosts.yml", "oauth_token: %s"},
	{"a file that a variable names", "elsewhere/npmrc", "_authToken=%s"},
	{"those of actions/checkout", "temp/git-credentials-1.config", "[http]\n\textraheader = %s\n"},
	{"what earlier steps have set", "commands/env", "TOKEN=%s"},
	{"a temporary folder of the runner's", "temp/a/b", "%s"},
}

// plant has the runner keep its things, and earlier steps their credentials, in a
// folder that every user can look into.
func (r *runner) plant(folder string) {
	t := r.t
	t.Helper()
	r.workspace = filepath.Join(folder, "work")
	r.write("probe.sh", r.probe(), 0o755)
	r.write(".npmrc", "registry=https://registry.npmjs.org\n", 0o644)
	r.git("init", "-q")
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
	r.head = r.git("rev-parse", "HEAD")
	r.pullRequest("synchronize", nil)
	for _, w := range where {
		path := filepath.Join(folder, w.path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, w.text, planted), 0o644))
	}
	for name, path := range map[string]string{
		"HOME": "home", "RUNNER_TEMP": "temp", "GITHUB_ENV": "commands/env", "NPM_CONFIG_USERCONFIG": "elsewhere/npmrc",
	} {
		r.env[name] = filepath.Join(folder, path)
	}
	r.env["ACTIONS_RUNTIME_TOKEN"], r.inputs["model-api-key"] = planted, planted
}

func (r *runner) probe() string {
	text, err := os.ReadFile("testdata/probe.sh")
	require.NoError(r.t, err)
	return string(text)
}

// openFolder is a folder that every user can enter, outside of those where everyone
// may write.
func openFolder(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	folder, err := os.MkdirTemp("/var/lib", "bench-action-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	require.NoError(t, os.Chmod(folder, 0o755))
	return folder
}

// files are those of every kind, named so that nothing depends on what can be listed.
func files(folder string) string {
	var paths []string
	for _, w := range where {
		paths = append(paths, filepath.Join(folder, w.path))
	}
	return folder + " " + strings.Join(paths, " ")
}

// ways are the rights that the action may have, and what it can do with them.
var ways = []struct {
	name, files string
	rights      func(testing.TB, *exec.Cmd)
}{
	{"with the rights of a container", "files: permissions", testkit.Contained},
	{"with all rights", "files: mount namespace", func(testing.TB, *exec.Cmd) {}},
}

// held checks how the action held what it ran, and that the probe found nothing.
func held(t *testing.T, log, said, files string) {
	t.Helper()
	if files == ways[1].files && strings.Contains(log, ways[0].files) {
		t.Skip("SKIPPED: a network namespace needs CAP_SYS_ADMIN")
	}
	assert.Contains(t, log, files)
	assert.NotContains(t, said, "LEAKS", said)
	assert.Regexp(t, `probes: \d\d held, 0 leak`, said)
}

// What a pull request brings runs as a user without rights. It is the action that
// keeps it from the rest, in a container as on a machine where it may mount.
func TestABuildGetsAtNothing(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			folder := openFolder(t)
			r := newRunner(t)
			r.plant(folder)
			before := exec.CommandContext(t.Context(), "sh", filepath.Join(r.workspace, "probe.sh"), folder)
			before.Dir, before.Env = r.workspace, []string{"PATH=" + os.Getenv("PATH")}
			before.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			said, err := before.CombinedOutput()
			require.Error(t, err, "it can look around: %s", said)
			require.Contains(t, string(said), "LEAKS: "+folder)

			r.inputs["build-command"] = "sh probe.sh " + files(folder)
			r.builds, r.rights = true, way.rights
			ended := r.run()
			held(t, ended.log, ended.log, way.files)
			require.Zero(t, ended.code, ended.log)
			assert.Contains(t, ended.log, "Left out, as the commit does not have it: bare, gha-creds-1.json, made\n")
			for _, w := range where {
				text, err := os.Stat(filepath.Join(folder, w.path))
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o644), text.Mode().Perm(), "for the steps that follow: %s", w.path)
			}
		})
	}
}

// An agent is asked by its model, which anybody can write to.
func TestAnAgentGetsAtNothing(t *testing.T) {
	t.Parallel()
	testkit.NeedComplete(t)
	opencode := realtool.Find(t, realtool.Tool{Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "make clients"})
	gh := realtool.Find(t, realtool.GH())
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			folder := openFolder(t)
			r := ownTool(t)
			mode := r.workspace + "/tools/mytool.yml"
			text, err := os.ReadFile(mode)
			require.NoError(t, err)
			r.workspace = filepath.Join(folder, "work")
			r.write("tools/mytool.yml", string(text), 0o644)
			r.plant(folder)
			probe := "sh -s -- " + files(folder) + " <<'PROBE'\n" + r.probe() + "PROBE"
			model := &stubmodel.Server{Key: planted, Plan: func(stubmodel.Request) []stubmodel.Step {
				return []stubmodel.Step{{Calls: []stubmodel.Call{stubmodel.Shell(probe)}}, {Text: "done"}}
			}}
			endpoint, err := model.Listen(t.Context())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
			r.env["PATH"] = strings.Join([]string{filepath.Dir(opencode), filepath.Dir(gh), os.Getenv("PATH")}, ":")
			r.inputs["provider"], r.inputs["model"], r.inputs["model-base-url"] = "opencode", "stub/m", endpoint.URL
			r.inputs["shard"] = "1/6" // one cell says enough
			r.rights = way.rights
			ended := r.run()
			said := 0
			for _, request := range model.Requests() {
				for _, m := range request.Messages {
					if m.Role == "tool" && strings.Contains(m.Text, "probes:") {
						said++
						held(t, ended.log, m.Text, way.files)
					}
				}
			}
			require.Positive(t, said, ended.log)
		})
	}
}
