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

func TestS5AReferenceIntoTheInputIsToSomethingThatIsThere(t *testing.T) {
	folder := minimal()
	change(t, folder, flowFile, "fixture/bindings/input.deep.er", "resources.pr.text")
	change(t, folder, flowFile, "assertions/checkpoints", []any{look("contains", "expected_value", object{"body": "{{input.deep.none}} and {{resources.pr.none}}"})})
	s, err := load(t, folder).Scenario("flow-wf-001")
	require.NoError(t, err)
	_, err = scenario.Resolve(s, manifest())
	require.ErrorContains(t, err, `bind checkpoint "c": the input has no "deep.none": mend the reference`)
}

func TestS12ReferencesStandForWhatAScenarioMayReferTo(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "fixture/bindings/input.deep.er", "resources.pr.text")
	m := manifest()
	m.Resources["pr"]["nested"] = map[string]any{"inner": 7, "not one": 8}
	resolved, err := scenario.Resolve(s, m)
	require.NoError(t, err)
	values := resolved.References(m)
	for reference, want := range map[string]any{
		"{{repo.full_name}}": "o/n", "{{repo.owner}}": "o", "{{repo.name}}": "n", "{{repo.default_branch}}": "main",
		"{{input.prNumber}}": 1000000, "{{input.deep.er}}": "{{task}} <&>",
		"{{resources.pr.number}}": 1e6, "{{resources.pr.nested.inner}}": 7,
	} {
		assert.EqualValues(t, want, values[reference], reference)
	}
	assert.NotContains(t, values, "{{resources.issue.number}}", "the scenario does not require it, so it may not be referred to")
	assert.NotContains(t, values, "{{resources.pr.nested.not one}}", "no reference is written so")
}
