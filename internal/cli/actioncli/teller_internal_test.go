package actioncli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
)

// What is said at the end has all that was known before, whichever field that is in.
func TestNothingThatIsKnownOfARunIsLostAtItsEnd(t *testing.T) {
	known := comment.Run{
		Suite: "bench", Commit: "c0ffee", OnNoVerdict: comment.Failure, Links: comment.Links{Job: "https://example.com"}, Commands: []command.Name{command.Run},
		Notices: []string{"Look at the wiki."}, Plan: &comment.Plan{Model: "a/b"}, Progress: &comment.Progress{Done: 3}, Surface: &bench.SurfaceChange{},
	}
	end := (&teller{run: known}).in(comment.Stopped)
	assert.Equal(t, comment.Stopped, end.Phase)
	end.Phase = known.Phase
	assert.Equal(t, known, end)
}
