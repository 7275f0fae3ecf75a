package benchcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// importFlags say what is imported.
type importFlags struct {
	git, repo string
	exports   []string
	writers   []string
	asJSON    bool
}

func (a *app) sandboxImportCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a world of a real repository, and write it to a file",
		Long: `import reads a clone of a repository, and what GitHub's REST API lists of its issues,
pull requests, comments, labels and milestones, and writes a world that has all of it,
with the same numbers and times. Nothing is asked of GitHub: you have listed it.

Of a pull request git must have the commits. A mirror has those of all:

  git clone --mirror https://github.com/OWNER/REPO repo.git
  gh api --paginate 'repos/OWNER/REPO/issues?state=all&per_page=100' > issues.json
  gh api --paginate 'repos/OWNER/REPO/pulls?state=all&per_page=100' > pulls.json
  gh api --paginate 'repos/OWNER/REPO/issues/comments?per_page=100' > comments.json

Issues are searched and changed by agents as on GitHub; nothing leads back to it. Reviews,
checks, runs, releases and projects are not imported.`,
		Example: `  bench sandbox import --git repo.git --issues issues.json --issues pulls.json --issues comments.json world.sandbox
  bench sandbox exec --snapshot world.sandbox -- gh issue list --repo OWNER/REPO`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importWorld(cmd.Context(), f, args[0]) },
	}
	cmd.Flags().StringVar(&f.git, "git", "", "import the clone in this `FOLDER`; a mirror has pull requests' commits, too")
	cmd.Flags().StringArrayVar(&f.exports, "issues", nil, "import what this `FILE` lists, as GitHub's REST API does (repeatable, - for standard input)")
	cmd.Flags().StringVar(&f.repo, "repo", "", "name it `OWNER/NAME` (default: as the clone's remote origin)")
	cmd.Flags().StringSliceVar(&f.writers, "writer", []string{target.Agent}, "let this account, by `LOGIN`, push to it (repeatable)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// importedSummary is what became of an import.
type importedSummary struct {
	worldSummary
	// Unlisted are pull requests that no list of pull requests has, Headless those
	// whose commits git does not have. Both are left out.
	Unlisted []int `json:"pull_requests_not_listed"`
	Headless []int `json:"pull_requests_without_commits"`
	// Stray are numbers that comments are about, and nothing that was read.
	Stray []int `json:"comments_on_nothing"`
}

func (a *app) importWorld(ctx context.Context, f importFlags, file string) error {
	if f.git == "" {
		return fault.Invalidf("--git is missing: give a clone, as of `git clone --mirror https://github.com/OWNER/REPO repo.git`")
	}
	from, err := a.readClone(ctx, f)
	if err != nil {
		return err
	}
	var export githubExport
	for _, name := range f.exports {
		if err := a.readExport(&export, name); err != nil {
			return fmt.Errorf("--issues %s: %w", name, err)
		}
	}
	told := importedSummary{Unlisted: export.fill(&from)}
	world, err := sandbox.New()
	if err != nil {
		return err
	}
	world.Unlogged()
	err = world.Setup(func(s *model.State) error {
		repo, left := s.Import(from)
		told.Headless, told.Stray = left.Headless, left.Stray
		for _, login := range f.writers {
			u := s.User(login)
			if u == nil {
				u = s.AddUser(model.NewUser{Login: login})
			}
			if u.ID != repo.OwnerID {
				repo.Collaborators[u.ID] = model.PermWrite
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := writeWorld(file, world); err != nil {
		return err
	}
	told.worldSummary = describe(world)
	if f.asJSON {
		return a.printJSON(told)
	}
	return a.printImported(told, file)
}

func (a *app) printImported(told importedSummary, file string) error {
	if err := a.printWorld(told.worldSummary); err != nil {
		return err
	}
	for _, left := range []struct {
		numbers []int
		why     string
	}{
		{told.Unlisted, "no file lists branches of these pull requests; give that of `gh api --paginate 'repos/OWNER/REPO/pulls?state=all'`, too"},
		{told.Headless, "the clone does not have the commits of these pull requests; make it with `git clone --mirror`"},
		{told.Stray, "no file lists what these comments are about"},
	} {
		if len(left.numbers) > 0 {
			fmt.Fprintf(a.stderr, "bench: left out %s: %s\n", someNumbers(left.numbers), left.why)
		}
	}
	fmt.Fprintf(a.stdout, "Saved as %s\n", file)
	return nil
}

// someNumbers names the first of some issues.
func someNumbers(numbers []int) string {
	const few = 5
	var out []string
	for _, n := range numbers[:min(few, len(numbers))] {
		out = append(out, fmt.Sprintf("#%d", n))
	}
	if more := len(numbers) - few; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

func (a *app) readExport(to *githubExport, name string) error {
	in := a.programs().in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fault.Invalidf("it cannot be read: %w", err)
		}
		defer file.Close()
		in = file
	}
	return to.read(in)
}

// readClone reads what a clone has. Branches that are only known as those of its remote
// count as its own.
func (a *app) readClone(ctx context.Context, f importFlags) (from model.Imported, err error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return from, fault.Invalidf("git is not there, which reads the clone: %w; install it", err)
	}
	clone := &worktree{git: program}
	if _, err := clone.run(ctx, f.git, nil, "rev-parse", "--git-dir"); err != nil {
		return from, fault.Invalidf("--git %s: %w", f.git, err)
	}
	if shallow, err := clone.run(ctx, f.git, nil, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
		return from, fault.Invalidf("--git %s: the clone is shallow; complete it with `git fetch --unshallow`", f.git)
	}
	name := f.repo
	if name == "" {
		if name, err = clone.run(ctx, f.git, nil, "config", "remote.origin.url"); err != nil || !strings.Contains(name, "github.com") {
			return from, fault.Invalidf("--git %s: it is no clone from GitHub, so its name is not known: give --repo OWNER/NAME", f.git)
		}
	}
	if from.Owner, from.Name, err = repositoryOf(name); err != nil {
		return from, err
	}
	if from.Git, err = readGit(ctx, clone, f.git); err != nil {
		return from, fmt.Errorf("--git %s: %w", f.git, err)
	}
	head, err := clone.run(ctx, f.git, nil, "symbolic-ref", "--short", "HEAD")
	if err != nil {
		head = "" // a commit is checked out
	}
	from.DefaultBranch = defaultBranch(from.Git, head)
	return from, nil
}

// defaultBranch is the branch that is checked out, or else what is usual.
func defaultBranch(git *gitstore.Store, head string) string {
	branches := []string{head, "main", "master"}
	for _, ref := range git.Refs(branchRefs) {
		branches = append(branches, strings.TrimPrefix(ref.Name, branchRefs))
	}
	at := slices.IndexFunc(branches, func(name string) bool { _, known := git.Ref(branchRefs + name); return known })
	return branches[max(at, 0)]
}

const (
	branchRefs = "refs/heads/"
	remoteRefs = "refs/remotes/origin/"
)

// plainPacks have git look for no differences and compress nothing of what it only
// hands over, which takes minutes for large files.
var plainPacks = []string{"-c", "core.bigFileThreshold=1m", "-c", "pack.window=0", "-c", "pack.compression=0"}

// readGit reads all refs and objects of a clone.
func readGit(ctx context.Context, clone *worktree, folder string) (*gitstore.Store, error) {
	args := append(slices.Clone(plainPacks), "bundle", "create", "--quiet", "--version=2", "-", "--all")
	cmd := exec.CommandContext(ctx, clone.git, args...) //nolint:gosec // git is what the user has installed
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = folder, &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fault.Infraf("run git: %w", err)
	}
	git, problem := gitstore.Load(out)
	_, _ = io.Copy(io.Discard, out) // so that git ends, too
	if err := cmd.Wait(); err != nil {
		return nil, fault.Invalidf("git cannot read it: %s", firstOf(strings.TrimSpace(said.String()), err.Error()))
	}
	if problem != nil {
		return nil, problem
	}
	for _, ref := range git.Refs(remoteRefs) {
		branch := branchRefs + strings.TrimPrefix(ref.Name, remoteRefs)
		if _, known := git.Ref(branch); !known && !strings.HasSuffix(ref.Name, "/HEAD") {
			if err := git.SetRef(branch, ref.Hash); err != nil {
				return nil, errors.Join(fault.Invalidf("branch %s", ref.Name), err)
			}
		}
	}
	return git, nil
}
