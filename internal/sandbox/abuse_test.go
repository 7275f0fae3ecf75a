package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// patience is how long an answer to a hostile request may take.
const patience = 5 * time.Second

func TestManyLabels(t *testing.T) {
	const many = 10_000
	w := sandboxtest.New(t)
	owner := w.As("owner")
	names := make([]string, many)
	for n := range names {
		names[n] = fmt.Sprintf("label %d", n)
	}
	began := time.Now()
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "x", "labels": names}).Status)
	w.Change(func(s *model.State, repo *model.Repo) {
		assert.Empty(t, s.LabelsOf(repo), "nothing is made of what is refused")
		for _, name := range names {
			id := s.LastID + 1
			s.LastID = id
			s.Labels.Add(id, &model.Label{ID: id, RepoID: repo.ID, Name: name})
		}
	})
	page := owner.Get(sandboxtest.Path + "/labels?per_page=100000")
	assert.NotNil(t, page.At("99"))
	assert.Nil(t, page.At("100"))
	reply := owner.GraphQL(`{repository(owner:"owner",name:"hello"){labels(first:101){totalCount}}}`)
	assert.Contains(t, reply.Text("errors.0.message"), "Requesting 101 records on the `labels` connection exceeds the `first` limit of 100 records.")
	assert.Less(t, time.Since(began), testkit.TimeLimit(patience))
}

// A global id of one repository is nothing for another one.
func TestNodeIDsOfAnotherRepository(t *testing.T) {
	w := sandboxtest.New(t)
	var issue, label, milestone string
	w.Change(func(s *model.State, repo *model.Repo) {
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "other"})
		i, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "x"})
		require.NoError(t, err)
		l, err := s.CreateLabel(repo.OwnerID, other, model.NewLabel{Name: "bug"})
		require.NoError(t, err)
		m := s.AddMilestone(other, model.NewMilestone{Title: "m"})
		issue, label = model.NodeID(model.NodeIssue, repo.ID, i.ID), model.NodeID(model.NodeLabel, other.ID, l.ID)
		milestone = model.NodeID(model.NodeMilestone, other.ID, m.ID)
	})
	owner := w.As("owner")
	for _, mutation := range []string{
		`addLabelsToLabelable(input:{labelableId:$i,labelIds:["` + label + `"]}){clientMutationId}`,
		`updateIssue(input:{id:$i,labelIds:["` + label + `"]}){clientMutationId}`,
		`updateIssue(input:{id:$i,milestoneId:"` + milestone + `"}){clientMutationId}`,
		`pinIssue(input:{issueId:"` + label + `"}){clientMutationId} updateIssue(input:{id:$i,labelIds:["` + label + `"]}){clientMutationId}`,
	} {
		reply := owner.GraphQL(`mutation($i:ID!){`+mutation+`}`, "i", issue)
		assert.Equal(t, "NOT_FOUND", reply.Text("errors.0.type"), reply.Body)
	}
	// An id with another kind or repository in front of it is none either.
	forged := model.NodeID(model.NodeLabel, 1, 1)
	assert.Equal(t, "NOT_FOUND", owner.GraphQL(`{node(id:"`+forged+`"){id}}`).Text("errors.0.type"))
}

func TestPathsStayInTheRepository(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	for _, path := range []string{"..%2f..%2fx", "a%2f..%2f..%2fx", "%2e%2e%2fx", ".git%2fconfig", "a%00b"} {
		reply := owner.Do("PUT", sandboxtest.Path+"/contents/"+path, `{"message":"m","content":"eA=="}`)
		assert.GreaterOrEqual(t, reply.Status, 400, path)
		assert.Less(t, reply.Status, 500, path)
	}
	for _, ref := range []string{"../../x", "refs/heads/../../x", "refs/heads/a..b", "refs/heads/.lock", "refs/heads/x.lock", "refs/heads/ "} {
		head := owner.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
		assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", sandboxtest.Path+"/git/refs", map[string]any{"ref": ref, "sha": head}).Status, ref)
	}
	assert.Equal(t, "README.md", owner.Get(sandboxtest.Path+"/contents/").Text("0.name"))
	assert.Nil(t, owner.Get(sandboxtest.Path+"/contents/").At("1"), "nothing was written")
}
