package world

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Growth stands for many commits: the files of a folder come into being piece
// by piece, so that each commit adds something to a file or two and the last
// one has them whole.
type Growth struct {
	Place
	// Folder is in the world's folder. Files of the repository's first commit
	// are left out.
	Folder  string `json:"folder"`
	Commits Number `json:"commits"`
	// Pushes is in how many pushes they come; 0 means one.
	Pushes Number `json:"pushes"`
	From   Moment `json:"from"`
	To     Moment `json:"to"`
	// Authors are who commits; one who is named twice does so twice as often.
	Authors []string `json:"authors"`
	// Messages are for the files that fit their pattern, the first one first.
	Messages []Wording `json:"messages"`
}

// Wording are messages for commits that begin a file, and for those that go on
// with one. In them, {file} stands for the file's name, {folder} for its
// folder and {name} for what the commit adds.
type Wording struct {
	Place
	// Paths is a pattern of [path.Match]; one that ends in /** fits all below.
	Paths string   `json:"paths"`
	First []string `json:"first"`
	Then  []string `json:"then"`
}

// fits reports whether a wording is for a file.
func (w Wording) fits(file string) bool {
	if folder, all := strings.CutSuffix(w.Paths, "**"); all {
		return strings.HasPrefix(file, folder)
	}
	ok, err := path.Match(w.Paths, file)
	return ok && err == nil
}

// piece is a part of a file that one commit adds.
type piece struct {
	file *growing
	// end is where the part ends in the file's text.
	end int
	// begin is true for the first part of a file.
	begin bool
	// turn orders the pieces, from 0 to 1.
	turn float64
}

// growing is a file that comes into being.
type growing struct {
	path, text string
	// ends are where its pieces may end.
	ends []int
	// pieces is how many it gets.
	pieces int
}

// blockEnd is where a part of a file ends that can stand for itself: a blank
// line before one that is not indented.
var blockEnd = regexp.MustCompile(`\n\n[^\s})\]]`)

// minPiece is how many lines a part has at least.
const minPiece = 3

func newGrowing(file, text string) *growing {
	g := &growing{path: file, text: text, pieces: 1}
	last := 0
	for _, at := range blockEnd.FindAllStringIndex(text, -1) {
		if end := at[0] + 1; strings.Count(text[last:end], "\n") >= minPiece {
			g.ends = append(g.ends, end)
			last = end
		}
	}
	g.ends = append(g.ends, len(text))
	return g
}

// grown returns the commits of a growth of files, by path.
func (g Growth) grown(files map[string]string, random *rand.Rand) ([]Commit, error) {
	var all []*growing
	most := 0
	for _, file := range slices.Sorted(maps.Keys(files)) {
		next := newGrowing(file, files[file])
		all, most = append(all, next), most+len(next.ends)
	}
	want := int(g.Commits)
	if want < 1 || most < want {
		return nil, fmt.Errorf("cannot make %d commits of the %d files in %q, which have %d parts: want from 1 to %[4]d", want, len(all), g.Folder, most)
	}
	// A quarter of the commits change two files, as far as there are parts.
	share(all, max(len(all), min(most, want+want/4)))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	pieces := inTurn(all, random)
	commits := make([]Commit, 0, want)
	for n := range want {
		// The pieces are spread over the commits evenly.
		own := pieces[n*len(pieces)/want : (n+1)*len(pieces)/want]
		commits = append(commits, g.commit(own, random))
	}
	for n, at := range workingTimes(g.From.Time, g.To.Time, want, random) {
		commits[n].When.Time = at
	}
	for n := range int(g.Pushes) {
		commits[max(1, (n+1)*want/int(g.Pushes))-1].Push = true
	}
	return commits, nil
}

// share gives files as many pieces as there are to be, the longer ones more.
func share(all []*growing, pieces int) {
	for left := pieces - len(all); left > 0; left-- {
		longest := slices.MaxFunc(all, func(a, b *growing) int {
			return cmp.Compare(a.weight(), b.weight())
		})
		longest.pieces++
	}
}

// weight is how long a file's pieces are; 0 for one that cannot have more.
func (g *growing) weight() int {
	if g.pieces >= len(g.ends) {
		return 0
	}
	return len(g.text) / g.pieces
}

// inTurn returns the pieces of all files in the order of their commits.
func inTurn(all []*growing, random *rand.Rand) []piece {
	var pieces []piece
	for i, file := range all {
		// A file begins early or late, and goes on from there to the end.
		begin := float64(i) / float64(len(all)) * (0.3 + 0.5*random.Float64())
		turns := make([]float64, file.pieces)
		for n := range turns {
			turns[n] = begin + (1-begin)*random.Float64()
		}
		turns[0] = begin
		slices.Sort(turns)
		for n, turn := range turns {
			end := file.ends[(n+1)*len(file.ends)/file.pieces-1]
			pieces = append(pieces, piece{file: file, end: end, begin: n == 0, turn: turn})
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.turn, b.turn) })
	return pieces
}

// commit returns the commit that adds pieces.
func (g Growth) commit(pieces []piece, random *rand.Rand) Commit {
	c := Commit{Place: g.Place, By: g.Authors[random.IntN(len(g.Authors))]}
	for _, p := range pieces {
		text := p.file.text[:p.end]
		at := slices.IndexFunc(c.Changes, func(other Change) bool { return other.Path == p.file.path })
		if at < 0 {
			at = len(c.Changes)
			c.Changes = append(c.Changes, Change{Place: g.Place, Path: p.file.path})
		}
		c.Changes[at].Text = &text
	}
	c.Message = g.message(pieces[0], random)
	return c
}

// message words what a commit does.
func (g Growth) message(p piece, random *rand.Rand) string {
	begin := 0
	for _, end := range p.file.ends {
		if end < p.end {
			begin = end
		}
	}
	name := nameIn(p.file.text[begin:p.end])
	stem, _, _ := strings.Cut(path.Base(p.file.path), ".")
	for _, w := range g.Messages {
		texts := w.Then
		if p.begin {
			texts = w.First
		}
		if !w.fits(p.file.path) || len(texts) == 0 {
			continue
		}
		if name == "" {
			name = stem
		}
		return strings.NewReplacer("{file}", stem, "{folder}", path.Base(path.Dir(p.file.path)), "{name}", name).Replace(texts[random.IntN(len(texts))])
	}
	if p.begin {
		return "Add " + p.file.path
	}
	return "Extend " + p.file.path
}

// declared finds what a piece of source declares.
var declared = regexp.MustCompile(`(?m)^(?:export |public |async |default )*(?:function|class|interface|type|const|def|func|fn|struct|enum)\*? +([A-Za-z_][A-Za-z0-9_]*)`)

func nameIn(text string) string {
	if found := declared.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// The hours in which people commit, UTC.
const (
	firstHour = 7
	lastHour  = 17
)

// workingTimes returns times in order, on working days between two.
func workingTimes(from, to time.Time, count int, random *rand.Rand) []time.Time {
	times := make([]time.Time, 0, count)
	span := to.Sub(from)
	for len(times) < count {
		at := from.Add(time.Duration(random.Float64() * float64(span))).Truncate(time.Second)
		if day := at.Weekday(); (day == time.Saturday || day == time.Sunday || at.Hour() < firstHour || at.Hour() > lastHour) && span > week {
			continue
		}
		times = append(times, at)
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

const week = 7 * 24 * time.Hour
