package benchcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// scriptFlags say which command of the user's plays the agent.
type scriptFlags struct{ script string }

func (f *scriptFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.script, "script", "", "have this shell script `FILE` play the agent")
}

// command returns the words of the command, with the program's path first; nil
// if none is given.
func (f *scriptFlags) command(cmd *cobra.Command, args []string) ([]string, error) {
	words := args[1:]
	switch {
	case f.script != "" && len(words) > 0:
		return nil, fault.Invalidf("--script and a command are both given: give one of them")
	case f.script != "":
		if info, err := os.Stat(f.script); err != nil || info.IsDir() {
			return nil, fault.Invalidf("--script %s is not a file that can be read", f.script)
		}
		script, err := filepath.Abs(f.script)
		if err != nil {
			return nil, fault.Invalidf("--script %s: %w", f.script, err)
		}
		words = []string{"sh", script}
	case len(words) == 0:
		return nil, nil
	case cmd.ArgsLenAtDash() != 1:
		return nil, fault.Invalidf("%q is not expected: one scenario is named, and a command stands after --", words[0])
	}
	program, err := exec.LookPath(words[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, fault.Invalidf("command %q cannot be run: %w", words[0], err)
	}
	return append([]string{program}, words[1:]...), nil
}

// commandAgent is an agent that is a command of the user's. It finds what it is
// asked for in its environment; what it prints is its answer.
type commandAgent struct {
	app   *app
	words []string
}

var _ agent.Provider = (*commandAgent)(nil)

func (a *app) commandAgent(words []string) *commandAgent { return &commandAgent{a, words} }

// Describe says that no model is involved (rule G15).
func (c *commandAgent) Describe() agent.Info {
	return agent.Info{Name: "command", Model: bench.ModelRef{ProviderID: "command", ModelID: filepath.Base(c.words[0])}, Simulated: true}
}

// Start begins a session, whose environment is that of a place of [reach].
func (c *commandAgent) Start(_ context.Context, setup agent.Setup) (agent.Session, error) {
	return &commandSession{commandAgent: c, env: setup.Env}, nil
}

// Close has nothing to end: a command ends with its prompt.
func (c *commandAgent) Close() error { return nil }

// commandSession is one attempt.
type commandSession struct {
	*commandAgent
	env      []string
	messages []agent.Message
}

// Variables of the command's environment.
const (
	promptVariable = "BENCH_PROMPT"
	inputVariable  = "BENCH_INPUT"
	inputPrefix    = "INPUT_"
	// folderVariable names the folder of a task that is not about GitHub.
	folderVariable = "BENCH_FOLDER"
)

// Prompt runs the command.
func (s *commandSession) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	a := s.app
	asked, err := asVariables(prompt)
	if err != nil {
		return agent.Turn{}, err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, s.words[0], s.words[1:]...) //nolint:gosec // it is the user's own command
	cmd.Env = append(append(a.usualVariables(), s.env...), asked...)
	cmd.Stdout, cmd.Stderr = &out, a.programs().err
	cmd.Dir = s.folder()
	cmd.Cancel = func() error { return a.passOn(ctx, cmd.Process) }
	cmd.WaitDelay = patience
	prompt.Notify(agent.EventAnswer)
	prompt.Notify(agent.EventToolStart)
	start := a.now()
	err = cmd.Run()
	prompt.Notify(agent.EventToolEnd)
	call := agent.ToolCall{Name: "bash", Output: out.String()}
	// Texts can be written.
	call.Input, _ = json.Marshal(map[string]string{"command": strings.Join(s.words, " ")})
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return agent.Turn{}, fmt.Errorf("the command was stopped: %w", context.Cause(ctx))
	case errors.As(err, &exit):
		call.Error = fmt.Sprintf("it ended with %s", exit)
	case err != nil:
		return agent.Turn{}, fault.Infraf("run the command: %w", err)
	}
	answer := strings.TrimSpace(out.String())
	s.messages = append(s.messages,
		agent.Message{Role: agent.User, Start: start, End: start, Parts: []agent.Part{{Type: agent.PartText, Text: prompt.Text}}},
		agent.Message{Role: agent.Assistant, Start: start, End: a.now(), Parts: []agent.Part{
			{Type: agent.PartTool, Tool: &call}, {Type: agent.PartText, Text: answer},
		}})
	return agent.Turn{Text: answer}, nil
}

// folder is where the command works: where the task's files are or, on GitHub,
// where the user is.
func (s *commandSession) folder() string {
	for _, entry := range s.env {
		if folder, is := strings.CutPrefix(entry, folderVariable+"="); is {
			return folder
		}
	}
	return ""
}

// Transcript is the prompt, the command and what it printed.
func (s *commandSession) Transcript(context.Context) (agent.Transcript, error) {
	info := s.Describe()
	return agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: info.Name, Model: info.Model, Simulated: true, Messages: s.messages,
	}, nil
}

// Close has nothing to end.
func (s *commandSession) Close() error { return nil }

// asVariables returns what a prompt asks for: its text, its input as JSON, and
// each field of the input as INPUT_<NAME>, a text as it is and others as JSON.
func asVariables(prompt agent.Prompt) ([]string, error) {
	whole, err := json.Marshal(prompt.Play.Input)
	if err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	env := []string{promptVariable + "=" + prompt.Text, inputVariable + "=" + string(whole)}
	for name, value := range prompt.Play.Input {
		text, isText := value.(string)
		if !isText {
			// What the whole has can be written.
			encoded, _ := json.Marshal(value)
			text = string(encoded)
		}
		env = append(env, inputPrefix+variableName(name)+"="+text)
	}
	return env, nil
}

// variableName writes prNumber as PR_NUMBER.
func variableName(field string) string {
	var out strings.Builder
	runes := []rune(field)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return out.String()
}

// reach returns a target whose places programs reach under GitHub's names, each
// from a home folder of its own.
func (c *commandAgent) reach(t target.Target) target.Target { return doors{t, c.app} }

// doors is a target with a door to each place.
type doors struct {
	target.Target
	app *app
}

// Prepare prepares a place and opens a door to it.
func (d doors) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	needs.Token = target.NewToken()
	place, err := d.Target.Prepare(ctx, needs)
	if err != nil || needs.Mode == "" {
		return place, err
	}
	if place.Folder != "" {
		led := *place
		led.Env = append(slices.Clone(place.Env), folderVariable+"="+place.Folder)
		return &led, nil
	}
	way, err := d.app.openHome(ctx, place.GitHub, nil)
	if err != nil {
		return nil, errors.Join(err, place.Close())
	}
	led := *place
	led.Env = slices.Concat(way.home, identity(account{Login: place.Agent, Token: needs.Token}, place.Manifest.Repo.FullName), way.env)
	led.Usage = func() target.Usage {
		usage := place.Usage()
		usage.RefusedHosts = way.attempt.Usage().Refused
		return usage
	}
	led.Close = func() error { return errors.Join(way.close(), place.Close()) }
	return &led, nil
}
