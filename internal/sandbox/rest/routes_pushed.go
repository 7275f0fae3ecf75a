package rest

import (
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// pushedRoutes tell what became of a repository's branches.
func pushedRoutes() []route { return []route{{"GET " + reposPath + "/activity", onRepo(listMoves)}} }

// moveView is a move of a branch; where there was none before, or is none after it, its
// commit is all zeros.
type moveView struct {
	ID        int64     `json:"id"`
	NodeID    string    `json:"node_id"`
	Before    string    `json:"before"`
	After     string    `json:"after"`
	Ref       string    `json:"ref"`
	Timestamp stamp     `json:"timestamp"`
	Kind      string    `json:"activity_type"`
	Actor     *userView `json:"actor"`
}

func listMoves(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	since := sinceOf(c.s.Time(), query.Get("time_period"))
	ref := query.Get("ref")
	if ref != "" && !strings.HasPrefix(ref, "refs/") {
		ref = "refs/heads/" + ref
	}
	var moves []moveView
	for _, a := range c.s.Moves(repo) {
		shown := moveView{
			ID: a.ID, NodeID: model.NodeID(model.NodePush, repo.ID, a.ID), Before: orDefault(a.Move.Before, noCommit), After: orDefault(a.Move.After, noCommit),
			Ref: a.Move.Ref, Timestamp: at(a.CreatedAt), Kind: c.s.MoveKind(repo, *a.Move), Actor: c.user(a.ActorID),
		}
		actor, kind := query.Get("actor"), query.Get("activity_type")
		if !a.CreatedAt.Before(since) && (ref == "" || ref == shown.Ref) && (kind == "" || kind == shown.Kind) &&
			(actor == "" || strings.EqualFold(actor, c.s.Login(a.ActorID))) {
			moves = append(moves, shown)
		}
	}
	if query.Get("direction") == "asc" {
		slices.Reverse(moves)
	}
	return listByCursor(c, moves, func(m moveView) model.ID { return m.ID }, same)
}

// noCommit stands for a commit where there is none.
var noCommit = strings.Repeat("0", 40)

// sinceOf is when a period of time began; the zero time for none.
func sinceOf(now time.Time, period string) time.Time {
	days, known := map[string]int{"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}[period]
	if !known {
		return time.Time{}
	}
	return now.AddDate(0, 0, -days)
}
