package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// loaded returns a scenario of the minimal folder after a change to it.
func loaded(t *testing.T, file, id, path string, value any) bench.Scenario {
	t.Helper()
	folder := minimal()
	if path != "" {
		change(t, folder, file, path, value)
	}
	s, err := load(t, folder).Scenario(id)
	require.NoError(t, err)
	return s
}

func TestS2ResolveBindsAnAtomicScenario(t *testing.T) {
	resolved, err := scenario.Resolve(loaded(t, "", "write-001", "", nil), manifest())
	require.NoError(t, err)
	want := object{"owner": "o", "name": "n", "prNumber": 1000000, "method": "squash"}
	assert.Equal(t, want, resolved.Input)
	assert.Equal(t, want, resolved.Scenario.Input)
	assert.Equal(t, "o/n", resolved.Repo)
	assert.Equal(t, `write-001 in o/n: pr.merge {"method":"squash","name":"n","owner":"o","prNumber":1000000}`, resolved.Prompt)
}

func TestS2ResolveBindsAWorkflow(t *testing.T) {
	resolved, err := scenario.Resolve(loaded(t, "", "flow-wf-001", "", nil), manifest())
	require.NoError(t, err)
	assert.Equal(t, object{"owner": "o", "name": "n", "prNumber": 1000000}, resolved.Input)
	assert.Nil(t, resolved.Scenario.Input, "a workflow has no input of its own")
	assert.Equal(t, "Reply to the threads of #1000000 in o/n.", resolved.Prompt, "a number has no exponent")
}

func TestS2ValuesArePutInAsTheyAre(t *testing.T) {
	folder := minimal()
	change(t, folder, flowFile, "prompt", "{{ text }} {{labels}} {{input_json}}")
	change(t, folder, flowFile, "fixture/bindings", object{"input.text": "resources.pr.text", "input.labels": "resources.pr.labels"})
	change(t, folder, flowFile, firstOf+"verification_input", object{"owner": "o", "name": "n", "prNumber": 1})
	s, err := load(t, folder).Scenario("flow-wf-001")
	require.NoError(t, err)
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, `{{task}} <&> ["a","b"] {"labels":["a","b"],"text":"{{task}} <&>"}`, resolved.Prompt,
		"braces in a value are no variable, and nothing is escaped for HTML")
}

func TestS2ABoundFieldGoesIntoAnObjectThatIsGiven(t *testing.T) {
	folder := minimal()
	folder[writeFile] = object{
		"id": "write-001", "name": "Dispatch", "task": "workflow.dispatch",
		"input":           object{"owner": "o", "name": "n", "workflowId": "ci.yml", "ref": "main", "inputs": object{"level": 1, "issue": "none"}},
		"prompt_template": "{{input_json}}", "timeout_ms": 10000, "allowed_retries": 0,
		"fixture": object{"requires": []any{"issue"}, "bindings": object{"input.inputs.issue": "resources.issue.number"}},
		"assertions": object{"must_succeed": true, "checkpoints": []any{
			look("non_empty", "verification_task", "workflow.runs.list", "verification_input", object{"owner": "o", "name": "n"}),
		}},
		"tags": []any{},
	}
	s, err := load(t, folder).Scenario("write-001")
	require.NoError(t, err)
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, `{"inputs":{"issue":3,"level":1},"name":"n","owner":"o","ref":"main","workflowId":"ci.yml"}`, resolved.Prompt)
	assert.Equal(t, object{"owner": "o", "name": "n"}, resolved.Scenario.Assertions.Checkpoints[0].VerificationInput,
		"a read is not given what it does not take")
}

func TestS5BoundInputsAreMergedUnderTheVerificationInput(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", firstOf+"verification_input", object{"unresolvedOnly": true, "name": "other"})
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, object{"owner": "o", "name": "other", "prNumber": 1000000, "unresolvedOnly": true},
		resolved.Scenario.Assertions.Checkpoints[0].VerificationInput, "the checkpoint's own input goes over a bound one")
}

func TestResolveChangesNeitherScenarioNorManifest(t *testing.T) {
	library := load(t, minimal())
	m := manifest()
	for _, s := range library.All() {
		resolved, err := scenario.Resolve(s, m)
		require.NoError(t, err)
		for name := range resolved.Input {
			resolved.Input[name] = "changed"
		}
		for _, c := range resolved.Scenario.Assertions.Checkpoints {
			c.VerificationInput["owner"] = "changed"
		}
	}
	assert.Equal(t, load(t, minimal()).All(), library.All())
	assert.Equal(t, manifest(), m)
}

func TestS2WhatCannotBeBoundIsAnError(t *testing.T) {
	const bindings = "fixture/bindings/"
	withoutRepo := manifest()
	withoutRepo.Repo.FullName = ""
	tests := []struct {
		name, file, path string
		value            any
		manifest         bench.Manifest
		want             string
	}{
		{"a required resource is not seeded", writeFile, "fixture/requires", []any{"pr", "pr_mergeable"}, manifest(),
			"bind scenario \"write-001\" to the fixtures: the manifest lacks the resource \"pr_mergeable\": run `bench fixtures seed`"},
		{"a value is not in the manifest", writeFile, bindings + "input.prNumber", "resources.pr.numbr", manifest(),
			"bind scenario \"write-001\" to the fixtures: bind input.prNumber: manifest path \"resources.pr.numbr\": resources.pr has no \"numbr\": mend the binding, or run `bench fixtures seed`"},
		{"a value is null", writeFile, bindings + "input.prNumber", "resources.pr.nothing", manifest(),
			"bind scenario \"write-001\" to the fixtures: bind input.prNumber: resources.pr.nothing is null in the manifest: mend the binding, or run `bench fixtures seed`"},
		{"a value has another type than the capability takes", writeFile, bindings + "input.prNumber", "resources.pr.text", manifest(),
			`bind scenario "write-001" to the fixtures: input.prNumber must be a whole number, is "{{task}} <&>"`},
		{"a variable is left unbound", writeFile, "", nil, withoutRepo,
			`bind scenario "write-001" to the fixtures: render prompt: "{{fixture_repo}}" is no variable that has a value: want one of {{input_json}}, {{scenario_id}}, {{task}}`},
		{"the fixtures are in another repository than the scenario's", writeFile, "fixture/repo", "x/y", manifest(),
			`bind scenario "write-001" to the fixtures: fixture.repo is "x/y", but the fixtures are in "o/n": leave fixture.repo out, or seed the fixtures there`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenario.Resolve(loaded(t, tt.file, "write-001", tt.path, tt.value), tt.manifest)
			require.EqualError(t, err, tt.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestS2OddDestinationsAreErrorsInScenariosFromElsewhereToo(t *testing.T) {
	for _, destination := range []string{"", "input", "input.", "input..a", "prNumber", "input.__proto__.polluted", "input.constructor.prototype", "input.a b", "inputs.a", "input.prNumber.x"} {
		t.Run(destination, func(t *testing.T) {
			s := loaded(t, "", "write-001", "", nil)
			s.Fixture = &bench.Fixture{Bindings: map[string]string{
				"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number", destination: "repo.name",
			}}
			_, err := scenario.Resolve(s, manifest())
			want := "bind " + destination + ": want a destination like input.prNumber"
			switch destination {
			case "input.prNumber.x":
				want = "input.prNumber is bound as a whole already"
			case "input.constructor.prototype":
				want = `input.constructor pr.merge has no input "constructor"`
			}
			require.ErrorContains(t, err, want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestS2ABindingIntoABoundObjectDoesNotReachTheManifest(t *testing.T) {
	s := loaded(t, "", "flow-wf-001", "", nil)
	m := manifest()
	m.Resources["pr"]["head"] = object{"ref": "topic"}
	s.Fixture = &bench.Fixture{Bindings: map[string]string{"input.head": "resources.pr.head", "input.head.ref": "repo.name"}}
	_, err := scenario.Resolve(s, m)
	require.EqualError(t, err, `bind scenario "flow-wf-001" to the fixtures: bind input.head.ref: input.head is bound as a whole already`)
	assert.Equal(t, object{"ref": "topic"}, m.Resources["pr"]["head"])
}

func TestAScenarioWithoutFixturesMayNameItsRepository(t *testing.T) {
	folder := minimal()
	change(t, folder, readFile, "fixture", object{"repo": "cli/cli"})
	change(t, folder, readFile, "input/issueNumber", 1)
	change(t, folder, readFile, "prompt_template", "{{fixture_repo}}")
	s, err := load(t, folder).Scenario("read-001")
	require.NoError(t, err)
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, "cli/cli", resolved.Repo)
	assert.Equal(t, "cli/cli", resolved.Prompt)
}

func TestS2AScenarioMayStandOnNothing(t *testing.T) {
	own := object{"owner": "a", "name": "b", "prNumber": 1}
	folder := minimal()
	change(t, folder, writeFile, "fixture", remove{})
	change(t, folder, writeFile, "input", own)
	change(t, folder, writeFile, firstOf+"verification_input", own)
	change(t, folder, flowFile, "fixture", remove{})
	change(t, folder, flowFile, "prompt", "Reply in {{fixture_repo}}.")
	change(t, folder, flowFile, firstOf+"verification_input", own)
	library := load(t, folder)
	for id, prompt := range map[string]string{
		"write-001": `write-001 in o/n: pr.merge {"name":"b","owner":"a","prNumber":1}`, "flow-wf-001": "Reply in o/n.",
	} {
		s, err := library.Scenario(id)
		require.NoError(t, err)
		resolved, err := scenario.Resolve(s, manifest())
		require.NoError(t, err)
		assert.Equal(t, prompt, resolved.Prompt)
		assert.Equal(t, own, resolved.Scenario.Assertions.Checkpoints[0].VerificationInput)
		assert.Empty(t, resolved.Named)
	}
}

func TestS2ValuesAreBoundBesideEachOther(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "fixture/bindings", object{
		"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number",
		"input.head.owner": "repo.owner", "input.head.labels": "resources.pr.labels",
	})
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, object{"owner": "o", "labels": []any{"a", "b"}}, resolved.Input["head"])
}

func TestS14NamedIsWhatTheInputHasFromResources(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "fixture/bindings", object{
		"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number",
		"input.text": "resources.pr.text", "input.labels": "resources.pr.labels",
	})
	resolved, err := scenario.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"1000000"}, {"{{task}} <&>"}}, resolved.Named, "neither what every input of the repository has, nor lists")
}

func TestS14AnIdIsAskedForByNumberToo(t *testing.T) {
	s := loaded(t, flowFile, "flow-wf-001", "fixture/bindings", object{
		"input.owner": "repo.owner", "input.name": "repo.name", "input.prNumber": "resources.pr.number",
		"input.x": "resources.pr.id", "input.y": "resources.pr.url", "input.z": "resources.pr.big",
	})
	m := manifest()
	m.Resources["pr"] = map[string]any{"id": "I_kwDOBUUi884FRSNr", "number": 12, "url": "https://github.com/o/n/pull/12", "big": "I_ks8AAAABAAAAAQ"}
	resolved, err := scenario.Resolve(s, m)
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"12"}, {"I_kwDOBUUi884FRSNr", "12", "88417131"}, {"https://github.com/o/n/pull/12", "12"}, {"I_ks8AAAABAAAAAQ", "4294967297"},
	}, resolved.Named)
	m.Resources["pr"]["big"], m.Resources["pr"]["file"] = "ci.yml", "ci.yml"
	resolved, err = scenario.Resolve(s, m)
	require.NoError(t, err)
	assert.Equal(t, []string{"ci.yml"}, resolved.Named[3])
	m.Resources["pr"]["id"] = 77
	resolved, err = scenario.Resolve(s, m)
	require.NoError(t, err)
	assert.Equal(t, []string{"ci.yml", "77"}, resolved.Named[3], "a workflow is known by its file and its number")
	for _, short := range []string{"I_zgAAAQ", "I_zwAAAAEAAAE", "I_?"} {
		m.Resources["pr"]["big"] = short
		resolved, err = scenario.Resolve(s, m)
		require.NoError(t, err)
		assert.Equal(t, []string{short}, resolved.Named[3], "it ends with no number")
	}
}

func TestS2TheRepositoryIsThatOfTheFixtures(t *testing.T) {
	only := func(repo string) object {
		return object{"repo": repo, "bindings": object{"input.issueNumber": "resources.issue.number"}, "requires": []any{"issue"}}
	}
	resolved, err := scenario.Resolve(loaded(t, readFile, "read-001", "fixture", only("o/n")), manifest())
	require.NoError(t, err)
	assert.Equal(t, "o/n", resolved.Repo)

	s := loaded(t, readFile, "read-001", "fixture", only("x/y"))
	for name, fixture := range map[string]bench.Fixture{
		"a resource alone": {Repo: "x/y", Requires: []string{"issue"}},
		"a binding alone":  {Repo: "x/y", Bindings: map[string]string{"input.name": "repo.name"}},
	} {
		s.Fixture = &fixture
		_, err = scenario.Resolve(s, manifest())
		require.ErrorContains(t, err, `fixture.repo is "x/y", but the fixtures are in "o/n"`, name)
	}
}
