package benchcli_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/testkit/needs"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bench":    func() { os.Exit(benchcli.Main()) },
		futureName: futureOpenCode,
	})
}

func TestScripts(t *testing.T) {
	needs.Shell(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// How long the race detector has every one of hundreds of
			// commands wait at its end.
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
