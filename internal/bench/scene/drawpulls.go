package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// mark ends a line that remarks are about.
const mark = " «!»"

// reactions are all that there are.
var reactions = []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}

// pulls draws the pull requests.
func (d *drawing) pulls() {
	s := d.scene
	for _, resource := range []string{"pr", "pr_with_checks", "pr_mergeable", "pr_linked", "pr_behind", "pr_assigned", "pr_with_reactions"} {
		p := d.change(resource)
		switch resource {
		case "pr_linked":
			p.Issue = "linked_issue"
		case "pr_behind":
			s.BehindBase = d.branch()
			p.Base = s.BehindBase
			p.Facts = map[string]any{"path": p.Path, "file_sha": plumbing.ComputeHash(plumbing.BlobObject, []byte(p.File)).String()}
		case "pr_assigned":
			p.Assigned, p.Assignee = true, one(d.random, d.people)
		case "pr_with_reactions":
			p.Reactions, p.Comments = some(d.random, reactions, d.between(1, 4)), d.comments(1, 4)
			for i := range p.Comments {
				p.Comments[i].Reactions = some(d.random, reactions, d.between(0, 3))
			}
		}
		s.Pulls = append(s.Pulls, p)
	}
	files := newDeck(d.random, d.corpus.code.Reviewed)
	s.Pulls = append(s.Pulls, d.reviewed("pr_with_reviews", files, unresolvedReviewed), d.reviewed("pr_with_mixed_threads", files, unresolvedMixed), d.buggy(), d.failing(), d.toCheck())
	for range d.between(0, 2) {
		s.Pulls = append(s.Pulls, d.change(""))
	}
	s.RunsBranch = d.branch()
}

// How many threads are unresolved where scenarios count on it.
const (
	unresolvedReviewed = 3
	unresolvedMixed    = 2
)

// change draws a pull request that scenarios need nothing of but that it is there.
func (d *drawing) change(resource string) Pull {
	p := Pull{Resource: resource, Branch: d.branch(), Labels: d.labelled(0, 2)}
	c, title, body, with := about(d, d.changes)
	p.Title, p.Body = title, body
	p.Path, p.File = c.Path, with.fill(c.File.File)
	return p
}

// branch draws the name of a branch.
func (d *drawing) branch() string {
	name := d.unique([]string{
		"feature/«noun»-«noun:2»", "fix/«adjective»-«noun»", "«noun»/«adjective»-«2..99»", "work-«month»-«noun»", "«person»-«noun»-«2..99»", "topic/«noun»-«100..999»",
	})
	return strings.ToLower(name)
}

// numbered returns the number of the marked line, from 1, and a text without
// marks.
func numbered(text string) (line int, unmarked string) {
	for n, l := range strings.Split(text, "\n") {
		if strings.HasSuffix(l, mark) {
			line = n + 1
		}
	}
	return line, strings.ReplaceAll(text, mark, "")
}

// header draws lines that a file begins with, so that the same code is on other
// lines.
func (d *drawing) header() string {
	var lines strings.Builder
	for _, line := range some(d.random, []string{
		"// Written for the «event».", "// Ask «person» before you change this.", "// See «component».", "// «key» is in the configuration.", "// Version «2..9» of this file.",
	}, d.between(0, 4)) {
		lines.WriteString(d.apart().fill(line) + "\n")
	}
	if lines.Len() > 0 {
		lines.WriteString("\n")
	}
	return lines.String()
}

// reviewed draws a pull request with threads, so many of which are unresolved.
func (d *drawing) reviewed(resource string, files *deck[reviewedFile], unresolved int) Pull {
	f, title, body, with := about(d, files)
	p := Pull{
		Resource: resource, Branch: d.branch(), Labels: d.labelled(0, 2), Title: title, Body: body, Path: one(d.random, f.Path),
		OneReview: unresolved == unresolvedMixed,
	}
	parts := some(d.random, f.Parts, unresolved+d.between(1, 3))
	file := d.header()
	for _, part := range parts {
		line, code := numbered(with.fill(part.Code))
		p.Threads = append(p.Threads, Thread{Line: strings.Count(file, "\n") + line, Body: with.fill(one(d.random, part.Remarks)), Resolved: true})
		file += code + "\n\n"
	}
	p.File = strings.TrimSuffix(file, "\n")
	for _, at := range some(d.random, indexes(len(parts)), unresolved) {
		p.Threads[at].Resolved = false
	}
	p.Threads = some(d.random, p.Threads, len(p.Threads))
	return p
}

func indexes(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// wrongParts is how many bugs there are to be found.
const wrongParts = 2

// buggy draws a pull request with bugs.
func (d *drawing) buggy() Pull {
	f, title, body, with := about(d, newDeck(d.random, d.corpus.code.Buggy))
	p := Pull{Resource: "pr_with_bugs", Branch: d.branch(), Labels: d.labelled(0, 2), Title: title, Body: body, Path: with.fill(one(d.random, f.Path))}
	parts := slices.Concat(some(d.random, f.Wrong, wrongParts), some(d.random, f.Right, d.between(0, 2)))
	file, lines := d.header(), []any{}
	for _, part := range some(d.random, parts, len(parts)) {
		line, code := numbered(with.fill(part))
		if line > 0 {
			lines = append(lines, strings.Count(file, "\n")+line)
		}
		file += code + "\n\n"
	}
	p.File = strings.TrimSuffix(file, "\n")
	p.Facts = map[string]any{"path": p.Path, "wrong_lines": lines}
	return p
}

// failing draws a pull request whose tests fail. How they do is told with the
// workflows.
func (d *drawing) failing() Pull {
	t, title, body, with := about(d, newDeck(d.random, d.corpus.code.Failing))
	p := Pull{Resource: "pr_failing_checks", Branch: d.branch(), Labels: d.labelled(0, 2), Title: title, Body: body, Path: t.Path}
	got, want := with.fill(t.Got), with.fill(t.Want)
	file := fmt.Sprintf("import assert from \"node:assert/strict\"\nimport { test } from \"node:test\"\n\n%s%s\ntest(%q, () => {\n  assert.equal(%s, %s)\n})\n",
		d.header(), with.fill(t.Code), t.Name, with.fill(t.Call), want)
	p.File = file
	line := strings.Count(file[:strings.Index(file, "assert.equal")], "\n") + 1
	assertion := got + " !== " + want
	d.failedTests = fmt.Sprintf("Run npm test\nnot ok 1 - %s\n  location: '%s:%d:3'\n  error: Expected values to be strictly equal: %s\n  expected: %s\n  actual: %s\n# tests %d\n# pass %d\n# fail 1\n",
		t.Name, t.Path, line, assertion, want, got, d.between(2, 9), d.between(1, 8))
	p.Facts = map[string]any{"assertion_pattern": `\b` + regexp.QuoteMeta(assertion) + `\b`}
	return p
}

// toCheck draws a pull request that can be merged, or not, for one of several
// reasons.
func (d *drawing) toCheck() Pull {
	p := d.change("pr_to_check")
	verdicts := []string{"", "APPROVE", "REQUEST_CHANGES"}
	state := d.turn(4*len(verdicts), 5)
	switch state % 4 {
	case 0:
		p.Draft = true
	case 1:
		p.Conflicts = true
		p.Base = d.branch()
	case 2:
		d.failingBranches = append(d.failingBranches, p.Branch)
	}
	p.Verdict = verdicts[state/4]
	return p
}
