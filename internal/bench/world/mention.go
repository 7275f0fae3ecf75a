package world

import (
	"regexp"
	"slices"
	"time"
)

// mentionSign begins the name of a placeholder that stands for the number of an
// issue or pull request, which only making it tells.
const mentionSign = "#"

// mention is what drawing leaves of such a placeholder.
var mention = regexp.MustCompile(`\{\{#([a-z][a-z0-9_]*)\}\}`)

// Refer returns a text with references in the place of the names that it has of
// issues and pull requests, as "#12".
func Refer(text string, reference func(name string) string) string {
	return mention.ReplaceAllStringFunc(text, func(found string) string {
		return reference(mention.FindStringSubmatch(found)[1])
	})
}

// mayRefer reports whether a place is a text of an issue's or a pull request's.
func mayRefer(path []string) bool {
	const steps = 5 // repositories/0/issues/0/body at least
	return len(path) >= steps && path[len(path)-1] == "body" && slices.Contains([]string{"issues", "pulls"}, path[2])
}

// mentions checks that texts refer to what is there when they are written.
func (c *repositoryChecker) mentions() {
	opened := map[string]time.Time{}
	for _, i := range c.repo.Issues {
		opened[i.As] = i.When.Time
	}
	for _, p := range c.repo.Pulls {
		opened[p.As] = p.When.Time
	}
	in := func(at Place, text string, written time.Time) {
		for _, found := range mention.FindAllStringSubmatch(text, -1) {
			object, known := c.known(at, "body", found[1])
			began, is := opened[found[1]]
			switch {
			case !known:
			case !is || object.kind != KindIssue && object.kind != KindPull:
				c.problem(at, "body", "%q is %s: want an issue or a pull request of this repository", found[1], object.kind.article())
			case !began.Before(written):
				c.problem(at, "body", "%q is opened at %s, not before this is written", found[1], began.Format(time.RFC3339))
			}
		}
	}
	discussion := func(i Conversation) {
		in(i.Place, i.Body, i.When.Time)
		for _, one := range i.Comments {
			in(one.Place, one.Body, one.When.Time)
		}
	}
	for _, i := range c.repo.Issues {
		discussion(i.Conversation)
	}
	for _, p := range c.repo.Pulls {
		discussion(p.Conversation)
		for _, r := range p.Reviews {
			in(r.Place, r.Body, r.When.Time)
			for _, t := range r.Threads {
				in(t.Place, t.Body, r.When.Time)
				for _, one := range t.Replies {
					in(one.Place, one.Body, one.When.Time)
				}
			}
		}
	}
}
