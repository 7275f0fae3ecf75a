package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// outsider is a benchmark in a module of its own.
const outsider = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/suite"
)

type mine struct{ host harness.Host }

var _ harness.Runner = mine{}

func (m mine) Run(ctx context.Context, taskIDs []string) (harness.Results, error) {
	err := child.Run(ctx, child.Command{Path: os.Args[0], Args: []string{"nothing"}, Env: m.host.AgentEnv(harness.Agent{Model: m.host.AgentModel("")})})
	if err != nil {
		return nil, err
	}
	return harness.Complete(taskIDs, harness.Results{"task_1": harness.Reward(1), "task_2": harness.Reward(0)})
}

func main() {
	if len(os.Args) > 1 {
		return // it is its own program, which does nothing
	}
	host := harness.Host{Environ: os.Environ(), Log: os.Stderr}
	results, err := mine{host}.Run(context.Background(), []string{"task_1", "task_2", "task_3"})
	if err != nil {
		panic(err)
	}
	split := harness.Stratify(results, harness.SplitSeed)
	config, err := harness.ParseConfig("c.yaml", []byte("benchmark: command\ncommand: [bench]"))
	if err != nil {
		panic(err)
	}
	_, err = harness.NewCommand(harness.CommandOptions{Host: host, Command: config.Command, MaxConcurrency: config.MaxConcurrency})
	if err != nil {
		panic(err)
	}
	_ = suite.Gate{Train: mine{host}, Full: mine{host}}
	_, notFound := harness.ResolveBirdADKDir(harness.Host{Dir: os.TempDir() + "/none/none"}, "")
	python := harness.ResolveBirdPythonBin(harness.Host{}, "/none", "")
	data := harness.ResolveBirdDataPath(host, "/adk", "lite", "")
	fmt.Printf("%.4f %s %d %v %q %s\n", harness.ValScore(results), results["task_3"].Status, len(split.Train)+len(split.Test), notFound != nil, python, data)
}
`

func TestAModuleOfItsOwnHasARunner(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requirements, _ := strings.Cut(string(ours), "\ngo ")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": outsider,
		"go.sum":  string(sums),
		"go.mod": "module example.org/outsider\n\ngo " + requirements + "\nrequire github.com/ghx-dev/bench-action v0.0.0\n" +
			"replace github.com/ghx-dev/bench-action => " + root + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "0.3333 missing 3 true \"\" /adk/bird-interact-lite/bird_interact_data.jsonl\n", string(out))
}
