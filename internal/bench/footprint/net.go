package footprint

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// lasting are the kinds of object whose making or moving cannot be undone:
// people are told, machines start.
var lasting = []string{"comment", "review", "review comment", "review thread", "branch", "tag", "workflow run", "release", "webhook"}

// Net joins the changes of each object into one: from what it was at first to
// what it is at last. What is back to what it was is left out, unless it cannot
// be undone. What followed from others is kept apart from what was asked for.
// The order is that of the first change of each.
func Net(seen []bench.Change) []bench.Change {
	var order []object
	joined := map[object][]bench.Change{}
	vanished := vanished(seen)
	for _, c := range seen {
		if vanished[anyhow(c)] {
			continue
		}
		o := objectOf(c)
		if joined[o] == nil {
			order = append(order, o)
		}
		joined[o] = append(joined[o], c)
	}
	var net []bench.Change
	for _, o := range order {
		if c, any := join(joined[o]); any {
			net = append(net, c)
		}
	}
	return net
}

// vanished returns the objects that were made and are gone, whatever made them,
// and can be undone.
func vanished(seen []bench.Change) map[object]bool {
	gone, made := map[object]bool{}, map[object]bool{}
	for _, c := range seen {
		o := anyhow(c)
		if _, known := made[o]; !known {
			made[o] = c.Kind == bench.ChangeCreated && !slices.Contains(lasting, c.Object)
		}
		gone[o] = made[o] && c.Kind == bench.ChangeDeleted
	}
	return gone
}

// anyhow is a change's object, whatever the cause.
func anyhow(c bench.Change) object {
	c.Cause = ""
	return objectOf(c)
}

// object is one whose changes are joined.
type object struct {
	kind, id, cause string
}

func objectOf(c bench.Change) object { return object{c.Object, identity(c), c.Cause} }

// identity tells an object from others of its kind: by its id, which stays when
// it is renamed, or by its name where it has none.
func identity(c bench.Change) string {
	if c.ID != 0 {
		return fmt.Sprint(c.ID)
	}
	return c.Name
}

// join makes one change of those of an object, which are in order. any is
// false if nothing is left of them.
func join(changes []bench.Change) (c bench.Change, any bool) {
	first, last := changes[0], changes[len(changes)-1]
	stays := slices.Contains(lasting, first.Object)
	c = last
	if first.Kind != bench.ChangeCreated {
		c.Name = first.Name
	}
	c.Fields, c.Told = fields(changes), told(changes)
	switch {
	case first.Kind == bench.ChangeCreated && last.Kind == bench.ChangeDeleted:
		c.Kind, c.Title, c.Fields = bench.ChangeCreated, first.Title, fields(changes[:len(changes)-1])
		return c, stays
	case first.Kind == bench.ChangeCreated:
		c.Kind = bench.ChangeCreated
		return c, true
	case last.Kind == bench.ChangeDeleted:
		c.Fields = nil
		return c, true
	case first.Kind == bench.ChangeDeleted:
		// It is there again under its name, as only a ref can be.
		c.Kind = bench.ChangeChanged
		return c, stays
	case len(c.Fields) == 0 && stays:
		c.Fields = last.Fields
	}
	return c, len(c.Fields) > 0
}

// told returns those who were told of any of an object's changes.
func told(changes []bench.Change) []bench.Told {
	var all []bench.Told
	for _, c := range changes {
		for _, t := range c.Told {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// fields joins those of an object's changes: each from its first value to its
// last. Those that have the same one again are left out.
func fields(changes []bench.Change) []bench.FieldChange {
	var joined []bench.FieldChange
	for _, c := range changes {
		for _, f := range c.Fields {
			at := slices.IndexFunc(joined, func(j bench.FieldChange) bool { return j.Name == f.Name })
			if at < 0 {
				joined = append(joined, f)
			} else {
				joined[at].After = f.After
			}
		}
	}
	return slices.DeleteFunc(joined, func(f bench.FieldChange) bool { return equal(f.Before, f.After) })
}
