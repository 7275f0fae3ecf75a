package suite

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Gate has three steps: the regression suite must pass in a share that is
// no less than its threshold, the full test must score no less than the best
// so far, and if both hold, tasks that have failed in training and pass now
// are promoted into the suite.
type Gate struct {
	Workspace Workspace
	// Train runs the split that is trained on, TrainSplit; Full runs the one
	// that nobody has seen.
	Train, Full harness.Runner
	TrainSplit  string
	// FullSplit is the split of Full. Its tasks are those of its first gate, or
	// baseline; other ones are refused.
	FullSplit string
	// Judge does step 2 in place of Full, where that is not decided by the best score
	// so far; it may be nil.
	Judge func(context.Context) (FullStep, error)
	// Tree identifies the agent's files, and RunID the rows of the full test, for
	// the verdict; they may be empty.
	Tree, RunID string
	// Threshold is that of a suite that has none yet.
	Threshold float64
	// Policy says what tasks without a reward count, in all steps.
	Policy harness.TimeoutPolicy
	// Out takes lines about the steps.
	Out io.Writer
}

// Verdict is what the gate says.
type Verdict struct {
	Passed bool `json:"passed"`
	// Reason is one sentence that says why.
	Reason    string        `json:"reason"`
	Suite     SuiteStep     `json:"suite"`
	Full      FullStep      `json:"full"`
	Policy    string        `json:"timeout_policy"`
	Promotion PromotionStep `json:"promotion"`
	// Timestamp is RFC 3339 in UTC.
	Timestamp string `json:"timestamp"`
	// Tree is the hash of the files that were gated, and RunID the run of the full
	// test's rows; they are empty where that is not known.
	Tree  string `json:"tree,omitempty"`
	RunID string `json:"run_id,omitempty"`
	// Recorded is the iteration that the verdict was recorded as, nil before.
	Recorded *int `json:"recorded,omitempty"`
}

// SuiteStep is the regression suite's run.
type SuiteStep struct {
	Passed bool `json:"passed"`
	// EvalsPassed of EvalsTotal tasks have passed; without tasks the step has
	// passed.
	EvalsPassed int `json:"evals_passed"`
	EvalsTotal  int `json:"evals_total"`
	// PassRate and Threshold are from 0 to 1.
	PassRate  float64         `json:"pass_rate"`
	Threshold float64         `json:"threshold"`
	Results   harness.Results `json:"results"`
}

// FullStep is the full test.
type FullStep struct {
	Passed   bool    `json:"passed"`
	ValScore float64 `json:"val_score"`
	// Best is the best so far, nil in the first run.
	Best    *float64        `json:"best"`
	Results harness.Results `json:"results,omitempty"`
	// Verdict is pass, fail or inconclusive where [Gate.Judge] has decided, with
	// Reason; Baseline is what was compared with, and BaselineScore its score in the
	// same epochs. They are empty else.
	Verdict       string   `json:"verdict,omitempty"`
	Reason        string   `json:"reason,omitempty"`
	Baseline      string   `json:"baseline,omitempty"`
	BaselineScore *float64 `json:"baseline_score,omitempty"`
}

// CannotTell reports whether the step has neither passed nor failed.
func (f FullStep) CannotTell() bool { return f.Verdict == inconclusive }

const inconclusive = "inconclusive"

// PromotionStep is what has become of tasks that failed in training.
type PromotionStep struct {
	// Rerun are the tasks that were tried again, Promoted those of them that
	// are in the suite now.
	Rerun    []string `json:"rerun"`
	Promoted []string `json:"promoted"`
}

// Run runs the steps. A gate that a change does not pass is a verdict; an
// error is a run that could not be judged. The verdict is kept in the
// workspace, for [Workspace.LastVerdict], but for the full test's results: an
// agent that is trained reads there.
func (g Gate) Run(ctx context.Context) (Verdict, error) {
	known, err := g.known()
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Policy: string(g.Policy), Promotion: PromotionStep{Rerun: []string{}, Promoted: []string{}}}
	if v.Suite, err = g.regression(ctx, &known.suite); err != nil {
		return Verdict{}, fmt.Errorf("gate, step 1: %w", err)
	}
	if v.Full, err = g.full(ctx, known); err != nil {
		return Verdict{}, fmt.Errorf("gate, step 2: %w", err)
	}
	if v.Suite.Passed && v.Full.Passed {
		if v.Promotion, err = g.promote(ctx, &known); err != nil {
			return Verdict{}, fmt.Errorf("gate, step 3: %w", err)
		}
	}
	g.conclude(&v)
	v.Timestamp, v.Tree, v.RunID = g.Workspace.timestamp(), g.Tree, g.RunID
	kept := v
	kept.Full.Results = nil
	return v, state.WriteJSON(g.Workspace.path(gateFile), kept)
}

// LastVerdict returns the gate's last verdict; ok is false if there is none.
func (w Workspace) LastVerdict() (v Verdict, ok bool, err error) {
	ok, err = state.ReadJSON(w.path(gateFile), &v)
	return v, ok, err
}

// MarkRecorded notes as which iteration the last verdict was recorded.
func (w Workspace) MarkRecorded(iteration int) error {
	v, ok, err := w.LastVerdict()
	if err != nil || !ok {
		return err
	}
	v.Recorded = &iteration
	return state.WriteJSON(w.path(gateFile), v)
}

// known is what the workspace has at the beginning. It is read before anything
// is run, so that nothing is run for a file that is broken.
type known struct {
	suite   Suite
	best    *float64
	trained harness.Results
	// tasks are those of the full test, nil if they are not known.
	tasks []string
}

func (g Gate) known() (k known, err error) {
	if k.suite, err = g.Workspace.Suite(g.Threshold); err != nil {
		return known{}, err
	}
	if k.best, err = g.Workspace.Best(); err != nil {
		return known{}, err
	}
	if k.tasks, err = g.Workspace.Tasks(g.FullSplit); err != nil {
		return known{}, err
	}
	k.trained, err = g.Workspace.TrainResults(g.TrainSplit)
	return k, err
}

func (g Gate) sayf(format string, args ...any) { fmt.Fprintf(g.Out, format, args...) }

func mark(passed bool) string {
	if passed {
		return "PASS ✓"
	}
	return "FAIL ✗"
}

func (f FullStep) mark() string {
	if f.CannotTell() {
		return "CAN'T TELL"
	}
	return mark(f.Passed)
}

// regression is step 1.
func (g Gate) regression(ctx context.Context, suite *Suite) (SuiteStep, error) {
	if len(suite.Tasks) == 0 {
		g.sayf("\n[gate] Step 1: eval suite is empty — skipping\n")
		return SuiteStep{Passed: true, Threshold: suite.Threshold}, nil
	}
	g.sayf("\n[gate] Step 1: eval suite (%d tasks, threshold=%s)\n", len(suite.Tasks), percent(suite.Threshold))
	results, err := run(ctx, g.Train, suite.Tasks)
	if err != nil {
		return SuiteStep{}, err
	}
	counted := g.Policy.Counted(results)
	step := SuiteStep{EvalsPassed: counted.Passed(), EvalsTotal: len(counted), Threshold: suite.Threshold, Results: results}
	if len(counted) > 0 {
		step.PassRate = float64(step.EvalsPassed) / float64(step.EvalsTotal)
		step.Passed = step.PassRate >= step.Threshold
	}
	suite.LastResults = counted.Plain()
	g.sayf("       %d/%d passed (%s)  %s\n", step.EvalsPassed, step.EvalsTotal, percent(step.PassRate), mark(step.Passed))
	return step, g.Workspace.SaveSuite(*suite)
}

// full is step 2. It is run after a failed suite too: its figures are wanted.
func (g Gate) full(ctx context.Context, known known) (FullStep, error) {
	g.sayf("\n[gate] Step 2: full benchmark (test split)\n")
	if g.Judge != nil {
		step, err := g.Judge(ctx)
		if err == nil {
			g.sayf("       val_score=%s, baseline %s %s  %s\n", FormatScore(step.ValScore), step.Baseline, FormatScore(*step.BaselineScore), step.mark())
		}
		return step, err
	}
	best := known.best
	results, err := run(ctx, g.Full, nil)
	if err == nil {
		results, err = g.Workspace.sameTasks(g.FullSplit, known.tasks, results)
	}
	if err == nil {
		err = g.Workspace.FixTasks(g.FullSplit, results)
	}
	if err != nil {
		return FullStep{}, err
	}
	step := FullStep{ValScore: g.Policy.ValScore(results), Best: best, Results: results}
	step.Passed = best == nil || step.ValScore >= *best
	note := "(first run)"
	switch {
	case best != nil && step.Passed:
		note = fmt.Sprintf("(prev best: %s)", FormatScore(*best))
	case best != nil:
		note = fmt.Sprintf("(best so far: %s)", FormatScore(*best))
	}
	g.sayf("       val_score=%s  %s  %s\n", FormatScore(step.ValScore), mark(step.Passed), note)
	return step, nil
}

// promote is step 3.
func (g Gate) promote(ctx context.Context, k *known) (PromotionStep, error) {
	g.sayf("\n[gate] Step 3: suite promotion\n")
	step := PromotionStep{Rerun: []string{}, Promoted: []string{}}
	if len(k.trained) == 0 {
		g.sayf("       no training results — run `bench harness run` first to populate them\n")
		return step, nil
	}
	suite, counted := &k.suite, g.Policy.Counted(k.trained)
	for _, id := range counted.IDs() {
		if !counted[id].Passed() && !slices.Contains(suite.Tasks, id) {
			step.Rerun = append(step.Rerun, id)
		}
	}
	if len(step.Rerun) == 0 {
		g.sayf("       all failing train tasks already in suite — nothing to promote\n")
		return step, nil
	}
	g.sayf("       re-running %d previously-failing train tasks\n", len(step.Rerun))
	results, err := run(ctx, g.Train, step.Rerun)
	if err != nil {
		return step, err
	}
	for _, id := range results.IDs() {
		if results[id].Passed() {
			step.Promoted = append(step.Promoted, id)
		}
	}
	if len(step.Promoted) == 0 {
		g.sayf("       no new tasks promoted\n")
		return step, nil
	}
	suite.Tasks = slices.Sorted(slices.Values(append(suite.Tasks, step.Promoted...)))
	if suite.LastResults == nil {
		suite.LastResults = map[string]*float64{}
	}
	maps.Copy(suite.LastResults, g.Policy.Counted(results).Plain())
	g.sayf("       promoted %d task(s) into regression suite: %s\n", len(step.Promoted), strings.Join(step.Promoted, ", "))
	return step, g.Workspace.SaveSuite(*suite)
}

// conclude says what the steps come to.
func (g Gate) conclude(v *Verdict) {
	switch {
	case !v.Suite.Passed:
		v.Reason = fmt.Sprintf("eval suite pass rate %s < threshold %s", percent(v.Suite.PassRate), percent(v.Suite.Threshold))
	case v.Full.CannotTell():
		v.Reason = v.Full.Reason
		g.sayf("\n[gate] CAN'T TELL — %s\n", v.Reason)
		return
	case !v.Full.Passed && v.Full.Reason != "":
		v.Reason = v.Full.Reason
	case !v.Full.Passed:
		v.Reason = fmt.Sprintf("val_score %s < best %s", FormatScore(v.Full.ValScore), FormatScore(*v.Full.Best))
	default:
		v.Passed = true
		v.Reason = fmt.Sprintf("All steps clear. (val_score=%s)", FormatScore(v.Full.ValScore))
		if v.Full.Reason != "" {
			v.Reason += " " + v.Full.Reason
		}
		g.sayf("\n[gate] PASSED ✓  %s\n", v.Reason)
		return
	}
	g.sayf("\n[gate] FAILED — %s\n", v.Reason)
}

// percent writes a share in percent, with as many digits as it takes to tell
// it from others.
func percent(share float64) string {
	const hundred = 100
	text := fmt.Sprintf("%.2f", share*hundred)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "%"
}

// run runs tasks and holds the runner, which may be anybody's, to its word. That
// nothing could be tried is an error, and no score of 0.0.
func run(ctx context.Context, r harness.Runner, ids []string) (harness.Results, error) {
	results, err := r.Run(ctx, ids)
	if err != nil {
		return nil, err
	}
	if ids == nil && len(results) == 0 {
		return nil, fault.Infraf("the run produced no result for any task")
	}
	if results, err = harness.Complete(ids, results); err != nil {
		return nil, err
	}
	return results, results.Outage()
}
