package opencode

import (
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// install is the command that mends a program that is missing or too old or
// new.
const install = "npm install -g opencode-ai@" + Version

// Names of errors, and words that are found in them.
const (
	errorAuth        = "ProviderAuthError"
	wordInvalidKey   = "invalid_api_key"
	wordNoModel      = "model_not_found"
	wordNoModelKnown = "Model not found"
)

// failure is the error of a turn that a session's error has ended. What no
// other attempt can change is [agent.ErrStopSuite].
func failure(model bench.ModelRef, keyFrom string, e *wireError) error {
	says := func(word string) bool {
		return strings.Contains(e.Data.Message, word) || strings.Contains(e.Data.ResponseBody, word)
	}
	status := e.Data.StatusCode
	switch {
	case e.Name == errorAuth || says(wordInvalidKey):
		status = http.StatusUnauthorized
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired:
	case says(wordNoModel) || says(wordNoModelKnown):
		status = http.StatusNotFound
	case status == http.StatusNotFound:
		status = 0 // of something else than the model
	}
	return agent.ModelFailure(model, keyFrom, status, e.text())
}

// unsupported is the error of an OpenCode that cannot be driven.
func unsupported(version, why string) error {
	return fault.Invalidf("OpenCode %s cannot be used, because %s: install a version that can with `%s`: %w",
		version, why, install, agent.ErrStopSuite)
}
