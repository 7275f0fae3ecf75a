package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestNodeIDs(t *testing.T) {
	// These are ids of GitHub itself: the user octocat (583231), and the
	// repository octocat/Hello-World (1296269) with its pull request 1347's
	// form.
	assert.Equal(t, "U_kgDOAAjmPw", model.NodeID(model.NodeUser, 0, 583231))
	assert.Equal(t, "R_kgDOABPHjQ", model.NodeID(model.NodeRepo, 0, 1296269))
	assert.Equal(t, "I_kwDOABPHjc4AAAU7", model.NodeID(model.NodeIssue, 1296269, 1339))
	kind, id, ok := model.ParseNodeID("I_kwDOABPHjc4AAAU7")
	assert.True(t, ok)
	assert.Equal(t, model.NodeIssue, kind)
	assert.Equal(t, model.ID(1339), id)
	for _, text := range []string{"", "_", "I_", "I_!", "I_kwDOABPHjc4AAAU", "I_AAAAAAAAAAAA", "1339", "MDU6SXNzdWUx"} {
		_, _, ok := model.ParseNodeID(text)
		assert.False(t, ok, text)
	}
}

func FuzzParseNodeID(f *testing.F) {
	f.Add("I_kwDOABPHjc4AAAU7")
	f.Add("U_kgDOAAjmPw")
	f.Add("PRRT_")
	f.Fuzz(func(t *testing.T, text string) {
		kind, id, ok := model.ParseNodeID(text)
		if ok && (kind == "" && text[0] != '_' || id < 0) {
			t.Errorf("%q is %q %d", text, kind, id)
		}
	})
}
