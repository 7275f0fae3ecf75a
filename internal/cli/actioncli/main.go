// Package actioncli wires the action: it reads what a workflow gives it, builds
// and benchmarks what is proposed, and tells the verdict on GitHub.
//
// In the image one program has three names. As bench it is the command line,
// as bench-action-post the action's last step, which finishes what the main
// one left open, and else the main step. That starts it by a fourth name, as
// the user without rights, to run what a pull request brings of a benchmark.
package actioncli

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// The names of the program.
const (
	benchName = "bench"
	postName  = "bench-action-post"
	suiteName = "bench-action-suite"
)

// Main runs the program by its name and returns its exit code.
func Main() int {
	name := filepath.Base(os.Args[0])
	if name == benchName {
		return benchcli.Main()
	}
	secrets := redact.New()
	log := actions.NewLog(os.Stdout, secrets, time.Now, rand.Reader)
	// The environment has the secrets, and agents run on this machine.
	if err := confine.HardenSelf(); err != nil {
		log.Error(actions.Position{}, err.Error())
		return exitInfrastructure
	}
	ctx, stop := benchcli.StopOnSignal(context.Background())
	defer stop()
	if name == suiteName {
		return benchcli.RunTaskGate(ctx, "", os.Args[1:])
	}
	a := &action{
		log: log, secrets: secrets, environ: os.Environ(), getenv: os.Getenv, now: time.Now, random: rand.Text,
	}
	if name == postName {
		a.post(ctx)
		return exitFine
	}
	return a.run(ctx)
}

// Exit codes of the job's step.
const (
	exitFine           = 0
	exitGateFailed     = 1
	exitInvalid        = 2
	exitInfrastructure = 3
	exitInconclusive   = 4
)
