package world

import (
	"time"
)

// The time that passes between things whose time is not given.
const (
	gap       = 90 * time.Minute
	commitGap = 35 * time.Minute
)

// schedule gives every moment of a plan its time.
func (c *checker) schedule() {
	if c.plan.Start.IsZero() {
		return
	}
	for i := range c.plan.Repositories {
		c.repositoryTimes(&c.plan.Repositories[i])
	}
	last := c.plan.Start
	for i := range c.plan.Projects {
		p := &c.plan.Projects[i]
		last = c.moment(p.Place, "at", &p.When, c.plan.Start, last.Add(gap))
	}
}

// moment sets a time: the one that is given, which must not be before the
// earliest, or else the usual one.
func (c *checker) moment(at Place, field string, m *Moment, earliest, usual time.Time) time.Time {
	given, err := m.from(c.plan.Start)
	switch {
	case err != nil:
		c.problem(at, field, "%v", err)
	case given.IsZero():
		m.Time = usual
		return usual
	case given.Before(earliest):
		c.problem(at, field, "is %s, before what it comes after, which is at %s", given.Format(time.RFC3339), earliest.Format(time.RFC3339))
	}
	m.Time = given
	return given
}

func (c *checker) repositoryTimes(r *Repository) {
	start := c.plan.Start
	last := start
	for i := range r.History {
		h := &r.History[i]
		if h.Grow != nil {
			from := c.moment(h.Grow.Place, "from", &h.Grow.From, start, last.Add(gap))
			last = c.moment(h.Grow.Place, "to", &h.Grow.To, from, from.Add(gap))
			continue
		}
		last = c.moment(h.Place, "at", &h.When, start, last.Add(gap))
	}
	for i := range r.Branches {
		b := &r.Branches[i]
		last = c.moment(b.Place, "at", &b.When, start, last.Add(gap))
		c.commitTimes(b.Commits, b.When.Time)
	}
	for i := range r.Milestones {
		m := &r.Milestones[i]
		c.moment(m.Place, "at", &m.When, start, start.Add(gap))
		c.moment(m.Place, "due", &m.Due, m.When.Time, time.Time{})
	}
	last = start
	for i := range r.Issues {
		last = c.conversationTimes(&r.Issues[i].Conversation, last)
	}
	last = start
	for i := range r.Pulls {
		last = c.pullTimes(&r.Pulls[i], last)
	}
	last = start
	for i := range r.Dispatches {
		d := &r.Dispatches[i]
		last = c.moment(d.Place, "at", &d.When, start, last.Add(gap))
	}
	for i := range r.Releases {
		p := &r.Releases[i]
		last = c.moment(p.Place, "at", &p.When, start, last.Add(gap))
	}
}

func (c *checker) commitTimes(commits []Commit, from time.Time) {
	last := from
	for i := range commits {
		last = c.moment(commits[i].Place, "at", &commits[i].When, last, last.Add(commitGap))
	}
}

// conversationTimes sets the times of an issue or pull request and returns when
// it was opened.
func (c *checker) conversationTimes(i *Conversation, last time.Time) time.Time {
	opened := c.moment(i.Place, "at", &i.When, c.plan.Start, last.Add(gap))
	end := c.commentTimes(i.Comments, opened)
	if i.Closed != nil {
		c.moment(i.Closed.Place, "at", &i.Closed.When, opened, end.Add(gap))
	}
	return opened
}

// commentTimes returns the time of the last comment.
func (c *checker) commentTimes(comments []Comment, from time.Time) time.Time {
	last := from
	for n := range comments {
		last = c.moment(comments[n].Place, "at", &comments[n].When, from, last.Add(gap))
	}
	return last
}

func (c *checker) pullTimes(p *Pull, last time.Time) time.Time {
	opened := c.conversationTimes(&p.Conversation, last)
	end := opened
	// Its commits are there before it is opened, unless they say otherwise.
	first := opened.Add(-time.Duration(len(p.Commits)) * commitGap)
	for n := range p.Commits {
		k := &p.Commits[n]
		at := c.moment(k.Place, "at", &k.When, c.plan.Start, first.Add(time.Duration(n)*commitGap))
		end = later(end, at)
	}
	for n := range p.Reviews {
		r := &p.Reviews[n]
		end = later(end, c.moment(r.Place, "at", &r.When, opened, end.Add(gap)))
		for t := range r.Threads {
			end = later(end, c.commentTimes(r.Threads[t].Replies, r.When.Time))
		}
	}
	if n := len(p.Comments); n > 0 {
		end = later(end, p.Comments[n-1].When.Time)
	}
	if p.Merged != nil {
		c.moment(p.Merged.Place, "at", &p.Merged.When, opened, end.Add(gap))
	}
	return opened
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
