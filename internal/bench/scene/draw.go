package scene

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// drawing is a scene that is being drawn.
type drawing struct {
	*phrases
	scene   *Scene
	corpus  *corpus
	changes *deck[change]
	tasks   *deck[About]
	bugs    *deck[About]
	// extras are the labels besides the two kinds.
	extras []Label
	people []string
	used   map[string]bool
	// failedTests is what failing tests print, failingBranches are branches whose
	// tests fail besides that of the pull request with failing checks.
	failedTests     string
	failingBranches []string
}

// Of returns the scene of a variation, or the one that does not vary for nil,
// with the seeding's id.
func Of(seedID string, v *bench.Variation) *Scene {
	if v == nil {
		return Plain(seedID)
	}
	return Draw(*v)
}

// Draw returns the scene of a variation. Equal variations are drawn equally.
func Draw(v bench.Variation) *Scene {
	random := rand.New(rand.NewPCG(v.Seed, uint64(v.Number)))
	c := source()
	d := &drawing{
		phrases: &phrases{random, c.words, map[string]string{}}, scene: &Scene{Variation: &v}, corpus: c, used: map[string]bool{},
		changes: newDeck(random, c.code.Changes), tasks: newDeck(random, c.issues.Tasks), bugs: newDeck(random, c.issues.Bugs),
		people: some(random, c.people.Logins, manyPeople),
	}
	d.said["project"] = d.word("project", "")
	d.ground()
	d.names()
	d.issues()
	d.pulls()
	d.workflows()
	d.given()
	d.organization()
	return d.scene
}

const manyPeople = 7

// How far worlds may begin apart from each other.
const (
	firstIDs   = 1_000_000
	manyIDs    = 1_000_000_000
	manyDays   = 500
	dayHours   = 24
	manyIssues = 2000
	manyRuns   = 300
	// numbersApart is more than the issues and pull requests of a scene.
	numbersApart = 97
)

// turn returns a whole number from 0 and below n that is another one in each of
// the next variations of a seed: a step further each time, around n.
func (d *drawing) turn(n, step int) int {
	v := d.scene.Variation
	first := rand.New(rand.NewPCG(v.Seed, uint64(n))).IntN(n)
	return (first + v.Number*step) % n
}

// ground draws what is there before anything is seeded.
func (d *drawing) ground() {
	p, about := d.corpus.people, d.apart()
	g := Ground{
		FirstID:  firstIDs + d.random.Int64N(manyIDs),
		Begin:    time.Date(2025, time.January, 6, 0, 0, 0, 0, time.UTC).AddDate(0, 0, d.random.IntN(manyDays)).Add(time.Duration(d.random.IntN(dayHours*3600)) * time.Second),
		Reviewer: d.people[0], Others: d.people[1:], Organization: one(d.random, p.Organizations),
		Description: sentence(about.fill(one(d.random, p.Descriptions))), Topics: some(d.random, p.Topics, d.between(1, 5)),
		Forks: d.between(0, 60), Stargazers: some(d.random, d.people[1:], d.between(0, 5)), Message: d.apart().fill(one(d.random, []string{"Import from the «noun» archive", "First version", "Start «project»", "Move here"})),
		LastNumber: 3 + d.turn(manyIssues, numbersApart), LastRun: d.between(1, manyRuns),
	}
	slices.Sort(g.Topics)
	g.Files = append(g.Files, File{"README.md", about.fill(one(d.random, p.Readmes))})
	g.Files = append(g.Files, File{"package.json", d.packageFile()})
	var exports strings.Builder
	for _, m := range some(d.random, d.corpus.code.Modules, d.between(3, 5)) {
		g.Files = append(g.Files, File{m.Path, d.apart().fill(m.File)})
		fmt.Fprintf(&exports, "export * from \"./%s.js\"\n", strings.TrimSuffix(strings.TrimPrefix(m.Path, "src/"), ".ts"))
	}
	g.Files = append(g.Files, File{"src/index.ts", exports.String()})
	d.scene.Ground = g
}

func (d *drawing) packageFile() string {
	return fmt.Sprintf(`{
  "name": %q,
  "version": "0.%d.%d",
  "private": true,
  "type": "module",
  "scripts": {
    "test": "node --test"
  }
}
`, strings.ToLower(d.said["project"]), d.between(2, 40), d.between(0, 9))
}

// names draws labels, milestones, releases and boards.
func (d *drawing) names() {
	p, s := d.corpus.people, d.scene
	s.Kinds = one(d.random, p.Kinds)
	d.extras = some(d.random, p.Labels, d.between(5, 9))
	all := slices.Clone(d.extras)
	for n, name := range s.Kinds {
		about := []string{"Something does not work", "Something new"}[n]
		all = append(all, Label{name, one(d.random, p.Colors), about})
	}
	s.Labels = some(d.random, all, len(all))
	s.Ground.Labels = s.Labels

	s.Milestone.Title = d.unique(p.Milestones)
	for range d.between(0, 3) {
		s.Ground.Milestones = append(s.Ground.Milestones, d.unique(p.Milestones))
	}

	major, minor := d.between(0, 6), d.between(1, 20)
	tag := func(further int) string { return fmt.Sprintf("v%d.%d.0", major, minor+further) }
	published := d.corpus.texts.Published
	s.Published = Release{Tag: fmt.Sprintf("v%d.%d.%d", major, minor, d.between(0, 9)), Name: d.title(one(d.random, published.Names)), Body: d.title(one(d.random, published.Notes))}
	next, step := d.between(1, 3), d.between(1, 3)
	s.Draft = Release{Tag: tag(next), Name: d.title(one(d.random, published.Names)), Body: d.title(one(d.random, published.Notes)), Draft: true}
	s.UnusedTag = tag(next + step)
	s.missingTag = tag(next + step + d.between(1, 900))

	options := some(d.random, one(d.random, p.Options), 4)
	note := one(d.random, p.Notes)
	about := d.apart()
	s.Board = Board{Title: d.unique(p.Boards), Note: Note{sentence(about.fill(note.Title)), about.fill(note.Body)}, Options: options, Chosen: one(d.random, options)}
	s.Board.More = some(d.random, []string{"issue_to_close", "closed_issue", "parent_issue", "blocker_issue", "pr_with_bugs"}, d.between(0, 3))
	s.OrgBoard = Board{Title: d.unique(p.Boards)}
}

// title draws a title or a text of its own.
func (d *drawing) title(text string) string { return sentence(d.apart().fill(text)) }

// unique draws a title, from one of some texts, that nothing else has.
func (d *drawing) unique(texts []string) string {
	for {
		if title := d.title(one(d.random, texts)); !d.used[title] {
			d.used[title] = true
			return title
		}
	}
}

// about draws title and body of something, and returns what was said there. Of
// texts whose title is taken the next one is dealt.
func about[T interface{ about() About }](d *drawing, texts *deck[T]) (drawn T, title, body string, with *phrases) {
	for {
		drawn, with = texts.deal(), d.apart()
		text := drawn.about()
		if title = sentence(with.fill(text.Title)); !d.used[title] {
			d.used[title] = true
			return drawn, title, sentence(with.fill(text.Body)), with
		}
	}
}

// labelled returns the names of so many of the labels that are no kind.
func (d *drawing) labelled(low, high int) (names []string) {
	for _, l := range some(d.random, d.extras, d.between(low, high)) {
		names = append(names, l.Name)
	}
	return names
}
