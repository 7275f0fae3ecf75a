package actioncli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// git runs git in the workspace and returns what it says.
func (r *runner) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.workspace
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// proposal makes the workspace the merge of a pull request, as actions/checkout
// does, of a tool that both commits build.
func proposal(t *testing.T, basesBuild string) (r *runner, base string) {
	t.Helper()
	r = newRunner(t)
	r.unprivileged = true
	r.git("init", "-q", "-b", "main")
	r.write("build.sh", basesBuild, 0o644)
	r.write("tool.sh", "#!/bin/sh\necho base\n", 0o755)
	r.git("add", "-A")
	r.git("commit", "-qm", "base")
	base = r.git("rev-parse", "HEAD")
	r.git("checkout", "-qb", "change")
	r.write("build.sh", "echo 'builds head' $GITHUB_TOKEN $INPUT_PROVIDER; mkdir bin; cp tool.sh bin/tool\n", 0o644)
	r.git("commit", "-qam", "change")
	r.head = r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "change")
	r.pullRequest("synchronize", map[string]any{"base": map[string]any{"ref": "main", "sha": strings.Repeat("0d", 20)}})
	r.inputs["gate-profile"], r.inputs["build-command"], r.inputs["ghx-command"] = "regression", "sh build.sh", "bin/tool"
	r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001,issue-view-001,pr-list-001", "6"
	return r, base
}

const buildsBase = "echo 'builds base'; mkdir bin; cp tool.sh bin/tool\n"

func TestTheBaseIsBuiltBesideTheHeadAndComparedWith(t *testing.T) {
	t.Parallel()
	r, base := proposal(t, buildsBase)
	tree := r.git("rev-parse", "HEAD^{tree}")
	baseTree := r.git("rev-parse", base+"^{tree}")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Regexp(t, `(?s)builds head\n.*builds base\n`, ended.log, "both are built, without the job's environment")
	assert.Regexp(t, `--modes ghx@base,ghx .*--baseline-mode ghx@base .*--ghx-command \S+/workspace/bin/tool --base-ghx \S+/workspace/bin/tool`, ended.log)
	assert.Contains(t, ended.log, "--git-tree "+tree+" --base-commit "+base+" --base-tree "+baseTree)
	assert.Contains(t, ended.log, "(the candidate) against ghx@base at "+base[:7])
	assert.NotContains(t, ended.log, "FAIL")
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "bench-source-*"))
	require.NoError(t, err)
	for _, folder := range left {
		assert.NoFileExists(t, filepath.Join(folder, "tool.sh"), "the base's files are removed")
	}
}

func TestABaseThatCannotBeBuiltIsNoVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		build  string
		change func(r *runner)
		code   int
		want   string
	}{
		"its build fails":                         {"exit 5\n", func(*runner) {}, 3, `build ghx with "sh build.sh": exit status 5; see the log of the build, or set build-command`},
		"it has no such program":                  {"true\n", func(*runner) {}, 2, `"bin/tool" names no program that it has`},
		"the head's program is not of the commit": {buildsBase, func(r *runner) { r.inputs["ghx-command"] = "sh" }, 2, `"sh" names no program that it has`},
		"it is nowhere":                           {buildsBase, func(r *runner) { r.inputs["base-commit"] = strings.Repeat("0d", 20) }, 3, "give actions/checkout fetch-depth: 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := proposal(t, c.build)
			c.change(r)
			ended := r.run()
			assert.Equal(t, c.code, ended.code, ended.log)
			assert.Contains(t, ended.log, c.want)
			assert.Contains(t, ended.log, "so there is no verdict")
			assert.NotContains(t, ended.log, "$ bench verify")
			assert.NotContains(t, []string{"success", "failure"}, ended.outputs["conclusion"])
		})
	}
}

// A checkout has one commit, unless it is told otherwise: the base's files come
// from GitHub then.
func TestABaseThatTheCheckoutLacksIsFetched(t *testing.T) {
	t.Parallel()
	r, _ := proposal(t, buildsBase)
	fetched := r.world.As("owner").Do("GET", sandboxtest.Path+"/branches/main", nil).Text("commit.sha")
	require.NotEmpty(t, fetched)
	r.inputs["base-commit"], r.inputs["build-command"] = fetched, "ls; mkdir -p bin; echo '#!/bin/sh' > bin/tool; chmod +x bin/tool"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "--base-commit "+fetched)
	assert.Contains(t, ended.log, "(the candidate) against ghx@base at "+fetched[:7])
}

// What agents see otherwise is told before a model is asked, and so also where that
// has no answer.
func TestWhatAgentsSeeOtherwiseIsToldFirst(t *testing.T) {
	t.Parallel()
	gh := realtool.Find(t, realtool.GH())
	r := newRunner(t)
	for _, version := range [][3]string{{"base", "tool run --old", "Use it.\nOften.\n"}, {"head", "tool run", "Use it.\n"}} {
		r.write(version[0]+"/package.json", "{}", 0o644)
		r.write(version[0]+"/skills/tool/SKILL.md", version[2], 0o644)
		r.write(version[0]+"/tool", "#!/bin/sh\necho "+version[1]+"\n", 0o755)
	}
	// It is found, and not started: its model has no answer.
	r.write("programs/opencode", "#!/bin/sh\n", 0o755)
	r.env["PATH"] = strings.Join([]string{filepath.Join(r.workspace, "programs"), filepath.Dir(gh), os.Getenv("PATH")}, ":")
	for name, value := range map[string]string{
		"provider": "opencode", "model": "openai/m", "model-base-url": "http://127.0.0.1:1/v1", "model-api-key": "a-key-of-nobody", "gate-profile": "regression",
		"ghx-command": filepath.Join(r.workspace, "head/tool"), "base-ghx-command": filepath.Join(r.workspace, "base/tool"),
	} {
		r.inputs[name] = value
	}
	ended := r.run()
	assert.Equal(t, 3, ended.code, ended.log)
	assert.Contains(t, ended.log, "What agents see of ghx, against ghx@base (no model was asked):")
	require.Len(t, r.checks(), 1)
	shown := r.checks()[0]["output"].(map[string]any)["summary"].(string)
	for _, want := range []string{
		"### What agents see of `ghx`, against `ghx@base` (found without a model)\n", "- in every prompt − ", "- `ghx`: parameter `--old` dropped\n", "- `skill` changed: + 0 lines, − 1 line (− ",
	} {
		assert.Contains(t, shown, want)
	}
	assert.Contains(t, ended.summary, "- `ghx`: parameter `--old` dropped\n")
}

// A branch may be pushed to between an event and the checkout of it by its name: then
// the check of the one commit would be about the other.
func TestWhatIsCheckedOutIsWhatIsMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event func(r *runner)
		says  string
	}{
		"the merge of the head": {func(*runner) {}, ""},
		"the head":              {func(r *runner) { r.git("checkout", "-q", "change") }, ""},
		"the base":              {func(r *runner) { r.git("checkout", "-q", "main~1") }, "leave out ref at actions/checkout"},
		"what was pushed since": {func(r *runner) { r.pushed() }, "leave out ref at actions/checkout"},
		"another one, by hand":  {func(r *runner) { r.head = strings.Repeat("0d", 20); r.event("workflow_dispatch", map[string]any{}) }, ""},
		"another one, by hand for a commit": {func(r *runner) {
			r.event("workflow_dispatch", map[string]any{"inputs": map[string]any{"sha": strings.Repeat("0d", 20)}})
		}, "leave out ref at actions/checkout"},
		"another one than what was pushed to a branch": {func(r *runner) {
			r.event("push", map[string]any{"ref": "refs/heads/x", "after": strings.Repeat("0d", 20), "before": r.head})
		}, "leave out ref at actions/checkout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, base := proposal(t, buildsBase)
			r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001", "1"
			r.inputs["gate-profile"], r.inputs["base-commit"] = "verify_pr", base
			c.event(r)
			ended := r.run()
			if c.says == "" {
				assert.Zero(t, ended.code, ended.log)
				return
			}
			assert.Equal(t, 2, ended.code, ended.log)
			assert.Contains(t, ended.log, c.says)
			assert.NotContains(t, ended.log, "builds head", "nothing of it is run")
			assert.Equal(t, "action_required", ended.outputs["conclusion"])
		})
	}
}

// pushed checks the pull request's branch out by its name, after a push.
func (r *runner) pushed() {
	r.git("checkout", "-q", "change")
	r.write("worse.sh", "", 0o644)
	r.git("add", "-A")
	r.git("commit", "-qm", "pushed meanwhile")
}
