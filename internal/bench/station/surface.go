package station

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

const (
	// surfaceTime bounds what is asked of a mode's tools; what takes longer is
	// left out.
	surfaceTime = 8 * time.Second
	// maxCommandCalls and maxToolCalls are how many fixed calls are made: of
	// capabilities, which start a program each, and of an MCP server's tools.
	maxCommandCalls = 4
	maxToolCalls    = 16
	// maxNote is the length of a note in characters.
	maxNote = 300
)

// Surfaces returns what the tools of modes show their agents, and how large their
// answers to fixed calls in a place are, which is a sandbox's. What a tool does not
// tell, or not in time, is a note of its surface, and no error.
func (s *Stations) Surfaces(ctx context.Context, place *target.Place, modes []bench.Mode) ([]toolset.Surface, error) {
	all := make([]toolset.Surface, len(modes))
	_, err := eachMode(modes, func(mode bench.Mode) error {
		st, err := s.station(mode, 0)
		if err != nil {
			return err
		}
		attempt := st.proxy.Begin(place.GitHub)
		defer attempt.End()
		limited, cancel := context.WithTimeoutCause(ctx, surfaceTime, lateError(surfaceTime))
		defer cancel()
		as := toolset.Agent{Token: s.options.Token, Login: s.options.Login, Repo: s.options.Repo}
		v := viewer{
			Surface: toolset.Surface{Mode: mode}, st: st, file: s.options.Tools.File(mode), programs: s.options.Tools.Programs(mode),
			setup: s.options.Tools.Setups(as)[mode], world: toolset.WorldOf(place.Manifest),
		}
		v.look(limited, s.options.Tools.Skill(mode))
		all[slices.Index(modes, mode)] = v.Surface
		return context.Cause(ctx)
	})
	return all, err
}

// viewer looks at one mode's tools.
type viewer struct {
	toolset.Surface
	st       *station
	file     *toolset.ModeFile
	programs []toolset.Program
	setup    agent.Setup
	world    toolset.World
	// late counts the calls that there was no time for.
	late int
}

func (v *viewer) look(ctx context.Context, skill string) {
	v.Texts = []toolset.Text{{Name: "instructions", Text: toolset.Clean(strings.TrimSuffix(v.setup.Instructions, skill), toolset.MaxText)}}
	if skill != "" {
		v.Texts = append(v.Texts, toolset.Text{Name: "skill", Text: toolset.Clean(strings.TrimSpace(skill), toolset.MaxText)})
	}
	starters := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(v.setup.MCP)) {
		server := v.setup.MCP[name]
		if len(server.Command) > 0 {
			starters[server.Command[0]] = true
		}
		if err := v.server(ctx, name, server); err != nil {
			v.lack(string(toolset.Tool), "the MCP server "+name, err)
		}
	}
	v.commands(ctx, starters)
	var calls []toolset.Answer
	if v.file.Has(toolset.Listed) {
		calls = v.capabilities(ctx)
	}
	if v.file.Canary != "" {
		v.call(ctx, toolset.Answer{Call: v.file.Canary}, "/bin/sh", "-c", v.file.Canary)
	}
	for _, c := range calls {
		v.call(ctx, c, toolset.GHX, "run", c.Item, "--input", c.Arguments)
	}
	if v.late > 0 {
		v.note(fmt.Sprintf("%d of the fixed calls left out", v.late), context.Cause(ctx))
	}
	v.Finish()
}

// lack notes that something, a kind or an item, could not be had.
func (v *viewer) lack(unknown, what string, err error) {
	v.Unknown = append(v.Unknown, unknown)
	v.note(what, err)
}

// note keeps what could not be had.
func (v *viewer) note(what string, err error) {
	v.Notes = append(v.Notes, markdown.Clean(what+": "+err.Error(), maxNote))
}

// commands asks the mode's commands for help, but those that are MCP servers.
func (v *viewer) commands(ctx context.Context, starters map[string]bool) {
	for _, c := range v.file.Commands {
		there := slices.ContainsFunc(v.programs, func(p toolset.Program) bool { return p.Name == c.Name })
		if starters[c.Name] || c.Optional || !there {
			continue
		}
		help, err := v.st.run(ctx, "/bin/sh", "-c", shellquote.Join(c.Name, "--help")+" 2>&1")
		if err != nil {
			v.lack(string(toolset.CommandHelp)+" "+c.Name, "`"+c.Name+" --help` fails", err)
			continue
		}
		v.Items = append(v.Items, toolset.NewCommand(c.Name, help))
	}
}

// capabilities asks for the list of capabilities, and returns calls of the simplest
// of those that read and whose inputs are known.
func (v *viewer) capabilities(ctx context.Context) []toolset.Answer {
	words := []string{toolset.GHX, "capabilities", "list", "--json"}
	list, err := v.st.run(ctx, words...)
	if err != nil {
		v.lack(string(toolset.Capability), "`"+strings.Join(words, " ")+"` fails", err)
		return nil
	}
	items, err := toolset.Capabilities(list)
	if err != nil {
		v.lack(string(toolset.Capability), "`"+strings.Join(words, " ")+"`", err)
		return nil
	}
	v.Answers = append(v.Answers, toolset.Answer{Call: strings.Join(words, " "), Bytes: len(list)})
	v.Items = append(v.Items, items...)
	return v.world.Calls(items, maxCommandCalls)
}

// call runs a command and keeps the size of its answer.
func (v *viewer) call(ctx context.Context, answer toolset.Answer, words ...string) {
	if ctx.Err() != nil {
		v.late++
		return
	}
	out, err := v.st.run(ctx, words...)
	if ctx.Err() != nil {
		v.late++
		return
	}
	answer.Bytes, answer.Failed = len(out), err != nil
	v.Answers = append(v.Answers, answer)
}

// server asks an MCP server for its tools, and calls some of those that read.
func (v *viewer) server(ctx context.Context, name string, server agent.MCPServer) (err error) {
	session, end, err := v.st.connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if said := session.InitializeResult().Instructions; said != "" {
		v.Texts = append(v.Texts, toolset.Text{Name: "instructions of " + toolset.Clean(name, toolset.MaxName), Of: toolset.Tool, Text: toolset.Clean(said, toolset.MaxText)})
	}
	tools, reads, err := listTools(ctx, session)
	if len(v.setup.MCP) > 1 {
		for i := range tools {
			tools[i].Name = name + "/" + tools[i].Name
		}
	}
	v.Items = append(v.Items, tools...)
	if err != nil {
		return err
	}
	for _, c := range v.world.Calls(reads, maxToolCalls) {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil {
			return err
		}
		said, err := callTool(ctx, session, c.Item, arguments)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Call, err)
		}
		if len(v.setup.MCP) > 1 {
			c.Item = name + "/" + c.Item
		}
		c.Bytes, c.Failed = said.size, said.failed
		v.Answers = append(v.Answers, c)
	}
	return nil
}
