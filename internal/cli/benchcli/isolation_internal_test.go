package benchcli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestRequiredIsolationRefusesWhatTheKernelDoesNotEnforce(t *testing.T) {
	for _, c := range []struct {
		name string
		held confine.Isolation
		ok   bool
	}{
		{"a user and a network of their own", confine.Isolation{User: confine.OwnUser, Network: confine.Namespace}, true},
		{"Landlock with its filter of system calls", confine.Isolation{User: confine.OwnUser, Network: confine.Landlock}, true},
		{"agents that are only asked to use the proxy", confine.Isolation{User: confine.OwnUser, Network: confine.Advisory, NetworkWhy: "there is no Landlock"}, false},
		{"agents that run as we do", confine.Isolation{User: confine.ProcessGroup, Network: confine.Landlock, UserWhy: "we are not root"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			prefers := agentFlags{isolation: isolationPrefer}
			require.NoError(t, prefers.checkHeld(c.held))
			requires := agentFlags{isolation: isolationRequire}
			err := requires.checkHeld(c.held)
			if c.ok {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			assert.ErrorContains(t, err, c.held.Why())
		})
	}
}
