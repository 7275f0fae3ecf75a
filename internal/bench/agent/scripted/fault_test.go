package scripted_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestParseFaultReadsWhereAndWhat(t *testing.T) {
	tests := []struct {
		name, text string
		want       scripted.Fault
	}{
		{"a mode and a scenario", "ghx/pr-merge-001=stall",
			scripted.Fault{Mode: bench.GHX, Scenario: "pr-merge-001", Kind: scripted.Stall}},
		{"everything", "*/*=slow", scripted.Fault{Kind: scripted.Slow}},
		{"the ghx of the base commit", "ghx@base/*=crash", scripted.Fault{Mode: bench.GHXBase, Kind: scripted.Crash}},
		{"one iteration", "*/pr-merge-001/2=idle", scripted.Fault{Scenario: "pr-merge-001", Iteration: 2, Kind: scripted.Idle}},
		{"one attempt of every iteration", "mcp/*/*/1=crash", scripted.Fault{Mode: bench.MCP, Attempt: 1, Kind: scripted.Crash}},
		{"one attempt of one iteration", "mcp/*/3/1=crash",
			scripted.Fault{Mode: bench.MCP, Iteration: 3, Attempt: 1, Kind: scripted.Crash}},
		{"warm-ups", "*/*/0=crash", scripted.Fault{Iteration: scripted.WarmUp, Kind: scripted.Crash}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := scripted.ParseFault(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.text, got.String(), "it is written as it is read")
		})
	}
}

func TestParseFaultSaysWhatIsWrong(t *testing.T) {
	const format = `want <mode>/<scenario>[/<iteration>[/<attempt>]]=<kind>, for example "ghx/pr-merge-001=stall" or "ghx/*/2=slow"`
	tests := []struct {
		name, text, want string
	}{
		{"no kind", "ghx/pr-merge-001", `fault "ghx/pr-merge-001": ` + format},
		{"no scenario", "ghx=stall", `fault "ghx=stall": ` + format},
		{"an empty part", "ghx//1=stall", `fault "ghx//1=stall": ` + format},
		{"a part too many", "ghx/x/1/1/1=stall", `fault "ghx/x/1/1/1=stall": ` + format},
		{"a kind with a typing error", "ghx/*=stal", `fault "ghx/*=stal": unknown kind "stal": did you mean "stall"?`},
		{"a kind like no other", "ghx/*=explode", `fault "ghx/*=explode": unknown kind "explode": use one of no_first_answer, ` +
			`stall, no_final_answer, crash, slow, wrong_route, invalid_json, no_envelope, late_envelope, idle, wrong_object, verbose, chatty`},
		{"what is no mode's name", "g h/*=stall", `fault "g h/*=stall": "g h" is no name of a mode: it is of letters, digits, _, - and @, and begins with a letter or a digit`},
		{"an iteration in words", "ghx/*/two=stall", `fault "ghx/*/two=stall": iteration "two" is neither "*" nor a whole number of 0 or more`},
		{"an iteration below 0", "ghx/*/-1=stall", `fault "ghx/*/-1=stall": iteration "-1" is neither "*" nor a whole number of 0 or more`},
		{"an attempt of 0", "ghx/*/1/0=stall", `fault "ghx/*/1/0=stall": attempt "0" is neither "*" nor a whole number of 1 or more`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scripted.ParseFault(tt.text)
			require.EqualError(t, err, tt.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestNewRefusesFaultsThatCouldNeverHappen(t *testing.T) {
	_, err := scripted.New(scripted.Options{Faults: []scripted.Fault{{Scenario: "pr-merge-01", Kind: scripted.Stall}}})
	require.EqualError(t, err, `fault "*/pr-merge-01=stall": there is no plan for scenario "pr-merge-01": did you mean "pr-merge-001"?`)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	_, err = scripted.New(scripted.Options{Faults: []scripted.Fault{{Mode: "g h", Kind: scripted.Stall}}})
	assert.Equal(t, fault.Invalid, fault.KindOf(err), "faults that were not parsed are checked, too")
}
