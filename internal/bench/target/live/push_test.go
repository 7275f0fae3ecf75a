package live_test

import (
	"crypto/sha1" //nolint:gosec // git's packs end with it
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/target/live"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// push is the body of a push that moves refs to commits which are there, each
// given as "old new ref".
func push(commands ...string) string {
	var body strings.Builder
	for i, command := range commands {
		if i == 0 {
			command += "\x00report-status"
		}
		fmt.Fprintf(&body, "%04x%s", len(command)+4, command)
	}
	pack := "PACK\x00\x00\x00\x02\x00\x00\x00\x00"
	sum := sha1.Sum([]byte(pack)) //nolint:gosec // git's packs end with it
	return body.String() + "0000" + pack + string(sum[:])
}

func TestAPushIsAWriteAndTheBranchesThatItMakesAreRemoved(t *testing.T) {
	r := newRig(t)
	owner := r.world.As("owner")
	head := owner.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	require.Equal(t, 201, owner.Do("POST", sandboxtest.Path+"/git/refs", `{"ref":"refs/heads/old","sha":"`+head+`"}`).Status)
	p := r.place(t, target.Needs{Resources: []string{"pr"}, Mutating: true})
	writes := 0
	p.OnWrite(func() {
		writes++
		assert.Equal(t, http.StatusOK, owner.Get(sandboxtest.Path+"/git/ref/heads/new").Status, "it is there when watchers look")
	})
	none := strings.Repeat("0", 40)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+p.token))
	got := p.ask("POST", "https://github.com/owner/hello.git/git-receive-pack", push(none+" "+head+" refs/heads/new", head+" "+none+" refs/heads/old"),
		"Authorization", basic, "Content-Type", "application/x-git-receive-pack-request")
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Contains(t, got.body, "ok refs/heads/new")
	assert.Equal(t, 1, writes)
	require.NoError(t, p.Close())
	assert.Equal(t, [][]live.Made{{{Kind: live.MadeRef, Name: "refs/heads/new"}}}, r.removed)
}
