package benchcli_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	testscript.Main(m, map[string]func(){
		"bench":    func() { os.Exit(benchcli.Main()) },
		futureName: futureOpenCode,
		"github":   askGitHub,
	})
}

// askGitHub is a program that scripts of agents use in the place of gh, which is
// not everywhere: github METHOD PATH [BODY] prints what GitHub's API answers, or
// somebody else where PATH is a whole address.
func askGitHub() {
	address := os.Args[2]
	if strings.HasPrefix(address, "/") {
		address = "https://api.github.com" + address
	}
	request, err := http.NewRequest(os.Args[1], address, strings.NewReader(strings.Join(os.Args[3:], "")))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GH_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil || response.StatusCode >= http.StatusBadRequest {
		log.Fatal(response.Status, err) //nolint:gocritic // the process ends
	}
}

func TestScripts(t *testing.T) {
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
			// How long the race detector has every one of hundreds of
			// commands wait at its end.
			env.Setenv("GORACE", os.Getenv("GORACE"))
			examples, err := filepath.Abs("../../../docs/examples")
			env.Setenv("EXAMPLES", examples)
			return err
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
