// Package scripted is an agent without a model: it plays a written plan for
// every scenario and mode, so that the whole benchmark can be run, shown and
// tested at no cost and with figures that repeat.
//
// A plan says which tool calls an agent would make in a mode, and which
// requests the client behind the tool (gh, ghx, GitHub's MCP server) really
// sends for each. The agent sends those requests to the target, for real, and
// builds its answer from what came back; only the model is left out. Plans are
// files in the folder plans, described by its schema.json.
//
// # Tokens
//
// Nothing is tokenized. A token is [BytesPerToken] bytes, and every count of a
// message is rounded up by itself:
//
//   - input: what is new since the last message: instructions and prompts, and
//     the bodies of the responses that the last tool call received;
//   - cache_read: all of the conversation before that, which was counted
//     already;
//   - reasoning: the bytes of what the agent thinks;
//   - output: the bytes of the tool call's arguments as JSON and of the bodies
//     of the requests that it sent, or the bytes of the answer;
//   - cache_write: always 0; total: the sum.
//
// So tokens follow from what went over the wire, which the target counts too:
// no plan can make itself cheaper by claiming that a tool shows less. The cost
// is reported as 0, and is computed from the tokens by a price list.
//
// # Time
//
// Requests take the time that they take. Before each of its messages the agent
// pauses for [Options.Pause], in the place of a model that would be thinking,
// so that latencies follow from the number of messages and not from the
// machine's noise.
package scripted

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Name is the provider's name on the command line.
const Name = "scripted"

// The defaults of [Options].
const (
	DefaultProviderID = "scripted"
	DefaultModelID    = "plan-v1"
	DefaultPause      = 20 * time.Millisecond
)

// Version is that of the rules by which plans are played and tokens are
// counted. It goes up when the same plan comes to other figures.
const Version = "1"

// Options say how the agent behaves. The zero value is a well-behaved one.
type Options struct {
	// Model is what rows name as the model, by default [DefaultProviderID] and
	// [DefaultModelID].
	Model bench.ModelRef
	// Pause is how long the agent pauses before each message: [DefaultPause]
	// if it is 0, not at all if it is less.
	Pause time.Duration
	// Plans is a folder of plans that go before the shipped ones of the same
	// scenario, nil if there are none.
	Plans fs.FS
	// Faults tell the agent to misbehave.
	Faults []Fault
	// Now is the clock of transcripts, which tell no times if it is nil.
	Now func() time.Time
	// HTTP sends the requests. By default they go to the addresses in a
	// session's environment directly, whatever proxies are set.
	HTTP *http.Client
}

// Provider is the agent. It implements [agent.Provider].
type Provider struct {
	options Options
	plans   plans
	// alternative is the name of the plays that are played; empty for the usual
	// ones.
	alternative string
	sessions    atomic.Int64
}

var _ agent.Provider = (*Provider)(nil)

// New returns an agent. Errors are of kind invalid: a plan that cannot be
// played, a fault that is none or that could never happen.
func New(options Options) (*Provider, error) {
	loaded, err := loadPlans(options.Plans)
	if err != nil {
		return nil, fmt.Errorf("read plans: %w", err)
	}
	for _, f := range options.Faults {
		if err := f.check(); err != nil {
			return nil, err
		}
		if _, known := loaded[f.Scenario]; !known && f.Scenario != "" {
			return nil, fault.Invalidf("fault %q: there is no plan for scenario %q%s", f, f.Scenario, jsondoc.DidYouMean(f.Scenario, loaded.scenarios()))
		}
	}
	if options.Model == (bench.ModelRef{}) {
		options.Model = bench.ModelRef{ProviderID: DefaultProviderID, ModelID: DefaultModelID}
	}
	if options.Pause == 0 {
		options.Pause = DefaultPause
	}
	if options.Now == nil {
		options.Now = func() time.Time { return time.Time{} }
	}
	if options.HTTP == nil {
		options.HTTP = &http.Client{Transport: &http.Transport{}}
	}
	options.Faults = slices.Clone(options.Faults)
	return &Provider{options: options, plans: loaded}, nil
}

// Play names a play of a scenario: an alternative, or the mode's usual one where
// that is empty.
type Play struct {
	Mode        bench.Mode
	Alternative string
}

// Plays returns the plays of a scenario: those of its modes, in the order in
// which reports show them, and the alternatives as its plan lists them. A
// scenario without a plan has none.
func (p *Provider) Plays(scenario string) []Play {
	read, known := p.plans[scenario]
	if !known {
		return nil
	}
	written := read()
	var plays []Play
	for _, mode := range bench.Modes() {
		if written.Modes[mode] != nil {
			plays = append(plays, Play{Mode: mode})
		}
	}
	for _, other := range written.Alternatives {
		plays = append(plays, Play{other.Mode, other.Name})
	}
	return plays
}

// Playing returns the agent as one that plays an alternative of that name, and
// cannot play a scenario without it; for no name the usual plays.
func (p *Provider) Playing(alternative string) *Provider {
	return &Provider{options: p.options, plans: p.plans, alternative: alternative}
}

// CheckMode returns an error of kind invalid if the agent can play none of the
// scenarios in a mode, so that each attempt would fail.
func (p *Provider) CheckMode(setup agent.Setup, scenarios []bench.Scenario) error {
	var why error
	for _, s := range scenarios {
		_, _, err := p.plans.find(s.ID, playedAs(setup), p.alternative)
		if err == nil {
			return nil
		}
		why = fault.Invalidf("scenario %s in mode %s: %w", s.ID, setup.Mode, err)
	}
	return why
}

// Describe says that no model is involved (rule G15).
func (p *Provider) Describe() agent.Info {
	return agent.Info{Name: Name, Model: p.options.Model, Version: Version, Simulated: true}
}

// Start begins a session. An environment that lacks what every target sets is
// an error of kind invalid.
func (p *Provider) Start(_ context.Context, setup agent.Setup) (agent.Session, error) {
	env, err := readEnvironment(setup.Env)
	if err != nil {
		return nil, err
	}
	s := &session{
		provider: p, mode: setup.Mode, as: playedAs(setup), env: env,
		id: fmt.Sprintf("%s-%d", Name, p.sessions.Add(1)),
	}
	s.tokens.hear(int64(len(setup.Instructions)))
	return s, nil
}

// playedAs returns the mode whose plays are played: for one that is not a part
// of this program that of gh, if the agent has that in a shell.
func playedAs(setup agent.Setup) bench.Mode {
	if !setup.Mode.Shipped() && setup.Shell && slices.Contains(setup.Commands, "gh") {
		return bench.AgentDirect
	}
	return setup.Mode
}

// Close gives idle connections back. Sessions end with their contexts.
func (p *Provider) Close() error {
	p.options.HTTP.CloseIdleConnections()
	return nil
}

// misbehaviour returns what the agent is to do wrong in an attempt.
func (p *Provider) misbehaviour(mode bench.Mode, play agent.Play) misbehaviour {
	wrong := misbehaviour{}
	for _, f := range p.options.Faults {
		if f.fits(mode, play.ScenarioID, play.Iteration, play.Attempt) {
			wrong[f.Kind] = true
		}
	}
	return wrong
}
