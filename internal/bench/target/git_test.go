package target_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

const fixturesURL = "https://github.com/" + target.FixturesRepo

// workshop is a place with a bench on it.
type workshop struct {
	*realtool.Bench
	t     *testing.T
	place *target.Place
	git   string
}

func openWorkshop(t *testing.T, place *target.Place) *workshop {
	t.Helper()
	w := &workshop{t: t, place: place, git: realtool.Find(t, realtool.Git())}
	w.Bench = realtool.Open(t, place.GitHub, place.Env...)
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		w.Env = append(w.Env, "GIT_"+who+"_NAME=Agent", "GIT_"+who+"_EMAIL=agent@example.com")
	}
	return w
}

// as has git log in with a token, which may be of any user's.
func (w *workshop) as(token string) *workshop {
	w.Env = append(w.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper",
		fmt.Sprintf("GIT_CONFIG_VALUE_0=!f() { echo username=x; echo password=%s; }; f", token))
	return w
}

// clone clones the fixtures repository with git and works in the clone.
func (w *workshop) clone(args ...string) {
	w.t.Helper()
	w.Must(w.t, w.git, append([]string{"clone", "-q", fixturesURL, "clone"}, args...)...)
	w.Work = filepath.Join(w.Work, "clone")
}

// do runs git, which is to succeed, and returns what it printed.
func (w *workshop) do(args ...string) string {
	w.t.Helper()
	return strings.TrimSpace(w.Must(w.t, w.git, args...))
}

// fails runs git, which is to fail, and returns what it printed.
func (w *workshop) fails(args ...string) string {
	w.t.Helper()
	r := w.Run(w.t, w.git, args...)
	assert.NotZero(w.t, r.Code, args)
	return r.Stdout + r.Stderr
}

// commit makes a commit of one file.
func (w *workshop) commit(name, content string) string {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.Work, name), []byte(content), 0o600))
	w.do("add", name)
	w.do("commit", "-q", "-m", "change "+name)
	return w.do("rev-parse", "HEAD")
}

// world is the world behind a place.
func (w *workshop) world() *sandbox.World {
	w.t.Helper()
	world, ok := w.place.GitHub.(*sandbox.World)
	require.True(w.t, ok)
	return world
}

// tip is where a ref of the fixtures repository points, by the API.
func (w *workshop) tip(ref string) string {
	w.t.Helper()
	found, response, err := verifier(w.t, w.place).REST.Git.GetRef(w.t.Context(), target.Owner, target.FixturesName, ref)
	if response != nil && response.StatusCode == http.StatusNotFound {
		return ""
	}
	require.NoError(w.t, err)
	return found.GetObject().GetSHA()
}

func (w *workshop) pull(resource string) *gh.PullRequest {
	w.t.Helper()
	pr, _, err := verifier(w.t, w.place).REST.PullRequests.Get(w.t.Context(), target.Owner, target.FixturesName, number(w.t, w.place, resource))
	require.NoError(w.t, err)
	return pr
}

// number is the number of a fixture.
func number(t testing.TB, place *target.Place, resource string) int {
	t.Helper()
	n, err := place.Manifest.Lookup("resources." + resource + ".number")
	require.NoError(t, err)
	var number int
	_, err = fmt.Sscan(fmt.Sprint(n), &number)
	require.NoError(t, err)
	return number
}

func TestGitClones(t *testing.T) {
	testkit.NeedComplete(t)
	seeds := seeded(t)
	for name, c := range map[string]struct {
		args    []string
		history string
		fetched []string
	}{
		"everything":                       {nil, "false", []string{"origin/main", "origin/bench-fixture/default/checks"}},
		"one commit":                       {[]string{"--depth", "1"}, "true", []string{"origin/main"}},
		"one branch":                       {[]string{"--single-branch", "--branch", "bench-fixture/default/checks"}, "false", []string{"origin/bench-fixture/default/checks"}},
		"no files but those checked out":   {[]string{"--filter=blob:none"}, "false", []string{"origin/main"}},
		"by the first version of protocol": {[]string{"-c", "protocol.version=0"}, "false", []string{"origin/main"}},
		"by the second":                    {[]string{"-c", "protocol.version=1"}, "false", []string{"origin/main"}},
		"by a name with .git, in capitals": {nil, "false", []string{"origin/main"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := openWorkshop(t, prepare(t, seeds))
			url := fixturesURL
			if strings.Contains(name, ".git") {
				url = "https://github.com/ARYEKO/" + target.FixturesName + ".git"
			}
			w.do(append([]string{"clone", "-q", url, "clone"}, c.args...)...)
			w.Work = filepath.Join(w.Work, "clone")
			assert.Equal(t, c.history, w.do("rev-parse", "--is-shallow-repository"))
			for _, ref := range c.fetched {
				assert.Equal(t, w.tip(strings.Replace(ref, "origin/", "heads/", 1)), w.do("rev-parse", ref))
			}
			assert.Empty(t, w.do("status", "--porcelain"))
			assert.FileExists(t, filepath.Join(w.Work, "README.md"))
			w.do("fsck", "--connectivity-only")
		})
	}
}

func TestGitFetches(t *testing.T) {
	testkit.NeedComplete(t)
	w := openWorkshop(t, prepare(t, seeded(t)))
	w.clone()
	pr := w.pull("pr")
	head, base := pr.GetHead().GetSHA(), pr.GetBase().GetSHA()
	ref := fmt.Sprintf("refs/pull/%d/", pr.GetNumber())

	w.do("fetch", "-q", "origin", ref+"head:pr", ref+"merge:merged")
	assert.Equal(t, head, w.do("rev-parse", "pr"))
	assert.Equal(t, base+" "+head, w.do("log", "-1", "--format=%P", "merged"))
	again := w.do("ls-remote", "origin", ref+"merge")
	assert.Equal(t, again, w.do("ls-remote", "origin", ref+"merge"), "asking makes no new commit")

	w.do("fetch", "-q", "origin", head)
	assert.Equal(t, head, w.do("rev-parse", "FETCH_HEAD"), "any commit can be fetched by its name")
	assert.Contains(t, w.fails("fetch", "origin", "refs/pull/999/head"), "couldn't find remote ref refs/pull/999/head")
}

func TestGitPushes(t *testing.T) {
	testkit.NeedComplete(t)
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	w.clone()
	main := w.do("rev-parse", "HEAD")
	w.do("checkout", "-q", "-b", "feature")
	first := w.commit("a.txt", "one\n")

	assert.Contains(t, w.Run(t, w.git, "push", "origin", "feature").Stderr,
		"remote:      https://github.com/aryeko/ghx-bench-fixtures/pull/new/feature", "GitHub proposes a pull request")
	assert.Equal(t, first, w.tip("heads/feature"))

	second := w.commit("a.txt", "two\n")
	w.do("push", "-q", "origin", "feature")
	assert.Equal(t, second, w.tip("heads/feature"), "fast-forward")

	w.do("reset", "-q", "--hard", first)
	other := w.commit("b.txt", "three\n")
	assert.Contains(t, w.fails("push", "origin", "feature"), "[rejected]        feature -> feature (non-fast-forward)")
	assert.Equal(t, second, w.tip("heads/feature"))
	w.do("push", "-q", "--force-with-lease=feature:"+second, "origin", "feature")
	assert.Equal(t, other, w.tip("heads/feature"), "by force")

	w.do("tag", "light")
	w.do("tag", "-a", "-m", "heavy", "heavy")
	w.do("push", "-q", "--tags", "origin")
	assert.Equal(t, other, w.tip("tags/light"))
	assert.Equal(t, w.do("rev-parse", "heavy"), w.tip("tags/heavy"), "a tag object")
	assert.NotEqual(t, other, w.tip("tags/heavy"))

	w.do("push", "-q", "origin", ":feature", "light:refs/heads/late")
	assert.Empty(t, w.tip("heads/feature"), "deleted")
	assert.Equal(t, other, w.tip("heads/late"))

	said := w.fails("push", "origin", ":main", "feature:refs/pull/2/head", "feature:kept")
	assert.Contains(t, said, "! [remote rejected] main (refusing to delete the current branch: refs/heads/main)")
	assert.Contains(t, said, "! [remote rejected] feature -> refs/pull/2/head (deny updating a hidden ref)")
	assert.Equal(t, main, w.tip("heads/main"))
	assert.Equal(t, other, w.tip("heads/kept"), "what is allowed is done beside what is not")
	w.do("fsck", "--strict")
}

func TestGitPushesFromAShallowClone(t *testing.T) {
	testkit.NeedComplete(t)
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	w.clone("--depth", "1", "--branch", "bench-fixture/default/reviewed")
	pushed := w.commit("a.txt", "one\n")
	w.do("push", "-q", "origin", "HEAD")
	assert.Equal(t, pushed, w.tip("heads/bench-fixture/default/reviewed"))
}

func TestGitPushesALot(t *testing.T) {
	testkit.NeedComplete(t)
	const size = 2 << 20
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	w.clone()
	// What cannot be compressed goes in several chunks, after a question
	// whether the client may push at all.
	noise := make([]byte, size)
	state := uint64(1)
	for n := range noise {
		state = state*6364136223846793005 + 1442695040888963407
		noise[n] = byte(state >> 56)
	}
	pushed := w.commit("noise", string(noise))
	w.do("push", "-q", "origin", "HEAD:noise")
	assert.Equal(t, pushed, w.tip("heads/noise"))
	w.Work = filepath.Dir(w.Work)
	w.do("clone", "-q", "--branch", "noise", fixturesURL, "again")
	back, err := os.ReadFile(filepath.Join(w.Work, "again", "noise"))
	require.NoError(t, err)
	assert.Equal(t, string(noise), string(back))
}

func TestGitPushesToPullRequests(t *testing.T) {
	testkit.NeedComplete(t)
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	w.clone()
	before := w.pull("pr_with_checks")
	w.do("checkout", "-q", before.GetHead().GetRef())
	pushed := w.commit("a.txt", "x\n")
	w.do("push", "-q")
	after := w.pull("pr_with_checks")
	assert.Equal(t, pushed, after.GetHead().GetSHA())
	assert.Equal(t, before.GetCommits()+1, after.GetCommits())
	assert.True(t, after.GetUpdatedAt().After(before.GetUpdatedAt().Time))
	checks, _, err := verifier(t, place).REST.Checks.ListCheckRunsForRef(t.Context(), target.Owner, target.FixturesName, pushed, nil)
	require.NoError(t, err)
	assert.NotZero(t, checks.GetTotal(), "the push has started the checks")

	w.do("checkout", "-q", "main")
	w.do("merge", "-q", "--no-ff", "-m", "by hand", "origin/"+w.pull("pr_mergeable").GetHead().GetRef())
	w.do("push", "-q", "origin", "main")
	assert.True(t, w.pull("pr_mergeable").GetMerged(), "a push to the base merges what it has")
}

func TestGitAccess(t *testing.T) {
	testkit.NeedComplete(t)
	seeds := seeded(t)
	const url = fixturesURL
	for name, c := range map[string]struct {
		token func(*target.Place) string
		args  []string
		want  string
	}{
		"nobody reads what is public":     {nil, []string{"ls-remote", url, "main"}, ""},
		"nobody pushes":                   {nil, []string{"push", url, "HEAD:refs/heads/x"}, "could not read Username for 'https://github.com'"},
		"the agent pushes":                {agentToken, []string{"push", url, "HEAD:refs/heads/x"}, ""},
		"one who may read does not push":  {readerToken, []string{"push", url, "HEAD:refs/heads/x"}, "remote: Permission to aryeko/ghx-bench-fixtures.git denied to reader."},
		"an unknown token does not push":  {noToken, []string{"push", url, "HEAD:refs/heads/x"}, "remote: Invalid username or token."},
		"there is no such repository":     {agentToken, []string{"ls-remote", "https://github.com/aryeko/none"}, "remote: Repository not found."},
		"nor does nobody hear of it":      {nil, []string{"ls-remote", "https://github.com/aryeko/none"}, "could not read Username for 'https://github.com'"},
		"pages of the site are not there": {agentToken, []string{"ls-remote", "https://github.com/aryeko/ghx-bench-fixtures/pulls"}, "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			place := prepare(t, seeds)
			w := openWorkshop(t, place)
			w.clone()
			if c.token != nil {
				w.as(c.token(place))
			}
			if c.want == "" {
				w.do(c.args...)
				return
			}
			assert.Contains(t, w.fails(c.args...), c.want)
			assert.Empty(t, w.tip("heads/x"))
		})
	}
}

func agentToken(place *target.Place) string { return env(place, "GH_TOKEN") }

// readerToken is a token of somebody who may read what all may read.
func readerToken(place *target.Place) string {
	const token = "ghp_reader"
	world, _ := place.GitHub.(*sandbox.World)
	world.AddToken(token, sandbox.Token{User: "reader"})
	_ = world.Setup(func(s *model.State) error {
		s.AddUser(model.NewUser{Login: "reader"})
		return nil
	})
	return token
}

func noToken(*target.Place) string { return "ghp_none" }

func TestGitAndProtectedBranches(t *testing.T) {
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	w.clone()
	require.NoError(t, w.world().Setup(func(s *model.State) error {
		repo := s.Repo(target.Owner, target.FixturesName)
		repo.Protection["kept"] = model.Protection{}
		return nil
	}))
	first := w.commit("a.txt", "one\n")
	w.do("push", "-q", "origin", "HEAD:kept")
	w.do("reset", "-q", "--hard", "HEAD^")
	w.commit("b.txt", "two\n")
	said := w.fails("push", "--force", "origin", "HEAD:kept")
	assert.Contains(t, said, "remote: error: GH006: Protected branch update failed for refs/heads/kept.")
	assert.Contains(t, said, "! [remote rejected] HEAD -> kept (protected branch hook declined)")
	assert.Contains(t, w.fails("push", "origin", ":kept"), "protected branch hook declined")
	assert.Equal(t, first, w.tip("heads/kept"))
}

func TestR7PushesAreWritesOfTheAgentAndNoAPIRequests(t *testing.T) {
	place := prepare(t, seeded(t))
	w := openWorkshop(t, place).as(env(place, "GH_TOKEN"))
	var told atomic.Int32
	place.OnWrite(func() {
		told.Add(1)
		assert.NotEmpty(t, w.tip("heads/x"), "the branch is there before git has its answer")
	})
	w.clone()
	w.commit("a.txt", "one\n")
	assert.Zero(t, told.Load(), "reading is no write")
	w.do("push", "-q", "origin", "HEAD:x", "HEAD:y")
	assert.EqualValues(t, 1, told.Load(), "a push of two branches is one write")
	w.do("push", "-q", "origin", "HEAD:x")
	w.fails("push", "origin", ":main")
	assert.EqualValues(t, 1, told.Load(), "nothing was written")

	usage := place.Usage()
	assert.Zero(t, usage.Requests.REST)
	assert.Zero(t, usage.Requests.GraphQL)
	assert.Positive(t, w.world().Usage(env(place, "GH_TOKEN")).Git)
	assert.Positive(t, w.Attempt.Usage().Git)
	var writes int
	for _, e := range w.world().Audit() {
		if e.Write && e.Part == sandbox.PartGit {
			writes++
			assert.Equal(t, env(place, "GH_TOKEN"), e.Token)
		}
	}
	assert.Equal(t, 1, writes)
}

func BenchmarkGitClone(b *testing.B) {
	git := realtool.Find(b, realtool.Git())
	sandbox := seeded(b)
	place, err := sandbox.Prepare(b.Context(), target.Needs{})
	require.NoError(b, err)
	bench := realtool.Open(b, place.GitHub, place.Env...)
	for n := 0; b.Loop(); n++ {
		bench.Must(b, git, "clone", "-q", fixturesURL, fmt.Sprint("clone", n))
	}
}
