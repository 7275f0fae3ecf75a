package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mutants": main})
}

// Each script breaks a small module.
func TestScripts(t *testing.T) {
	testkit.NeedComplete(t)
	testkit.NeedShell(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Condition: func(condition string) (bool, error) {
			if condition != "complete" {
				return false, fmt.Errorf("there is no condition %q", condition)
			}
			return testkit.IsComplete(), nil
		},
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GORACE"} {
				if value, is := os.LookupEnv(name); is {
					env.Setenv(name, value)
				}
			}
			return nil
		},
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
