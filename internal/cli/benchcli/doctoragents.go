package benchcli

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
)

// diagnoseAgents looks at what agents with a model need.
func (a *app) diagnoseAgents(ctx context.Context, f agentFlags) []diagnosis {
	library, err := toolset.LoadLibrary(f.modeFiles)
	if err != nil {
		return []diagnosis{{Name: "modes", Detail: err.Error()}}
	}
	f.tools.Library, f.tools.AllowHosts = library, f.allowHosts
	tools := toolset.Find(f.tools)
	stations, err := station.New(station.Options{
		Tools: tools, Now: a.now, Token: target.NewToken(), Login: target.Agent, Repo: target.FixturesRepo,
	})
	if err != nil {
		return []diagnosis{{Name: "agents", Detail: err.Error(), Mend: "set TMPDIR to a folder that can be written", Optional: true}}
	}
	defer stations.Close()
	var found []diagnosis
	kinds := agentKinds()
	for _, provider := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[provider].version != "" {
			found = append(found, diagnoseProgram(ctx, stations, f, provider))
		}
	}
	for _, mode := range library.Names() {
		if mode != bench.GHXBase || f.tools.GHXBase != "" {
			found = append(found, diagnoseMode(ctx, tools, stations, mode)...)
		}
	}
	return append(found, diagnoseEgress(stations))
}

// diagnoseProgram says whether the program of a kind of agent can be used.
func diagnoseProgram(ctx context.Context, stations *station.Stations, f agentFlags, provider string) diagnosis {
	kind := agentKinds()[provider]
	d := diagnosis{Name: provider, Optional: true, Mend: kind.install}
	path, err := exec.LookPath(f.bin(provider))
	if err != nil {
		d.Detail = kind.title + " is not there: " + err.Error()
		return d
	}
	out, err := stations.Run(bench.AgentDirect)(ctx, path, "--version")
	found := versionNumber.FindString(out)
	switch {
	case err != nil:
		d.Detail = kind.title + " does not run: " + err.Error()
	case found != kind.version:
		d.Detail = fmt.Sprintf("%s is %s at %s, and this is made for %s", kind.title, strings.TrimSpace(out), path, kind.version)
	default:
		return diagnosis{Name: provider, OK: true, Detail: found + " at " + path}
	}
	return d
}

// versionNumber is a version with three numbers.
var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// diagnoseMode says what a mode has, or what it lacks.
func diagnoseMode(ctx context.Context, tools *toolset.Set, stations *station.Stations, mode bench.Mode) []diagnosis {
	name := "mode " + string(mode)
	var found []diagnosis
	for _, p := range tools.Problems(mode) {
		found = append(found, diagnosis{Name: name, Detail: p.What, Mend: p.Mend, Optional: true})
	}
	if found != nil {
		return found
	}
	var has []string
	for _, p := range tools.Programs(mode) {
		version, err := p.Version(ctx, stations.Run(mode))
		if err == nil {
			err = toolset.CheckRuntime(ctx, stations.Run(mode), p)
		}
		if err != nil {
			found = append(found, diagnosis{Name: name, Detail: err.Error(), Optional: true})
			continue
		}
		has = append(has, p.Name+" "+version)
	}
	if found != nil {
		return found
	}
	return []diagnosis{{Name: name, OK: true, Detail: strings.Join(has, ", ")}}
}

// diagnoseEgress says how agents are held.
func diagnoseEgress(stations *station.Stations) diagnosis {
	d := diagnosis{Name: "egress", Optional: true}
	held, err := stations.Isolation(bench.AgentDirect)
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	d.OK, d.Detail = true, held.String()
	if held.NetworkWhy != "" {
		d.Detail += " (" + held.NetworkWhy + ")"
	}
	return d
}

// diagnoseModel asks a model for one answer with a tool call.
func (a *app) diagnoseModel(ctx context.Context, f agentFlags, provider, name string) diagnosis {
	d := diagnosis{Name: "model"}
	kind, known := agentKinds()[provider]
	if !known {
		d.Detail = fmt.Sprintf("provider %q has no model, or is unknown: use one of %s", provider, strings.Join(providerNames()[1:], ", "))
		return d
	}
	model, err := parseModel(name, kind.example)
	if err == nil {
		err = kind.speaks(f, model)
	}
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	api, err := a.modelAPI(f, kind, model.ProviderID)
	if err != nil {
		d.Detail = err.Error()
		return d
	}
	m := f.canary(api, kind, model)
	if m == nil {
		d.Optional = true
		d.Detail = name + " was not asked: how the API of " + model.ProviderID + " is asked for a tool call is not known here"
		return d
	}
	if err := station.TryModel(ctx, *m); err != nil {
		d.Detail = err.Error()
		return d
	}
	d.OK, d.Detail = true, name+" answers, and calls tools"
	return d
}
