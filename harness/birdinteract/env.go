package birdinteract

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
)

// The environment variables with the ADK's models.
const (
	systemAgentModel = "SYSTEM_AGENT_MODEL"
	userSimModel     = "USER_SIM_MODEL"
)

// The environment variables with a key and a place for all models.
const liteLLMKey, liteLLMBase = "LITELLM_API_KEY", "LITELLM_API_BASE"

// pgVariables are those of the PostgreSQL server.
func pgVariables() []string {
	return []string{"PG_HOST", "PG_PORT", "PG_USER", "PG_PASSWORD", "PG_MINCONN", "PG_MAXCONN"}
}

// settings are what all processes are told, by environment variable.
func (r *Runner) settings() map[string]string {
	o := r.options
	set := map[string]string{
		"PYTHONPATH": o.Host.Path(".") + string(os.PathListSeparator) + r.adk, "PYTHONUNBUFFERED": "1",
		// Without it, importing litellm fetches a list of prices.
		"LITELLM_LOCAL_MODEL_COST_MAP": "True",
		"SYSTEM_AGENT_PORT":            strconv.Itoa(o.SystemAgentPort), "USER_SIM_PORT": strconv.Itoa(o.UserSimPort),
		"DB_ENV_PORT": strconv.Itoa(o.DBEnvPort), "DATASET": o.Dataset, "PATIENCE": strconv.Itoa(o.Patience),
	}
	for name, is := range o.Settings {
		set[strings.ToUpper(name)] = fmt.Sprint(is)
	}
	if o.Agent.Model != "" {
		set[systemAgentModel] = o.Agent.Model
	}
	if o.UserModel != "" {
		set[userSimModel] = o.UserModel
	}
	// The services are reached without a proxy.
	const local = "127.0.0.1,localhost"
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		set[name] = local
		if ours := o.Host.Getenv(name); ours != "" {
			set[name] = ours + "," + local
		}
	}
	return set
}

// allowed are the ADK's own settings that are passed on to all processes.
func allowed() []string { return []string{"PROMPT_VERSION", "LLM_PROVIDER"} }

// orchestratorEnv returns the environment of the orchestrator, which needs no
// key.
func (r *Runner) orchestratorEnv() []string {
	return r.options.Host.ProgramEnv(allowed(), r.settings())
}

// agentEnv returns the environment of the service with the agent's code, which
// is not trusted: the databases are none of its business.
func (r *Runner) agentEnv() []string {
	agent := r.options.Agent
	if agent.KeyVariables == nil {
		agent.KeyVariables = keyVariables(agent.Model)
	}
	agent.Allow = slices.Concat(agent.Allow, allowed(), []string{liteLLMKey, liteLLMBase})
	set := r.settings()
	r.setLiteLLM(set, agent.KeyVariables)
	return appendAll(r.options.Host.AgentEnv(agent), set)
}

// userEnv returns the environment of the simulated user.
func (r *Runner) userEnv() []string {
	keys := keyVariables(r.options.UserModel)
	set := r.settings()
	r.setLiteLLM(set, keys)
	allow := slices.Concat(allowed(), keys, []string{liteLLMKey, liteLLMBase})
	for _, key := range keys {
		provider := strings.TrimSuffix(key, "_API_KEY")
		allow = append(allow, provider+"_BASE_URL", provider+"_API_BASE")
	}
	return r.options.Host.ProgramEnv(allow, set)
}

// keyVariables are those with the keys of a model; where the ADK says which
// model it is, of all that it may be.
func keyVariables(model string) []string {
	if model == "" {
		return []string{"ANTHROPIC_API_KEY", openAIKey}
	}
	return []string{harness.KeyVariable(model)}
}

const openAIKey = "OPENAI_API_KEY"

// setLiteLLM says what the ADK is told of an API of OpenAI's kind, if nothing
// else is said.
func (r *Runner) setLiteLLM(set map[string]string, keys []string) {
	h := r.options.Host
	if !slices.Equal(keys, []string{openAIKey}) {
		return
	}
	for to, from := range map[string]string{liteLLMKey: openAIKey, liteLLMBase: "OPENAI_API_BASE"} {
		if set[to] == "" && h.Getenv(to) == "" && h.Getenv(from) != "" {
			set[to] = h.Getenv(from)
		}
	}
}

// databaseEnv returns the environment of the database environment, which needs
// no model.
func (r *Runner) databaseEnv() []string {
	o := r.options
	set := r.settings()
	port := ""
	if o.PGPort != 0 {
		port = strconv.Itoa(o.PGPort)
	}
	for name, value := range map[string]string{"PG_HOST": o.PGHost, "PG_PORT": port, "PG_USER": o.PGUser, "PG_PASSWORD": o.PGPassword} {
		if value != "" {
			set[name] = value
		}
	}
	// Homebrew does not link PostgreSQL's client programs.
	for _, dir := range []string{"/opt/homebrew/opt/libpq/bin", "/usr/local/opt/libpq/bin"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			set["PATH"] = dir + string(os.PathListSeparator) + o.Host.Getenv("PATH")
			break
		}
	}
	return o.Host.ProgramEnv(slices.Concat(allowed(), pgVariables()), set)
}

// secrets are those that our environment may not have.
func (r *Runner) secrets() []string {
	if r.options.PGPassword == "" {
		return nil
	}
	return []string{r.options.PGPassword}
}

// appendAll returns env with what is set, which wins.
func appendAll(env []string, set map[string]string) []string {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, name+"="+set[name])
	}
	return env
}
