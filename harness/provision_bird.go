package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// BirdSources say where BIRD-Interact comes from.
type BirdSources struct{ ADK, Dataset Source }

// Bird sees to it that BIRD-Interact can run: its ADK in ./bird_interact_adk
// with a Python environment of its own, its dataset with the solutions, and
// PostgreSQL's programs. What the configuration names is taken as it is.
func (p Provisioner) Bird(ctx context.Context, c Config, from BirdSources) error {
	adk, err := p.birdADK(ctx, c, from.ADK)
	if err != nil {
		return err
	}
	python, err := p.birdPython(ctx, c, adk)
	if err != nil {
		return err
	}
	p.Sayf("BIRD-Interact-ADK: %s", adk)
	p.Sayf("BIRD Python: %s", python)
	if err := p.birdData(ctx, c, adk, from.Dataset); err != nil {
		return err
	}
	for _, name := range []string{"psql", "createdb", "dropdb"} {
		if err := p.Program(name, "install PostgreSQL's client programs"); err != nil {
			return err
		}
	}
	return nil
}

// birdADK returns the ADK's folder.
func (p Provisioner) birdADK(ctx context.Context, c Config, from Source) (string, error) {
	found, err := ResolveBirdADKDir(p.Host, c.BirdRepo)
	if err == nil || c.BirdRepo != "" {
		return found, err
	}
	adk := p.Host.Path(filepath.Join(BirdADKRoot, BirdADKName))
	p.Sayf("BIRD-Interact-ADK not found; fetching %s ...", from.URL)
	if err := p.fetch(ctx, from, BirdADKName, adk); err != nil {
		return "", err
	}
	return ResolveBirdADKDir(p.Host, adk)
}

// ready is in a Python environment whose packages are all there.
const ready = ".bench-ready"

// birdPython returns the interpreter, which is that of the ADK's own
// environment unless the configuration, or BIRD_PYTHON_BIN, names one.
func (p Provisioner) birdPython(ctx context.Context, c Config, adk string) (string, error) {
	if c.BirdPythonBin != "" || p.Host.Getenv(BirdPythonVariable) != "" {
		return ResolveBirdPythonBin(p.Host, adk, c.BirdPythonBin), nil
	}
	venv := filepath.Join(adk, BirdVenv)
	python := filepath.Join(venv, "bin", "python")
	done, err := state.Exists(filepath.Join(venv, ready))
	if err != nil || done {
		return python, err
	}
	p.Sayf("creating BIRD-Interact-ADK venv at %s (may take 1-3 min) ...", venv)
	if err := p.run(ctx, adk, "python3", "-m", "venv", venv); err != nil {
		return "", err
	}
	if err := p.run(ctx, adk, python, "-m", "pip", "install", "-r", filepath.Join(adk, "requirements.txt")); err != nil {
		return "", err
	}
	return python, state.Write(filepath.Join(venv, ready), nil)
}

// birdData sees to it that the dataset is there with its solutions, which are
// not public.
func (p Provisioner) birdData(ctx context.Context, c Config, adk string, from Source) error {
	data := ResolveBirdDataPath(p.Host, adk, c.Dataset, c.BirdDataPath)
	there, err := state.Exists(data)
	if err != nil {
		return err
	}
	if !there && c.BirdDataPath == "" {
		p.Sayf("BIRD dataset (%s) not found; fetching %s ...", c.Dataset, from.URL)
		if err := p.fetch(ctx, from, ".", filepath.Dir(data)); err != nil {
			return err
		}
	}
	solved, err := hasSolutions(data)
	if err != nil {
		return err
	}
	if !solved {
		return fault.Invalidf("BIRD's dataset %s has no solutions (sol_sql): ask bird.bench25@gmail.com for them, subject \"[bird-interact-%s GT&Test Cases]\", and merge them with %s",
			data, c.Dataset, filepath.Join(adk, "scripts", "combine_public_with_gt.py"))
	}
	p.Sayf("BIRD data OK (GT merged): %s", data)
	return nil
}

// hasSolutions reports whether a task of the dataset has a solution.
func hasSolutions(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, fault.Invalidf("BIRD's dataset cannot be read: %w", err)
	}
	defer file.Close()
	for reader := bufio.NewReader(file); ; {
		line, err := reader.ReadBytes('\n')
		var task struct {
			Solution json.RawMessage `json:"sol_sql"`
		}
		none := []string{"", "null", `""`, "[]"}
		if json.Unmarshal(line, &task) == nil && !slices.Contains(none, string(task.Solution)) {
			return true, nil
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, fault.Infraf("read BIRD's dataset: %w", err)
		}
	}
}
