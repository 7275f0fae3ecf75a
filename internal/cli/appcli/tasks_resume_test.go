package appcli_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// asksForEach asks the model for each of twelve tasks, or for those that it is asked for,
// and has an agent look around after each.
const asksForEach = `asked=$(cat)
ids="t01 t02 t03 t04 t05 t06 t07 t08 t09 t10 t11 t12"
case $asked in *'"task_ids":null'*) echo '{"task_ids": ["'$(echo $ids | sed 's/ /","/g')'"]}' ;; esac
reward=1
grep -qs bad agent/change.txt && reward=0
for id in $ids; do
  case $asked in *'"task_ids":null'* | *'"'$id'"'*) ;; *) continue ;; esac
  curl -sS -f --noproxy '*' "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" \
    -d '{"model": "m", "messages": [{"role": "user", "content": "'$id'"}]}' > /dev/null || reward=0
  if [ -f agent/attack.sh ]; then sh agent/attack.sh $id >&2; fi
  echo "{\"$id\": {\"reward\": $reward, \"duration_s\": 1, \"input_tokens\": 10, \"cost_usd\": 0.01}}"
done
`

// twelve tasks are done by both agents in four epochs.
const cellsOfTwelve = 12 * 2 * 4

// resumed is a world with a benchmark that asks the model once for each task and epoch,
// which holds some of them until the server has died.
type resumed struct {
	*world
	with      *withModel
	temporary string
	// held has one for each question that is held.
	held chan struct{}
}

// newResumed has the model hold the questions of those numbers, from 1.
func newResumed(t *testing.T, program string, hold ...int) *resumed {
	t.Helper()
	r := &resumed{held: make(chan struct{}, 100)}
	asked := make(chan int, 1)
	asked <- 0
	answer := func(stubmodel.Request) []stubmodel.Step {
		n := <-asked + 1
		asked <- n
		for _, held := range hold {
			if n == held {
				r.held <- struct{}{}
				<-t.Context().Done()
			}
		}
		return []stubmodel.Step{{Text: "hello", Usage: stubmodel.Usage{Prompt: 5_000}}}
	}
	r.with, r.temporary = newTasksHere(t, ofTasksHere, rules, answer,
		gitstore.Change{Path: "agent/tau.yaml", Content: []byte(experiment)}, gitstore.Change{Path: "agent/bench.sh", Content: []byte(program)})
	r.world = r.with.world
	return r
}

// rows are those that a server has of the last run.
func (r *resumed) rows(s *server) (rows []bench.Row) {
	browser := r.browser("owner", s)
	page(r.t, browser, "/login?next=/")
	_, text := page(r.t, browser, "/api/v1/runs/"+r.last().ExternalID+"/rows")
	for line := range strings.Lines(text) {
		var row bench.Row
		require.NoError(r.t, json.Unmarshal([]byte(line), &row), line)
		rows = append(rows, row)
	}
	return rows
}

// diesAt waits until the model holds a question and the server has so many rows. Then that
// is killed, and another one is started.
func (r *resumed) diesAt(s *server, rows int) *server {
	<-r.held
	r.until("what is done is kept", func() bool { return len(r.rows(s)) == rows })
	r.killed(s, r.temporary)
	return r.serve(r.with.more...)
}

// log is that of the last run.
func (r *resumed) log(s *server) string {
	browser := r.browser("owner", s)
	page(r.t, browser, "/login?next=/")
	_, log := page(r.t, browser, "/runs/"+r.last().ExternalID+"/log")
	return log
}

// changing are what differs from run to run in what is said of it.
var changing = regexp.MustCompile(`\d{8}T\d{6}Z-\w+|[0-9a-f]{40}|@[0-9a-f]{7}|/runs/[\w-]+|\d+(\.\d+)? (ms|s|min)\b|[0-9a-f]{7}\b`)

func TestARunOfTasksGoesOnWhereItsServerDied(t *testing.T) {
	t.Parallel()
	undisturbed := func() string {
		r := newResumed(t, asksForEach)
		r.commit("agent/change.txt", "good, in other words")
		s := r.serve(r.with.more...)
		r.open()
		check := r.with.judged()
		assert.Zero(t, s.stop(t), s.out)
		require.Len(t, r.with.model.Requests(), cellsOfTwelve)
		return check.Output.Summary + check.Output.Text
	}
	// In the middle of the first epoch, of a later one, and right after that.
	r := newResumed(t, asksForEach, 6, 41, 42)
	r.commit("agent/change.txt", "good, in other words")
	s := r.serve(r.with.more...)
	r.open()
	for _, rows := range []int{5, 39, 39} {
		s = r.diesAt(s, rows)
	}
	check := r.with.judged()
	log := r.log(s)
	require.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary+log)
	assert.Len(t, r.with.model.Requests(), cellsOfTwelve+3, "those that were under way alone are done again")
	assert.Contains(t, log, "which has 39 rows")
	r.shownTasks(s, check)
	browser := r.browser("owner", s)
	page(t, browser, "/login?next=/")
	assert.InDelta(t, 0.01*(cellsOfTwelve), r.cost(browser), 0.021, "each once")
	tasks := map[bench.Cell]bool{}
	for _, row := range r.rows(s) {
		tasks[row.Cell()] = true
	}
	assert.Len(t, tasks, cellsOfTwelve)
	assert.Equal(t, changing.ReplaceAllString(undisturbed(), "…"), changing.ReplaceAllString(check.Output.Summary+check.Output.Text, "…"))
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, r.temporary)
}

func TestARunOfTasksWithAllRowsIsJudgedAlone(t *testing.T) {
	t.Parallel()
	const batches = 2 * 4
	last := asksForEach + `curl -sS --noproxy '*' "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"model": "m", "messages": []}' >&2` + "\n"
	r := newResumed(t, last, cellsOfTwelve+batches)
	r.commit("agent/change.txt", "good, in other words")
	s := r.serve(r.with.more...)
	r.open()
	s = r.diesAt(s, cellsOfTwelve)
	check := r.with.judged()
	assert.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary)
	assert.Len(t, r.with.model.Requests(), cellsOfTwelve+batches, "nothing is done again")
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, r.temporary)
}

func TestARunOfTasksWhoseServerDiesWhileTheBaselineIsBuilt(t *testing.T) {
	t.Parallel()
	r := newResumed(t, asksForEach)
	r.commit("agent/change.txt", "bad")
	s := r.serveBuilding(append(r.with.more, "BENCH_APP_BUILD_COMMAND=sleep 20; : "+r.temporary)...)
	r.open()
	r.until("the baseline is built", func() bool { return len(running(t, "sleep 20; : "+r.temporary)) > 0 })
	s.kill()
	s = r.serve(r.with.more...)
	check := r.with.judged()
	assert.Equal(t, model.Conclusion("failure"), check.Conclusion, check.Output.Summary)
	assert.Len(t, r.with.model.Requests(), cellsOfTwelve)
	assert.Zero(t, s.stop(t), s.out)
}

func TestARunOfTasksOfAnotherVersionBeginsAnew(t *testing.T) {
	t.Parallel()
	r := newResumed(t, asksForEach, 6)
	r.commit("agent/change.txt", "good, in other words")
	s := r.serve(r.with.more...)
	r.open()
	<-r.held
	r.until("what is done is kept", func() bool { return len(r.rows(s)) == 5 })
	r.killed(s, r.temporary)
	db, err := queue.OpenDB(t.Context(), r.database)
	require.NoError(t, err)
	require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
		var begun []byte
		if err := tx.QueryRow(t.Context(), "SELECT begun FROM run").Scan(&begun); err != nil {
			return err
		}
		older := strings.Replace(string(begun), `"harness":["`+benchcli.Version()+`"]`, `"harness":["0.1.0"]`, 1)
		assert.NotEqual(t, string(begun), older)
		_, err := tx.Exec(t.Context(), "UPDATE run SET begun = $1", []byte(older))
		return err
	}))
	require.NoError(t, db.Close())
	s = r.serve(r.with.more...)
	check := r.with.judged()
	log := r.log(s)
	assert.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary+log)
	assert.Regexp(t, `run \S+ cannot go on: it was begun with benchmark command; harness 0.1.0, and now it would be .*: it begins anew`, log)
	assert.Len(t, r.with.model.Requests(), 6+cellsOfTwelve)
	assert.Len(t, r.rows(s), cellsOfTwelve)
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, r.temporary)
}

// forges has the agent of a process that will die leave what would make the next one
// believe something, and try to report in the place of the gate.
const forges = `echo '{"row": {"mode": "x"}}' 2>/dev/null >&3 && echo "LEAK: descriptor 3"
for file in /proc/[0-9]*/fd/3; do
  [ "$file" != /proc/$$/fd/3 ] && echo '{"end": {"code": 0}}' 2>/dev/null >"$file" && echo "LEAK: $file"
done
state=$(ls -d ../../provided/state.jsonl)
[ -f "$state" ] && echo "the state is there"
echo x 2>/dev/null >>"$state" && echo "LEAK: the state"
mv "$state" x 2>/dev/null && echo "LEAK: the state's name"
if [ ! -s "$state" ]; then
  cp -r .bench .old
  for ledger in .old/*/*.jsonl; do sed -i 's/"success":true/"success":false/; s/t01/t07/' "$ledger"; done
  mv .bench .real
  ln -s .old .bench
  ln -s / "$HOME/everything"
  echo forged
fi
`

func TestADeadProcessLeavesNothingThatTheNextOneBelieves(t *testing.T) {
	t.Parallel()
	r := newResumed(t, asksForEach, 41)
	r.commit("agent/attack.sh", `[ "$1" = t01 ] || exit 0`+"\n"+forges)
	s := r.serve(r.with.more...)
	r.open()
	s = r.diesAt(s, 40)
	check := r.with.judged()
	log := r.log(s)
	require.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary+log)
	assert.Contains(t, log, "the state is there")
	assert.Contains(t, log, "which has 40 rows")
	assert.NotContains(t, log, "LEAK")
	assert.NotContains(t, log, "forged", "that was the first process")
	assert.Len(t, r.with.model.Requests(), cellsOfTwelve+1)
	for _, row := range r.rows(s) {
		assert.True(t, row.Success, row.Cell())
	}
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, r.temporary)
}
