package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHRepositories(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "view and list", steps: []step{
			{"repo view acme/widgets", 0, "name:\tacme/widgets\ndescription:\tThings that turn\n# Widgets"},
			{"repo view acme/widgets --json name,owner,defaultBranchRef,description,visibility,isPrivate,url,labels,latestRelease,issues,pullRequests,milestones,viewerPermission,mergeCommitAllowed", 0,
				`{"name":"widgets","owner":{"login":"acme"},"defaultBranchRef":{"name":"main"},"visibility":"PUBLIC","isPrivate":false,"labels":[{"name":"bug"},{"name":"feature"}],
				"latestRelease":{"tagName":"v1.0.0"},"issues":{"totalCount":6},"pullRequests":{"totalCount":1},"milestones":[{"title":"M1"}],"viewerPermission":"ADMIN","mergeCommitAllowed":true}`},
			{"repo view acme/widgets --json squashMergeAllowed,deleteBranchOnMerge,hasIssuesEnabled,repositoryTopics,languages,primaryLanguage,isFork,parent,assignableUsers,projects,projectsV2,archivedAt,issueTemplates,pullRequestTemplates,contactLinks,codeOfConduct,fundingLinks", 0,
				`{"squashMergeAllowed":true,"deleteBranchOnMerge":false,"hasIssuesEnabled":true,"repositoryTopics":null,"primaryLanguage":{"name":"Go"},"languages":[{"node":{"name":"Go"}}],"isFork":false,"parent":null,
				"assignableUsers":[{"login":"monalisa"},{"login":"octocat"}],"projectsV2":{"Nodes":[]},"issueTemplates":[],"contactLinks":[]}`},
			{"repo view acme/none", refused, "Could not resolve to a Repository with the name 'acme/none'."},
			{"repo list acme", 0, "acme/widgets\tThings that turn\tpublic\nacme/other"},
			{"repo list acme --language go --json name", 0, `[{"name":"widgets"}]`},
			{"repo list acme --topic x", 0, ""},
			{"repo clone acme/widgets xx", 0, "Cloning into 'xx'..."},
			{"repo set-default acme/widgets", refused, "must be run from inside a git repository"},
		}},
		{name: "create, archive, delete", steps: []step{
			{"repo create acme/newrepo --private --description d", 0, "https://github.com/acme/newrepo"},
			{"repo create acme/newrepo --private", refused, "Name already exists on this account"},
			{"repo view acme/newrepo --json isPrivate,isEmpty,labels", 0, `{"isPrivate":true,"isEmpty":true,"labels":[{"name":"bug"},{},{},{},{},{},{},{},{}]}`},
			{"repo create own --public --add-readme", 0, "https://github.com/monalisa/own"},
			{"repo archive acme/newrepo --yes", 0, ""},
			{"issue create -R acme/newrepo --title T --body B", refused, "archived"},
			{"repo unarchive acme/newrepo --yes", 0, ""},
			{"repo delete acme/newrepo --yes", 0, ""},
		}, after: func(t *testing.T, s *model.State, _ *model.Repo) {
			assert.Nil(t, s.Repo(acme, "newrepo"))
			own := s.Repo(me, "own")
			assert.Equal(t, []bool{false, false}, []bool{own.Private, own.Empty()})
		}},
		{name: "edit and rename", steps: []step{
			{"repo edit acme/widgets --description d --enable-auto-merge --add-topic x --default-branch feat", 0, ""},
			{"repo edit acme/widgets --default-branch none", refused, "The branch none was not found"},
			{"repo list acme --topic x --json name", 0, `[{"name":"widgets"}]`},
			{"repo edit acme/widgets --default-branch main --remove-topic x --enable-merge-commit=false", 0, ""},
			{"repo rename new -R acme/widgets --yes", 0, ""},
			{"repo view acme/widgets --json nameWithOwner", 0, `{"nameWithOwner":"acme/new"}`},
			{"api repos/acme/widgets -q .full_name", 0, "acme/new"},
		}, after: func(t *testing.T, s *model.State, _ *model.Repo) {
			repo := s.Repo(acme, "new")
			assert.Equal(t, []string{"d", "main"}, []string{repo.Description, repo.DefaultBranch})
			assert.Equal(t, []bool{true, false}, []bool{repo.AllowAutoMerge, repo.AllowMerge})
			assert.Empty(t, repo.Topics)
		}},
		{name: "fork and sync", steps: []step{
			{"repo fork acme/widgets --clone=false", 0, "monalisa/widgets"},
			{"repo view monalisa/widgets --json isFork,parent", 0, `{"isFork":true,"parent":{"name":"widgets","owner":{"login":"acme"}}}`},
			{"repo sync monalisa/widgets", 0, ""},
			{"api -X PUT repos/acme/widgets/contents/new.txt -f message=m -f content=eA==", 0, ""},
			{"repo sync monalisa/widgets", 0, ""},
			{"repo sync acme/widgets", refused, "repository is not fork"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, tip(s, repo, "main"), tip(s, s.Repo(me, widgets), "main"))
		}},
		{name: "deploy keys", steps: []step{
			{"repo deploy-key list", 0, ""},
			{"repo deploy-key add asset.txt", refused, "key is invalid"},
		}},
	})
}

func TestGHSettings(t *testing.T) {
	testkit.NeedComplete(t)
	runCases(t, []ghCase{
		{name: "secrets and variables", steps: []step{
			{"secret list", 0, ""},
			{"secret delete FOO", refused, "HTTP 404"},
			{"secret set FOO --body bar", 0, ""},
			{"secret list --json name", 0, `[{"name":"FOO"}]`},
			{"secret delete FOO", 0, ""},
			{"secret set FOO --app dependabot --body bar", 0, ""},
			{"secret set OF --app codespaces --body bar", 0, ""},
			{"secret list --app dependabot --json name", 0, `[{"name":"FOO"}]`},
			{"secret list --app codespaces --json name", 0, `[{"name":"OF"}]`},
			{"secret list", 0, ""},
			{"secret set FOO --org acme --body bar", refused, "HTTP 404"},
			{"variable list", 0, ""},
			{"variable set FOO --body bar", 0, ""},
			{"variable get FOO", 0, "bar\n"},
			{"variable set FOO --body baz", 0, ""},
			{"variable list --json name,value", 0, `[{"name":"FOO","value":"baz"}]`},
			{"variable set BAR --body x", 0, ""},
			{"variable delete FOO", 0, ""},
			{"variable delete FOO", refused, "HTTP 404"},
		}, after: func(t *testing.T, _ *model.State, repo *model.Repo) {
			assert.Empty(t, repo.Secrets)
			assert.Equal(t, "BAR", repo.Variables[0].Name)
		}},
		{name: "caches and rulesets", steps: []step{
			{"cache list", 0, ""},
			{"cache delete --all", refused, "No caches to delete"},
			{"ruleset list", 0, ""},
			{"ruleset check main", 0, "0 rules apply to branch main in repo acme/widgets"},
			{"ruleset view 1", refused, "HTTP 404"},
		}},
		{name: "gists", steps: []step{
			{"gist list", 0, ""},
			{"gist create asset.txt --desc d", 0, "https://gist.github.com/monalisa/"},
			{"gist create asset.txt --public", 0, "Created public gist"},
			{"gist list --secret", 0, "\td\t1 file\tsecret\t"},
			{"gist view none", refused, "not found"},
		}, after: func(t *testing.T, s *model.State, _ *model.Repo) {
			assert.Equal(t, 2, s.Gists.Len())
		}},
	})
}
