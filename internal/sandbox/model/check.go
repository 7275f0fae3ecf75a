package model

// ActionsSlug is the slug of the App that GitHub Actions is.
const ActionsSlug = "github-actions"

// actionsAppID is the id that GitHub Actions has on github.com.
const actionsAppID = 15368

func (s *State) addActionsApp() {
	bot := &User{ID: s.newID(), Login: ActionsSlug + "[bot]", Type: TypeBot, CreatedAt: s.Now, UpdatedAt: s.Now}
	s.Users.Add(bot.ID, bot)
	owner := &User{ID: s.newID(), Login: "github", Type: TypeOrganization, CreatedAt: s.Now, UpdatedAt: s.Now}
	s.Users.Add(owner.ID, owner)
	s.Apps.Add(actionsAppID, &App{
		ID: actionsAppID, Slug: ActionsSlug, Name: "GitHub Actions", OwnerID: owner.ID, BotID: bot.ID, CreatedAt: s.Now, UpdatedAt: s.Now,
	})
}

// Rollup is what is said about a commit: its checks, the latest of each name in a
// check suite, and its statuses, the latest of each context.
type Rollup struct {
	Runs     []*CheckRun
	Statuses []*CommitStatus
}

// ChecksOf returns the check runs of a suite, oldest first.
func (s *State) ChecksOf(suite *CheckSuite) []*CheckRun {
	return s.CheckRuns.with(checkBySuite, key{of: suite.ID})
}

// ChecksAt returns the check runs of a commit, oldest first.
func (s *State) ChecksAt(repo *Repo, sha string) []*CheckRun {
	return s.CheckRuns.with(checkByCommit, key{of: repo.ID, text: sha})
}

// Rollup returns the checks and statuses of a commit.
func (s *State) Rollup(repo *Repo, sha string) Rollup {
	type latest struct {
		suite ID
		name  string
	}
	at := map[latest]int{}
	var runs []*CheckRun
	for _, c := range s.CheckRuns.find(checkByCommit, key{of: repo.ID, text: sha}) {
		k := latest{c.SuiteID, c.Name}
		if i, seen := at[k]; seen {
			runs[i] = c
			continue
		}
		at[k] = len(runs)
		runs = append(runs, c)
	}
	return Rollup{Runs: runs, Statuses: s.latestStatuses(repo, sha)}
}

// Total returns the number of checks and statuses.
func (r Rollup) Total() int { return len(r.Runs) + len(r.Statuses) }

// State returns [Failure] if any check or status did not pass, [Success] if all
// did, and empty while some are running or if there are none.
func (r Rollup) State() Conclusion {
	running := r.Total() == 0
	for _, c := range r.Statuses {
		switch c.Conclusion() {
		case "":
			running = true
		case Failure:
			return Failure
		default:
		}
	}
	for _, c := range r.Runs {
		switch {
		case c.Status != Completed:
			running = true
		case !c.Passed():
			return Failure
		}
	}
	if running {
		return ""
	}
	return Success
}

// Passed reports whether a check run ended in a way that does not block.
func (c *CheckRun) Passed() bool { return c.Status == Completed && c.Conclusion.passing() }

// passing reports whether a conclusion does not block.
func (c Conclusion) passing() bool { return c == Success || c == Neutral || c == Skipped }
