package service_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// shelf is where a run's rows are kept.
type shelf struct {
	begun []byte
	rows  map[bench.Cell][]byte
	// told are done, cells and cost, as told last.
	told []any
}

func (s *shelf) work() service.Work {
	w := service.Work{
		Run: ofTasks(), Begun: s.begun,
		Keep: func(cell bench.Cell, row []byte) { s.rows[cell] = row },
		KeepBegun: func(begun []byte, anew bool) error {
			if s.begun = begun; anew {
				s.rows = map[bench.Cell][]byte{}
			}
			return nil
		},
		Progress: func(done, cells int, usd float64) { s.told = []any{done, cells, usd} },
	}
	for _, row := range s.rows {
		w.Rows = append(w.Rows, row)
	}
	return w
}

func begun(id string, tasks ...string) *ledger.RunInfo {
	info := &ledger.RunInfo{RunID: id}
	for _, task := range tasks {
		info.Scenarios = append(info.Scenarios, ledger.ScenarioRef{ID: task})
	}
	return info
}

// numbers are the names of so many tasks.
func numbers(count int) (names []string) {
	for i := range count {
		names = append(names, strconv.Itoa(i))
	}
	return names
}

func line(t *testing.T, row bench.Row) []byte {
	t.Helper()
	text, err := json.Marshal(row)
	require.NoError(t, err)
	return text
}

func TestWhatIsMeasuredHereIsKeptForTheNextServer(t *testing.T) {
	s := &shelf{}
	rows := taskRows(2, "t1", "t2")
	for i := range rows {
		rows[i].Cost = 0.5
	}
	first := s.work().Measured()
	info, kept := first.Kept()
	assert.Nil(t, info)
	assert.Empty(t, kept)
	require.NoError(t, first.Begins(begun("a"), true))
	require.NoError(t, first.Begins(begun("a", "t1", "t2"), false))
	for _, row := range rows[:3] {
		require.NoError(t, first.Row(line(t, row)))
	}
	first.Progress(1, 0, 0.25)
	assert.Equal(t, []any{3, 8, 1.5}, s.told, "two tasks, two agents, and two epochs before it is looked first")
	first.Progress(5, 20, 2.5)
	assert.Equal(t, []any{5, 20, 2.5}, s.told, "a task that failed has no row, and a cost")
	first.Progress(9, 0, 0)
	assert.Equal(t, []any{9, 9, 1.5}, s.told)

	second := s.work().Measured()
	info, kept = second.Kept()
	assert.Equal(t, "a", info.RunID)
	assert.Len(t, kept, 3)
	assert.InDelta(t, 1.5, second.USD(), 1e-9)
	require.NoError(t, second.Begins(begun("a", "t1", "t2"), false))
	require.ErrorContains(t, second.Row(line(t, rows[0])), "has two rows", "of a server before, too")
	for _, row := range rows[3:] {
		require.NoError(t, second.Row(line(t, row)))
	}
	judged := taskSummary(2)
	require.NoError(t, second.End(&judged, 3))
	assert.Equal(t, []any{8, 8, 4.0}, s.told, "each row once")
	require.NoError(t, second.End(&judged, 4.5))
	assert.Equal(t, []any{8, 8, 4.5}, s.told, "what has no row has a cost, too")
	judged.CostUSD = 5
	require.NoError(t, second.End(&judged, 4.5))
	assert.Equal(t, []any{8, 8, 5.0}, s.told)
	require.NoError(t, second.End(nil, 3))
	assert.Equal(t, []any{8, 8, 4.0}, s.told)
	assert.Len(t, s.rows, 8)
	wrong := taskSummary(3)
	require.ErrorContains(t, second.End(&wrong, 3), "the summary is of 12 rows, and there are 8")

	third := s.work().Measured()
	require.NoError(t, third.Begins(begun("b"), true))
	assert.Empty(t, s.rows, "they are of another run")
	assert.Zero(t, third.USD())
	require.NoError(t, third.Row(line(t, rows[0])))
	require.ErrorContains(t, third.Begins(begun("b"), true), "it begins a second time", "which would be to choose among rows")
}

func TestWhatIsNotOfThisVersionIsNotGoneOnWith(t *testing.T) {
	many, err := json.Marshal(begun("a", numbers(10_001)...))
	require.NoError(t, err)
	good, other := line(t, taskRows(1, "t1")[0]), []byte(`{"mode": "ghx"}`)
	for name, c := range map[string]struct {
		begun []byte
		rows  [][]byte
	}{
		"too many tasks":   {many, nil},
		"rows alone":       {nil, [][]byte{good}},
		"a row of another": {[]byte(`{"run_id": "a"}`), [][]byte{good, other}},
		"no description":   {[]byte(`[]`), [][]byte{good}},
		"other tasks":      {[]byte(`{"run_id": "a", "scenarios": [{"id": "t2"}]}`), [][]byte{good}},
	} {
		t.Run(name, func(t *testing.T) {
			w := (&shelf{begun: c.begun}).work()
			w.Rows = c.rows
			m := w.Measured()
			info, rows := m.Kept()
			assert.Nil(t, info)
			assert.Empty(t, rows)
			assert.Zero(t, m.USD())
			require.ErrorContains(t, m.Begins(begun("a"), false), "it goes on with another run")
		})
	}
}

func TestRowsAreAsLongAsTheyMayBe(t *testing.T) {
	s := &shelf{rows: map[bench.Cell][]byte{}}
	m := s.work().Measured()
	require.NoError(t, m.Begins(begun("a"), true))
	require.NoError(t, m.Row([]byte(padded(t, taskRows(1, "t1")[0], 8<<20))))
	require.ErrorContains(t, m.Row([]byte(padded(t, taskRows(1, "t2")[0], 8<<20+1))), "larger than they may be")

	second, third := line(t, taskRows(1, "t2")[0]), line(t, taskRows(1, "t3")[0])
	m.Left(len(second) + len(third) - 1)
	require.NoError(t, m.Row(second))
	require.ErrorContains(t, m.Row(third), "larger than they may be", "all together")
	m.Left(len(third))
	require.NoError(t, m.Row(third))
}

func TestMoreRowsThanAPlanMayHaveAreNotKept(t *testing.T) {
	testkit.NeedComplete(t)
	s := &shelf{rows: map[bench.Cell][]byte{}}
	w := s.work()
	w.Run.Request.Plan.Repetitions = bench.Repetitions{First: 1, Most: 1}
	w.Run.Request.Plan.Profile = bench.VerifyPR
	m := w.Measured()
	require.NoError(t, m.Begins(begun("a"), true))
	most := w.Run.Plan().MostCells()
	row := taskRows(1, "t")[0]
	for i := range most {
		row.ScenarioID = strconv.Itoa(i)
		require.NoError(t, m.Row(line(t, row)))
	}
	row.ScenarioID = "more"
	require.ErrorContains(t, m.Row(line(t, row)), "it has more rows than the plan has cells")
}

func TestRowsThatLieAreNotKept(t *testing.T) {
	good := func(change func(*bench.Row)) []byte {
		row := taskRows(1, "t1")[1]
		change(&row)
		return line(t, row)
	}
	for name, c := range map[string]struct {
		row  []byte
		says string
	}{
		"another task":      {good(func(r *bench.Row) { r.ScenarioID = "t9" }), `it has a row of "t9", which is none of its tasks`},
		"no task":           {good(func(r *bench.Row) { r.ScenarioID = "" }), "the plan has no cell"},
		"another mode":      {good(func(r *bench.Row) { r.Mode = "ghx" }), "the plan has no cell"},
		"another commit":    {good(func(r *bench.Row) { r.Git.Commit = new(base) }), "it is not of commit " + head},
		"epoch 99":          {good(func(r *bench.Row) { r.Iteration = 99 }), "the plan has no cell"},
		"epoch 0":           {good(func(r *bench.Row) { r.Iteration = 0 }), "the plan has no cell"},
		"another model":     {good(func(r *bench.Row) { r.Model.ModelID = "dear" }), "it is of model openai/dear"},
		"money":             {good(func(r *bench.Row) { r.Cost = -5 }), "it has a cost below 0"},
		"huge":              {good(func(r *bench.Row) { r.RunID = strings.Repeat("x", 9<<20) }), "its rows are larger than they may be"},
		"no row":            {[]byte(`[]`), "it is no row"},
		"a row that is had": {line(t, taskRows(1, "t1")[0]), "has two rows"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{rows: map[bench.Cell][]byte{}}
			m := s.work().Measured()
			require.ErrorContains(t, m.Row(line(t, taskRows(1, "t1")[0])), "before it is known what is run")
			require.NoError(t, m.Begins(begun("a", "t1", "t2"), true))
			require.NoError(t, m.Row(line(t, taskRows(1, "t1")[0])))
			err := m.Row(c.row)
			require.ErrorContains(t, err, "What was measured cannot be used: ")
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Len(t, s.rows, 1)
			assert.InDelta(t, 0, m.USD(), 1e-9)
		})
	}
	t.Run("other tasks than before", func(t *testing.T) {
		m := (&shelf{}).work().Measured()
		require.NoError(t, m.Begins(begun("a", "t1", "t2"), true))
		for _, info := range []*ledger.RunInfo{begun("a", "t1"), begun("a"), begun("a", "t1", "t3")} {
			require.ErrorContains(t, m.Begins(info, false), "it has other tasks than it had")
		}
		require.ErrorContains(t, m.Begins(begun("b", "t1", "t2"), false), "it goes on with another run")
	})
	t.Run("tasks without one that has a row", func(t *testing.T) {
		m := (&shelf{}).work().Measured()
		require.NoError(t, m.Begins(begun("a"), true))
		require.NoError(t, m.Row(line(t, taskRows(1, "t1")[0])))
		require.ErrorContains(t, m.Begins(begun("a", "t2"), false), `its tasks lack "t1"`)
	})
	t.Run("too many tasks", func(t *testing.T) {
		m := (&shelf{}).work().Measured()
		err := m.Begins(begun("a", strings.Fields(strings.Repeat("t ", 10_001))...), true)
		require.NoError(t, err, "it is one")
		require.NoError(t, (&shelf{}).work().Measured().Begins(begun("a", numbers(10_000)...), true))
		require.ErrorContains(t, (&shelf{}).work().Measured().Begins(begun("a", numbers(10_001)...), true), "it has 10001 tasks, which are too many")
	})
}
