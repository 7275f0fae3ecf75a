package rest

import (
	"cmp"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// statsRoutes are those of figures, which are counted in git when they are
// asked for. Nobody visits a sandbox, so its traffic is none.
func statsRoutes() []route {
	const stats = "GET " + reposPath + "/stats/"
	routes := []route{
		{stats + "contributors", onStats(contributorStats)},
		{stats + "commit_activity", onStats(commitActivity)},
		{stats + "code_frequency", onStats(codeFrequency)},
		{stats + "participation", onStats(participation)},
		{stats + "punch_card", onStats(punchCard)},
	}
	for _, name := range []string{"views", "clones"} {
		routes = append(routes, route{"GET " + reposPath + "/traffic/" + name, onTraffic(func(c *call, _ *model.Repo) (reply, error) {
			c.indifferent("per")
			return ok(map[string]any{"count": 0, "uniques": 0, name: []string{}})
		})})
	}
	for _, name := range []string{"paths", "referrers"} {
		routes = append(routes, route{"GET " + reposPath + "/traffic/popular/" + name, onTraffic(listNone)})
	}
	return routes
}

// onTraffic makes a handler of one that is for those who may push, which it says in words
// of its own.
func onTraffic(handle func(c *call, repo *model.Repo) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		if c.s.MaySeeSettings(c.actor, repo) != nil {
			return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have push access to repository", Lacking: true}
		}
		return handle(c, repo)
	})
}

// onStats makes a handler of one that needs the commits of the default branch,
// newest first.
func onStats(handle func(c *call, repo *model.Repo, commits []gitstore.Commit) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		head, exists := c.s.BranchHead(repo, repo.DefaultBranch)
		if !exists {
			return noContent()
		}
		commits, err := repo.Git.Log(head, "", 0)
		if err != nil {
			return reply{}, err
		}
		return handle(c, repo, commits)
	})
}

const week = 7 * 24 * time.Hour

// weekOf is the Sunday, in UTC, that begins a moment's week.
func weekOf(t time.Time) time.Time {
	day := t.UTC().Truncate(24 * time.Hour)
	return day.AddDate(0, 0, -int(day.Weekday()))
}

// weeksTo returns the beginnings of the weeks from one moment to another.
func weeksTo(from, to time.Time) []time.Time {
	var all []time.Time
	for w := weekOf(from); !w.After(to); w = w.Add(week) {
		all = append(all, w)
	}
	return all
}

// changedLines counts what a commit has added and deleted.
func changedLines(repo *model.Repo, commit gitstore.Commit) (added, deleted int, err error) {
	diff, err := repo.Git.Diff(parentOf(commit), commit.Hash)
	for _, f := range diff {
		added, deleted = added+f.Additions, deleted+f.Deletions
	}
	return added, deleted, err
}

type weekView struct {
	Week      int64 `json:"w"`
	Additions int   `json:"a"`
	Deletions int   `json:"d"`
	Commits   int   `json:"c"`
}

func contributorStats(c *call, repo *model.Repo, commits []gitstore.Commit) (reply, error) {
	type authorView struct {
		Author *userView  `json:"author"`
		Total  int        `json:"total"`
		Weeks  []weekView `json:"weeks"`
	}
	weeks := weeksTo(oldest(commits), commits[0].Author.When)
	known := map[model.ID]*authorView{}
	views := []*authorView{}
	for _, commit := range slices.Backward(commits) {
		u := c.s.Signer(commit.Author)
		if u == nil || len(commit.Parents) > 1 {
			continue
		}
		if known[u.ID] == nil {
			known[u.ID] = &authorView{Author: c.user(u.ID), Weeks: make([]weekView, len(weeks))}
			for n, w := range weeks {
				known[u.ID].Weeks[n].Week = w.Unix()
			}
			views = append(views, known[u.ID])
		}
		added, deleted, err := changedLines(repo, commit)
		if err != nil {
			return reply{}, err
		}
		one := known[u.ID]
		one.Total++
		if at := slices.IndexFunc(one.Weeks, func(w weekView) bool { return w.Week == weekOf(commit.Author.When).Unix() }); at >= 0 {
			w := &one.Weeks[at]
			w.Commits, w.Additions, w.Deletions = w.Commits+1, w.Additions+added, w.Deletions+deleted
		}
	}
	slices.SortStableFunc(views, func(a, b *authorView) int { return cmp.Compare(a.Total, b.Total) })
	return ok(views)
}

// oldest is when the first of commits was written.
func oldest(commits []gitstore.Commit) time.Time {
	return slices.MinFunc(commits, func(a, b gitstore.Commit) int { return a.Author.When.Compare(b.Author.When) }).Author.When
}

// yearOfWeeks is how many weeks the figures of a year have.
const yearOfWeeks = 52

// lastYear returns the beginnings of the weeks of the world's last year.
func (c *call) lastYear() []time.Time {
	return weeksTo(weekOf(c.s.Now).Add(-(yearOfWeeks-1)*week), c.s.Now)
}

func commitActivity(c *call, _ *model.Repo, commits []gitstore.Commit) (reply, error) {
	type activity struct {
		Days  [7]int `json:"days"`
		Total int    `json:"total"`
		Week  int64  `json:"week"`
	}
	var all []*activity
	byWeek := map[int64]*activity{}
	for _, w := range c.lastYear() {
		byWeek[w.Unix()] = &activity{Week: w.Unix()}
		all = append(all, byWeek[w.Unix()])
	}
	for _, commit := range commits {
		if one := byWeek[weekOf(commit.Author.When).Unix()]; one != nil {
			one.Total++
			one.Days[commit.Author.When.UTC().Weekday()]++
		}
	}
	return ok(all)
}

func codeFrequency(_ *call, repo *model.Repo, commits []gitstore.Commit) (reply, error) {
	var all [][3]int64
	byWeek := map[int64]int{}
	for n, w := range weeksTo(oldest(commits), commits[0].Author.When) {
		all = append(all, [3]int64{w.Unix()})
		byWeek[w.Unix()] = n
	}
	for _, commit := range commits {
		added, deleted, err := changedLines(repo, commit)
		if err != nil {
			return reply{}, err
		}
		if n, in := byWeek[weekOf(commit.Author.When).Unix()]; in && len(commit.Parents) < 2 {
			all[n][1], all[n][2] = all[n][1]+int64(added), all[n][2]-int64(deleted)
		}
	}
	return ok(all)
}

func participation(c *call, repo *model.Repo, commits []gitstore.Commit) (reply, error) {
	weeks := c.lastYear()
	all, own := make([]int, len(weeks)), make([]int, len(weeks))
	for _, commit := range commits {
		n := slices.IndexFunc(weeks, weekOf(commit.Author.When).Equal)
		if n < 0 {
			continue
		}
		all[n]++
		if u := c.s.Signer(commit.Author); u != nil && u.ID == repo.OwnerID {
			own[n]++
		}
	}
	return ok(map[string][]int{"all": all, "owner": own})
}

func punchCard(_ *call, _ *model.Repo, commits []gitstore.Commit) (reply, error) {
	const hours = 24
	card := make([][3]int, 7*hours)
	for n := range card {
		card[n] = [3]int{n / hours, n % hours}
	}
	for _, commit := range commits {
		when := commit.Author.When.UTC()
		card[int(when.Weekday())*hours+when.Hour()][2]++
	}
	return ok(card)
}
