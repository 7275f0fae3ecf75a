package world

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// checker finds what is wrong with a drawn plan, and tells it at its place in
// the file.
type checker struct {
	world *World
	plan  *Plan
	// people and organizations are accounts by login.
	people, organizations map[string]Account
	// names are the objects that have one, by it.
	names map[string]named
	// bytes are those that files of the folder, and of releases, come to.
	bytes    int
	problems jsondoc.Problems
}

// named is an object that has a name.
type named struct {
	kind Kind
	// repository is the one that it belongs to, empty for a board.
	repository string
	// fields are those of the manifest.
	fields []string
}

// maxProblems is how many problems are told: one mistake that is repeated makes
// thousands.
const maxProblems = 100

func (c *checker) full() bool { return len(c.problems) >= maxProblems }

func (c *checker) problem(at Place, field, format string, args ...any) {
	if c.full() {
		return
	}
	path := slices.Clone(at.At)
	if field != "" {
		path = append(path, strings.Split(field, "/")...)
	}
	c.problems = append(c.problems, c.world.doc.Problem(path, format, args...))
}

// check finds what is wrong.
func (c *checker) check() {
	c.people, c.organizations, c.names = map[string]Account{}, map[string]Account{}, map[string]named{}
	c.accounts()
	seen := map[string]bool{}
	for i := range c.plan.Repositories {
		r := &c.plan.Repositories[i]
		if name := strings.ToLower(r.Name); seen[name] {
			c.problem(r.Place, "name", "%q is there twice", r.Name)
		} else {
			seen[name] = true
		}
		newRepositoryChecker(c, r).check()
	}
	if c.plan.Repositories == nil && c.plan.Setup == nil {
		c.problem(Place{}, "", "makes nothing: want repositories, or a setup script")
	}
	for i := range c.plan.Projects {
		c.project(&c.plan.Projects[i])
	}
	c.resources()
	c.setup()
}

func (c *checker) accounts() {
	seen := map[string]bool{}
	for _, a := range c.plan.Accounts {
		if key := strings.ToLower(a.Login); seen[key] {
			c.problem(a.Place, "login", "%q is there twice", a.Login)
		} else {
			seen[key] = true
		}
		if a.Organization() {
			c.organizations[a.Login] = a
		} else {
			c.people[a.Login] = a
		}
	}
	for _, a := range c.plan.Accounts {
		if len(a.Members) > 0 && !a.Organization() {
			c.problem(a.Place, "members", "%s is a user, who has no members", a.Login)
		}
		for _, login := range sortedKeys(a.Members) {
			c.person(a.Place, "members/"+login, login)
		}
	}
	c.person(Place{}, "agent", c.plan.Agent)
}

// person checks that a login is a user's.
func (c *checker) person(at Place, field, login string) bool {
	if _, known := c.people[login]; known {
		return true
	}
	if _, known := c.organizations[login]; known {
		c.problem(at, field, "%q is an organization: want a user", login)
		return false
	}
	c.problem(at, field, "there is no account %q%s", login, meant(c, login, c.people))
	return false
}

// author is [checker.person] for who may be left out.
func (c *checker) author(at Place, login string) {
	if login != "" {
		c.person(at, "by", login)
	}
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// name notes an object's name, if it has one.
func (c *checker) name(at Place, field, name string, object named) {
	if name == "" {
		return
	}
	_, taken := c.names[name]
	switch {
	case !nameForm.MatchString(name) || name == bench.MetadataResource:
		c.problem(at, field, "%q is no name of a resource: want small letters, digits and _, and not %q", name, bench.MetadataResource)
	case taken:
		c.problem(at, field, "%q is the name of another object too", name)
	default:
		c.names[name] = object
	}
}

// known returns the object of a name.
func (c *checker) known(at Place, field, name string) (named, bool) {
	object, known := c.names[name]
	if !known {
		c.problem(at, field, "there is no object %q%s", name, meant(c, name, c.names))
	}
	return object, known
}

// statusField is the field that every board has, with options of its own.
const statusField = "Status"

func (c *checker) project(p *Project) {
	if _, isOrganization := c.organizations[p.Owner]; !isOrganization {
		c.person(p.Place, "owner", p.Owner)
	}
	c.author(p.Place, p.By)
	c.name(p.Place, "as", p.As, named{kind: KindProject})
	fields := map[string]Field{statusField: {Name: statusField, Type: "single_select", Options: []string{"Todo", "In Progress", "Done"}}}
	for _, f := range p.Fields {
		if _, twice := fields[f.Name]; twice {
			c.problem(f.Place, "name", "%q is there twice", f.Name)
		}
		if (f.Type == "single_select") != (len(f.Options) > 0) {
			c.problem(f.Place, "options", "go with type single_select, which needs them")
		}
		fields[f.Name] = f
		c.name(f.Place, "as", f.As, named{kind: KindField})
	}
	for _, item := range p.Items {
		c.item(item, fields)
	}
}

func (c *checker) item(item Item, fields map[string]Field) {
	switch {
	case (item.Of == "") == (item.Title == ""):
		c.problem(item.Place, "", "must have one of \"of\" and \"title\"")
	case item.Of != "":
		if object, known := c.known(item.Place, "of", item.Of); known && object.kind != KindIssue && object.kind != KindPull {
			c.problem(item.Place, "of", "%q is %s: want an issue or a pull request", item.Of, object.kind.article())
		}
	}
	c.name(item.Place, "as", item.As, named{kind: KindItem})
	for _, name := range sortedKeys(item.Values) {
		field, known := fields[name]
		text, isText := item.Values[name].(string)
		switch {
		case !known:
			c.problem(item.Place, "values/"+name, "there is no field %q%s", name, meant(c, name, fields))
		case field.Type == "single_select" && !slices.Contains(field.Options, text):
			c.problem(item.Place, "values/"+name, "%s has no option %s%s", name, jsondoc.Show(item.Values[name]), jsondoc.DidYouMean(text, field.Options))
		case (field.Type == "number") == isText:
			c.problem(item.Place, "values/"+name, "must be a %s, is %s", field.Type, jsondoc.Show(item.Values[name]))
		}
	}
}

// resources checks the further names.
func (c *checker) resources() {
	for _, name := range sortedKeys(c.plan.Resources) {
		r := c.plan.Resources[name]
		object := named{kind: KindDrawn, fields: sortedKeys(r.With)}
		if r.Is != "" {
			meant, known := c.known(r.Place, "is", r.Is)
			if !known {
				continue
			}
			object.kind, object.fields = meant.kind, append(object.fields, meant.fields...)
		}
		c.name(r.Place, "", name, object)
	}
}

func (c *checker) setup() {
	s := c.plan.Setup
	if s == nil {
		return
	}
	if _, exists := c.world.files[s.Script]; !exists {
		c.missingFile(s.Place, "script", s.Script)
	}
	for _, name := range sortedKeys(s.Makes) {
		c.name(s.Place, "makes/"+name, name, named{kind: KindDrawn, fields: s.Makes[name]})
	}
}

func (c *checker) missingFile(at Place, field, name string) {
	c.problem(at, field, "there is no file %q in the world's folder %s%s", name, c.world.Name, meant(c, name, c.world.files))
}

// cycle returns the names along a cycle of references, nil if there is none.
func cycle(next map[string][]string) []string {
	const visiting, done = 1, 2
	state := map[string]int{}
	var trail []string
	var visit func(name string) []string
	visit = func(name string) []string {
		switch state[name] {
		case visiting:
			return append(slices.Clone(trail[slices.Index(trail, name):]), name)
		case done:
			return nil
		}
		state[name] = visiting
		trail = append(trail, name)
		for _, other := range next[name] {
			if found := visit(other); found != nil {
				return found
			}
		}
		trail = trail[:len(trail)-1]
		state[name] = done
		return nil
	}
	for _, name := range sortedKeys(next) {
		if found := visit(name); found != nil {
			return found
		}
	}
	return nil
}

// meant says which of the known names was probably meant.
func meant[V any](c *checker, name string, known map[string]V) string {
	if c.full() {
		return ""
	}
	return jsondoc.DidYouMean(name, sortedKeys(known))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
