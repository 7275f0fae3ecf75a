package benchcli_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bench":    func() { os.Exit(benchcli.Main()) },
		futureName: futureOpenCode,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
