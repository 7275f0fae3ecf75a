package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// workflows draws the workflows, how their jobs end, and what these print.
func (d *drawing) workflows() {
	w, s := d.corpus.work, d.scene
	ci, failing, long, uploading := one(d.random, w.CI), one(d.random, w.Failing), one(d.random, w.Long), one(d.random, w.Uploading)
	jobs, prepare := one(d.random, w.Jobs), one(d.random, w.Prepare)
	s.Workflows = Workflows{
		CI: ci.File, Failing: failing.File, FailingJob: failing.Job, Long: long.File, Uploading: uploading.File,
		Input: one(d.random, w.Inputs), Value: strings.ToLower(d.apart().fill(one(d.random, w.Values))),
	}
	uploads := d.uploads()
	input := s.Workflows.Input
	for _, f := range []struct {
		workflow
		jobs string
	}{
		{ci, jobFile(jobs.Lint, "", [2]string{"Look at the code", "npm run lint --if-present"}) + jobFile(jobs.Test, "", [2]string{"Build", "npm run build --if-present"}, [2]string{jobs.Step, "npm test"})},
		{failing, jobFile(prepare, "", [2]string{"Get ready", "echo ready"}) + jobFile(failing.Job, prepare, [2]string{failing.Step, "./scripts/" + failing.Job})},
		{long, jobFile(long.Job, "", [2]string{long.Step, "./scripts/" + long.Job})},
		{uploading, jobFile(uploading.Job, "", append([][2]string{{uploading.Step, "./scripts/" + uploading.Job}}, uploadSteps(uploads)...)...)},
	} {
		on := "on:\n  pull_request:\n    branches: [main]\n"
		if f.workflow != ci {
			on = fmt.Sprintf("run-name: %s ${{ inputs.%s }}\non:\n  workflow_dispatch:\n    inputs:\n      %s:\n        description: What the run is for\n        required: true\n        type: string\n", f.Name, input, input)
		}
		s.Ground.Files = append(s.Ground.Files, File{".github/workflows/" + f.File, "name: " + f.Name + "\n" + on + "jobs:\n" + f.jobs})
	}
	failingPull, _ := s.Pull("pr_failing_checks")
	for _, branch := range append(d.failingBranches, failingPull.Branch) {
		s.Ground.Scripts = append(s.Ground.Scripts, Script{Workflow: ci.File, Job: jobs.Test, Branch: branch, Failures: Always, Step: jobs.Step, Log: d.failedTests})
	}
	s.Ground.Scripts = append(s.Ground.Scripts,
		Script{Workflow: failing.File, Job: failing.Job, Failures: 1, Step: failing.Step, Log: d.log(failing)},
		Script{Workflow: long.File, Job: long.Job, Hanging: true},
		Script{Workflow: uploading.File, Job: uploading.Job, Uploads: uploads},
	)
	failingPull.Facts["failed_job"], failingPull.Facts["job_pattern"] = jobs.Test, either(jobs.Test, jobs.Step)
}

// either returns a pattern that finds two words in any order.
func either(a, b string) string {
	a, b = `\b`+regexp.QuoteMeta(a)+`\b`, `\b`+regexp.QuoteMeta(b)+`\b`
	return "(?s)" + a + ".*" + b + "|" + b + ".*" + a
}

// jobFile is a job of a workflow's file. Steps are a name and a command, which is
// an action where it begins with "uses ".
func jobFile(key, needs string, steps ...[2]string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "  %s:\n", key)
	if needs != "" {
		fmt.Fprintf(&text, "    needs: %s\n", needs)
	}
	text.WriteString("    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n")
	for _, step := range steps {
		act := "run: " + step[1]
		if artifact, uploads := strings.CutPrefix(step[1], "upload "); uploads {
			act = fmt.Sprintf("uses: actions/upload-artifact@v4\n        with:\n          name: %s\n          path: out/%s", artifact, artifact)
		}
		fmt.Fprintf(&text, "      - name: %s\n        %s\n", step[0], act)
	}
	return text.String()
}

func uploadSteps(uploads []Upload) (steps [][2]string) {
	for _, u := range uploads {
		steps = append(steps, [2]string{"Upload " + u.Name, "upload " + u.Name})
	}
	return steps
}

// uploads draws the artifacts of a run.
func (d *drawing) uploads() (uploads []Upload) {
	for _, name := range some(d.random, d.corpus.work.Artifacts, d.between(1, 3)) {
		text := d.apart().fill(strings.Repeat("«noun» «2..900»\n", d.between(1, 9)))
		uploads = append(uploads, Upload{name, name + ".txt", text})
	}
	return uploads
}

// log draws what the failing job prints.
func (d *drawing) log(w workflow) string {
	from := d.corpus.work.Log
	var lines []string
	for _, kind := range []struct {
		of        []string
		low, high int
	}{{from.Plain, 6, 40}, {from.Warning, 1, 12}, {from.Error, 1, 8}} {
		for range d.between(kind.low, kind.high) {
			lines = append(lines, d.apart().fill(one(d.random, kind.of)))
		}
	}
	lines = some(d.random, lines, len(lines))
	return strings.Join(slices.Insert(lines, 0, "Run ./scripts/"+w.Job), "\n") + "\n"
}

// organization draws what the organization has.
func (d *drawing) organization() {
	p, g := d.corpus.people, &d.scene.Ground
	g.Home = one(d.random, p.Homes)
	for _, t := range some(d.random, p.IssueTypes, d.between(4, 8)) {
		t.Color, t.Disabled = one(d.random, p.TypeColors), d.between(0, 3) == 0
		g.IssueTypes = append(g.IssueTypes, t)
	}
}

// given draws what agents are given, and what is not there.
func (d *drawing) given() {
	t, s := d.corpus.texts, d.scene
	texts := map[string]any{}
	for _, name := range sortedNames(t.Texts) {
		texts[name] = d.title(one(d.random, t.Texts[name]))
	}
	s.Texts = texts
	s.Missing = map[string]any{
		"issue_number": s.Ground.LastNumber + numbersApart + d.between(1, numbersApart), "pr_number": s.Ground.LastNumber + numbersApart + d.between(1, numbersApart),
		"project_number": 20 + d.turn(manyIssues, numbersApart), "run_id": s.Ground.FirstID + int64(d.between(100_000, 900_000)),
		"tag_name": s.missingTag, "repo_name": strings.ToLower(d.apart().fill(one(d.random, t.Missing["name"]))),
	}
}
