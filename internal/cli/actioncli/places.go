package actioncli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// places finds the lines that a run is explained at: those of the expectations
// that the verdict was held to, of scenarios that came out badly, and of what
// is wrong with a file, if that is the problem.
func (a *action) places(problem error) comment.Places {
	return comment.Places{Thresholds: a.thresholds(), Scenarios: a.scenarios(), Problem: a.placeOf(problem)}
}

func (a *action) thresholds() map[bench.CheckName]comment.Place {
	file := a.inputs.Expectations
	if file == "" {
		return nil
	}
	document := read(file)
	if document == nil {
		return nil
	}
	places := map[bench.CheckName]comment.Place{}
	for _, check := range bench.CheckRules() {
		path := []string{"expectations", a.plan().Model, string(a.inputs.Profile), check.Key}
		if _, there := document.At(path...); there {
			line, _ := document.KeyPosition(path...)
			places[check.Name] = comment.Place{Path: file, Line: line}
		}
	}
	return places
}

// scenarios finds the scenarios of the repository by their ids.
func (a *action) scenarios() map[string]comment.Place {
	folder := a.inputs.ScenariosPath
	if folder == "" {
		return nil
	}
	places := map[string]comment.Place{}
	// A folder that cannot be read is what the run says, not the places of it.
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || filepath.Ext(path) != ".json" {
			return err
		}
		if document := read(path); document != nil {
			if id, is := document.At("id"); is {
				line, _ := document.KeyPosition("id")
				places[fmt.Sprint(id)] = comment.Place{Path: path, Line: line}
			}
		}
		return nil
	})
	return places
}

// read reads a file of JSON, nil if it cannot be read.
func read(file string) *jsondoc.Document {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	document, problems := jsondoc.Parse(file, text)
	if len(problems) > 0 {
		return nil
	}
	return document
}

// placeOf returns where in the workspace the first problem of a file is, nil if
// the error is about something else.
func (a *action) placeOf(err error) *comment.Place {
	var known inFile
	if errors.As(err, &known) {
		return &comment.Place{Path: known.path}
	}
	var problems jsondoc.Problems
	if !errors.As(err, &problems) || len(problems) == 0 {
		return nil
	}
	first := problems[0]
	for _, file := range []string{first.File, filepath.Join(a.inputs.ScenariosPath, first.File)} {
		if ghxbuild.IsFile(file) {
			return &comment.Place{Path: filepath.Clean(file), Line: first.Line}
		}
	}
	return nil
}

// inFile is an error in a file of the workspace as a whole.
type inFile struct {
	error
	path string
}

// Unwrap returns the error.
func (e inFile) Unwrap() error { return e.error }

// ownFolders looks whether what we write, and what we take for rows of runs, is no
// file of the repository: a pull request could have written it, or a link in its place.
func (a *action) ownFolders() error {
	check := func(input, path string) error {
		entry, err := benchcli.Committed(path)
		switch {
		case err != nil:
			return fault.Infraf("input %s: find out whether %s is in the repository: %w", input, path, err)
		case entry != "":
			return fault.Invalidf("input %s: %s is a file of the repository, which a pull request can write: take it out with git rm --cached, or name another folder", input, entry)
		}
		return nil
	}
	problems := []error{check("output-dir", a.inputs.OutputDir)}
	if a.inputs.Rows != "" {
		problems = append(problems, check("rows", a.inputs.Rows))
	}
	for _, path := range a.inputs.Results {
		problems = append(problems, check("results", path))
	}
	return errors.Join(problems...)
}

// readable looks whether the files that inputs name are those of the
// workspace. A link could lead us, who may be root, to what nobody is to see.
func (a *action) readable() error {
	workspace, err := os.Getwd()
	if err != nil {
		return fault.Infraf("find the workspace: %w", err)
	}
	if err := a.ownFolders(); err != nil {
		return err
	}
	if _, _, err := ghxbuild.FileIn(workspace, a.inputs.Expectations); err != nil || a.inputs.ScenariosPath == "" {
		return err
	}
	return filepath.WalkDir(filepath.Join(workspace, a.inputs.ScenariosPath), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fault.Invalidf("input scenarios-path: the folder cannot be read: %w", err)
		}
		if entry.Type() == fs.ModeSymlink {
			return fault.Invalidf("%s is a link: scenarios are read from files alone", path)
		}
		return nil
	})
}
