// Package target is where agents act: a sandbox inside this process, or a
// repository on GitHub. Worlds that package world has drawn are made true through
// GitHub's API, in both.
//
// A [FolderTarget] is for tasks that are not about GitHub: the agent works in a folder,
// and commands of the task fill it, look at it and judge it. An attempt has a folder of
// ours that the agent cannot enter. Set-up runs there; what it leaves is copied to where
// the agent works, and what the agent leaves is copied back before anything is judged. So
// nothing that is ours is ever done in the agent's folder, and what the agent still does
// there changes no verdict.
package target

import (
	"context"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Target prepares places for attempts. It is safe for concurrent use.
type Target interface {
	// Prepare makes a place whose fixtures are as seeded. The caller closes
	// it. An error is of kind infrastructure, or invalid where a resource is
	// unknown.
	Prepare(ctx context.Context, needs Needs) (*Place, error)
	// Close gives back what the target holds. It may be called more than
	// once.
	Close() error
}

// Needs says what an attempt needs.
type Needs struct {
	// Resources names fixture resources of the manifest.
	Resources []string
	// Mutating is true if the attempt may change something.
	Mutating bool
	Mode     bench.Mode
	// Variation is which variation the fixtures are to be (rule S15); nil leaves
	// it to the target, and so does a target whose fixtures do not vary.
	Variation *bench.Variation
	// World names the world that it acts in; empty means the fixtures that ship
	// with the program.
	World string
	// Task is what a task is that is not about GitHub; nil for those that are.
	Task *Task
	// Worker counts from 0; places of one worker never overlap.
	Worker int
	// Token is what the agent is to show GitHub; empty has the target make
	// one.
	Token string
	// MayAsk is asked before each call of the model's API, which is refused after
	// an error; Used is told the tokens of each answer as they become known. Either
	// may be nil. They are for what stands between the agent and its model.
	MayAsk func() error
	Used   func(bench.Tokens)
}

// Task is a task that is not about GitHub.
type Task struct {
	ScenarioID string
	Commands   bench.CommandTarget
	// Folder is where the agent works: empty before its turn, and its user's.
	// Empty has the target make one, see [Place.Folder].
	Folder string
}

// Place is where one attempt acts.
type Place struct {
	Manifest bench.Manifest
	// Variation is which variation the fixtures are, nil where they do not vary.
	Variation *bench.Variation
	// Env is the whole environment of the agent's process, as NAME=value.
	Env []string
	// GitHub answers the agent's requests to GitHub's names, for a proxy that
	// stands between. They have the name as Host.
	GitHub http.Handler
	// Verifier reads GitHub's state with a token that is not the agent's
	// (rule S6).
	Verifier Access
	// OnWrite has f called after every write of the agent, before the agent
	// gets its answer. It is set before the agent starts; nil where writes
	// cannot be watched.
	OnWrite func(f func())
	// Usage tells what the agent has asked of GitHub so far, counted outside
	// of it; nil where that is not counted.
	Usage func() Usage
	// Requests are those that [Usage] counts, in the order of their answers, at most
	// [bench.MaxRequests]; nil where they are not seen one by one.
	Requests func() []bench.Request
	// Asked reports whether the agent has sent GitHub's API a request that
	// names a text by itself; nil where that cannot be seen.
	Asked func(text string) bool
	// Refused reports whether GitHub has refused a request of the agent that names
	// each of some things by any of its names: answered that there is no such
	// thing, or else refused to write; nil where that cannot be seen.
	Refused func(things [][]string, missing bool) bool
	// Agent is the login of the agent's account; empty where it is not known.
	Agent string
	// Changes tells what was changed so far, oldest first; nil where that
	// cannot be seen.
	Changes func() []bench.Change
	// Look tells, where Changes is nil, what the verifier sees to be different
	// from before the attempt; nil where it has not looked before. An error is of
	// kind infrastructure.
	Look func(ctx context.Context) (Seen, error)
	// Unsupported names what the agent asked for so far that GitHub has and
	// the target lacks, each once, in order of first appearance; nil where that
	// cannot be.
	Unsupported func() []string
	// Folder is where the agent works; empty where that is up to its provider.
	Folder string
	// Begin lays out what the agent is to find. It is called when the agent's
	// folder is empty and its session has begun, before the first prompt, with the
	// scenario's input. Nil where there is nothing to lay out, or nobody who could
	// work there. An error is of kind infrastructure.
	Begin func(ctx context.Context, input map[string]any) error
	// End takes back what the agent has left, and judges it by the place's own
	// commands. It is called once, when the agent is gone, with its last answer,
	// before Changes and Read. Nil where nothing has to be taken back. An error is
	// of kind infrastructure.
	End func(ctx context.Context, answer string) ([]bench.CheckpointResult, error)
	// Read reads the state of things where that is not GitHub's, else nil. Errors
	// are those of a reader of checkpoints.
	Read func(ctx context.Context, read bench.Read) (any, error)
	// Close gives the place back.
	Close func() error
}

// Seen is what a verifier that reads before and after an attempt can tell.
type Seen struct {
	// Changes are those of what was read.
	Changes []bench.Change
	// Unjudged says in a sentence, without its stop, what was read and what not.
	Unjudged string
}

// Access is a way to an API of GitHub's.
type Access struct {
	// RESTURL and GraphQLURL are absolute, without a final slash.
	RESTURL    string
	GraphQLURL string
	Token      string
	// Transport reaches a world in this process; nil means the network.
	Transport http.RoundTripper
}

// Usage is what an agent asked of the world.
type Usage struct {
	Requests bench.APIRequests
	// RefusedHosts are the hosts that the agent was kept from, in order of
	// first appearance.
	RefusedHosts []string
	// Model is what was seen of the calls of the model's API, nil where they
	// are not seen.
	Model *ModelUsage
}

// ModelUsage is what an agent's calls of its model's API came to.
type ModelUsage struct {
	bench.WireUsage
	// Failures says how the provider failed, each way once (rule N10).
	Failures []string
}
