package actions_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/actions"
)

// Whoever adds an input decides whether two jobs that differ in it measure the same.
func TestEveryInputIsASettingOrDoesNotChangeWhatIsMeasured(t *testing.T) {
	given := []string{}
	other := map[string]string{
		"provider": "opencode", "gate-profile": "regression", "modes": "ghx@base,ghx,mcp", "baseline-mode": "ghx@base", "candidate-mode": "mcp", "repetitions": "2..8",
		"order": "sequential", "isolation": "require", "model": "openai/m", "margin-success": "5", "margin-cost": "5", "margin-latency": "5", "target": "o/r", "benchmark": "ghx",
		"model-base-url": "https://example.com",
	}
	reports := []string{ // where and how it is told, where files are, how long it may take and cost, and secrets
		"model-api-key", "paths", "drafts", "github-token", "fixtures-token", "agent-token", "fixture-app-id", "fixture-app-installation-id", "fixture-app-private-key",
		"seed-id", "cleanup", "concurrency", "shard", "results", "results-artifact", "resume", "rows", "max-cost-usd", "timeout-minutes", "build-timeout-minutes", "comment",
		"check-name", "fail-on", "on-no-verdict", "skip-marker", "output-dir",
	}
	for _, in := range actions.Declared() {
		value := in.Default
		if changed, is := other[in.Name]; is {
			value = changed
		} else if value == "" {
			value = "set"
		}
		given = append(given, "INPUT_"+strings.ToUpper(in.Name)+"="+value)
	}
	in, _ := actions.ReadInputs(given) // some contradict each other
	all := in.Settings()
	for _, declared := range actions.Declared() {
		_, is := all[declared.Name]
		assert.NotEqual(t, is, slices.Contains(reports, declared.Name), "input %s is to be either in Inputs.Settings or here among what changes nothing that is measured", declared.Name)
	}
}

// An input that is declared and does not come to be in [actions.Inputs] is read by
// nobody.
func TestEveryInputIsRead(t *testing.T) {
	usual, _ := actions.ReadInputs(nil)
	for _, declared := range actions.Declared() {
		read := slices.ContainsFunc([]string{"set", "true", "false", "7", "require", "run"}, func(value string) bool {
			in, _ := actions.ReadInputs([]string{"INPUT_" + strings.ToUpper(declared.Name) + "=" + value}) // some are wrong alone
			in.OnlySecretsLack = usual.OnlySecretsLack
			return !reflect.DeepEqual(in, usual)
		})
		assert.True(t, read, "input %s is declared, and does not change actions.Inputs", declared.Name)
	}
}
