package world_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/scenarios"
)

// head is the beginning of a file that is in order.
const head = `start: 2025-09-01T08:00:00Z
agent: noor
accounts: [{login: noor}, {login: ana}, {login: acme, type: organization, members: {ana: owner}}]
`

// repo is a repository to which fields can be added, two spaces in.
const repo = `repositories:
- name: noor/ledger
  files: [{path: README.md, text: hello}, {path: .github/workflows/ci.yml, text: x}]
`

// load reads a world of this text, with these files in its folder.
func load(t *testing.T, text string, files map[string]string) (*world.World, error) {
	t.Helper()
	fsys := fstest.MapFS{"worlds/w.yaml": {Data: []byte(text)}}
	for name, content := range files {
		fsys["worlds/w/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return world.Load(fsys, "w")
}

func draw(t *testing.T, text string, v bench.Variation) *world.Plan {
	t.Helper()
	w, err := load(t, text, nil)
	require.NoError(t, err)
	plan, err := w.Draw(v)
	require.NoError(t, err)
	return plan
}

func TestWhatIsWrongWithAWorldIsToldWithItsPlace(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"an unknown field", head + repo + "  isues: []\n", `w.yaml:7:3: repositories[0].isues: unknown field "isues": did you mean "issues"?`},
		{"a field that is missing", "start: 2025-09-01T08:00:00Z\naccounts: [{login: a}]\n", "w.yaml:1:1: agent: is missing"},
		{"an agent that is nobody", strings.Replace(head, "agent: noor", "agent: nour", 1) + repo, `w.yaml:2:8: agent: there is no account "nour": did you mean "noor"?`},
		{"an agent that is an organization", strings.Replace(head, "agent: noor", "agent: acme", 1) + repo, `w.yaml:2:8: agent: "acme" is an organization: want a user`},
		{"an account twice", strings.Replace(head, "{login: ana}", "{login: ana}, {login: Ana}", 1) + repo, `accounts[2].login: "Ana" is there twice`},
		{"members of a user", strings.Replace(head, "{login: ana}", "{login: ana, members: {noor: owner}}", 1) + repo, "accounts[1].members: ana is a user, who has no members"},
		{"a repository of nobody", head + strings.Replace(repo, "noor/ledger", "nobody/ledger", 1), `repositories[0].name: there is no account "nobody"`},
		{"a repository twice", head + repo + strings.TrimPrefix(repo, "repositories:\n"), `repositories[1].name: "noor/ledger" is there twice`},
		{"no repository", head, "makes nothing: want repositories, or a setup script"},
		{"an author that is nobody", head + repo + "  issues: [{title: a, by: bob}]\n", `w.yaml:7:27: repositories[0].issues[0].by: there is no account "bob"`},
		{"a label that is not there", head + repo + "  labels: [{name: bug}]\n  issues: [{title: a, labels: [bugs]}]\n", `repositories[0].issues[0].labels: the repository has no label "bugs": did you mean "bug"?`},
		{"an assignee who may not be assigned", head + repo + "  issues: [{title: a, assignees: [ana]}]\n",
			"repositories[0].issues[0].assignees: ana may not be assigned in noor/ledger: want a collaborator who may at least triage"},
		{"a reviewer whom nobody may ask", head + repo + "  pulls: [" + pull("x", "reviewers: [ana]") + "]\n",
			"repositories[0].pulls[0].reviewers: ana may not be asked for a review in noor/ledger: want a collaborator"},
		{"a label twice", head + repo + "  labels: [{name: bug}, {name: Bug}]\n", `repositories[0].labels[1].name: the label "Bug" is there twice`},
		{"a milestone that is not there", head + repo + "  issues: [{title: a, milestone: '1.0'}]\n", `the repository has no milestone "1.0"`},
		{"a milestone twice", head + repo + "  milestones: [{title: a}, {title: a}]\n", `the milestone "a" is there twice`},
		{"a name twice", head + repo + "  issues: [{title: a, as: x}, {title: b, as: x}]\n", `repositories[0].issues[1].as: "x" is the name of another object too`},
		{"a name that no resource has", head + repo + "  issues: [{title: a, as: metadata}]\n", `"metadata" is no name of a resource`},
		{"parents in a circle", head + repo + "  issues: [{title: a, as: x, parent: y}, {title: b, as: y, parent: z}, {title: c, as: z, parent: x}]\n",
			"repositories[0].issues[0].parent: goes in a circle: x → y → z → x"},
		{"blockers in a circle", head + repo + "  issues: [{title: a, as: x, blocked_by: [x]}]\n", "repositories[0].issues[0].blocked_by: goes in a circle: x → x"},
		{"a parent that is not there", head + repo + "  issues: [{title: a, parent: y}]\n", `repositories[0].issues[0].parent: there is no object "y"`},
		{"a parent that is no issue", head + repo + "  milestones: [{title: a, as: m}]\n  issues: [{title: a, parent: m}]\n", `"m" is a milestone of noor/ledger: want an issue of this repository`},
		{"a branch from itself", head + repo + "  branches: [{name: a, from: a}]\n", "repositories[0].branches[0].from: goes in a circle: a → a"},
		{"branches in a circle", head + repo + "  branches: [{name: a, from: b}, {name: b, from: c}, {name: c, from: a}]\n", "repositories[0].branches[0].from: goes in a circle: a → b → c → a"},
		{"a branch from a later one", head + repo + "  branches: [{name: a, from: b}, {name: b}]\n", `repositories[0].branches[0].from: the branch "b" is made later: put this one after it, or say when`},
		{"a branch from one of the same time", head + repo + "  branches: [{name: a, from: b, at: 1d}, {name: b, at: 1d}]\n", `the branch "b" is made later`},
		{"a blocker of its own", head + repo + "  issues: [{title: a, as: x}, {title: b, as: y, parent: x, blocked_by: [y]}]\n", "repositories[0].issues[1].blocked_by: goes in a circle: y → y"},
		{"a parent elsewhere", head + repo + "  issues: [{title: a, as: x}]\n- {name: noor/other, files: [{path: a, text: b}], issues: [{title: b, parent: x}]}\n",
			`repositories[1].issues[0].parent: "x" is an issue of noor/ledger: want an issue of this repository`},
		{"a reference to nothing", head + repo + "  issues: [{title: a, body: 'as {{#x}}'}]\n", `repositories[0].issues[0].body: there is no object "x"`},
		{"a reference in a comment to nothing", head + repo + "  issues: [{title: a, as: y, comments: [{body: 'as {{ #x }}'}]}]\n", `issues[0].comments[0].body: there is no object "x"`},
		{"a reference to what comes later", head + repo + "  issues: [{title: a, as: x, at: 2d}, {title: b, at: 1d, body: '{{#x}}'}]\n",
			`issues[1].body: "x" is opened at 2025-09-03T08:00:00Z, not before this is written`},
		{"a reference to itself", head + repo + "  issues: [{title: a, as: x, body: '{{#x}}'}]\n", `issues[0].body: "x" is opened at `},
		{"a reference to a label", head + repo + "  labels: [{name: l, as: x}]\n  issues: [{title: a, body: '{{#x}}'}]\n", `issues[0].body: "x" is a label: want an issue or a pull request of this repository`},
		{"a reference to another repository", head + repo + "  issues: [{title: a, as: x}]\n- {name: noor/other, files: [{path: a, text: b}], issues: [{title: b, at: 9d, body: '{{#x}}'}]}\n",
			`repositories[1].issues[0].body: "x" is an issue: want an issue or a pull request of this repository`},
		{"a reference in a thread to nothing", head + repo + "  pulls: [" + pull("x", "reviews: [{by: ana, state: comment, body: '{{#a}}', threads: [{path: p, line: 1, body: '{{#b}}', replies: [{body: '{{#c}}'}]}]}]") + "]\n",
			`threads[0].replies[0].body: there is no object "c"`},
		{"a reference in a title", head + repo + "  issues: [{title: a, as: x}, {title: 'as {{#x}}'}]\n", `issues[1].title: {{#x}} stands for nothing`},
		{"an end of a job that is not there", jobs + "  outcomes: [{workflow: ci.yml, job: tets}]\n", `outcomes[0].job: the workflow ci.yml has no job "tets": did you mean "test"?`},
		{"an end in a step that is not there", jobs + "  outcomes: [{workflow: ci.yml, job: test, step: Bild}]\n", `outcomes[0].step: no such step is in ci.yml: there is no "Bild": did you mean "Build"?`},
		{"a log of a step of another job", jobs + "  outcomes: [{workflow: ci.yml, job: test, steps: [{name: Run make lint}]}]\n", `outcomes[0].steps[0].name: no such step is in ci.yml: there is no "Run make lint"`},
		{"bases in a circle", head + repo + "  pulls:\n  - {title: a, branch: x, base: y, commits: &c [{message: m, changes: [{path: p, text: t}]}]}\n", "an anchor"},
		{"bases in a circle, really", head + repo + "  pulls: [" + pull("x", "base: y") + ", " + pull("y", "base: x") + "]\n", "repositories[0].pulls[0].base: goes in a circle: x → y → x"},
		{"a base that is not there", head + repo + "  pulls: [" + pull("x", "base: develop") + "]\n", `there is no branch "develop"`},
		{"a branch twice", head + repo + "  pulls: [" + pull("x", "") + ", " + pull("x", "") + "]\n", `repositories[0].pulls[1].branch: the branch "x" is there twice`},
		{"an author who may not push", head + repo + "  pulls: [" + pull("x", "by: ana") + "]\n", "repositories[0].pulls[0].by: ana may not push to noor/ledger"},
		{"an author who reviews", head + repo + "  pulls: [" + pull("x", "by: ana, reviewers: [ana]") + "]\n", "ana is the author, who cannot review it"},
		{"an author who approves", head + repo + "  pulls: [" + pull("x", "by: ana, reviews: [{by: ana, state: approve}]") + "]\n", "ana is the author, who can comment alone"},
		{"a review of nothing", head + repo + "  pulls: [" + pull("x", "reviews: [{by: ana, state: comment}]") + "]\n", "a review that comments needs a body or threads"},
		{"a thread on no line", head + repo + "  pulls: [" + pull("x", "reviews: [{by: ana, state: comment, threads: [{path: p, body: b}]}]") + "]\n", `must have one of "on" and "line"`},
		{"merged and closed", head + repo + "  pulls: [" + pull("x", "closed: {}, merged: {method: squash}") + "]\n", "does not go with merged"},
		{"a change of two kinds", head + repo + "  history: [{message: m, changes: [{path: p, text: t, delete: true}]}]\n", `must have one of "text", "from", "find" and "delete", has 2`},
		{"a file that the folder lacks", head + repo + "  history: [{message: m, changes: [{path: p, from: q}]}]\n", `there is no file "q" in the world's folder w`},
		{"a file changed twice", head + repo + "  history: [{message: m, changes: [{path: p, text: a}, {path: p, text: b}]}]\n", `"p" is changed twice by one commit`},
		{"a commit of nothing", head + repo + "  history: [{message: m}]\n", "a commit changes something"},
		{"a commit without a message", head + repo + "  history: [{changes: [{path: p, text: t}]}]\n", "repositories[0].history[0].message: is missing"},
		{"a workflow that is not there", head + repo + "  outcomes: [{workflow: co.yml}]\n", `there is no workflow "co.yml" in .github/workflows/: did you mean "ci.yml"?`},
		{"a pattern that is none", head + repo + "  outcomes: [{workflow: ci.yml, branch: '[a'}]\n", `"[a" is no pattern`},
		{"a log that is not there", head + repo + "  outcomes: [{workflow: ci.yml, steps: [{name: a, log: [{file: b}]}]}]\n", `there is no file "b"`},
		{"a run of no workflow", head + repo + "  dispatches: [{workflow: co.yml}]\n", `there is no workflow "co.yml"`},
		{"a dispatch on no branch", head + repo + "  dispatches: [{workflow: ci.yml, ref: x}]\n", `there is no branch "x"`},
		{"a tag twice", head + repo + "  releases: [{tag: a}, {tag: a}]\n", `the tag "a" is there twice`},
		{"an asset twice", head + repo + "  releases: [{tag: a, assets: [{name: b, text: c}, {name: b, text: c}]}]\n", `the asset "b" is there twice`},
		{"a release of no branch", head + repo + "  releases: [{tag: a, target: b}]\n", `there is no branch "b"`},
		{"a branch from nowhere", head + repo + "  branches: [{name: a, from: b}]\n", `repositories[0].branches[0].from: there is no branch "b"`},
		{"a time that is none", head + repo + "  issues: [{title: a, at: soon}]\n", `"soon" is no time: want one like 12d4h30m after the start, or 2025-08-04T09:30:00Z`},
		{"a comment before its issue", head + repo + "  issues: [{title: a, at: 2d, comments: [{body: b, at: 1d}]}]\n",
			"repositories[0].issues[0].comments[0].at: is 2025-09-02T08:00:00Z, before what it comes after, which is at 2025-09-03T08:00:00Z"},
		{"a board of nobody", head + repo + "projects: [{owner: bob, title: a}]\n", `projects[0].owner: there is no account "bob"`},
		{"an item of nothing", head + repo + "projects: [{owner: noor, title: a, items: [{of: x}]}]\n", `there is no object "x"`},
		{"an item of a label", head + repo + "  labels: [{name: a, as: l}]\nprojects: [{owner: noor, title: a, items: [{of: l}]}]\n", `"l" is a label: want an issue or a pull request`},
		{"an item without either", head + repo + "projects: [{owner: noor, title: a, items: [{body: b}]}]\n", `must have one of "of" and "title"`},
		{"a field that is not there", head + repo + "projects: [{owner: noor, title: a, items: [{title: b, values: {Statu: Done}}]}]\n", `values.Statu: there is no field "Statu": did you mean "Status"?`},
		{"an option that is not there", head + repo + "projects: [{owner: noor, title: a, items: [{title: b, values: {Status: Don}}]}]\n", `Status has no option "Don": did you mean "Done"?`},
		{"a number that is text", head + repo + "projects: [{owner: noor, title: a, fields: [{name: P, type: number}], items: [{title: b, values: {P: x}}]}]\n", `must be a number, is "x"`},
		{"options of a number", head + repo + "projects: [{owner: noor, title: a, fields: [{name: P, type: number, options: [a]}]}]\n", "go with type single_select"},
		{"a field twice", head + repo + "projects: [{owner: noor, title: a, fields: [{name: Status, type: text}]}]\n", `"Status" is there twice`},
		{"a further name of nothing", head + repo + "resources: {x: {is: y}}\n", `w.yaml:7:21: resources.x.is: there is no object "y"`},
		{"a script that is not there", head + "setup: {script: x.sh}\n", `setup.script: there is no file "x.sh"`},
		{"a placeholder for nothing", head + repo + "  issues: [{title: 'a {{limt}}'}]\ndraw: [{name: limit, number: [1, 2]}]\n", `repositories[0].issues[0].title: {{limt}} stands for nothing: did you mean "limit"?`},
		{"a placeholder for a field that is not there", head + repo + "  issues: [{title: 'a {{x.b}}'}]\ndraw: [{name: x, pick: [{a: 1}]}]\n", `{{x.b}}: x has no "b"`},
		{"a placeholder for an object", head + repo + "  issues: [{title: 'a {{x}}'}]\ndraw: [{name: x, pick: [{a: 1}]}]\n", "{{x}} is an object, which a text has no place for"},
		{"a range that is none", head + repo + "  issues: [{title: 'a {{number: 9-1}}'}]\n", "{{number: 9-1}} is no range of numbers"},
		{"too many digits", head + repo + "  issues: [{title: 'a {{hex: 100}}'}]\n", "has no number of digits from 1 to 64"},
		{"a list that is not there", head + repo + "  issues: [{title: 'a {{word.pat}}'}]\nwords: {part: [a]}\n", `there is no list "pat" among the words: did you mean "part"?`},
		{"more dealt than there is", head + repo + "  issues: [{repeat: 3, draw: [{name: x, deal: part}], title: '{{x}}'}]\nwords: {part: [a, b]}\n", `the list "part" has 2 elements, and this is one more`},
		{"a draw twice", head + repo + "draw: [{name: x, pick: [a]}, {name: x, pick: [b]}]\n", `draw[1].name: "x" is drawn already`},
		{"bounds the wrong way", head + repo + "draw: [{name: x, number: [3, 1]}]\n", "must be the least and the greatest number"},
		{"a count that is none", head + repo + "  issues: [{repeat: '{{x}}', title: a}]\ndraw: [{name: x, pick: [a]}]\n", "repositories[0].issues[0].repeat: must be a whole number from 0"},
		{"a line that is none", head + repo + "  pulls: [" + pull("x", "reviews: [{by: ana, state: comment, threads: [{path: p, body: b, line: '{{x}}'}]}]") + "]\ndraw: [{name: x, pick: [a]}]\n",
			`threads[0].line: must be a whole number from 0 to 1000000, is what "{{x}}" stands for`},
		{"100,000 issues", head + repo + "  issues: [{repeat: 100000, title: a}]\n", "repositories[0].issues[0].repeat: makes a world of more than 10000 objects: want less"},
		{"10,000 commits more", head + repo + "  history: [{grow: {folder: src, commits: 10000, from: 1d, to: 2d, authors: [ana]}}]\n", "history[0].grow.commits: makes a world of more than 10000 objects: want less"},
		{"more commits than parts", head + repo + "  history: [{grow: {folder: src, commits: 5, from: 1d, to: 2d, authors: [ana]}}]\n", `cannot make 5 commits of the 0 files in "src", which have 0 parts`},
		{"a growth by nobody", head + repo + "  history: [{grow: {folder: src, commits: 5, from: 1d, to: 2d, authors: [bob]}}]\n", `there is no account "bob"`},
		{"too long a log", head + repo + "  outcomes: [{workflow: ci.yml, steps: [{name: a, log: [{lines: 1000000, of: [b]}]}]}]\n", "must be a whole number from 0 to 100000"},
		{"a file that is too large", head + repo + "# " + strings.Repeat("x", world.MaxFile), "bytes: want at most 1048576"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, err := load(t, c.text, nil)
			if err == nil {
				_, err = w.Draw(bench.Variation{})
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^worlds/w\.yaml:\d+:\d+: `, err.Error())
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			if w != nil {
				assert.NotEmpty(t, w.Check(), "a check draws it as well")
			}
		})
	}
}

// jobs is a repository whose workflow has two jobs.
const jobs = head + `repositories:
- name: noor/ledger
  files: [{path: .github/workflows/ci.yml, text: "jobs: {test: {steps: [{uses: actions/checkout@v4}, {name: Build, run: make}]}, lint: {steps: [{run: make lint}]}}"}]
`

// pull is a pull request from a branch.
func pull(branch, more string) string {
	if more != "" {
		more += ", "
	}
	return fmt.Sprintf("{title: t, branch: %s, %scommits: [{message: m, changes: [{path: p, text: t}]}]}", branch, more)
}

func TestAWorldThatIsNotThere(t *testing.T) {
	_, err := world.Load(fstest.MapFS{"worlds/store.yaml": {}}, "stor")
	require.Error(t, err)
	assert.Equal(t, `there is no world "stor": want a file worlds/stor.yaml: did you mean "store"?`, err.Error())
	assert.Equal(t, []string{"a", "b"}, world.Names(fstest.MapFS{"worlds/b.json": {}, "worlds/a.yaml": {}, "worlds/a/x.yaml": {}, "worlds/notes.md": {}}))
}

const drawn = head + repo + `  issues:
  - {title: "{{x.name}} {{n1}} {{order.0}}{{order.1}}{{order.2}} {{whole}}", body: "{{word.part}} {{pick: a | b}} {{number: 5-6}} {{hex: 4}} ${{ kept }}", by: "{{x.by}}", labels: "{{x.labels}}"}
  - {repeat: 2, draw: [{name: card, deal: part}], title: "{{n}} {{card}}"}
  labels: [{name: l1}, {name: l2}]
words: {part: [p1, p2, p3]}
draw:
- {name: x, pick: [{name: one, by: ana, labels: [l1]}, {name: two, by: noor, labels: [l1, l2]}]}
- {name: n1, number: [10, 99]}
- {name: order, shuffle: [i, j, k]}
- {name: whole, text: "{{x.name}}/{{n1}}"}
resources:
  drawn: {with: {number: "{{n1}}", text: "at {{n1}}", labels: "{{x.labels}}"}}
`

func TestPlaceholders(t *testing.T) {
	plan := draw(t, drawn, bench.Variation{Seed: 7, Number: 3})
	issues := plan.Repositories[0].Issues
	require.Len(t, issues, 3)
	assert.Regexp(t, `^(one|two) \d\d [ijk]{3} (one|two)/\d\d$`, issues[0].Title)
	assert.Regexp(t, `^p[123] [ab] [56] [0-9a-f]{4} \$\{\{ kept \}\}$`, issues[0].Body)
	assert.Regexp(t, `^1 p[123]$`, issues[1].Title)
	assert.Regexp(t, `^2 p[123]$`, issues[2].Title)
	assert.NotEqual(t, issues[1].Title[2:], issues[2].Title[2:], "what is dealt is dealt once")
	with := plan.Resources["drawn"].With
	assert.IsType(t, 0.0, with["number"], "a value has its type")
	assert.Equal(t, fmt.Sprintf("at %v", with["number"]), with["text"])
	assert.Contains(t, issues[0].Title, fmt.Sprint(with["number"]))
	assert.Len(t, issues[0].Labels, len(with["labels"].([]any)))
}

func TestS15TheSameVariationIsTheSameAndOthersAreNot(t *testing.T) {
	title := func(v bench.Variation) string {
		i := draw(t, drawn, v).Repositories[0].Issues[0]
		return i.Title + i.Body
	}
	assert.Equal(t, title(bench.Variation{Seed: 1, Number: 2}), title(bench.Variation{Seed: 1, Number: 2}))
	seen := map[string]bool{}
	for n := range 20 {
		seen[title(bench.Variation{Seed: 1, Number: n})] = true
		seen[title(bench.Variation{Seed: 2, Number: n})] = true
	}
	assert.Len(t, seen, 40)
}

func TestWhatIsAddedToAWorldChangesNothingElse(t *testing.T) {
	v := bench.Variation{Seed: 3}
	before := draw(t, drawn, v).Repositories[0].Issues
	after := draw(t, strings.Replace(drawn, "  labels: [{name: l1}", "  - {title: \"{{hex: 8}}\"}\n  labels: [{name: \"{{hex: 3}}\"}, {name: l1}", 1), v).Repositories[0].Issues
	assert.Equal(t, before, after[:3])
}

func TestTimes(t *testing.T) {
	plan := draw(t, head+repo+`  issues:
  - {title: a}
  - {title: b, at: 3d2h5m, comments: [{body: c}, {body: d, at: 4d}], closed: {}}
  - {title: e, at: "2025-09-10T12:00:00Z"}
`, bench.Variation{})
	issues := plan.Repositories[0].Issues
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	assert.Equal(t, at("2025-09-01T09:30:00Z"), issues[0].When.Time)
	assert.Equal(t, at("2025-09-04T10:05:00Z"), issues[1].When.Time)
	assert.Equal(t, at("2025-09-04T11:35:00Z"), issues[1].Comments[0].When.Time)
	assert.Equal(t, at("2025-09-05T08:00:00Z"), issues[1].Comments[1].When.Time)
	assert.Equal(t, at("2025-09-05T09:30:00Z"), issues[1].Closed.When.Time)
	assert.Equal(t, at("2025-09-10T12:00:00Z"), issues[2].When.Time)
}

func TestLogsAreMadeOfTheirParts(t *testing.T) {
	w, err := load(t, head+repo+`  outcomes:
  - {workflow: ci.yml, steps: [{name: Test, seconds: "{{n}}", log: ["first {{n}}", {lines: 3, of: ["{{i}} ok"]}, {file: tail.txt}]}]}
draw: [{name: n, number: [4, 4]}]
`, map[string]string{"tail.txt": "the {{end}}"})
	require.NoError(t, err)
	plan, err := w.Draw(bench.Variation{})
	require.NoError(t, err)
	step := plan.Repositories[0].Outcomes[0].Steps[0]
	assert.Equal(t, "first 4\n1 ok\n2 ok\n3 ok\nthe {{end}}\n", step.Text, "files of the folder are taken as they are")
	assert.Equal(t, world.Number(4), step.Seconds)
}

func TestMadeIsWhatScenariosMayBindTo(t *testing.T) {
	w, err := load(t, head+repo+`  collaborators: {ana: triage}
  labels: [{name: bug, as: label}]
  milestones: [{title: m, as: milestone}]
  issues:
  - {title: a, as: parent}
  - {title: b, as: child, parent: parent, blocked_by: [parent], labels: [bug], assignees: [ana], milestone: m}
resources:
  other: {is: child, with: {lines: 3}}
setup: {script: more.sh, makes: {extra: [number]}}
`, map[string]string{"more.sh": "true"})
	require.NoError(t, err)
	made, err := w.Made()
	require.NoError(t, err)
	issue := world.KindIssue.Fields()
	further := []string{"milestone_number", "assignee", "label", "parent_number", "parent_id", "blocker_number", "blocker_id"}
	assert.Equal(t, issue, made["parent"])
	assert.ElementsMatch(t, append(issue, further...), made["child"])
	assert.ElementsMatch(t, append(append(issue, further...), "lines"), made["other"])
	assert.Equal(t, []string{"number"}, made["extra"])
	assert.Equal(t, []string{"id", "name"}, made["label"])
	assert.Len(t, made, 6)
	assert.Empty(t, w.Check())
}

func TestTheHashIsOfTheFolderToo(t *testing.T) {
	hash := func(text string, files map[string]string) string {
		w, err := load(t, text, files)
		require.NoError(t, err)
		return w.Hash
	}
	seen := map[string]bool{}
	for _, files := range []map[string]string{nil, {"a": ""}, {"a": "b"}, {"b": "a"}, {"a": "b", "c": ""}} {
		seen[hash(head+repo, files)] = true
	}
	seen[hash(head+repo+"# more\n", nil)] = true
	assert.Len(t, seen, 6)
	assert.Equal(t, hash(head+repo, map[string]string{"a": "b"}), hash(head+repo, map[string]string{"a": "b"}))
}

func TestTheWorldsThatShipAreInOrder(t *testing.T) {
	names := world.Names(scenarios.Files)
	require.NotEmpty(t, names)
	for _, name := range names {
		w, err := world.Load(scenarios.Files, name)
		require.NoError(t, err)
		assert.Empty(t, w.Check(), name)
		first, err := w.Made()
		require.NoError(t, err)
		assert.NotEmpty(t, first)
	}
}
