package actioncli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/actioncli"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	main := func() { os.Exit(actioncli.Main()) }
	testscript.Main(m, map[string]func(){"bench-action": main, "bench-action-post": main, "bench-action-suite": main})
}

// allPassed is what is said of a pass.
var allPassed = fmt.Sprintf("all %d checks passed", len(bench.CheckNames()))

// jobToken is the token of the workflow's job.
const jobToken = "ghs_the-token-of-the-job"

// runner starts the action as GitHub's runner does, with a sandbox for GitHub.
type runner struct {
	t         *testing.T
	world     *sandboxtest.World
	pull      int
	head      string
	workspace string
	// inputs are those that the workflow sets, env is what the runner adds.
	inputs, env map[string]string
	files       string
	runs        int
	// unprivileged has the action not run as root, where we are; builds has it find
	// the user who builds there.
	unprivileged, builds bool
	// rights takes rights of ours away from the action; nil takes none.
	rights func(testing.TB, *exec.Cmd)
}

// newRunner returns a runner for a pull request of the repository's own.
func newRunner(t *testing.T) *runner {
	t.Helper()
	testkit.NeedCompleteBut(t, "TestAPullRequestGetsItsVerdict", "TestCommands")
	r := &runner{
		t: t, world: sandboxtest.New(t), workspace: t.TempDir(),
		inputs: map[string]string{
			"provider": "scripted", "repetitions": "3", "build-command": "none", "github-token": jobToken,
		},
		env: map[string]string{},
	}
	r.world.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/change", main))
	})
	owner := r.world.As("owner")
	owner.Do("PUT", sandboxtest.Path+"/contents/a", `{"message":"a change","content":"eA==","branch":"change"}`)
	pull := owner.Do("POST", sandboxtest.Path+"/pulls", `{"title":"A change","head":"change","base":"main"}`)
	r.pull, r.head = pull.Int("number"), pull.Text("head.sha")
	require.NotZero(t, r.pull, pull.Body)
	r.grant(map[string]string{"checks": "write", "pull_requests": "write", "contents": "read", "issues": "write"})
	r.pullRequest("synchronize", nil)
	return r
}

// forked makes the pull request one from a fork of the stranger's, and the event that
// of its own workflow, which has a token that may only read.
func (r *runner) forked() {
	r.t.Helper()
	stranger := r.world.As("stranger")
	require.Equal(r.t, 202, stranger.Do("POST", sandboxtest.Path+"/forks", nil).Status)
	stranger.Do("PUT", forkPath+"/contents/b", `{"message":"a stranger's change [skip bench]","content":"eA==","branch":"main"}`)
	pull := stranger.Do("POST", sandboxtest.Path+"/pulls", `{"title":"A change [skip bench]","head":"stranger:main","base":"main"}`)
	r.pull, r.head = pull.Int("number"), pull.Text("head.sha")
	require.NotZero(r.t, r.pull, pull.Body)
	r.pullRequest("opened", map[string]any{"head": map[string]any{
		"sha": r.head, "ref": "main", "repo": map[string]any{"full_name": forkName, "id": 2, "fork": true},
	}})
	r.grant(map[string]string{"contents": "read", "pull_requests": "read", "checks": "read"})
}

// The fork of the stranger's.
const (
	forkName = "stranger/" + sandboxtest.Name
	forkPath = "/repos/" + forkName
)

// trusted gives the job the token of a workflow of the default branch.
func (r *runner) trusted() {
	r.grant(map[string]string{"checks": "write", "pull_requests": "write", "contents": "read", "issues": "write", "actions": "read"})
}

// ranElsewhere is the event of another workflow's run that has ended, of the pull
// request, with changes to its fields.
func (r *runner) ranElsewhere(change map[string]any) {
	run := map[string]any{
		"id": 7, "run_attempt": 1, "conclusion": "success", "event": "pull_request", "head_sha": r.head, "head_branch": "change",
		"head_repository": map[string]any{"full_name": sandboxtest.Owner + "/" + sandboxtest.Name}, "pull_requests": []any{},
	}
	maps.Copy(run, change)
	r.event("workflow_run", map[string]any{"action": "completed", "workflow_run": run})
}

// ofFork are the changes that make a workflow's run one of the fork's.
func ofFork() map[string]any {
	return map[string]any{"head_branch": "main", "head_repository": map[string]any{"full_name": forkName}}
}

// grant makes the job's token one with these permissions.
func (r *runner) grant(permissions map[string]string) {
	r.world.AddToken(jobToken, sandbox.Token{App: "github-actions", Permissions: permissions})
}

// event sets what started the workflow.
func (r *runner) event(name string, payload map[string]any) {
	r.t.Helper()
	payload["repository"] = map[string]any{
		"name": sandboxtest.Name, "full_name": sandboxtest.Owner + "/" + sandboxtest.Name, "id": 1,
		"owner": map[string]any{"login": sandboxtest.Owner},
	}
	text, err := json.Marshal(payload)
	require.NoError(r.t, err)
	file := filepath.Join(r.t.TempDir(), "event.json")
	require.NoError(r.t, os.WriteFile(file, text, 0o600))
	r.env["GITHUB_EVENT_NAME"], r.env["GITHUB_EVENT_PATH"] = name, file
}

// pullRequest is the event of a pull request, with changes to its fields.
func (r *runner) pullRequest(action string, change map[string]any) {
	r.pullRequestWith(action, change, nil)
}

// pullRequestWith is [runner.pullRequest] with more that the event says.
func (r *runner) pullRequestWith(action string, change, more map[string]any) {
	full := sandboxtest.Owner + "/" + sandboxtest.Name
	pull := map[string]any{
		"number": r.pull, "title": "A change", "state": "open", "draft": false,
		"head": map[string]any{"sha": r.head, "ref": "change", "repo": map[string]any{"full_name": full, "id": 1}},
		"base": map[string]any{"ref": "main", "repo": map[string]any{"full_name": full, "id": 1}},
	}
	maps.Copy(pull, change)
	event := map[string]any{"action": action, "number": r.pull, "pull_request": pull}
	maps.Copy(event, more)
	r.event("pull_request", event)
}

// commented is the event of a comment.
func (r *runner) commented(login, body string) int {
	r.t.Helper()
	written := r.world.As(login).Do("POST", sandboxtest.Path+"/issues/"+strconv.Itoa(r.pull)+"/comments", map[string]string{"body": body})
	require.Equal(r.t, 201, written.Status, written.Body)
	r.event("issue_comment", map[string]any{
		"action": "created",
		"issue":  map[string]any{"number": r.pull, "title": "A change", "state": "open", "pull_request": map[string]any{"url": "x"}},
		"comment": map[string]any{
			"id": written.Int("id"), "body": body, "created_at": written.Text("created_at"), "updated_at": written.Text("created_at"), "author_association": "NONE",
			"user": map[string]any{"login": login, "type": "User"},
		},
		"sender": map[string]any{"login": login, "type": "User"},
	})
	return written.Int("id")
}

// ended is how the action ended.
type ended struct {
	code    int
	log     string
	outputs map[string]string
	summary string
	// state is what the post step gets.
	state map[string]string
}

// command returns the action's process, not started, for one more run.
func (r *runner) command(name string, env ...string) *exec.Cmd {
	r.t.Helper()
	r.runs++
	r.files = r.t.TempDir()
	environ := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": r.t.TempDir(), "TMPDIR": os.TempDir(), "GORACE": os.Getenv("GORACE"),
		"GITHUB_REPOSITORY": sandboxtest.Owner + "/" + sandboxtest.Name, "GITHUB_WORKSPACE": r.workspace,
		"GITHUB_API_URL": r.world.URL, "GITHUB_GRAPHQL_URL": r.world.URL + "/graphql", "GITHUB_SERVER_URL": "https://github.com",
		"GITHUB_RUN_ID": strconv.Itoa(r.runs), "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": r.head, "GITHUB_ACTOR": "owner",
	}
	for _, name := range []string{"OUTPUT", "STATE", "STEP_SUMMARY"} {
		file := filepath.Join(r.files, name)
		require.NoError(r.t, os.WriteFile(file, nil, 0o600))
		environ["GITHUB_"+name] = file
	}
	for _, in := range actions.Declared() {
		if !strings.Contains(in.Default, "${{") {
			environ["INPUT_"+strings.ToUpper(in.Name)] = in.Default
		}
	}
	for name, value := range r.inputs {
		environ["INPUT_"+strings.ToUpper(name)] = value
	}
	maps.Copy(environ, r.env)
	cmd := exec.Command(name)
	cmd.Dir, cmd.Env = r.workspace, env
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		cmd.Env = append(cmd.Env, name+"="+environ[name])
	}
	if r.unprivileged && os.Geteuid() == 0 {
		r.asNobody(cmd)
	}
	if r.rights != nil {
		r.rights(r.t, cmd)
	}
	if r.builds {
		require.NoError(r.t, os.Chmod(filepath.Dir(r.workspace), 0o755)) //nolint:gosec // who builds can enter it
		testkit.Builder(r.t, cmd)
	}
	return cmd
}

// nobody is a user without rights, who need not be known.
const nobody = 65534

// asNobody has a command run as nobody, to whom the test's files are given. As
// root, the action wants the user of its image.
func (r *runner) asNobody(cmd *exec.Cmd) {
	r.t.Helper()
	files, program := filepath.Dir(r.t.TempDir()), filepath.Dir(filepath.Dir(cmd.Path))
	const open = 0o755
	require.NoError(r.t, errors.Join(os.Chmod(files, open), os.Chmod(program, open)))
	require.NoError(r.t, filepath.WalkDir(files, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	}))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// through puts a server before GitHub's API. Requests that it does not answer,
// which is what false means, go on.
func (r *runner) through(answer func(http.ResponseWriter, *http.Request) bool) *httptest.Server {
	r.t.Helper()
	world, err := url.Parse(r.world.URL)
	require.NoError(r.t, err)
	onwards := httputil.NewSingleHostReverseProxy(world)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !answer(w, req) {
			onwards.ServeHTTP(w, req)
		}
	}))
	r.t.Cleanup(server.Close)
	r.env["GITHUB_API_URL"], r.env["GITHUB_GRAPHQL_URL"] = server.URL, server.URL+"/graphql"
	return server
}

// run runs the action to its end.
func (r *runner) run() ended {
	r.t.Helper()
	return r.finish(r.command("bench-action"))
}

// post runs the post step after a main step that left this state.
func (r *runner) post(state map[string]string) ended {
	r.t.Helper()
	var env []string
	for name, value := range state {
		env = append(env, "STATE_"+name+"="+value)
	}
	r.runs-- // It is of the same run.
	return r.finish(r.command("bench-action-post", env...))
}

func (r *runner) finish(cmd *exec.Cmd) ended {
	r.t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(r.t, err)
	}
	return r.ended(cmd.ProcessState.ExitCode(), log.String())
}

func (r *runner) ended(code int, log string) ended {
	r.t.Helper()
	return ended{
		code: code, log: log, outputs: r.values("OUTPUT"), state: r.values("STATE"), summary: r.read("STEP_SUMMARY"),
	}
}

func (r *runner) read(name string) string {
	text, err := os.ReadFile(filepath.Join(r.files, name))
	require.NoError(r.t, err)
	return string(text)
}

// heredoc is how a value stands in a runner's file.
var heredoc = regexp.MustCompile(`(?m)^([^<\n]+)<<(\S+)\n`)

// values reads a runner's file as the runner does.
func (r *runner) values(name string) map[string]string {
	r.t.Helper()
	values := map[string]string{}
	for text := r.read(name); text != ""; {
		head := heredoc.FindStringSubmatch(text)
		require.NotNil(r.t, head, text)
		rest := text[strings.Index(text, head[0])+len(head[0]):]
		value, after, found := strings.Cut("\n"+rest, "\n"+head[2]+"\n")
		require.True(r.t, found, text)
		values[head[1]], text = strings.TrimPrefix(value, "\n"), after
	}
	return values
}

// checks returns the check runs of the head commit.
func (r *runner) checks() []map[string]any {
	r.t.Helper()
	return r.list("/commits/"+r.head+"/check-runs", "check_runs")
}

// comments returns the bodies of the pull request's comments.
func (r *runner) comments() []string {
	r.t.Helper()
	var bodies []string
	for _, c := range r.list("/issues/"+strconv.Itoa(r.pull)+"/comments", "") {
		bodies = append(bodies, c["body"].(string))
	}
	return bodies
}

// answerTo returns the one answer of ours to somebody's commands that lead to nothing,
// empty if there is none.
func (r *runner) answerTo(login string) string {
	r.t.Helper()
	var found []string
	for _, body := range r.comments() {
		if strings.Contains(body, "<!-- bench-refused "+login+" -->") {
			found = append(found, body)
		}
	}
	require.LessOrEqual(r.t, len(found), 1)
	return strings.Join(found, "")
}

// reactions returns those to a comment.
func (r *runner) reactions(comment int) []string {
	r.t.Helper()
	var all []string
	for _, one := range r.list("/issues/comments/"+strconv.Itoa(comment)+"/reactions", "") {
		all = append(all, one["content"].(string))
	}
	return all
}

// write makes a file in the workspace.
func (r *runner) write(path, content string, perm os.FileMode) {
	r.t.Helper()
	path = filepath.Join(r.workspace, path)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(r.t, os.WriteFile(path, []byte(content), perm))
}

// deleteComments deletes the pull request's comments.
func (r *runner) deleteComments() {
	r.t.Helper()
	for _, c := range r.list("/issues/"+strconv.Itoa(r.pull)+"/comments", "") {
		deleted := r.world.As("owner").Do("DELETE", fmt.Sprintf("%s/issues/comments/%.0f", sandboxtest.Path, c["id"]), nil)
		require.Equal(r.t, 204, deleted.Status, deleted.Body)
	}
}

func (r *runner) list(path, key string) []map[string]any {
	r.t.Helper()
	reply := r.world.As("owner").Get(sandboxtest.Path + path)
	require.Equal(r.t, 200, reply.Status, reply.Body)
	var items []map[string]any
	if key == "" {
		require.NoError(r.t, json.Unmarshal([]byte(reply.Body), &items))
		return items
	}
	var wrapped map[string]json.RawMessage
	require.NoError(r.t, json.Unmarshal([]byte(reply.Body), &wrapped))
	require.NoError(r.t, json.Unmarshal(wrapped[key], &items))
	return items
}

// readUntil reads to the first line with a text, or to the end if it is empty.
func readUntil(t *testing.T, from io.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		seen.WriteString(line)
		if text != "" && strings.Contains(line, text) {
			return seen.String()
		}
		if err != nil {
			require.Empty(t, text, "the log ended: %s", seen.String())
			return seen.String()
		}
	}
}
