package sandboxtest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// topicRun is the run for pull request 7.
func topicRun(s *model.State, repo *model.Repo) *model.Run {
	var found *model.Run
	for r := range s.Runs.All() {
		if r.RepoID == repo.ID && r.HeadBranch == "topic" {
			found = r
		}
	}
	return found
}

func TestGHRuns(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "list and view", steps: []step{
			{"run list", 0, "completed\tfailure\tTurn faster\tCI\ttopic\tpull_request\t"},
			{"run list --workflow CI --branch topic --status failure --event pull_request --user octocat --json databaseId,status,conclusion,headBranch,event,workflowName,displayTitle,number,attempt", 0,
				`[{"status":"completed","conclusion":"failure","headBranch":"topic","event":"pull_request","workflowName":"CI","displayTitle":"Turn faster","attempt":1}]`},
			{"run list --commit aaaa --created 2026-01-01", 0, ""},
			{"run list -w ci.yml --json name -q length", 0, "6\n"},
			{"run list -w none.yml", refused, "HTTP 404"},
			{"run view {run} --verbose", 0, "X topic CI acme/widgets#7\n✓ build in\nX test in\n✓ Set up job\nX Test\nProcess completed with exit code 1."},
			{"run view {run} --json jobs,conclusion,status,workflowName,headSha,url", 0, `{"conclusion":"failure","status":"completed","workflowName":"CI","jobs":[{"name":"build","conclusion":"success"},{"name":"test","conclusion":"failure"}]}`},
			{"run view {run} --attempt 1", 0, "X topic CI acme/widgets#7"},
			{"run view {run} --log", 0, "build\tSet up job\t\n--- FAIL: TestTurn"},
			{"run view {run} --log-failed", 0, "test\tTest\t\n--- FAIL: TestTurn"},
			{"run view --job {job}", 0, "X test in\nX Test"},
			{"run view {run} --exit-status", refused, "X topic CI"},
			{"run view 1", refused, "HTTP 404"},
			{"run watch {run} --exit-status", refused, "has already completed with 'failure'"},
			{"run watch {run}", 0, "has already completed with 'failure'"},
			{"run cancel {run}", refused, "Cannot cancel a workflow run that is completed"},
			{"run download {run} -D dl", 0, ""},
			{"run download {run} -n none", refused, "no artifact matches any of the names"},
		}},
		{name: "rerun what failed", steps: []step{{"run rerun {run} --failed", 0, ""}, {"run view {run} --json attempt,conclusion", 0, `{"attempt":2,"conclusion":"success"}`}}},
		{name: "rerun a job", steps: []step{{"run rerun --job {job}", 0, ""}}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			run := topicRun(s, repo)
			assert.Equal(t, []model.ID{run.Attempts[0].Jobs[0]}, run.Current().Jobs[:1], "the other job is kept")
			assert.Equal(t, model.Success, run.Current().Conclusion)
		}},
		{name: "rerun all, and delete", steps: []step{
			{"run rerun {run} --debug", 0, ""},
			{"run delete {run}", 0, "Request to delete workflow run submitted."},
			{"run view {run}", refused, "HTTP 404"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, "push", topicRun(s, repo).Event)
		}},
		{name: "cancel", before: func(s *model.State, repo *model.Repo) error {
			s.Scripts = []model.Script{{Workflow: "ci.yml", Hanging: true}}
			_, err := s.Dispatch(s.User(me).ID, repo, s.WorkflowByRef(repo, "ci.yml"), "topic", nil)
			return err
		}, steps: []step{
			{"run view {run} --json status", 0, `{"status":"in_progress"}`},
			{"run rerun {run}", refused, "cannot be rerun"},
			{"run cancel {run}", 0, "Request to cancel workflow"},
			{"run view {run} --json conclusion", 0, `{"conclusion":"cancelled"}`},
		}},
	})
}

func TestGHWorkflows(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "list and view", steps: []step{
			{"workflow list --all --json id,name,path,state", 0, `[{"name":"CI","path":".github/workflows/ci.yml","state":"active"}]`},
			{"workflow view ci.yml", 0, "CI - ci.yml\nTotal runs 6"},
			{"workflow view CI --yaml --ref main", 0, "name: CI\n"},
			{"workflow view {workflow}", 0, "CI - ci.yml"},
			{"workflow view none.yml", refused, "HTTP 404"},
		}},
		{name: "run, disable, enable", steps: []step{
			{"workflow run ci.yml --ref main", 0, ""},
			{"workflow run CI --ref topic -f a=b", 0, ""},
			{"workflow run CI -f none=b", refused, `Unexpected inputs provided: ["none"]`},
			{"workflow disable ci.yml", 0, ""},
			{"workflow run ci.yml", refused, "disabled"},
			{"workflow list", 0, ""},
			{"workflow enable ci.yml", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			run := topicRun(s, repo)
			assert.Equal(t, "workflow_dispatch", run.Event)
			assert.Equal(t, map[string]string{"a": "b"}, run.Inputs)
			assert.False(t, s.WorkflowByRef(repo, "ci.yml").Disabled)
		}},
	})
}

func TestGHReleases(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "list and view", steps: []step{
			{"release list", 0, "First\tLatest\tv1.0.0\t"},
			{"release list --json name,tagName,isDraft,isLatest,isPrerelease --exclude-drafts --order asc", 0, `[{"name":"First","tagName":"v1.0.0","isDraft":false,"isLatest":true,"isPrerelease":false}]`},
			{"release view", 0, "title:\tFirst\ntag:\tv1.0.0\nasset:\texample.zip\nThe first one"},
			{"release view v1.0.0 --json apiUrl,assets,author,body,createdAt,databaseId,id,isDraft,isPrerelease,name,publishedAt,tagName,tarballUrl,targetCommitish,uploadUrl,url,zipballUrl", 0,
				`{"assets":[{"name":"example.zip","contentType":"application/zip","size":3,"state":"uploaded"}],"author":{"login":"monalisa"},"body":"The first one","targetCommitish":"main","tagName":"v1.0.0"}`},
			{"release view none", refused, "release not found"},
			{"release download v1.0.0 -D dl2", 0, ""},
			{"release download v1.0.0 --pattern *.zip -O -", 0, "zip"},
			{"release download v1.0.0 --archive zip -D dl3", 0, ""},
		}},
		{name: "create", steps: []step{
			{"release create v2.0.0 --title T --notes N --target main", 0, "https://github.com/acme/widgets/releases/tag/v2.0.0"},
			{"release create v2.0.0 --notes N", refused, "already exists"},
			{"release create v2.0.2 --generate-notes --notes-start-tag v1.0.0 --prerelease --latest=false", 0, "tag/v2.0.2"},
			{"release create v2.0.3 --draft --title T --notes N", 0, "releases/tag/untagged-"},
			{"release create v2.0.4 --verify-tag --notes N", refused, "tag v2.0.4 doesn't exist in the repo acme/widgets"},
			{"release create v2.0.5 asset.txt --notes N", 0, "tag/v2.0.5"},
			{"release list --json tagName,isLatest,isPrerelease,isDraft", 0, `[{"tagName":"v2.0.5","isLatest":true},{"tagName":"v2.0.3","isDraft":true},{"tagName":"v2.0.2","isPrerelease":true},{"tagName":"v2.0.0"},{"tagName":"v1.0.0"}]`},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, "asset", string(s.PublishedRelease(repo, "v2.0.5").Assets[0].Content))
		}},
		{name: "edit, upload, delete", steps: []step{
			{"release upload v1.0.0 asset.txt", 0, ""},
			{"release upload v1.0.0 asset.txt", refused, "already exists"},
			{"release upload v1.0.0 asset.txt --clobber", 0, ""},
			{"release delete-asset v1.0.0 example.zip --yes", 0, ""},
			{"release edit v1.0.0 --tag v1.0.1 --latest --notes other", 0, "tag/v1.0.1"},
			{"release view v1.0.1 --json body,assets", 0, `{"body":"other","assets":[{"name":"asset.txt"}]}`},
			{"release delete v1.0.1 --yes --cleanup-tag", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Zero(t, s.Releases.Len())
			_, kept := repo.Git.Ref("refs/tags/v1.0.0")
			_, left := repo.Git.Ref("refs/tags/v1.0.1")
			assert.Equal(t, []bool{true, false}, []bool{kept, left})
		}},
	})
}

func TestGHDownloads(t *testing.T) {
	gh := at(t, newWorld(t), "")
	gh.program = ghProgram(t)
	gh.Env = append(gh.Env, "GH_REPO="+fullName)
	for command, file := range map[string]string{
		"run download {run} -n coverage": "cover.txt", "release download v1.0.0": "example.zip",
	} {
		gh.step(t, namesIn(gh), step{run: command})
		content, err := os.ReadFile(gh.Work + "/" + file)
		assert.NoError(t, err, command)
		assert.NotEmpty(t, content, command)
	}
}
