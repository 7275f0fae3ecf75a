package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

// readWorlds reads the worlds that scenarios are in. One that the folder has not
// is the one that ships with the program. What is wrong with a world is told
// once, in its own file.
func (f *folder) readWorlds(fsys fs.FS) jsondoc.Problems {
	f.worlds = map[string]*world.World{}
	var problems jsondoc.Problems
	for i := range f.sources {
		s := &f.sources[i]
		name := s.scenario.World()
		if name == "" {
			continue
		}
		if _, read := f.worlds[name]; !read {
			w, found := loadWorld(fsys, name)
			f.worlds[name] = w
			if problems = append(problems, found...); w == nil && found == nil {
				delete(f.worlds, name)
				problems = append(problems, s.doc.Problem([]string{"fixture", "world"}, "there is no world %q: want a file %s/%s.yaml%s",
					name, world.Folder, name, jsondoc.DidYouMean(name, append(world.Names(fsys), world.Names(scenarios.Files)...))))
			}
		}
		if w := f.worlds[name]; w != nil {
			// Rows of another world are not comparable.
			sum := sha256.Sum256([]byte(s.scenario.Hash + w.Hash))
			s.scenario.Hash = hex.EncodeToString(sum[:])
		}
	}
	return problems
}

// loadWorld returns a world, nil with its problems, or nil without any if there
// is none of that name.
func loadWorld(fsys fs.FS, name string) (*world.World, jsondoc.Problems) {
	at := slices.IndexFunc([]fs.FS{fsys, scenarios.Files}, func(f fs.FS) bool { return slices.Contains(world.Names(f), name) })
	if at < 0 {
		return nil, nil
	}
	w, err := world.Load([]fs.FS{fsys, scenarios.Files}[at], name)
	if err != nil {
		return nil, problemsOf(name, err)
	}
	return w, nil
}

// drawWorlds draws each world once.
func (f *folder) drawWorlds() jsondoc.Problems {
	var problems jsondoc.Problems
	for _, name := range slices.Sorted(maps.Keys(f.worlds)) {
		if f.worlds[name] == nil {
			continue
		}
		if _, err := f.worlds[name].Made(); err != nil {
			problems = append(problems, problemsOf(name, err)...)
		}
	}
	return problems
}

// problemsOf returns what is wrong with a world.
func problemsOf(name string, err error) jsondoc.Problems {
	if problems, listed := errors.AsType[jsondoc.Problems](err); listed {
		return problems
	}
	return jsondoc.Problems{atStart(world.Folder+"/"+name, "%v", err)}
}

// world checks that something makes what the scenario stands on.
func (c *checker) world() {
	where, made := c.made()
	if made == nil || c.scenario.Fixture == nil {
		return
	}
	for i, name := range c.scenario.Fixture.Requires {
		if _, makes := made[name]; !makes {
			c.problem([]string{"fixture", "requires", strconv.Itoa(i)}, "nothing in %s makes %q%s", where, name, jsondoc.DidYouMean(name, slices.Sorted(maps.Keys(made))))
		}
	}
	for _, destination := range slices.Sorted(maps.Keys(c.scenario.Fixture.Bindings)) {
		if message := lacks(made, c.scenario.Fixture.Bindings[destination]); message != "" {
			c.problem([]string{"fixture", "bindings", destination}, "%s", message)
		}
	}
}

// made returns what there can be to stand on, by the scenario's world or, if it
// has none of its own, by the fixtures, and which of them it is; nil where that
// is not known.
func (c *checker) made() (where string, made world.Made) {
	switch w := c.worlds[c.scenario.World()]; {
	case c.scenario.Target != nil:
		made = world.Made{}
		maps.Copy(made, c.scenario.Target.Makes)
		return "target.makes", made
	case w != nil:
		// It was drawn before; one that cannot be drawn makes nothing that is known.
		made, _ = w.Made()
		return fmt.Sprintf("the world %q", w.Name), made
	case c.scenario.World() != "":
		return "", nil
	default:
		return "the fixtures", c.fixtures
	}
}

// lacks says what of a manifest's path a world does not make, empty if it makes
// it. What is there of a resource that nothing makes is told elsewhere.
func lacks(made world.Made, from string) string {
	name, _ := resourceOf(from)
	fields, makes := made[name]
	if !makes {
		return ""
	}
	field := strings.Split(from, ".")[2]
	if slices.Contains(fields, field) {
		return ""
	}
	if suggestion := jsondoc.DidYouMean(field, fields); suggestion != "" {
		return name + " has no \"" + field + "\"" + suggestion
	}
	return name + " has no \"" + field + "\": it has " + strings.Join(slices.Sorted(slices.Values(fields)), ", ")
}
