package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/jq"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// FilesFolder is the folder of a scenario folder that has the files of tasks
// which are not about GitHub.
const FilesFolder = "files"

// readTaskFiles makes the files that scenarios name a part of their hashes: rows
// of others are not comparable.
func (f *folder) readTaskFiles(fsys fs.FS) (problems jsondoc.Problems) {
	for i := range f.sources {
		s := &f.sources[i]
		if s.scenario.Target == nil || s.scenario.Target.Files == "" {
			continue
		}
		name := path.Join(FilesFolder, s.scenario.Target.Files)
		sum, err := hashOfFiles(fsys, name)
		if err != nil {
			problems = append(problems, s.doc.Problem([]string{"target", "files"}, "cannot be read: %v: want a folder %s beside %s", err, name, SetsFile))
			continue
		}
		whole := sha256.Sum256([]byte(s.scenario.Hash + sum))
		s.scenario.Hash = hex.EncodeToString(whole[:])
	}
	return problems
}

// hashOfFiles is the hash of the names, rights and contents of a folder's files.
func hashOfFiles(fsys fs.FS, folder string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(fsys, folder, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file == folder && !entry.IsDir():
			return fmt.Errorf("%s is no folder", folder)
		case entry.IsDir():
			return nil
		}
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		fmt.Fprintf(sum, "%s %t %d\n%s", file, err == nil && info.Mode()&0o100 != 0, len(data), data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// target checks where a scenario is that is not about GitHub.
func (c *checker) target() {
	s := c.scenario
	if s.Target == nil {
		return
	}
	if s.Target.Verify == "" && len(s.Assertions.Checkpoints) == 0 && s.Assertions.ExpectedData == nil {
		c.problem([]string{"target"}, "lacks verify, and there are neither checkpoints nor expected_data, so that whatever an agent does succeeds")
	}
	if s.Target.Setup == "" && len(s.Target.Makes) > 0 {
		c.problem([]string{"target", "makes"}, "says what setup tells, and there is no setup")
	}
	if f := s.Fixture; f != nil {
		for field, value := range map[string]string{"repo": f.Repo, "workdir": f.Workdir, "branch": f.Branch, "world": f.World} {
			if value != "" {
				c.problem([]string{"fixture", field}, "is of GitHub, and the task is not: target.setup makes what there is")
			}
		}
	}
	if s.Assertions.Outcome() == bench.OutcomeError {
		c.problem([]string{"assertions", "expected_outcome"}, "must be %q where the task is not about GitHub", bench.OutcomeSuccess)
	}
	for i, cp := range s.Assertions.Checkpoints {
		if cp.When == bench.During {
			c.problem(checkpointPath(i, "when"), "must be %q where the task is not about GitHub: nobody sees what the agent does before it ends", bench.AtEnd)
		}
	}
}

// reading checks where a read is from, and reports whether that is all there is
// to check.
func (c *checker) reading(r bench.Read, at []string) (foreseen *checkpoint.Foreseen, done bool) {
	commands := c.scenario.Target
	switch {
	case commands == nil && r.From != "":
		c.problem(append(slices.Clone(at), "from"), "goes with a target alone: a task on GitHub is read by task, query or path")
	case commands == nil:
		return nil, false
	case r.From == "":
		c.problem(at, "must be from before, after or verify: the task is not about GitHub")
	case r.From == bench.FromVerify && commands.Verify == "":
		c.problem(append(slices.Clone(at), "from"), "is verify, which the target lacks")
	}
	if _, err := jq.Compile(r.JQ, "$input"); r.JQ != "" && err != nil {
		c.problem(append(slices.Clone(at), "jq"), "%v", err)
	}
	return &checkpoint.Foreseen{}, true
}
