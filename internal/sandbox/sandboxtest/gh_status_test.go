package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHShowsCommitStatuses(t *testing.T) {
	testkit.NeedComplete(t)
	const rollup = `api graphql -f 'query={repository(owner:"acme",name:"widgets"){pullRequest(number:7){statusCheckRollup{state contexts(first:9){
		totalCount checkRunCount statusContextCount statusContextCountsByState{state count} nodes{__typename ...on StatusContext{context state description targetUrl avatarUrl creator{login} isRequired(pullRequestNumber:7) commit{oid}}}}}
		commits(last:1){nodes{commit{status{id state context(name:"ci/a"){state} contexts{context state} combinedContexts(first:9){totalCount}}}}}}}}' -q .data.repository.pullRequest`
	runCases(t, []ghCase{
		{name: "beside checks", steps: []step{
			{"api repos/acme/widgets/commits/topic/status", 0, `{"state":"pending","statuses":[],"total_count":0}`},
			{"api repos/acme/widgets/statuses/{head} -f state=pending -f context=ci/a -f description=Waiting -f target_url=https://ci.example/1", 0,
				`{"state":"pending","context":"ci/a","description":"Waiting","target_url":"https://ci.example/1","creator":{"login":"monalisa"}}`},
			{"api repos/acme/widgets/statuses/{head} -f state=error -f context=ci/a", 0, `{"state":"error","description":null}`},
			{"api repos/acme/widgets/statuses/{head} -f state=success", 0, `{"state":"success","context":"default"}`},
			{"api repos/acme/widgets/commits/topic/statuses", 0, `[{"context":"default"},{"state":"error"},{"state":"pending"}]`},
			{"api repos/acme/widgets/commits/{head}/status", 0, `{"state":"failure","statuses":[{"context":"ci/a","state":"error"},{"context":"default","state":"success"}],"total_count":2}`},
			{"pr checks 7", refused, "ci/a\tfail\t0\ndefault\tpass\t0\nbuild\tpass"},
			{"pr checks 7 --json name,state,bucket,description -q '.[]|select(.bucket==\"fail\")|.name'", 0, "ci/a\ntest"},
			{rollup, 0, `{"statusCheckRollup":{"state":"FAILURE","contexts":{"totalCount":6,"checkRunCount":4,"statusContextCount":2,"statusContextCountsByState":[{"state":"ERROR","count":1},{"state":"SUCCESS","count":1}],
				"nodes":[{},{},{},{},{"__typename":"StatusContext","context":"ci/a","state":"ERROR","description":null,"creator":{"login":"monalisa"},"isRequired":false},{"context":"default"}]}},
				"commits":{"nodes":[{"commit":{"status":{"state":"FAILURE","context":{"state":"ERROR"},"contexts":[{"context":"ci/a"},{"context":"default"}],"combinedContexts":{"totalCount":6}}}}]}}`},
			{"api repos/acme/widgets/statuses/{head} -f state=great", refused, "state is not included in the list"},
			{"api repos/acme/widgets/statuses/{head} -f description=x", refused, "wasn't supplied"},
			{"api repos/acme/widgets/statuses/0000000000000000000000000000000000000000 -f state=success", refused, "No commit found for SHA"},
		}},
		{name: "of the branch that is checked out", local: true, steps: []step{
			{"pr checkout 7", 0, ""},
			{"api repos/acme/widgets/statuses/{head} -f state=error -f context=ci/a", 0, ""},
			{"pr status", 0, "#7  Turn faster [topic]\n× 3/5 checks failing"},
		}},
		{name: "that a branch requires", before: func(_ *model.State, repo *model.Repo) error {
			repo.Protection["main"] = model.Protection{RequiredChecks: []string{"ci/a"}}
			repo.AllowAutoMerge = true
			return nil
		}, steps: []step{
			{"pr merge 7 --auto --squash", 0, ""},
			{"api repos/acme/widgets/statuses/{head} -f state=pending -f context=ci/a", 0, ""},
			{"pr checks 7 --required", 8, "ci/a\tpending"},
			{"pr view 7 --json state,mergeStateStatus", 0, `{"state":"OPEN","mergeStateStatus":"BLOCKED"}`},
			{"api repos/acme/widgets/statuses/{head} -f state=success -f context=ci/a", 0, ""},
			{"pr view 7 --json state", 0, `{"state":"MERGED"}`},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Len(t, s.StatusesAt(repo, s.Pull(repo, 7).Pull.HeadSHA), 2)
		}},
	})
}
