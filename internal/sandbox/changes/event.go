package changes

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Event is one entry of a world's log: what became of one object by one
// request.
type Event struct {
	// Seq counts from 1.
	Seq int `json:"seq"`
	// Request is the number of the request in the audit log, from 1; 0 for what
	// was set up without one.
	Request int `json:"request"`
	// Time is the world's.
	Time time.Time `json:"time"`
	// Actor is the login of who made the request, empty for the world itself.
	Actor string `json:"actor,omitempty"`
	// Cause is empty for what the request asked for. Otherwise it is what GitHub's own
	// rules did it in consequence of, the nearest where there are several: one
	// of the causes that package model names.
	Cause string `json:"cause,omitempty"`
	// Act is the number, from 1, of what was done as a whole: all that a request
	// changed, or a field of a mutation. What has a cause follows from what its
	// act was asked for.
	Act int `json:"act"`
	// Told are those whom GitHub sends a notification of it.
	Told []Told `json:"told,omitempty"`
	Change
}

// Told is somebody who is sent a notification, which nothing takes back.
type Told struct {
	Login string `json:"login"`
	// Reason is GitHub's: assign, review_requested, mention, team_mention,
	// state_change or subscribed.
	Reason string `json:"reason"`
}

// Of returns what a stretch of changes comes to, without numbers, requests, acts
// and actors: table by table, each in the order of creation, and the refs of
// repositories last.
func Of(st model.Stretch) []Event {
	var events []Event
	for row := range st.Rows() {
		if c, differs := rowChange(st.Before, st.After, row); differs {
			events = append(events, Event{Time: st.After.Now, Cause: st.CauseOf(row.ID), Told: told(st, row.ID), Change: c})
		}
	}
	for ref := range st.Refs() {
		if c, known := refChange(st.Before, st.After, ref); known {
			events = append(events, Event{Time: st.After.Now, Cause: cmp.Or(ref.Cause, st.Cause), Change: c})
		}
	}
	return events
}

// told are those who are told of the change of a row, by name.
func told(st model.Stretch, row model.ID) []Told {
	var all []Told
	for _, t := range st.Told(row) {
		all = append(all, Told{Login: st.After.Login(t.UserID), Reason: t.Reason})
	}
	return all
}

// object tells the objects of a log apart. Refs have no ids.
type object struct {
	kind, name string
	id         int64
}

func objectOf(o Object) object {
	if o.ID != 0 {
		return object{kind: o.Kind, id: o.ID}
	}
	return object{kind: o.Kind, name: o.Name}
}

// Net returns what events come to in the end, one change for each object that
// is not as it was, in the order of their first events.
func Net(events []Event) []Change {
	var net []*Change
	at := map[object]*Change{}
	for _, e := range events {
		key := objectOf(e.Object)
		known := at[key]
		if known == nil {
			first := e.Change
			first.Fields = slices.Clone(e.Fields)
			at[key] = &first
			net = append(net, &first)
			continue
		}
		known.follow(e.Change)
	}
	var left []Change
	for _, c := range net {
		if c.Kind != "" && (c.Kind != Changed || len(c.Fields) > 0) {
			left = append(left, *c)
		}
	}
	return left
}

// follow makes a change one that the next one of the same object is a part of.
// The kind is empty for an object that was not there and is not there.
func (c *Change) follow(next Change) {
	switch {
	case next.Kind == Deleted && c.Kind == Created:
		*c = Change{Object: c.Object}
		return
	case next.Kind == Deleted:
		// What it was at first counts, not what it was when it was deleted.
		for _, f := range next.Fields {
			c.set(Field{Name: f.Name, Before: f.Before})
		}
		c.Fields = slices.DeleteFunc(c.Fields, func(f Field) bool { return field{value: f.Before}.empty() })
	case next.Kind == Created && c.Kind == Deleted:
		for _, f := range next.Fields {
			c.set(f)
		}
		next.Kind = Changed
	case next.Kind == Created:
		c.Fields = slices.Clone(next.Fields)
	default:
		next.Kind = c.Kind
		for _, f := range next.Fields {
			c.set(f)
		}
	}
	c.Kind, c.Object = next.Kind, next.Object
}

// set changes a field further. Of a new object, what is empty is left out.
func (c *Change) set(f Field) {
	if c.Kind == Created {
		f.Before = nil
	}
	at := slices.IndexFunc(c.Fields, func(old Field) bool { return old.Name == f.Name })
	if at < 0 {
		c.Fields = append(c.Fields, f)
		return
	}
	now := &c.Fields[at]
	now.After = f.After
	unchanged := now.After != secretValue && reflect.DeepEqual(now.Before, now.After)
	if unchanged || c.Kind == Created && (field{value: now.After}).empty() {
		c.Fields = slices.Delete(c.Fields, at, at+1)
	}
}
