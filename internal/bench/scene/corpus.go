package scene

import (
	"embed"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed data/*.yaml
var data embed.FS

// corpus is what scenes are drawn from. Texts have slots; see [phrases].
type corpus struct {
	words  map[string][]string
	people people
	issues issueTexts
	code   code
	work   work
	texts  texts
}

// people are who they are, and what they call things.
type people struct {
	Logins        []string    `yaml:"logins"`
	Organizations []string    `yaml:"organizations"`
	Homes         []string    `yaml:"homes"`
	IssueTypes    []IssueType `yaml:"issue_types"`
	TypeColors    []string    `yaml:"type_colors"`
	Topics        []string    `yaml:"topics"`
	Descriptions  []string    `yaml:"descriptions"`
	Readmes       []string    `yaml:"readmes"`
	Labels        []Label     `yaml:"labels"`
	Kinds         [][2]string `yaml:"kinds"`
	Colors        []string    `yaml:"colors"`
	Milestones    []string    `yaml:"milestones"`
	Boards        []string    `yaml:"boards"`
	Notes         []Note      `yaml:"notes"`
	Options       [][]string  `yaml:"options"`
}

// issueTexts are the issues that there may be, by what they are about.
type issueTexts struct {
	Tasks    []About  `yaml:"tasks"`
	Bugs     []About  `yaml:"bugs"`
	Wishes   []About  `yaml:"wishes"`
	Goals    []About  `yaml:"goals"`
	Blockers []About  `yaml:"blockers"`
	Steps    []About  `yaml:"steps"`
	Done     []About  `yaml:"done"`
	Comments []string `yaml:"comments"`
}

// About is what something is about. It is exported to be embedded in what is read.
type About struct {
	Title string `yaml:"title"`
	Body  string `yaml:"body"`
}

func (a About) about() About { return a }

// code is what files have.
type code struct {
	Modules  []File         `yaml:"modules"`
	Changes  []change       `yaml:"changes"`
	Reviewed []reviewedFile `yaml:"reviewed"`
	Buggy    []buggyFile    `yaml:"buggy"`
	Failing  []failingTest  `yaml:"failing"`
}

type change struct {
	About `yaml:",inline"`
	File  `yaml:",inline"`
}

// reviewedFile has parts with one marked line each.
type reviewedFile struct {
	About `yaml:",inline"`
	Path  []string `yaml:"path"`
	Parts []struct {
		Code    string   `yaml:"code"`
		Remarks []string `yaml:"remarks"`
	} `yaml:"parts"`
}

// buggyFile has wrong parts with one marked line each, and right ones.
type buggyFile struct {
	About `yaml:",inline"`
	Path  []string `yaml:"path"`
	Wrong []string `yaml:"wrong"`
	Right []string `yaml:"right"`
}

// failingTest is a test that gets one value and wants another.
type failingTest struct {
	About `yaml:",inline"`
	Path  string `yaml:"path"`
	Name  string `yaml:"name"`
	Got   string `yaml:"got"`
	Want  string `yaml:"want"`
	Code  string `yaml:"code"`
	Call  string `yaml:"call"`
}

// work is workflows, and what they print and leave.
type work struct {
	CI   []workflow `yaml:"ci"`
	Jobs []struct {
		Lint string `yaml:"lint"`
		Test string `yaml:"test"`
		Step string `yaml:"step"`
	} `yaml:"jobs"`
	Failing   []workflow `yaml:"failing"`
	Prepare   []string   `yaml:"prepare"`
	Long      []workflow `yaml:"long"`
	Uploading []workflow `yaml:"uploading"`
	Artifacts []string   `yaml:"artifacts"`
	Inputs    []string   `yaml:"inputs"`
	Values    []string   `yaml:"values"`
	Log       struct {
		Plain   []string `yaml:"plain"`
		Warning []string `yaml:"warning"`
		Error   []string `yaml:"error"`
	} `yaml:"log"`
}

type workflow struct {
	File string `yaml:"file"`
	Name string `yaml:"name"`
	Job  string `yaml:"job"`
	Step string `yaml:"step"`
}

// texts are what agents are given, each one of some.
type texts struct {
	Texts     map[string][]string `yaml:"texts"`
	Published struct {
		Names []string `yaml:"names"`
		Notes []string `yaml:"notes"`
	} `yaml:"published"`
	Missing map[string][]string `yaml:"missing"`
}

// source is the corpus, read once.
var source = sync.OnceValue(func() *corpus {
	var c corpus
	for file, to := range map[string]any{
		"words": &c.words, "people": &c.people, "issues": &c.issues, "code": &c.code, "work": &c.work, "texts": &c.texts,
	} {
		read(file, to)
	}
	return &c
})

// read reads a file of the program's data. One that cannot be read is a mistake
// that every test would see.
func read(file string, to any) {
	text, err := data.ReadFile("data/" + file + ".yaml")
	if err == nil {
		err = yaml.UnmarshalWithOptions(text, to, yaml.Strict())
	}
	if err != nil {
		panic("scene: " + file + ": " + err.Error())
	}
}
