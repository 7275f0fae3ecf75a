package harness

import (
	"maps"
	"slices"
	"strings"
)

// The environment variables that agents read.
const (
	AgentModelVariable      = "AGENT_MODEL"
	ReasoningEffortVariable = "AGENT_REASONING_EFFORT"
	SaveTraceVariable       = "HARNESS_SAVE_TRACE"
)

// DefaultAgentModel is the agent's model where nothing else is said.
const DefaultAgentModel = "gpt-5.4"

// AgentModel returns the agent's model: the configured one, else that of the
// environment variable AGENT_MODEL, else [DefaultAgentModel].
func (h Host) AgentModel(configured string) string {
	for _, model := range []string{configured, h.Getenv(AgentModelVariable)} {
		if model != "" {
			return model
		}
	}
	return DefaultAgentModel
}

// Agent is what the code of an agent, which is not trusted, is told.
type Agent struct {
	Model string
	// Named says that somebody has named the model for this agent, so that it needs
	// the model's key.
	Named bool
	// ReasoningEffort is empty for what our own environment says.
	ReasoningEffort string
	// SaveTrace is false wherever a trace would tell of tasks that the agent
	// must not learn from.
	SaveTrace bool
	// KeyVariables name the environment variables with the keys of models; nil
	// stands for that of Model, as of [KeyVariable].
	KeyVariables []string
	// Allow names further variables to pass on.
	Allow []string
}

// AgentEnv returns the whole environment of a process that runs an agent's
// code, as sorted NAME=value: AGENT_MODEL, AGENT_REASONING_EFFORT (empty if
// nothing is said) and HARNESS_SAVE_TRACE (0 or 1) always, the models' keys
// with the places of their APIs, and of the rest of ours what every program
// needs to run and what is allowed by name.
func (h Host) AgentEnv(a Agent) []string {
	keys := a.KeyVariables
	if keys == nil {
		keys = []string{KeyVariable(a.Model)}
	}
	env := h.pick(slices.Concat(ordinaryVariables(), a.Allow))
	for _, key := range keys {
		maps.Copy(env, h.pick([]string{key}))
		maps.Copy(env, h.pick(placeVariables(key)))
	}
	effort := a.ReasoningEffort
	if effort == "" {
		effort = h.Getenv(ReasoningEffortVariable)
	}
	env[AgentModelVariable] = a.Model
	env[ReasoningEffortVariable] = effort
	env[SaveTraceVariable] = "0"
	if a.SaveTrace {
		env[SaveTraceVariable] = "1"
	}
	return entries(env)
}

// ProgramEnv returns the environment of a program that is ours to trust: what
// every program needs to run, what is allowed by name, and what is set.
func (h Host) ProgramEnv(allow []string, set map[string]string) []string {
	env := h.pick(slices.Concat(ordinaryVariables(), allow))
	maps.Copy(env, set)
	return entries(env)
}

// pick returns those of our variables that are named; the last entry of a name
// counts.
func (h Host) pick(names []string) map[string]string {
	picked := map[string]string{}
	for _, entry := range h.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" && slices.Contains(names, name) {
			picked[name] = value
		}
	}
	return picked
}

func entries(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// ordinaryVariables are those that programs need to find their files, write
// text as people read it, and get through a proxy.
func ordinaryVariables() []string {
	return []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	}
}

const keySuffix = "_API_KEY"

// placeVariables returns the variables that say where the API is that a key
// is for: OPENAI_BASE_URL and OPENAI_API_BASE for OPENAI_API_KEY.
func placeVariables(key string) []string {
	provider, is := strings.CutSuffix(key, keySuffix)
	if !is {
		return nil
	}
	return []string{provider + "_BASE_URL", provider + "_API_BASE"}
}

// KeyVariable returns the name of the environment variable with the key of a
// model's API: ANTHROPIC_API_KEY for "claude-…", GEMINI_API_KEY for "gemini-…",
// that of the provider for a known "provider/model", and OPENAI_API_KEY for
// all others.
func KeyVariable(model string) string {
	providers := map[string]string{
		"anthropic": "ANTHROPIC", "openai": "OPENAI", "gemini": "GEMINI", "google": "GEMINI", "openrouter": "OPENROUTER",
		"groq": "GROQ", "mistral": "MISTRAL", "xai": "XAI", "deepseek": "DEEPSEEK", "together_ai": "TOGETHERAI",
	}
	provider, _, qualified := strings.Cut(model, "/")
	switch {
	case qualified && providers[provider] != "":
		return providers[provider] + keySuffix
	case strings.HasPrefix(model, "claude"):
		return "ANTHROPIC" + keySuffix
	case strings.HasPrefix(model, "gemini"):
		return "GEMINI" + keySuffix
	default:
		return "OPENAI" + keySuffix
	}
}

// Secrets returns what no log may have: Hidden, and the values of our environment
// that look like secrets by their names.
func (h Host) Secrets() []string {
	words := []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}
	secrets := slices.Clone(h.Hidden)
	for _, entry := range h.Environ {
		name, value, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		if value != "" && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}
