package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

func TestS5CheckpointsReferToFixtures(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "assertions/checkpoints", []any{
		look("contains", "verification_input", object{"owner": "{{repo.owner}}", "name": "n", "prNumber": "{{resources.pr.number}}"},
			"expected_value", object{"number": "{{resources.pr.number}}", "labels": []any{"{{resources.pr.text}}", "by {{repo.owner}} and {{input.prNumber}}"}}),
	})
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	bound := resolved.Scenario.Assertions.Checkpoints[0]
	assert.Equal(t, object{"owner": "o", "name": "n", "prNumber": 1000000}, bound.VerificationInput)
	assert.EqualValues(t, object{"number": 1e6, "labels": []any{"{{task}} <&>", "by o and 1000000"}}, bound.ExpectedValue, "a value keeps its type, within a text it is text")
	assert.Equal(t, "{{repo.owner}}", s.Assertions.Checkpoints[0].VerificationInput["owner"], "the scenario is as it was")
}

func TestS5AReferenceToNothingIsAnError(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "assertions/checkpoints", []any{
		look("contains", "expected_value", "{{resources.pr.none}}"),
	})
	_, err := scenario.Resolve(s, manifest())
	assert.ErrorContains(t, err, "bind checkpoint \"c\": manifest path \"resources.pr.none\"")
	assert.ErrorContains(t, err, "mend the reference, or run `bench fixtures seed`")
}
