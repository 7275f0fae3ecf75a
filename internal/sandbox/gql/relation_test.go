package gql_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// another opens an issue and returns its global id.
func (w *world) another() string {
	w.t.Helper()
	return w.do("owner", `mutation($repo: ID!) { createIssue(input: {repositoryId: $repo, title: "another"}) { issue { id } } }`, "repo", w.repo).
		Text("data.createIssue.issue.id")
}

const relations = `query($id: ID!) { node(id: $id) { ... on Issue {
  parent { number } subIssues(first: 10) { totalCount nodes { number } } subIssuesSummary { total completed percentCompleted }
  blockedBy(first: 10) { nodes { number } } blocking(first: 10) { nodes { number } }
  issueDependenciesSummary { blockedBy totalBlockedBy blocking totalBlocking } issueType { name }
} } }`

func TestSubIssues(t *testing.T) {
	w := newWorld(t)
	first, second := w.another(), w.another()
	const add = `mutation($i: ID!, $s: ID, $u: String) { addSubIssue(input: {issueId: $i, subIssueId: $s, subIssueUrl: $u}) { issue { number } subIssue { number } } }`
	added := w.do("triager", add, "i", w.issue, "s", first)
	assert.Equal(t, []int{1, 3}, []int{added.Int("data.addSubIssue.issue.number"), added.Int("data.addSubIssue.subIssue.number")})
	w.do("triager", add, "i", w.issue, "u", "https://github.com/owner/hello/issues/4")
	w.refused("UNPROCESSABLE", "An error occurred while adding the sub-issue to the parent issue. Issue may not contain duplicate sub-issues and Sub issue may only have one parent",
		"triager", add, "i", w.issue, "s", first)
	w.refused("NOT_FOUND", "Could not resolve to an Issue with the URL of 'https://example.com'.", "triager", add, "i", w.issue, "u", "https://example.com")
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+w.pull+"'", "triager", add, "i", w.issue, "s", w.pull)
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `AddSubIssue`", "reader", add, "i", w.issue, "s", first)

	w.do("owner", `mutation($i: ID!) { closeIssue(input: {issueId: $i}) { issue { id } } }`, "i", second)
	seen := w.do("reader", relations, "id", w.issue)
	assert.Equal(t, []int{2, 3, 4}, []int{seen.Int("data.node.subIssues.totalCount"), seen.Int("data.node.subIssues.nodes.0.number"), seen.Int("data.node.subIssues.nodes.1.number")})
	assert.Equal(t, map[string]any{"total": 2.0, "completed": 1.0, "percentCompleted": 50.0}, seen.At("data.node.subIssuesSummary"))
	assert.Equal(t, 1, w.do("reader", relations, "id", first).Int("data.node.parent.number"))

	const move = `mutation($i: ID!, $s: ID!, $b: ID, $a: ID) { reprioritizeSubIssue(input: {issueId: $i, subIssueId: $s, beforeId: $b, afterId: $a}) { issue { subIssues(first: 1) { nodes { number } } } } }`
	assert.Equal(t, 4, w.do("triager", move, "i", w.issue, "s", second, "b", first).Int("data.reprioritizeSubIssue.issue.subIssues.nodes.0.number"))
	assert.Equal(t, 3, w.do("triager", move, "i", w.issue, "s", second, "a", first).Int("data.reprioritizeSubIssue.issue.subIssues.nodes.0.number"))
	w.refused("UNPROCESSABLE", "Exactly one of afterId and beforeId must be given.", "triager", move, "i", w.issue, "s", second)
	w.do("triager", `mutation($i: ID!, $s: ID!) { removeSubIssue(input: {issueId: $i, subIssueId: $s}) { issue { id } } }`, "i", w.issue, "s", first)
	assert.Nil(t, w.do("reader", relations, "id", first).At("data.node.parent"))
}

func TestIssuesThatWait(t *testing.T) {
	w := newWorld(t)
	other := w.another()
	const add = `mutation($i: ID!, $b: ID!) { addBlockedBy(input: {issueId: $i, blockingIssueId: $b}) { issue { number } blockingIssue { number } } }`
	added := w.do("triager", add, "i", w.issue, "b", other)
	assert.Equal(t, []int{1, 3}, []int{added.Int("data.addBlockedBy.issue.number"), added.Int("data.addBlockedBy.blockingIssue.number")})
	w.refused("UNPROCESSABLE", "Target issue has already been taken", "triager", add, "i", w.issue, "b", other)
	w.refused("UNPROCESSABLE", "An issue cannot be blocked by itself", "triager", add, "i", w.issue, "b", w.issue)
	w.do("owner", `mutation($i: ID!) { closeIssue(input: {issueId: $i}) { issue { id } } }`, "i", other)

	waits, blocks := w.do("reader", relations, "id", w.issue), w.do("reader", relations, "id", other)
	assert.Equal(t, 3, waits.Int("data.node.blockedBy.nodes.0.number"))
	assert.Equal(t, map[string]any{"blockedBy": 0.0, "totalBlockedBy": 1.0, "blocking": 0.0, "totalBlocking": 0.0},
		waits.At("data.node.issueDependenciesSummary"), "the other one is closed")
	assert.Equal(t, 1, blocks.Int("data.node.blocking.nodes.0.number"))
	assert.Equal(t, 1, blocks.Int("data.node.issueDependenciesSummary.blocking"))

	const remove = `mutation($i: ID!, $b: ID!) { removeBlockedBy(input: {issueId: $i, blockingIssueId: $b}) { issue { id } } }`
	w.do("triager", remove, "i", w.issue, "b", other)
	assert.Nil(t, w.do("reader", relations, "id", w.issue).At("data.node.blockedBy.nodes.0"))
	w.refused("NOT_FOUND", "Not Found", "triager", remove, "i", w.issue, "b", other)
}

func TestAnIssueTellsWhichPullRequestsCloseIt(t *testing.T) {
	w := newWorld(t)
	const linked = `query($id: ID!, $closed: Boolean, $byHand: Boolean) { node(id: $id) { ... on Issue {
		closedByPullRequestsReferences(first: 5, includeClosedPrs: $closed, userLinkedOnly: $byHand) { totalCount nodes { number } } } } }`
	const total = "data.node.closedByPullRequestsReferences.totalCount"
	assert.Equal(t, 2, w.do("reader", linked, "id", w.issue).Int("data.node.closedByPullRequestsReferences.nodes.0.number"))
	assert.Zero(t, w.do("reader", linked, "id", w.issue, "byHand", true).Int(total), "its body does")
	w.do("owner", `mutation($p: ID!) { closePullRequest(input: {pullRequestId: $p}) { pullRequest { id } } }`, "p", w.pull)
	assert.Zero(t, w.do("reader", linked, "id", w.issue).Int(total))
	assert.Equal(t, 1, w.do("reader", linked, "id", w.issue, "closed", true).Int(total))
}

// A pull request takes the place of the linked branch that it is opened from.
func TestAPullRequestOfALinkedBranchIsLinkedToItsIssue(t *testing.T) {
	w := newWorld(t)
	oid := w.do("reader", `{ repository(owner: "owner", name: "hello") { ref(qualifiedName: "f") { target { oid } } } }`).Text("data.repository.ref.target.oid")
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/base", main))
	})
	other := w.do("writer", `mutation($r: ID!) { createIssue(input: {repositoryId: $r, title: "Other"}) { issue { id } } }`, "r", w.repo).Text("data.createIssue.issue.id")
	open := func(branch, base string) string {
		w.do("writer", `mutation($i: ID!, $o: GitObjectID!, $n: String!) { createLinkedBranch(input: {issueId: $i, oid: $o, name: $n}) { linkedBranch { id } } }`, "i", other, "o", oid, "n", branch)
		return w.do("writer", `mutation($r: ID!, $h: String!, $b: String!) { createPullRequest(input: {repositoryId: $r, headRefName: $h, baseRefName: $b, title: "T"}) { pullRequest { id } } }`,
			"r", w.repo, "h", branch, "b", base).Text("data.createPullRequest.pullRequest.id")
	}
	const about = `query($id: ID!) { node(id: $id) { ... on Issue { state linkedBranches(first: 5) { nodes { ref { name } } }
		closedByPullRequestsReferences(first: 5, userLinkedOnly: true) { nodes { id } }
		timelineItems(first: 5, itemTypes: [CONNECTED_EVENT]) { nodes { ... on ConnectedEvent {
			id actor { login } isCrossRepository source { ... on Issue { id } } subject { ... on PullRequest { id } } } } } } } }`
	linked := open("work", "main")
	got := w.do("reader", about, "id", other)
	assert.Empty(t, got.At("data.node.linkedBranches.nodes"))
	assert.Equal(t, []any{map[string]any{"id": linked}}, got.At("data.node.closedByPullRequestsReferences.nodes"))
	event := got.At("data.node.timelineItems.nodes.0").(map[string]any)
	found := w.do("reader", `query($id: ID!) { node(id: $id) { ... on ConnectedEvent { id } } }`, "id", event["id"].(string))
	assert.Equal(t, event["id"], found.Text("data.node.id"))
	delete(event, "id")
	assert.Equal(t, map[string]any{
		"actor": map[string]any{"login": "writer"}, "isCrossRepository": false, "source": map[string]any{"id": other}, "subject": map[string]any{"id": linked},
	}, event)
	const closes = `query($id: ID!, $byHand: Boolean) { node(id: $id) { ... on PullRequest { closingIssuesReferences(first: 5, userLinkedOnly: $byHand) { nodes { id } } } } }`
	assert.Equal(t, []any{map[string]any{"id": other}}, w.do("reader", closes, "id", linked, "byHand", true).At("data.node.closingIssuesReferences.nodes"))
	assert.Empty(t, w.do("reader", closes, "id", w.pull, "byHand", true).At("data.node.closingIssuesReferences.nodes"), "its body does")

	open("elsewhere", "base")
	got = w.do("reader", about, "id", other)
	assert.Equal(t, "elsewhere", got.Text("data.node.linkedBranches.nodes.0.ref.name"), "it does not go into the default branch")
	assert.Len(t, got.At("data.node.timelineItems.nodes"), 1)

	w.do("writer", `mutation($p: ID!) { mergePullRequest(input: {pullRequestId: $p}) { pullRequest { id } } }`, "p", linked)
	assert.Equal(t, "CLOSED", w.do("reader", about, "id", other).Text("data.node.state"))
	w.do("owner", `mutation($i: ID!) { deleteIssue(input: {issueId: $i}) { clientMutationId } }`, "i", other)
	assert.Empty(t, w.do("reader", closes, "id", linked).At("data.node.closingIssuesReferences.nodes"))
}

func TestIssueTypesAreOfOrganizations(t *testing.T) {
	w := newWorld(t)
	const types = `query($owner: String!, $name: String!, $order: IssueTypeOrder) { repository(owner: $owner, name: $name) {
		issueTypes(first: 5, orderBy: $order) { totalCount nodes { name color description isEnabled } } } }`
	const at = "data.repository.issueTypes."
	assert.Zero(t, w.do("reader", types, "owner", "owner", "name", "hello").Int(at+"totalCount"), "a person has none")
	var id string
	w.Change(func(s *model.State, _ *model.Repo) {
		acme := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		s.AddRepo(model.NewRepo{Owner: acme.ID, Name: "home"})
		s.AddIssueType(acme, model.IssueType{Name: "Task", Color: "YELLOW", Enabled: true})
		s.AddIssueType(acme, model.IssueType{Name: "Bug", Color: "RED", Description: "It is wrong"})
		id = model.NodeID(model.NodeIssueType, 0, acme.IssueTypes[1].ID)
	})
	task := map[string]any{"name": "Task", "color": "YELLOW", "description": nil, "isEnabled": true}
	bug := map[string]any{"name": "Bug", "color": "RED", "description": "It is wrong", "isEnabled": false}
	assert.Equal(t, []any{task, bug}, w.do("reader", types, "owner", "acme", "name", "home").At(at+"nodes"))
	byName := map[string]any{"field": "NAME", "direction": "ASC"}
	assert.Equal(t, []any{bug, task}, w.do("reader", types, "owner", "acme", "name", "home", "order", byName).At(at+"nodes"))
	assert.Equal(t, "Bug", w.do("reader", `query($id: ID!) { node(id: $id) { ... on IssueType { name } } }`, "id", id).Text("data.node.name"))
}

// An issue is given a type by its own mutation and by those that make and change issues;
// what there is not of fields and types is said to be lacking here, not at GitHub.
func TestIssuesAreTyped(t *testing.T) {
	w := newWorld(t)
	var task, bug, home string
	w.Change(func(s *model.State, _ *model.Repo) {
		acme := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		repo := s.AddRepo(model.NewRepo{Owner: acme.ID, Name: "home"})
		repo.Collaborators[s.User("writer").ID] = model.PermWrite
		for _, name := range []string{"Task", "Bug"} {
			s.AddIssueType(acme, model.IssueType{Name: name, Color: "RED", Enabled: true})
		}
		task, bug = model.NodeID(model.NodeIssueType, 0, acme.IssueTypes[0].ID), model.NodeID(model.NodeIssueType, 0, acme.IssueTypes[1].ID)
		home = model.NodeID(model.NodeRepo, 0, repo.ID)
	})
	const create = `mutation($r: ID!, $t: ID, $p: ID) { createIssue(input: {repositoryId: $r, title: "a", issueTypeId: $t, parentIssueId: $p}) { issue { id issueType { name } parent { id } } } }`
	made := w.do("writer", create, "r", home, "t", task)
	issue := made.Text("data.createIssue.issue.id")
	assert.Equal(t, "Task", made.Text("data.createIssue.issue.issueType.name"))
	assert.Equal(t, issue, w.do("writer", create, "r", home, "p", issue).Text("data.createIssue.issue.parent.id"))
	const typed = `mutation($i: ID!, $t: ID) { updateIssueIssueType(input: {issueId: $i, issueTypeId: $t}) { issue { issueType { name } } } }`
	assert.Equal(t, "Bug", w.do("writer", typed, "i", issue, "t", bug).Text("data.updateIssueIssueType.issue.issueType.name"))
	const update = `mutation($i: ID!, $t: ID) { updateIssue(input: {id: $i, issueTypeId: $t}) { issue { issueType { name } } } }`
	assert.Equal(t, "Task", w.do("writer", update, "i", issue, "t", task).Text("data.updateIssue.issue.issueType.name"))
	assert.Equal(t, "Task", w.do("writer", `mutation($i: ID!) { updateIssue(input: {id: $i, title: "b"}) { issue { issueType { name } } } }`, "i", issue).Text("data.updateIssue.issue.issueType.name"))
	assert.Nil(t, w.do("writer", update, "i", issue, "t", nil).At("data.updateIssue.issue.issueType"))
	w.do("writer", update, "i", issue, "t", task)
	assert.Nil(t, w.do("writer", typed, "i", issue, "t", nil).At("data.updateIssueIssueType.issue.issueType"))
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+issue+"'", "writer", typed, "i", issue, "t", issue)
	for name, query := range map[string]string{
		"mutation setIssueFieldValue": `mutation { setIssueFieldValue(input: {issueId: "a", issueFields: []}) { issue { id } } }`,
		"mutation createIssueType":    `mutation { createIssueType(input: {ownerId: "a", name: "b", isEnabled: true}) { issueType { id } } }`,
		"Issue.issueFieldValues":      `{ repository(owner: "acme", name: "home") { issue(number: 1) { issueFieldValues(first: 1) { totalCount } } } }`,
	} {
		reply := w.As("writer").GraphQL(query)
		assert.Equal(t, "This sandbox does not have "+name+" yet; GitHub does.", reply.Text("errors.0.message"))
	}
}

func TestUpdateLabel(t *testing.T) {
	w := newWorld(t)
	id := w.do("reader", `{ repository(owner: "owner", name: "hello") { label(name: "bug") { id } } }`).Text("data.repository.label.id")
	const update = `mutation($i: ID!, $n: String, $c: String) { updateLabel(input: {id: $i, name: $n, color: $c, description: "D"}) { label { name color description } } }`
	assert.Equal(t, map[string]any{"name": "Bug!", "color": "00ff00", "description": "D"}, w.do("writer", update, "i", id, "n", "Bug!", "c", "00FF00").At("data.updateLabel.label"))
	w.refused("UNPROCESSABLE", "Color is invalid", "writer", update, "i", id, "c", "green")
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `UpdateLabel`", "reader", update, "i", id, "c", "00ff00")
}

func TestTimelines(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		i := s.Issue(repo, 1)
		_, err := s.CreateComment(repo.OwnerID, repo, i, "seen")
		require.NoError(t, err)
		for _, state := range []string{"closed", "open"} {
			require.NoError(t, s.EditIssue(repo.OwnerID, repo, i, model.IssueEdit{State: &state}))
		}
		require.NoError(t, s.RemoveLabel(repo.OwnerID, repo, i, "bug"))
		require.NoError(t, s.DeleteLabel(repo.OwnerID, repo, s.Label(repo, "bug")))
	})
	const items = `query($types: [IssueTimelineItemsItemType!], $skip: Int) { repository(owner: "owner", name: "hello") { issue(number: 1) {
	  timelineItems(first: 50, itemTypes: $types, skip: $skip) { totalCount nodes { __typename
	    ... on Node { id } ... on LabeledEvent { actor { login } label { name } } ... on AssignedEvent { assignee { ... on User { login } } }
	    ... on IssueComment { body } ... on ClosedEvent { stateReason createdAt } ... on ConnectedEvent { subject { __typename } } } }
	} } }`
	const at = "data.repository.issue.timelineItems."
	all := w.do("reader", items)
	var names []string
	for n := range all.Int(at + "totalCount") {
		node := at + "nodes." + string(rune('0'+n)) + "."
		names = append(names, all.Text(node+"__typename"))
		found := w.do("reader", `query($id: ID!) { node(id: $id) { __typename id } }`, "id", all.Text(node+"id"))
		assert.Equal(t, all.Text(node+"__typename"), found.Text("data.node.__typename"))
	}
	assert.Equal(t, []string{"LabeledEvent", "AssignedEvent", "CrossReferencedEvent", "IssueComment", "ClosedEvent", "ReopenedEvent", "UnlabeledEvent"}, names)
	assert.Equal(t, []string{"owner", "deleted", "writer", "seen"}, []string{
		all.Text(at + "nodes.0.actor.login"), all.Text(at + "nodes.0.label.name"), all.Text(at + "nodes.1.assignee.login"), all.Text(at + "nodes.3.body"),
	})
	for _, c := range []struct {
		types []string
		skip  int
		want  int
	}{{[]string{"LABELED_EVENT", "ISSUE_COMMENT"}, 0, 2}, {[]string{"CONNECTED_EVENT"}, 0, 0}, {nil, 5, 2}, {nil, 100, 0}, {nil, -1, 7}} {
		assert.Equal(t, c.want, w.do("reader", items, "types", c.types, "skip", c.skip).Int(at+"totalCount"), "%v", c)
	}
}

// What refers to an issue is told in its timeline, once for each that does: as
// GitHub makes links, so not in code, and not to those who may not see it.
func TestTimelinesTellWhatRefersToAnIssue(t *testing.T) {
	w := newWorld(t)
	var about, secret *model.Issue
	w.Change(func(s *model.State, repo *model.Repo) {
		owner := repo.OwnerID
		open := func(in *model.Repo, body string) *model.Issue {
			i, err := s.OpenIssue(owner, in, model.NewIssue{Title: "T", Body: body})
			require.NoError(t, err)
			return i
		}
		about = open(repo, "#3 is this one")
		_, err := s.CreateComment(owner, repo, open(repo, "in `#3`, a#3, #33, #1x, x/y/#3 and\n```\n#3\n```"), "see GH-3, and #3 again")
		require.NoError(t, err)
		open(repo, "see https://github.com/owner/hello/issues/3.")
		edited, body := open(repo, "nothing yet"), "(owner/hello#3)"
		require.NoError(t, s.EditIssue(owner, repo, edited, model.IssueEdit{Body: &body}))
		hidden := s.AddRepo(model.NewRepo{Owner: owner, Name: "hidden", Private: true})
		secret = open(hidden, "owner/hello#3")
		_, err = s.CreateReview(owner, s.Issue(repo, 2), model.NewReview{Event: model.EventComment, Body: "closes #3"})
		require.NoError(t, err)
	})
	const query = `query { repository(owner: "owner", name: "hello") { issue(number: 3) { timelineItems(first: 50, itemTypes: [CROSS_REFERENCED_EVENT]) { nodes {
		... on CrossReferencedEvent { id actor { login } isCrossRepository willCloseTarget source { ... on Issue { number } ... on PullRequest { number } } target { ... on Issue { number } } } } } } } }`
	told := func(login string) (all []string) {
		nodes, _ := w.do(login, query).At("data.repository.issue.timelineItems.nodes").([]any)
		for _, node := range nodes {
			n := node.(map[string]any)
			all = append(all, fmt.Sprint(n["source"].(map[string]any)["number"], " ", n["isCrossRepository"], " ", n["willCloseTarget"]))
			assert.Equal(t, map[string]any{"number": float64(about.Number)}, n["target"])
		}
		return all
	}
	assert.Equal(t, []string{"4 false false", "5 false false", "6 false false", "1 true false", "2 false false"}, told("owner"))
	assert.Equal(t, []string{"4 false false", "5 false false", "6 false false", "2 false false"}, told("reader"), "the repository is private")
	event := w.do("owner", query).Text("data.repository.issue.timelineItems.nodes.3.id")
	const node = `query($id: ID!) { node(id: $id) { id } }`
	assert.Equal(t, event, w.do("owner", node, "id", event).Text("data.node.id"))
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+event+"'", "reader", node, "id", event)

	w.Change(func(s *model.State, repo *model.Repo) {
		body := "Fixes #3"
		require.NoError(t, s.EditIssue(repo.OwnerID, repo, s.Issue(repo, 2), model.IssueEdit{Body: &body}))
		require.NoError(t, s.DeleteIssue(repo.OwnerID, s.Repos.Get(secret.RepoID), secret))
	})
	assert.Equal(t, []string{"4 false false", "5 false false", "6 false false", "2 false true"}, told("owner"))
}

func TestStars(t *testing.T) {
	w := newWorld(t)
	w.AddToken("with the scope gist", sandbox.Token{User: "writer"})
	gist := w.With("with the scope gist").Do("POST", "/gists", `{"files": {"a": {"content": "b"}}}`).Text("node_id")
	for _, id := range []string{w.repo, gist} {
		const shown = `(input: {starrableId: $i}) { starrable { id stargazerCount viewerHasStarred } } }`
		for range 2 {
			starred := w.do("reader", `mutation($i: ID!) { addStar`+shown, "i", id)
			assert.Equal(t, `{"data":{"addStar":{"starrable":{"id":"`+id+`","stargazerCount":1,"viewerHasStarred":true}}}}`, starred.Body)
		}
		assert.Zero(t, w.do("reader", `mutation($i: ID!) { removeStar`+shown, "i", id).Int("data.removeStar.starrable.stargazerCount"))
		assert.Zero(t, w.do("writer", `mutation($i: ID!) { removeStar`+shown, "i", id).Int("data.removeStar.starrable.stargazerCount"))
	}
	issue := w.do("writer", `mutation($r: ID!) { createIssue(input: {repositoryId: $r, title: "x"}) { issue { id } } }`, "r", w.repo).Text("data.createIssue.issue.id")
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+issue+"'", "reader", `mutation($i: ID!) { addStar(input: {starrableId: $i}) { starrable { id } } }`, "i", issue)
}
