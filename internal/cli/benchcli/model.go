package benchcli

import (
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/egress"
)

// ModelAsked says which model programs reach that the world has run with its key.
type ModelAsked struct {
	// Name is the model's, as PROVIDER/MODEL.
	Name string
	// BaseURL is where an API has it, in the form of OpenAI's; empty is the provider's own.
	BaseURL string
	// KeyVariable names the variable with the key; empty is the provider's usual one,
	// and none for an API of BaseURL.
	KeyVariable string
	// Expectations is the path of a file with prices, empty for those built in.
	Expectations string
}

// Model returns the API of a model, with its key, and what models of the provider cost by
// the names that this gives them; known is false for those without a price. An error is
// of kind invalid.
func (w World) Model(asked ModelAsked) (api *egress.Model, prices func(id string) (price bench.Price, known bool), err error) {
	a := &app{getenv: w.Getenv, secrets: w.Secrets}
	model, err := parseModel(asked.Name, "openai/gpt-5.4")
	if err != nil {
		return nil, nil, err
	}
	api, err = a.modelAPI(agentFlags{modelBaseURL: asked.BaseURL, modelKeyEnv: asked.KeyVariable}, agentKind{}, model.ProviderID)
	if err != nil {
		return nil, nil, err
	}
	expectations, err := a.expectationsFrom(asked.Expectations)
	if err != nil {
		return nil, nil, err
	}
	return api, func(id string) (bench.Price, bool) {
		return expectations.Price(bench.ModelRef{ProviderID: model.ProviderID, ModelID: id}.Key())
	}, nil
}
