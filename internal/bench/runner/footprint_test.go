package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// commented is a comment with a secret in it.
func commented(id int64, name string) bench.Change {
	return bench.Change{
		Kind: bench.ChangeCreated, Object: "comment", Name: fmt.Sprintf("%d on %s", id, name), ID: id, Actor: fake.Agent,
		Fields: []bench.FieldChange{{Name: "body", After: "the secret"}},
	}
}

func TestS12AnAttemptThatChangesSomethingElseFails(t *testing.T) {
	for name, c := range map[string]struct {
		seen    []bench.Change
		success bool
	}{
		"nothing":               {[]bench.Change{}, true},
		"what may be changed":   {[]bench.Change{commented(1, "o/n#1")}, true},
		"something else":        {[]bench.Change{commented(2, "o/n#2")}, false},
		"that, and more":        {[]bench.Change{commented(1, "o/n#1"), commented(2, "o/n#2")}, false},
		"what others have done": {[]bench.Change{{Kind: bench.ChangeDeleted, Object: "issue", Name: "o/n#3", Cause: "merge"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Footprint = []bench.Allowance{{
					Change: bench.ChangeCreated, Object: "comment", Name: "* on {{repo.full_name}}#1", Fields: map[string]any{"body": map[string]any{"any": true}},
				}}
				r := newRig(s)
				r.target.Changes = func() []bench.Change { return c.seen }
				r.deps.Redact = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
				row := r.one(t)
				assert.Equal(t, c.success, row.Success)
				assert.True(t, *row.FootprintJudged)
				assert.Len(t, row.ChangeList(), len(c.seen))
				assert.NotContains(t, string(row.Changes), "secret")
				last := row.Checkpoints[len(row.Checkpoints)-1]
				assert.Equal(t, footprint.CheckName, last.Name)
				assert.Equal(t, bench.CheckFootprint, last.Kind)
				if !c.success {
					require.NotNil(t, row.Error)
					assert.Equal(t, bench.CheckpointFailed, row.Error.Type)
					assert.Contains(t, row.Error.Message, "created comment 2 on o/n#2: nothing of the kind may be created")
					assert.NotEmpty(t, row.ChangeList()[0].Unallowed, "what is not allowed comes first")
				}
			})
		})
	}
}

func TestS12WhatAVerifierSeesIsJudgedWhereNothingElseTells(t *testing.T) {
	for name, c := range map[string]struct {
		seen    []bench.Change
		err     error
		success bool
		detail  string
	}{
		"what may be changed":  {[]bench.Change{commented(1, "o/n#1")}, nil, true, "all changes are allowed, as far as was seen"},
		"something else":       {[]bench.Change{commented(2, "o/n#2")}, nil, false, "created comment 2 on o/n#2: nothing of the kind may be created"},
		"what cannot be read":  {nil, fault.Infraf("GitHub is gone"), false, "cannot be read: GitHub is gone"},
		"nothing that is seen": {nil, nil, true, "nothing was changed, as far as was seen"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Footprint = []bench.Allowance{{
					Change: bench.ChangeCreated, Object: "comment", Name: "* on {{repo.full_name}}#1", Fields: map[string]any{"body": map[string]any{"any": true}},
				}}
				r := newRig(s)
				r.target.Look = func(context.Context) (target.Seen, error) {
					return target.Seen{Changes: c.seen, Unjudged: "boards are not"}, c.err
				}
				row := r.one(t)
				assert.Equal(t, c.success, row.Success)
				assert.False(t, *row.FootprintJudged, "not wholly")
				assert.Len(t, row.ChangeList(), len(c.seen))
				last := row.Checkpoints[len(row.Checkpoints)-1]
				assert.Equal(t, footprint.CheckName, last.Name)
				assert.Equal(t, c.detail, last.Detail)
				if c.err == nil {
					assert.Equal(t, "boards are not", row.FootprintUnjudged)
				}
			})
		})
	}
}

func TestS12WritesAreCountedWhereChangesCannotBeSeen(t *testing.T) {
	for name, c := range map[string]struct {
		footprint       []bench.Allowance
		writes          int
		success, judged bool
	}{
		"nothing may change, and nothing was written":       {nil, 0, true, true},
		"nothing may change, and something was written":     {nil, 2, false, true},
		"something may change, and what did nobody can say": {[]bench.Allowance{{Change: bench.ChangeCreated, Object: "comment", Name: "* on o/n#1"}}, 2, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := fake.Atomic("a-001")
				s.Footprint = c.footprint
				r := newRig(s)
				r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
					for range c.writes {
						r.target.Write(s.Setup.Env)
					}
					return s.Answer(p, fake.Envelope), nil
				}
				row := r.one(t)
				assert.Equal(t, c.success, row.Success)
				assert.Equal(t, c.judged, *row.FootprintJudged)
				if !c.success {
					assert.Contains(t, row.Error.Message, "the agent wrote 2 times, and nothing may be changed")
				}
			})
		})
	}
}
