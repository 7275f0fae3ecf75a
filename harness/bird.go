package harness

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// BirdRepoVariable is the environment variable with the place of
	// BIRD-Interact.
	BirdRepoVariable = "BIRD_REPO"
	// BirdPythonVariable is the environment variable with the place of its
	// Python.
	BirdPythonVariable = "BIRD_PYTHON_BIN"
	// BirdADKRoot is where BIRD-Interact-ADK is provided for an experiment.
	BirdADKRoot = "bird_interact_adk"
	// BirdADKName is the name of its folder.
	BirdADKName = "BIRD-Interact-ADK"
	// BirdVenv is the name of its own Python environment, in that folder.
	BirdVenv = ".venv-adk"
	// BirdDataFile is the name of a dataset's file.
	BirdDataFile = "bird_interact_data.jsonl"
)

// ResolveBirdADKDir returns the absolute path of the BIRD-Interact-ADK folder,
// which has orchestrator/runner.py. It looks in the configured path, then in
// that of the environment variable BIRD_REPO, then in
// bird_interact_adk/BIRD-Interact-ADK, bird_interact_adk, ../BIRD-Interact,
// ../BIRD-Interact/BIRD-Interact-ADK and BIRD-Interact-ADK. Each may be the
// folder itself, or a repository that has it. Of the first two, one that is
// passed over is told in the host's log. The error, of kind invalid, is
// [fs.ErrNotExist].
func ResolveBirdADKDir(h Host, configured string) (string, error) {
	said := []place{{"the configured path", configured}, {BirdRepoVariable, h.Getenv(BirdRepoVariable)}}
	found, passed := h.first(said, func(path string) (string, bool) {
		for _, dir := range []string{path, filepath.Join(path, BirdADKName)} {
			if isADK(dir) {
				return dir, true
			}
		}
		return "", false
	}, "is no BIRD-Interact-ADK folder: it lacks orchestrator/runner.py")
	for _, path := range []string{
		filepath.Join(BirdADKRoot, BirdADKName), BirdADKRoot, "../BIRD-Interact", filepath.Join("../BIRD-Interact", BirdADKName), BirdADKName,
	} {
		if dir := h.absolute(path); found == "" && isADK(dir) {
			found = dir
		}
	}
	if found == "" {
		passed = append(passed, "BIRD-Interact-ADK is not found")
		return "", fault.Invalidf("%s: run `bench harness prepare`, or say where it is with bird_repo or %s: %w", strings.Join(passed, "; "), BirdRepoVariable, fs.ErrNotExist)
	}
	h.warn(passed)
	return found, nil
}

func isADK(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "orchestrator", "runner.py"))
	return err == nil && info.Mode().IsRegular()
}

// ResolveBirdPythonBin returns the absolute path of a Python interpreter for
// BIRD-Interact-ADK: the configured one, that of the environment variable
// BIRD_PYTHON_BIN, bin/python in .venv-adk, .venv or .conda-py310 of the ADK's
// folder, python3 on PATH, python on PATH; empty if there is none. Of the
// first two, one that is passed over is told in the host's log.
func ResolveBirdPythonBin(h Host, adkDir, configured string) string {
	said := []place{{"the configured path", configured}, {BirdPythonVariable, h.Getenv(BirdPythonVariable)}}
	found, passed := h.first(said, func(path string) (string, bool) { return path, isProgram(path) }, "is no program that can be run")
	h.warn(passed)
	if found != "" {
		return found
	}
	for _, environment := range []string{BirdVenv, ".venv", ".conda-py310"} {
		if path := filepath.Join(h.absolute(adkDir), environment, "bin", "python"); isProgram(path) {
			return path
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path := h.LookPath(name); path != "" {
			return path
		}
	}
	return ""
}

// ResolveBirdDataPath returns the absolute path of a dataset's file: the
// configured one as it is, else that of the dataset in the ADK's folder. It
// does not look whether there is one.
func ResolveBirdDataPath(h Host, adkDir, dataset, configured string) string {
	if configured != "" {
		return h.absolute(configured)
	}
	if dataset == "" {
		dataset = DefaultBirdDataset
	}
	return filepath.Join(h.absolute(adkDir), "bird-interact-"+dataset, BirdDataFile)
}

// place is a path that somebody has named.
type place struct{ by, path string }

// first returns the first place that is accepted, as accept has it, empty if
// none is, and what is to be said of those that are not.
func (h Host) first(places []place, accept func(path string) (string, bool), why string) (found string, passed []string) {
	for _, p := range places {
		if p.path == "" {
			continue
		}
		if found, ok := accept(h.absolute(p.path)); ok {
			return found, passed
		}
		passed = append(passed, fmt.Sprintf("%s %s is passed over: it %s", p.by, p.path, why))
	}
	return "", passed
}

// warn tells of places that were passed over.
func (h Host) warn(passed []string) {
	for _, p := range passed {
		h.Logf("warning: %s", p)
	}
}

// absolute returns where a path is, from any folder. A ~ at its beginning is
// the user's home.
func (h Host) absolute(path string) string {
	if rest, is := strings.CutPrefix(path, "~"); is && (rest == "" || rest[0] == filepath.Separator) && h.Getenv("HOME") != "" {
		path = filepath.Join(h.Getenv("HOME"), rest)
	}
	return h.Path(path)
}

// LookPath returns the absolute path of a program on the PATH of the host's
// environment, empty if there is none.
func (h Host) LookPath(name string) string {
	for _, dir := range filepath.SplitList(h.Getenv("PATH")) {
		if path := h.absolute(filepath.Join(dir, name)); dir != "" && isProgram(path) {
			return path
		}
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	const executable = 0o111
	return err == nil && info.Mode().IsRegular() && info.Mode()&executable != 0
}
