package benchcli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestTheEndOfAGateIsWhatItSays(t *testing.T) {
	var told [][2]int
	follow := func(text string) *benchcli.TaskGateEnd {
		told = nil
		end, err := benchcli.FollowTaskGate(strings.NewReader(text), benchcli.TaskGateListener{Progress: func(done, total int) { told = append(told, [2]int{done, total}) }})
		require.NoError(t, err)
		return end
	}
	for name, c := range map[string]struct {
		says string
		kind fault.Kind
	}{
		"a mistake":         {`{"end": {"code": 2, "problem": "no"}}`, fault.Invalid},
		"an agent's defect": {`{"end": {"code": 1, "problem": "no"}}`, fault.Tool},
		"an outage":         {`{"end": {"code": 3, "problem": "no"}}`, fault.Infrastructure},
	} {
		t.Run(name, func(t *testing.T) {
			end := follow(`{"done": 1}` + "\n" + `{"done": 2, "total": 4}` + "\n" + c.says)
			require.NotNil(t, end)
			require.EqualError(t, end.Err(), "no")
			assert.Equal(t, c.kind, fault.KindOf(end.Err()))
			assert.Equal(t, [][2]int{{1, 0}, {2, 4}}, told)
		})
	}
	require.NoError(t, follow(`{"end": {"code": 0, "run_id": "r"}}`).Err())
	assert.Nil(t, follow(`{"done": 1}`), "it was ended before")
	assert.Nil(t, follow(`what an agent writes`))
}

func TestTheCommandLineSaysWhatIsAsked(t *testing.T) {
	assert.Equal(t, "harness gate --config c.yaml", strings.Join(benchcli.TaskGate{Config: "c.yaml", Shard: "1/2"}.Arguments(), " "))
	all := benchcli.TaskGate{
		Config: "c.yaml", MaxCostUSD: 2.5, Shard: "1/2", Evidence: &benchcli.TaskGateEvidence{Epochs: "2..10", MarginSuccess: 15, MarginLatency: 1.25},
		Against: &benchcli.TaskGateCommits{Commit: "a", BaseDir: "../base", BaseCommit: "b", BaseTree: "t"},
	}
	assert.Equal(t, "harness gate --config c.yaml --max-cost-usd 2.5 --policy evidence --epochs 2..10 --margin-success 15 --margin-latency 1.25 "+
		"--git-commit a --base-dir ../base --base-commit b --base-tree t --shard 1/2", strings.Join(all.Arguments(), " "))
}

func TestWhatIsKeptOfAGateIsGoneOnWith(t *testing.T) {
	var told []string
	listen := benchcli.TaskGateListener{
		Run: func(info *ledger.RunInfo, anew bool) error {
			told = append(told, fmt.Sprint(info.RunID, anew))
			return nil
		},
		Row: func(line []byte) error {
			told = append(told, string(line))
			if strings.Contains(string(line), "lie") {
				return errors.New("a lie")
			}
			return nil
		},
	}
	end, err := benchcli.FollowTaskGate(strings.NewReader(`{"run": {"run_id": "r"}, "new": true}`+"\n"+`{"row": {"a": 1}}`+"\n"+`{"done": 1}`+"\n"+`{"end": {"code": 3}}`), listen)
	require.NoError(t, err)
	assert.Equal(t, 3, end.Code)
	assert.Equal(t, []string{"rtrue", `{"a": 1}`}, told)
	end, err = benchcli.FollowTaskGate(strings.NewReader(`{"row": "lie"}`+"\n"+`{"end": {"code": 0}}`), listen)
	assert.Nil(t, end, "it is not heard any more")
	require.EqualError(t, err, "a lie")
	end, err = benchcli.FollowTaskGate(strings.NewReader(`{"row": "`+strings.Repeat("x", 17<<20)+`"}`), listen)
	assert.Nil(t, end)
	require.ErrorContains(t, err, "a line of it is longer than 16 MiB")

	text, err := benchcli.TaskGateState{Run: &ledger.RunInfo{RunID: "r"}, Rows: []json.RawMessage{json.RawMessage(`{"a":1}`)}}.Bytes()
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), "\n"))
	told = nil
	_, err = benchcli.FollowTaskGate(strings.NewReader(string(text)), listen)
	require.NoError(t, err)
	assert.Equal(t, []string{"rfalse", `{"a":1}`}, told)
	text, err = benchcli.TaskGateState{}.Bytes()
	require.NoError(t, err)
	assert.Empty(t, text)
}
