package benchcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// agentFlags are the flags about agents with a model.
type agentFlags struct {
	variant string
	// Empty is the program's usual name.
	opencodeBin, claudeCodeBin, codexBin string
	// agentCommand is the program of provider command, as a shell's line.
	agentCommand string
	modelBaseURL string
	modelKeyEnv  string
	skipCanary   bool
	allowHosts   []string
	// isolation is [isolationPrefer] or [isolationRequire].
	isolation string
	tools     toolset.Options
	modeFiles []string
}

func (f *agentFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.variant, "model-variant", "", "how hard the model is to think, as the agent names it: OpenCode's `VARIANT` of the model, Claude Code's and Codex' effort, such as high")
	f.addModel(flags)
	flags.BoolVar(&f.skipCanary, "skip-canary", false, "do not ask the model for one answer with a tool call before the first session")
	flags.StringArrayVar(&f.allowHosts, "allow-host", nil, "a further `HOST` that agents may reach, *.name for all below it; may be given several times")
	flags.StringVar(&f.isolation, "isolation", isolationPrefer, "how agents are held: prefer the strongest way that this machine has, or require one that the kernel enforces")
	f.addPrograms(flags)
	f.addModeFiles(flags)
}

// addModeFiles adds the flag about modes of the user's.
func (f *agentFlags) addModeFiles(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.modeFiles, "mode-file", nil, "know the mode that this `FILE` describes, see bench modes; may be given several times")
}

// addModel adds the flags about the model's API.
func (f *agentFlags) addModel(flags *pflag.FlagSet) {
	flags.StringVar(&f.modelBaseURL, "model-base-url", "", "the `URL` of an API that has the model, in the form that the agent asks: OpenAI's chat completions for OpenCode, its responses for Codex, Anthropic's messages for Claude Code (default: the provider's own)")
	flags.StringVar(&f.modelKeyEnv, "model-api-key-env", "", "the environment variable, by `NAME`, that holds the model's API key (default: the provider's usual one)")
}

// addPrograms adds the flags about agents' programs.
func (f *agentFlags) addPrograms(flags *pflag.FlagSet) {
	flags.StringVar(&f.opencodeBin, "opencode-bin", "", "OpenCode's program, a `FILE` or a name on PATH (default: opencode)")
	flags.StringVar(&f.claudeCodeBin, "claude-code-bin", "", "Claude Code's program, a `FILE` or a name on PATH (default: claude)")
	flags.StringVar(&f.codexBin, "codex-bin", "", "Codex' program, a `FILE` or a name on PATH (default: codex)")
	flags.StringVar(&f.agentCommand, "agent-command", "", "the program of --provider command, a `LINE` for sh: it reads a prompt and prints its answer")
	flags.StringVar(&f.tools.GH, "gh-command", "", "the `COMMAND` that agents have as gh (default: gh on PATH)")
	f.addGHX(flags)
}

// addGHX adds the flags about the programs of modes that are measured.
func (f *agentFlags) addGHX(flags *pflag.FlagSet) {
	flags.StringVar(&f.tools.GHX, "ghx-command", "", "the `COMMAND` that agents have as ghx in mode ghx (default: ghx on PATH)")
	flags.StringVar(&f.tools.GHXSkill, "ghx-skill", "", "the `FILE` with ghx's skill text (default: the one installed with ghx)")
	flags.StringVar(&f.tools.GHXBase, "base-ghx", "", "the `COMMAND` of the base commit's ghx, for mode ghx@base")
	flags.StringVar(&f.tools.GHXBaseSkill, "base-ghx-skill", "", "the `FILE` with its skill text (default: the one beside it)")
	flags.StringVar(&f.tools.MCPServer, "mcp-command", "", "the `COMMAND` of GitHub's MCP server (default: github-mcp-server on PATH)")
}

// modelAPI is where a provider of models has its API.
type modelAPI struct {
	baseURL string
	// keyEnv is the variable in which people keep its key, header what it
	// takes the key in, empty for a bearer token.
	keyEnv, header string
	// protocol is how it is asked for a tool call, nil where that is not known.
	protocol *station.Protocol
}

// modelAPIs are those that need no --model-base-url, by OpenCode's names.
func modelAPIs() map[string]modelAPI {
	return map[string]modelAPI{
		"openai":     {"https://api.openai.com/v1", "OPENAI_API_KEY", "", &station.Responses},
		"anthropic":  {"https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", "X-Api-Key", &station.Messages},
		"google":     {"https://generativelanguage.googleapis.com/v1beta", "GOOGLE_GENERATIVE_AI_API_KEY", "X-Goog-Api-Key", nil},
		"openrouter": {"https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "", &station.ChatCompletions},
		"groq":       {"https://api.groq.com/openai/v1", "GROQ_API_KEY", "", &station.ChatCompletions},
		"mistral":    {"https://api.mistral.ai/v1", "MISTRAL_API_KEY", "", &station.ChatCompletions},
		"xai":        {"https://api.x.ai/v1", "XAI_API_KEY", "", &station.ChatCompletions},
		"opencode":   {"https://opencode.ai/zen/v1", "OPENCODE_API_KEY", "", nil},
	}
}

// HasModelKey reports whether an environment has the key of a model's API in
// the usual variable of one of the providers.
func HasModelKey(getenv func(string) string) bool {
	for _, api := range modelAPIs() {
		if strings.TrimSpace(getenv(api.keyEnv)) != "" {
			return true
		}
	}
	return false
}

// agents are what agents with a model run with.
type agents struct {
	modelAgents
	stations *station.Stations
	tools    *toolset.Set
	// as is who agents are.
	as toolset.Agent
	// canary is the model as it is tried first, nil if it is not.
	canary *station.CanaryModel
}

// Close ends the agents and what holds them.
func (a *agents) Close() error { return errors.Join(a.modelAgents.Close(), a.stations.Close()) }

// openAgents returns the provider of agents of a kind. It starts nothing.
func (a *app) openAgents(f *suiteFlags, library *toolset.Library, modes []bench.Mode) (*agents, error) {
	kind := agentKinds()[f.provider]
	model, err := parseModel(f.model, kind.example)
	if err != nil {
		return nil, err
	}
	if f.agent.variant != "" {
		model.Mode = &f.agent.variant
	}
	if err := kind.speaks(f.agent, model); err != nil {
		return nil, err
	}
	if err := f.agent.checkIsolation(); err != nil {
		return nil, err
	}
	api, err := a.modelAPI(f.agent, kind, model.ProviderID)
	if err != nil {
		return nil, err
	}
	wanted := f.agent.tools
	wanted.Library, wanted.AllowHosts = library, f.agent.allowHosts
	tools := toolset.Find(wanted)
	if err := tools.Check(modes); err != nil {
		return nil, err
	}
	as := toolset.Agent{Token: target.NewToken(), Login: target.Agent, Repo: f.repository()}
	stations, err := station.New(station.Options{
		Tools: tools, Model: api, Allow: f.agent.allowHosts, Now: a.now, View: a.view,
		Token: as.Token, Login: as.Login, Repo: as.Repo,
	})
	if err != nil {
		return nil, err
	}
	options := agentOptions{talk.Options{Bin: f.agent.bin(f.provider), Model: model, ModelKey: keyPlaceholder, Now: a.now}, f.agent.modelBaseURL != ""}
	if name := f.agent.keyVariable(model.ProviderID); name != "" {
		options.ModelKeyFrom = "the key in the environment variable " + name
	}
	provider, err := newAgents(kind, options, stations, modes[0])
	if err != nil {
		return nil, errors.Join(err, stations.Close())
	}
	return &agents{provider, stations, tools, as, f.agent.canary(api, kind, model)}, nil
}

// keyPlaceholder is what agents have for the key of their model's API; the
// real one is put in outside of them.
const keyPlaceholder = "the-key-is-added-by-the-proxy"

// parseModel reads the name of a model.
func parseModel(name, example string) (bench.ModelRef, error) {
	provider, model, ok := strings.Cut(name, "/")
	if !ok || provider == "" || model == "" {
		return bench.ModelRef{}, fault.Invalidf("--model is %q, want PROVIDER/MODEL, for example %s", name, example)
	}
	return bench.ModelRef{ProviderID: provider, ModelID: model}, nil
}

// keyVariable returns the name of the environment variable with the key of the
// model's API, empty if it takes none.
func (f *agentFlags) keyVariable(provider string) string {
	if f.modelKeyEnv != "" || f.modelBaseURL != "" {
		return f.modelKeyEnv
	}
	return modelAPIs()[provider].keyEnv
}

// modelAPI returns the API of the model, with its key. After the API has
// refused the key, nothing more is asked of it.
func (a *app) modelAPI(f agentFlags, kind agentKind, provider string) (*egress.Model, error) {
	known, ok := modelAPIs()[provider]
	if !ok && f.modelBaseURL == "" {
		return nil, fault.Invalidf("where provider %q has its API is not known: say it with --model-base-url; known are %s",
			provider, strings.Join(slices.Sorted(maps.Keys(modelAPIs())), ", "))
	}
	if f.modelBaseURL != "" {
		known = modelAPI{baseURL: f.modelBaseURL, header: kind.header}
	}
	api := &egress.Model{BaseURL: known.baseURL, Header: known.header}
	if name := f.keyVariable(provider); name != "" {
		if api.Key = strings.TrimSpace(a.getenv(name)); api.Key == "" {
			return nil, fault.Invalidf("the environment variable %s, which is to hold the model's API key, is empty: set it, or name another one with --model-api-key-env", name)
		}
		a.secrets.Add(api.Key)
	}
	var refused atomic.Bool
	api.OnRefused = func(int) { refused.Store(true) }
	api.Allow = func() error {
		if refused.Load() {
			return fault.Invalidf("the model's API has refused the key")
		}
		return nil
	}
	return api, nil
}

// canary returns the model as it is tried before the first session, nil if it is
// not: by the user's will, or because how it is asked is not known.
func (f *agentFlags) canary(api *egress.Model, kind agentKind, model bench.ModelRef) *station.CanaryModel {
	protocol := modelAPIs()[model.ProviderID].protocol
	switch {
	case kind.protocol != nil:
		protocol = kind.protocol
	case f.modelBaseURL != "":
		protocol = &station.ChatCompletions
	}
	if f.skipCanary || protocol == nil {
		return nil
	}
	m := &station.CanaryModel{BaseURL: api.BaseURL, Key: api.Key, Header: api.Header, Name: model.ModelID, Protocol: *protocol}
	if name := f.keyVariable(model.ProviderID); name != "" {
		m.KeyFrom = "the key in the environment variable " + name
	}
	return m
}

// connectAgents starts an agent's program for each mode, which tells the price and what
// cannot work, and has the runner ask for the tools before a token is spent.
func (a *app) connectAgents(ctx context.Context, p *prepared, with *agents) error {
	p.deps.Setups, p.deps.Preflight = with.tools.Setups(with.as), with.stations.Preflight
	p.route = with.stations.Target
	a.ownCommit(ctx, p, with.tools)
	if p.flags.dryRun {
		return nil
	}
	if err := p.flags.checkRoom(); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "trying the model, tools and agents before any session")
	tried := make(chan error, 1)
	go func() { tried <- with.tryModel(ctx) }()
	// What changed for agents is told whatever the model does.
	err := a.compareSurfaces(ctx, p, with.stations)
	if err := cmp.Or(<-tried, err); err != nil {
		return err
	}
	versions, err := with.stations.Versions(ctx, p.suite.Modes)
	if err != nil {
		return err
	}
	if err := with.stations.TryServers(ctx, p.suite.Modes); err != nil {
		return err
	}
	if err := with.startPrograms(ctx, p.suite.Modes, p.deps.Setups); err != nil {
		return err
	}
	held, err := with.stations.Isolation(p.suite.Modes[0])
	if err != nil {
		return err
	}
	// The proxy is a part of this program.
	versions["egress"], versions["processes"], versions["proxy"] = string(held.Network), string(held.User), version()
	p.toolVersions = versions
	if err := p.flags.agent.checkHeld(held); err != nil {
		return err
	}
	switch why := held.Why(); {
	case why != "":
		fmt.Fprintf(a.stderr, "bench: agents are held less than they could be (%s): %s\n", held, why)
	case a.view != nil:
		fmt.Fprintf(a.stderr, "bench: agents are held: %s\n", held)
	}
	return nil
}

// How agents are to be held.
const (
	// isolationPrefer takes the strongest way that can be had.
	isolationPrefer = "prefer"
	// isolationRequire refuses what the kernel does not enforce.
	isolationRequire = "require"
)

// checkIsolation refuses a word that is neither.
func (f *agentFlags) checkIsolation() error {
	if f.isolation == isolationPrefer || f.isolation == isolationRequire {
		return nil
	}
	return fault.Invalidf("--isolation is %q, want %s or %s", f.isolation, isolationPrefer, isolationRequire)
}

// checkHeld refuses a way of holding agents that is weaker than required.
func (f *agentFlags) checkHeld(held confine.Isolation) error {
	if f.isolation != isolationRequire || held.Enforced() {
		return nil
	}
	return fault.Infraf("this machine cannot hold agents as --isolation require demands (%s): %s; run as root on a kernel with Landlock, or with CAP_SYS_ADMIN, or take what there is with --isolation prefer", held, held.Why())
}

// tryModel asks the model for one answer with a tool call (rule N9).
func (a *agents) tryModel(ctx context.Context) error {
	if a.canary == nil {
		return nil
	}
	return station.TryModel(ctx, *a.canary)
}

// startPrograms starts the programs of the modes' first agents, all at once. The
// error is that of the first mode whose program cannot be started.
func (a *agents) startPrograms(ctx context.Context, modes []bench.Mode, setups map[bench.Mode]agent.Setup) error {
	problems := make([]error, len(modes))
	var starting sync.WaitGroup
	for i, mode := range modes {
		starting.Go(func() {
			env, err := a.stations.Env(mode, 0)
			if err == nil {
				setup := setups[mode]
				setup.Mode, setup.Env = mode, env
				err = a.Prepare(ctx, setup)
			}
			problems[i] = err
		})
	}
	starting.Wait()
	return cmp.Or(problems...)
}
