package scene

import "slices"

// issues draws the issues: those that scenarios are about, and others between and
// before them.
func (d *drawing) issues() {
	s, t := d.scene, d.corpus.issues
	add := func(resource string, texts *deck[About], more Issue) {
		more.Resource = resource
		_, more.Title, more.Body, _ = about(d, texts)
		if more.Labels == nil {
			more.Labels = d.labelled(0, 2)
		}
		s.Issues = append(s.Issues, more)
	}
	add("issue", d.tasks, Issue{Labels: d.labelled(2, 4), Comments: d.comments(1, 4)})
	add("parent_issue", newDeck(d.random, t.Goals), Issue{Child: "child_issue"})
	add("blocker_issue", newDeck(d.random, t.Blockers), Issue{})
	add("child_issue", newDeck(d.random, t.Steps), Issue{Parent: "parent_issue", Blocker: "blocker_issue"})
	kind, triage := 0, d.bugs
	if d.random.IntN(2) == 1 {
		kind, triage = 1, newDeck(d.random, t.Wishes)
	}
	add("issue_for_triage", triage, Issue{Kind: s.Kinds[kind]})
	add("issue_to_close", newDeck(d.random, t.Done), Issue{Comments: d.comments(0, 1)})
	add("closed_issue", d.tasks, Issue{Closed: true})
	add("issue_prepared", d.bugs, Issue{Labels: append([]string{s.Kinds[0]}, d.labelled(1, 3)...), Assigned: true, Assignee: one(d.random, d.people)})
	add("linked_issue", d.bugs, Issue{})
	for range d.between(0, 3) {
		add("", d.tasks, Issue{})
	}

	s.Adding = d.adding()
	s.Setting = some(d.random, s.LabelNames(), d.between(1, 3))
	slices.Sort(s.Setting)
	s.Assignees, s.Reviewers = some(d.random, d.people, 1), some(d.random, d.people, d.between(1, 2))
	d.earlier()
}

// adding draws a label that the issue for triage does not have.
func (d *drawing) adding() []string {
	triage, _ := d.scene.Issue("issue_for_triage")
	free := slices.DeleteFunc(d.scene.LabelNames(), func(name string) bool { return slices.Contains(triage.Labels, name) })
	return some(d.random, free, 1)
}

// comments draws comments of an issue or pull request.
func (d *drawing) comments(low, high int) (comments []Comment) {
	texts := newDeck(d.random, d.corpus.issues.Comments)
	for range d.between(low, high) {
		comments = append(comments, Comment{ByReviewer: d.random.IntN(2) == 0, Body: d.title(texts.deal())})
	}
	return comments
}

// earlier draws issues that were there before.
func (d *drawing) earlier() {
	t := d.corpus.issues
	pool := newDeck(d.random, slices.Concat(t.Tasks, t.Wishes, t.Done))
	for range d.between(2, 12) {
		var i Issue
		_, i.Title, i.Body, _ = about(d, pool)
		i.Labels, i.Closed, i.Comments = d.labelled(0, 3), d.random.IntN(2) == 0, d.comments(0, 2)
		i.Author = one(d.random, d.people)
		d.scene.Ground.Issues = append(d.scene.Ground.Issues, i)
	}
}
