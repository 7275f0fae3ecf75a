package benchcli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
)

// Figures stand under the name of the model that made them, also where nobody has named
// one.
func TestRowsNameTheModelThatIsAsked(t *testing.T) {
	for _, c := range []struct {
		name        string
		environment string
		config      harness.Config
		want        bench.ModelRef
	}{
		{"of the configuration", "other/b", harness.Config{Benchmark: harness.BirdInteract, AgentModel: "acme/a"}, bench.ModelRef{ProviderID: "acme", ModelID: "a"}},
		{"of the environment", "acme/b", harness.Config{Benchmark: harness.BirdInteract}, bench.ModelRef{ProviderID: "acme", ModelID: "b"}},
		{"of nobody, which is BIRD-Interact's own", "", harness.Config{Benchmark: harness.BirdInteract}, bench.ModelRef{ProviderID: harness.BirdInteract, ModelID: "adk-default"}},
		{"of nobody, which is ours", "", harness.Config{Benchmark: harness.TauBench}, bench.ModelRef{ProviderID: "openai", ModelID: harness.DefaultAgentModel}},
		{"none", "acme/b", harness.Config{Benchmark: harness.BirdInteract, Mode: "oracle"}, bench.ModelRef{ProviderID: harness.BirdInteract, ModelID: "oracle"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(harness.AgentModelVariable, c.environment)
			assert.Equal(t, c.want, (&app{}).modelOf(c.config))
		})
	}
}
