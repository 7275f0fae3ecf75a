package benchcli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func (a *app) sandboxSaveCommand() *cobra.Command {
	var f worldFlags
	cmd := &cobra.Command{
		Use:   "save FILE",
		Short: "Write a sandbox's world to a file",
		Long: `save writes the seeded fixtures, with --empty accounts alone, or with --world
what a file describes, to a snapshot file. Ids and times in it are the same every
time. What agents change is saved by --save of serve and exec.`,
		Example: `  bench sandbox save world.sandbox
  bench sandbox exec --save world.sandbox -- ./prepare.sh`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.worldOf(cmd.Context(), f)
			if err != nil {
				return err
			}
			if err := writeWorld(args[0], w.World); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "Saved as %s\n", args[0])
			return nil
		},
	}
	cmd.Flags().BoolVar(&f.empty, "empty", false, "save accounts and nothing else, instead of the fixtures")
	f.fileFlags.add(cmd.Flags())
	return cmd
}

func (a *app) sandboxLoadCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "load FILE",
		Short: "Check a snapshot file, and tell what is in it",
		Example: `  bench sandbox load world.sandbox
  bench sandbox serve --snapshot world.sandbox`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			world, err := readWorld(args[0])
			if err != nil {
				return err
			}
			told := describe(world)
			if asJSON {
				return a.printJSON(told)
			}
			return a.printWorld(told)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// worldSummary is what is in a world.
type worldSummary struct {
	// Clock is the world's time, LastID the last id that was given.
	Clock    time.Time     `json:"clock"`
	LastID   model.ID      `json:"last_id"`
	Accounts []string      `json:"accounts"`
	Repos    []repoSummary `json:"repositories"`
	Projects []string      `json:"projects"`
}

// repoSummary is how much is in a repository.
type repoSummary struct {
	Name     string `json:"name"`
	Private  bool   `json:"private"`
	Branches int    `json:"branches"`
	Issues   int    `json:"issues"`
	Pulls    int    `json:"pull_requests"`
	Comments int    `json:"comments"`
	Runs     int    `json:"runs"`
	Releases int    `json:"releases"`
}

func describe(world *sandbox.World) worldSummary {
	told := worldSummary{Accounts: []string{}, Repos: []repoSummary{}, Projects: []string{}}
	world.Look(func(s *model.State) {
		told.Clock, told.LastID = s.Now, s.LastID
		for u := range s.Users.All() {
			told.Accounts = append(told.Accounts, u.Login)
		}
		for repo := range s.Repos.All() {
			told.Repos = append(told.Repos, describeRepo(s, repo))
		}
		for p := range s.Projects.All() {
			told.Projects = append(told.Projects, fmt.Sprintf("%s/%d %s", s.Login(p.OwnerID), p.Number, p.Title))
		}
	})
	return told
}

func describeRepo(s *model.State, repo *model.Repo) repoSummary {
	return repoSummary{
		Name: s.FullName(repo), Private: repo.Private, Branches: len(repo.Git.Refs("refs/heads/")),
		Issues:   len(s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Pull == nil })),
		Pulls:    len(s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Pull != nil })),
		Comments: len(s.Comments.Where(func(c *model.Comment) bool { return c.RepoID == repo.ID })),
		Runs:     len(s.Runs.Where(func(r *model.Run) bool { return r.RepoID == repo.ID })),
		Releases: len(s.Releases.Where(func(r *model.Release) bool { return r.RepoID == repo.ID })),
	}
}

func (a *app) printWorld(told worldSummary) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Clock\t%s\nLast id\t%d\nAccounts\t%s\n", told.Clock.Format(time.RFC3339), told.LastID, oneLine(strings.Join(told.Accounts, ", ")))
	for _, r := range told.Repos {
		fmt.Fprintf(table, "Repository\t%s: %d branches, %d issues, %d pull requests, %d comments, %d runs, %d releases\n",
			oneLine(r.Name), r.Branches, r.Issues, r.Pulls, r.Comments, r.Runs, r.Releases)
	}
	for _, p := range told.Projects {
		fmt.Fprintf(table, "Project\t%s\n", oneLine(p))
	}
	return table.Flush()
}
