package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// QueueRule has a branch changed by its merge queue alone. The times that GitHub waits
// for checks, and for more pull requests, do not pass in a sandbox: a check that is
// expected is waited for, and what is ready is merged.
type QueueRule struct {
	CheckTimeout   int    `json:"check_response_timeout_minutes"`
	Grouping       string `json:"grouping_strategy"`
	MaxBuilt       int    `json:"max_entries_to_build"`
	MaxMerged      int    `json:"max_entries_to_merge"`
	Method         string `json:"merge_method"`
	MinMerged      int    `json:"min_entries_to_merge"`
	MinMergedWaits int    `json:"min_entries_to_merge_wait_minutes"`
}

// method is how the queue merges.
func (r *QueueRule) method() MergeMethod { return MergeMethod(strings.ToLower(r.Method)) }

// The groupings of a queue: the checks of each entry must pass, or else those of the
// last one that is merged with the others.
const (
	AllGreen  = "ALLGREEN"
	HeadGreen = "HEADGREEN"
)

// together is how many pull requests are merged by the checks of the last of them, at most.
func (r *QueueRule) together() int {
	if r.Grouping == HeadGreen {
		return max(1, min(r.MaxMerged, r.MaxBuilt))
	}
	return 1
}

// QueueEntry is the place of a pull request in the merge queue of its base.
type QueueEntry struct {
	ID   ID
	ByID ID
	// Rank is its place among the others; the first has the least.
	Rank int
	// Jumped is true for one that was put before the others.
	Jumped     bool
	EnqueuedAt time.Time
	// PullHead is what the head of the pull request was then.
	PullHead string
	// Base and Head are the commits between which its merge group is, empty as long
	// as there is none.
	Base, Head string
}

// The kinds of the events by which a timeline tells of merge queues.
const (
	EventQueued   = "added_to_merge_queue"
	EventDequeued = "removed_from_merge_queue"
)

const (
	needsQueue  = "Changes must be made through the merge queue"
	queuePrefix = "gh-readonly-queue/"
)

// The reasons for which a pull request leaves a queue.
const (
	leftMerged    = "merge"
	leftByHand    = "manual"
	leftConflict  = "merge_conflict"
	leftFailed    = "ci_failure"
	leftRetracted = "branch_protections"
)

// judgeQueue asks for the queue. What is merged by it is judged by the other rules.
func judgeQueue(_ *State, c refChange, _ Rule) []string {
	if !c.moves() || c.queued {
		return nil
	}
	return []string{needsQueue}
}

// QueueRule returns the rule by which a branch has a merge queue, nil if it has none.
func (s *State) QueueRule(repo *Repo, branch string) *QueueRule {
	for _, set := range repo.RulesetsFor(headsPrefix + branch) {
		for _, rule := range set.Rules {
			if rule.Type == RuleMergeQueue {
				return rule.Queue
			}
		}
	}
	return nil
}

// Queue returns the pull requests in the merge queue of a branch, the first in front.
func (s *State) Queue(repo *Repo, branch string) []*Issue {
	queue := s.openPulls(repo, func(p *Pull) bool { return p.Queue != nil && p.BaseRef == branch })
	slices.SortFunc(queue, func(a, b *Issue) int { return a.Pull.Queue.Rank - b.Pull.Queue.Rank })
	return queue
}

// Queued returns the pull request of an entry of a merge queue, nil if there is none.
func (s *State) Queued(entry ID) *Issue {
	return s.Issues.First(func(i *Issue) bool { return i.Pull != nil && i.Pull.Queue != nil && i.Pull.Queue.ID == entry })
}

// Enqueue puts a pull request into the merge queue of its base, behind the others or,
// if it is to jump, before them. All that rules ask of a merge must be met before. It
// returns the entry, which has left the queue already if nothing was to be waited for.
func (s *State) Enqueue(actor ID, i *Issue, jump bool, expectedHead string) (*QueueEntry, error) {
	repo := s.Repos.Get(i.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	switch {
	case !known || s.QueueRule(repo, i.Pull.BaseRef) == nil:
		return nil, unprocessable("The base branch does not have a merge queue")
	case i.Closed:
		return nil, unprocessable("Pull request is not mergeable")
	case i.Pull.Draft:
		return nil, unprocessable("Pull request is still a draft")
	case i.Pull.Queue != nil:
		return nil, unprocessable("Pull request is already in the queue")
	case expectedHead != "" && expectedHead != i.Pull.HeadSHA:
		return nil, unprocessable("Head branch was modified. Review and try the merge again.")
	}
	if err := s.permitted(mergeByQueue(actor, repo, i, base), byMerging); err != nil {
		return nil, err
	}
	merged, err := testMerge(repo.Git, base, plumbing.NewHash(i.Pull.HeadSHA))
	if err != nil {
		return nil, err
	}
	if merged.IsZero() {
		return nil, unprocessable("Pull request is not mergeable")
	}
	i.UpdatedAt = s.Advance()
	entry := &QueueEntry{ID: s.newID(), ByID: actor, Jumped: jump, EnqueuedAt: s.Now, PullHead: i.Pull.HeadSHA}
	if queue := s.Queue(repo, i.Pull.BaseRef); len(queue) > 0 && jump {
		entry.Rank = queue[0].Pull.Queue.Rank - 1
	} else if len(queue) > 0 {
		entry.Rank = queue[len(queue)-1].Pull.Queue.Rank + 1
	}
	i.Pull.Queue, i.Pull.AutoMerge = entry, nil
	s.record(actor, i, Event{Kind: EventQueued})
	s.because(CauseQueue, func() { err = s.runQueue(repo, i.Pull.BaseRef) })
	return entry, err
}

// mergeByQueue is [mergeOfPull] for what a merge queue merges.
func mergeByQueue(actor ID, repo *Repo, i *Issue, base gitstore.Hash) refChange {
	change := mergeOfPull(actor, repo, i, base, "")
	change.queued = true
	return change
}

// Dequeue takes a pull request out of the merge queue that it is in.
func (s *State) Dequeue(actor ID, i *Issue) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.requireOfOthers(actor, repo, i.AuthorID, PermWrite); err != nil {
		return err
	}
	if i.Pull.Queue == nil {
		return unprocessable("Pull request is not in the queue")
	}
	i.UpdatedAt = s.Advance()
	var err error
	s.leaveQueue(actor, repo, i, leftByHand)
	s.because(CauseQueue, func() { err = s.runQueue(repo, i.Pull.BaseRef) })
	return err
}

// leaveQueue takes a pull request, and its merge group, out of its queue.
func (s *State) leaveQueue(actor ID, repo *Repo, i *Issue, reason string) {
	s.because(CauseQueue, func() { s.dropGroup(actor, repo, i, reason) })
	i.Pull.Queue = nil
	s.record(actor, i, Event{Kind: EventDequeued, To: reason})
}

// dropGroup deletes the merge group of a pull request, if there is one.
func (s *State) dropGroup(actor ID, repo *Repo, i *Issue, why string) {
	entry := i.Pull.Queue
	if entry.Head == "" {
		return
	}
	ref := groupRef(i)
	action := Happening{
		Event: "merge_group", Action: "destroyed", RepoID: repo.ID, ActorID: actor, Issue: i, Ref: ref, Before: entry.Base, After: entry.Head,
		Identifier: map[string]string{leftMerged: "merged", leftRetracted: "invalidated"}[why],
	}
	action.Identifier = orElse(action.Identifier, "dequeued")
	s.emit(action)
	s.dropRef(actor, repo, ref)
	entry.Base, entry.Head = "", ""
}

// groupRef is the ref of a pull request's merge group.
func groupRef(i *Issue) string {
	return fmt.Sprintf("%s%s%s/pr-%d-%s", headsPrefix, queuePrefix, i.Pull.BaseRef, i.Number, i.Pull.Queue.Base)
}

// runQueue goes on with the merge queue of a branch as far as it can: what is ready is
// merged, what has failed leaves it, and the others get their merge groups, each on top
// of the one before it. Checks that end meanwhile come back here.
func (s *State) runQueue(repo *Repo, branch string) error {
	for {
		rule := s.QueueRule(repo, branch)
		queue := s.Queue(repo, branch)
		if len(queue) == 0 {
			return nil
		}
		if gone := slices.IndexFunc(queue, func(i *Issue) bool {
			return rule == nil || i.Pull.Draft || i.Pull.HeadSHA != i.Pull.Queue.PullHead
		}); gone >= 0 {
			s.leaveQueue(queue[gone].Pull.Queue.ByID, repo, queue[gone], leftRetracted)
			continue
		}
		moved, err := s.settleFront(repo, queue[:min(len(queue), rule.together())])
		if err != nil {
			return err
		}
		if moved {
			continue
		}
		if built, err := s.buildNext(repo, queue[:min(len(queue), max(1, rule.MaxBuilt))], rule); err != nil || !built {
			return err
		}
	}
}

// settleFront merges those of the first of a queue that are merged together, up to the
// last whose group has passed, or has the first leave the queue, if all have failed, and
// reports whether it did either.
func (s *State) settleFront(repo *Repo, first []*Issue) (bool, error) {
	base, _ := s.BranchHead(repo, first[0].Pull.BaseRef)
	passed, waits, tip := 0, false, base.String()
	for n, i := range first {
		entry := i.Pull.Queue
		if entry.Head == "" || entry.Base != tip {
			waits = true
			break
		}
		tip = entry.Head
		switch s.groupState(repo, i) {
		case "":
			passed = n + 1
		case lackFailing:
		default:
			waits = true
		}
	}
	switch {
	case passed > 0:
		return true, s.mergeQueued(repo, first[:passed])
	case waits:
		return false, nil
	default:
		s.leaveQueue(first[0].Pull.Queue.ByID, repo, first[0], leftFailed)
		return true, nil
	}
}

// groupState returns how the required checks of a pull request's merge group stand, empty
// if they have passed.
func (s *State) groupState(repo *Repo, i *Issue) string {
	state := ""
	for _, source := range sourcesFor(repo, headsPrefix+i.Pull.BaseRef) {
		for _, rule := range source.rules {
			if rule.Type != RuleStatusChecks {
				continue
			}
			lacking, _ := s.lackingChecks(repo, i.Pull.Queue.Head, rule.Checks)
			for _, check := range lacking {
				if check.state == lackFailing {
					return lackFailing
				}
				state = check.state
			}
		}
	}
	return state
}

// mergeQueued has the base of pull requests be the merge group of the last, which has
// passed.
func (s *State) mergeQueued(repo *Repo, merged []*Issue) (err error) {
	branch := merged[0].Pull.BaseRef
	method, last := s.QueueRule(repo, branch).method(), *merged[len(merged)-1].Pull.Queue
	by := make([]ID, len(merged))
	for n, i := range merged {
		entry := *i.Pull.Queue
		by[n], i.Pull.MergeMethod = entry.ByID, method
		s.leaveQueue(entry.ByID, repo, i, leftMerged)
		s.Advance()
		s.markMerged(entry.ByID, i, plumbing.NewHash(entry.Base), plumbing.NewHash(entry.Head))
	}
	s.because(CauseMerge, func() { err = s.setRef(last.ByID, repo, headsPrefix+branch, plumbing.NewHash(last.Head)) })
	if err != nil {
		return err
	}
	for n, i := range merged {
		s.closeAll(by[n], s.Closes(i), closer{pull: i.ID})
		if repo.DeleteBranchOnMerge {
			s.because(CauseMergedBranch, func() { s.deleteMerged(by[n], repo, i) })
		}
	}
	return nil
}

// buildNext makes the merge group of the first pull request that has none where the
// ones before it lead, and reports whether there was such a one.
func (s *State) buildNext(repo *Repo, queue []*Issue, rule *QueueRule) (bool, error) {
	tip, _ := s.BranchHead(repo, queue[0].Pull.BaseRef)
	for _, i := range queue {
		entry := i.Pull.Queue
		if entry.Head != "" && entry.Base == tip.String() {
			tip = plumbing.NewHash(entry.Head)
			continue
		}
		s.dropGroup(entry.ByID, repo, i, leftRetracted)
		return true, s.build(repo, i, tip, rule)
	}
	return false, nil
}

// build makes the merge group of a pull request, on which its checks run.
func (s *State) build(repo *Repo, i *Issue, on gitstore.Hash, rule *QueueRule) error {
	entry := i.Pull.Queue
	merged, err := testMerge(repo.Git.Clone(), on, plumbing.NewHash(i.Pull.HeadSHA))
	if err != nil {
		return err
	}
	if merged.IsZero() {
		s.leaveQueue(entry.ByID, repo, i, leftConflict)
		return nil
	}
	commit, err := s.mergeCommit(entry.ByID, repo, i, on, Merge{Method: rule.method()})
	if err != nil {
		return err
	}
	s.Advance()
	entry.Base = on.String()
	ref := groupRef(i)
	s.emit(Happening{
		Event: "merge_group", Action: "checks_requested", RepoID: repo.ID, ActorID: entry.ByID, Issue: i,
		Ref: ref, Before: entry.Base, After: commit.String(),
	})
	if err := s.setRef(entry.ByID, repo, ref, commit); err != nil {
		return err
	}
	// Nothing is merged by what a push to the group runs before the group's own runs.
	entry.Head = commit.String()
	s.startRuns(trigger{repo: repo, actor: entry.ByID, event: "merge_group", branch: ref[len(headsPrefix):], sha: entry.Head})
	return nil
}

// queueReady goes on with the queue of which a commit is the head of a merge group.
func (s *State) queueReady(repo *Repo, head string) {
	for _, i := range s.openPulls(repo, func(p *Pull) bool { return p.Queue != nil && p.Queue.Head == head }) {
		// What cannot be merged after all stays where it is.
		s.because(CauseQueue, func() { _ = s.runQueue(repo, i.Pull.BaseRef) })
		return
	}
}

// unqueue has a pull request leave the queue that it is in, if it is in one, because it
// is not any more what was put there.
func (s *State) unqueue(actor ID, i *Issue) {
	if i.Pull == nil || i.Pull.Queue == nil {
		return
	}
	repo, branch := s.Repos.Get(i.RepoID), i.Pull.BaseRef
	s.leaveQueue(actor, repo, i, leftRetracted)
	s.because(CauseQueue, func() { _ = s.runQueue(repo, branch) })
}
