package runner_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// telling is a scenario whose data are compared with what the reader says.
func telling(fields map[string]string) bench.Scenario {
	s := fake.Atomic("a-001")
	s.Assertions.ExpectedData = &bench.ExpectedData{Read: bench.Read{Task: "repo.view"}, Fields: fields}
	return s
}

func TestS13DataAreComparedWithWhatGitHubSays(t *testing.T) {
	for name, c := range map[string]struct {
		fields map[string]string
		answer string
		wrong  string
	}{
		"the truth": {map[string]string{"id": ".id"}, fake.Envelope, ""},
		"something made up": {
			map[string]string{"id": ".id"}, `{"ok":true,"data":{"id":2},"error":null,"meta":{}}`, "The data's id is 2, GitHub says 1.",
		},
		"what the task and the fixtures say": {
			map[string]string{"id": "$resources.thing.id", "name": "$input.name", "repo": "$repo.full_name", "who": "$agent"},
			`{"ok":true,"data":{"id":7,"name":"n","repo":"o/n","who":"agent"},"error":null,"meta":{}}`, "",
		},
		"a list in any order":        {map[string]string{"list": "[1, 2]"}, `{"ok":true,"data":{"list":[2,1]},"error":null,"meta":{}}`, ""},
		"no data are judged by form": {map[string]string{"id": ".id"}, `{"ok":true,"data":null,"error":null,"meta":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(telling(c.fields))
				r.target.Resources = map[string]map[string]any{"thing": {"id": 7}}
				r.reader.Says = map[string]any{"id": 1}
				r.provider.OnPrompt = says(c.answer)
				row := r.one(t)
				if c.wrong == "" {
					assert.True(t, row.Success, row.Error)
					return
				}
				assert.Equal(t, &bench.RowError{Type: bench.AssertionFailed, Message: c.wrong}, row.Error)
				assert.True(t, row.OutputValid)
				assert.Contains(t, row.Checkpoints, bench.CheckpointResult{Name: runner.TruthName, Kind: bench.CheckAnswer, Detail: c.wrong})
			})
		})
	}
}

func TestS13WhatCannotBeReadSaysNothingOfTheAgent(t *testing.T) {
	for name, spoil := range map[string]func(*rig){
		"GitHub does not answer":          func(r *rig) { r.reader.Err = errors.New("bad gateway") },
		"the expression gives two values": func(r *rig) { r.expect("1, 2") },
		"the expression is none":          func(r *rig) { r.expect("(") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(telling(map[string]string{"id": ".id"}))
				r.reader.Says = map[string]any{"id": 1}
				spoil(r)
				row := r.one(t)
				require.NotNil(t, row.Error)
				assert.Equal(t, bench.RunnerError, row.Error.Type, row.Error.Message)
			})
		})
	}
}

// expect has the field id of the rig's scenario be what an expression gives.
func (r *rig) expect(source string) {
	s := telling(map[string]string{"id": source})
	r.cfg.Scenarios[s.ID] = s
}
