package benchcli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/claudecode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/codex"
	"github.com/ghx-dev/bench-action/internal/bench/agent/command"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// modelAgents is a provider of agents with a model.
type modelAgents interface {
	agent.Provider
	// Prepare starts what the first session of a setup will have, and so finds
	// out what cannot work.
	Prepare(ctx context.Context, setup agent.Setup) error
}

// agentKind is a kind of agent with a model.
type agentKind struct {
	// title is what people call the program, bin its usual name.
	title, bin string
	// version is the one that may run, install the command that gets it; both are
	// empty for a program of the user's.
	version, install string
	// example is a model that it can have.
	example string
	// protocol is the only one in which it asks a model, nil where that depends
	// on the model's provider. header is what a model of such an API of one's own
	// takes its key in, empty for a bearer token.
	protocol *station.Protocol
	header   string
	// open returns the provider.
	open func(o agentOptions) (modelAgents, error)
	// program returns the file that runs, of what people call the program; nil
	// means that file.
	program func(bin string) string
}

// agentOptions are what every kind of agent is made of.
type agentOptions struct {
	talk.Options
	// ownAPI is true if the model's API is of one's own.
	ownAPI bool
}

// agentKinds are the agents with a model, by the names of their providers.
func agentKinds() map[string]agentKind {
	return map[string]agentKind{
		opencode.Name: {
			title: "OpenCode", bin: "opencode", version: opencode.Version, install: "npm install -g opencode-ai@" + opencode.Version,
			example: "openai/gpt-5.3-codex", open: openOpenCode,
		},
		claudecode.Name: {
			title: "Claude Code", bin: claudecode.Bin, version: claudecode.Version, install: claudecode.Install,
			example: "anthropic/claude-sonnet-4-5", protocol: &station.Messages, header: "X-Api-Key",
			open: func(o agentOptions) (modelAgents, error) { return started(claudecode.New(o.Options)) },
		},
		codex.Name: {
			title: "Codex", bin: codex.Bin, version: codex.Version, install: codex.Install,
			example: "openai/gpt-5.3-codex", protocol: &station.Responses, program: codex.Program,
			open: func(o agentOptions) (modelAgents, error) { return started(codex.New(o.Options)) },
		},
		command.Name: {title: "The agent's command", example: "openai/gpt-5.3-codex", open: openCommand},
	}
}

func openCommand(o agentOptions) (modelAgents, error) {
	p, err := command.New(command.Options{
		Line: o.Bin, Model: o.Model, ModelBaseURL: o.ModelBaseURL, ModelKey: o.ModelKey, Hosts: o.Hosts, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// started returns a provider, or an error and none.
func started(p *talk.Provider, err error) (modelAgents, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

func openOpenCode(o agentOptions) (modelAgents, error) {
	options := opencode.Options{
		Bin: o.Bin, Model: o.Model, ModelKey: o.ModelKey, ModelKeyFrom: o.ModelKeyFrom, Hosts: o.Hosts,
	}
	if o.ownAPI {
		options.ModelBaseURL = o.ModelBaseURL
	}
	p, err := opencode.New(options)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// providerNames lists the providers for people: the scripted one first.
func providerNames() []string {
	return append([]string{defaultProvider}, slices.Sorted(maps.Keys(agentKinds()))...)
}

// bin returns the program of a kind of agent.
func (f *agentFlags) bin(provider string) string {
	kind := agentKinds()[provider]
	bin := *f.bins()[provider]
	if bin == "" {
		bin = kind.bin
	}
	if kind.program != nil {
		return kind.program(bin)
	}
	return bin
}

// bins are where the flags keep the programs.
func (f *agentFlags) bins() map[string]*string {
	return map[string]*string{opencode.Name: &f.opencodeBin, claudecode.Name: &f.claudeCodeBin, codex.Name: &f.codexBin, command.Name: &f.agentCommand}
}

// speaks refuses a model whose API is asked in another way than the agent does.
func (k agentKind) speaks(f agentFlags, model bench.ModelRef) error {
	if k.protocol == nil || f.modelBaseURL != "" || modelAPIs()[model.ProviderID].protocol == k.protocol {
		return nil
	}
	var can []string
	for _, name := range slices.Sorted(maps.Keys(modelAPIs())) {
		if modelAPIs()[name].protocol == k.protocol {
			can = append(can, name)
		}
	}
	return fault.Invalidf("%s cannot ask a model of provider %q: name one of %s, such as %s, or give the address of an API of the same form with --model-base-url",
		k.title, model.ProviderID, strings.Join(can, " or "), k.example)
}

// newAgents returns the provider of agents of a kind. It starts nothing.
func newAgents(kind agentKind, o agentOptions, stations *station.Stations, mode bench.Mode) (modelAgents, error) {
	var err error
	if o.ModelBaseURL, err = stations.ModelURL(mode); err != nil {
		return nil, err
	}
	o.Hosts = stations.Host
	return kind.open(o)
}
