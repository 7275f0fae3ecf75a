package scene

import (
	"embed"
	"io/fs"
	"strings"
	"time"
)

// The accounts that every sandbox has.
const (
	// Owner owns the fixtures repository and seeds it.
	Owner = "aryeko"
	// Agent is who the measured agent is.
	Agent = "dana-reyes"
	// Verifier is who checkpoints read as.
	Verifier = "marcus-hale"
	// Reviewer writes the reviews of what does not vary.
	Reviewer = "linnea-berg"
)

// Name is the name of the fixtures repository.
const Name = "ghx-bench-fixtures"

// Ground is what a sandbox has before it is seeded.
type Ground struct {
	// FirstID is the id before the first one; 0 is the usual one. Begin is when
	// the world's clock begins, the zero time is when it usually does.
	FirstID int64
	Begin   time.Time
	// Reviewer writes the seeded reviews. Others may write to the repository and
	// be assigned. Organization is an account that [Owner] owns.
	Reviewer     string
	Others       []string
	Organization string
	// Home is a repository of Organization, where issues have one of IssueTypes.
	Home        string
	IssueTypes  []IssueType
	Description string
	Topics      []string
	Forks       int
	// Stargazers are some of Others.
	Stargazers []string
	Message    string
	Files      []File
	Scripts    []Script
	// LastNumber is that of the newest issue or pull request, LastRun that of
	// each workflow's newest run, of those that are gone by now.
	LastNumber, LastRun int
	// Labels, Milestones and Issues are there already.
	Labels     []Label
	Milestones []string
	Issues     []Issue
}

// IssueType is what an issue of an organization may be. Color is one of GitHub's
// for types, such as BLUE.
type IssueType struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Color       string `yaml:"-"`
	Disabled    bool   `yaml:"-"`
}

// File is a file of a repository.
type File struct {
	Path string `yaml:"path"`
	File string `yaml:"file"`
}

// Script says how the job of a workflow ends.
type Script struct {
	// Workflow is the file's name, Job the job's key.
	Workflow, Job string
	// Branch is a pattern for the run's branch; empty means every branch.
	Branch string
	// Failures is how many attempts fail, the first ones; all without end for
	// [Always].
	Failures int
	// Step is the name of the step that fails, or that Log is of.
	Step, Log string
	// Hanging jobs go on until they are cancelled.
	Hanging bool
	Uploads []Upload
}

// Always is a number of attempts that has no end.
const Always = -1

// Upload is an artifact with one file.
type Upload struct{ Name, File, Text string }

//go:embed all:data/repository
var repository embed.FS

// failedRunLog is what the failing job of what does not vary prints.
const failedRunLog = `Run test "$GITHUB_RUN_ATTEMPT" -gt 1
attempt 1: the first attempt fails on purpose
`

// failedTestLog is what the tests of the branch print that fails them.
const failedTestLog = `Run npm test --if-present
not ok 1 - rounds half up
  location: 'test/round.test.js:7:1'
  error: Expected values to be strictly equal: 1 !== 1.01
  expected: 1.01
  actual: 1
# tests 1
# pass 0
# fail 1
`

// plainGround is what a sandbox has that stands for a repository on GitHub.
func plainGround() Ground {
	return Ground{
		Reviewer: Reviewer, Organization: "harborlight", Home: "handbook",
		IssueTypes: []IssueType{
			{Name: "Task", Description: "A specific piece of work", Color: "YELLOW"},
			{Name: "Bug", Description: "An unexpected problem or behavior", Color: "RED"},
			{Name: "Feature", Description: "A request, idea, or new functionality", Color: "BLUE"},
		},
		Description: "Fixtures that benchmark scenarios act on", Message: "chore: fixtures repository", Files: plainFiles(),
		Scripts: []Script{
			{Workflow: "bench-rerun-failed.yml", Job: "flaky", Failures: 1, Step: "Fail on the first attempt", Log: failedRunLog},
			{Workflow: "ci.yml", Job: "test", Branch: BranchPrefix + "*/failing", Failures: Always, Step: "Test", Log: failedTestLog},
			{Workflow: "bench-long.yml", Job: "wait", Hanging: true},
			{Workflow: "bench-artifacts.yml", Job: "report", Uploads: []Upload{{"test-report", "report.txt", "12 tests passed\n"}}},
		},
	}
}

func plainFiles() (files []File) {
	const root = "data/repository"
	err := fs.WalkDir(repository, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := repository.ReadFile(path)
		files = append(files, File{strings.TrimPrefix(path, root+"/"), string(content)})
		return err
	})
	if err != nil {
		panic("scene: " + err.Error()) // they are part of the program
	}
	return files
}
