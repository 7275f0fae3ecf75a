package runner_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// pool is what machines share in a test, as a database would have it.
type pool struct {
	mu       sync.Mutex
	blocks   map[int]runner.Block
	taken    map[int]string
	finished map[int]bool
	rows     map[bench.Cell]bench.Row
	// unrecorded is what each machine has spent on what has no row.
	unrecorded map[string]float64
	runUSD     float64
	over       bool
}

func newPool() *pool {
	return &pool{blocks: map[int]runner.Block{}, taken: map[int]string{}, finished: map[int]bool{}, rows: map[bench.Cell]bench.Row{}, unrecorded: map[string]float64{}}
}

// machine is one that works on a pool's run.
type machine struct {
	*rig
	*pool
	name  string
	leads bool
}

// machine returns one whose sessions take a second each.
func (p *pool) machine(name string, leads bool) *machine {
	m := &machine{newRig(fake.Atomic("a-001"), fake.Atomic("b-001"), fake.Atomic("c-001")), p, name, leads}
	m.rig.plan(runner.PlanOptions{ScenarioIDs: []string{"a-001", "b-001", "c-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 4, Order: runner.Blocks, Seed: 7})
	m.cfg.Tools = map[string]string{"machine": name}
	m.provider.OnPrompt = plays(time.Second)
	m.deps.Shared = m
	m.deps.Observe = func(e runner.Event) {
		if e.Kind == runner.EventRow {
			m.pool.mu.Lock()
			defer m.pool.mu.Unlock()
			if _, known := m.rows[e.Cell]; !known {
				m.rows[e.Cell] = *e.Row
			}
			if m.leads {
				m.runUSD = e.CostUSD
			}
		}
	}
	return m
}

func (m *machine) Offer(_ context.Context, blocks []runner.Block) error {
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	for _, b := range blocks {
		if _, known := m.blocks[b.Position]; !known && m.leads {
			m.blocks[b.Position] = b
		}
	}
	return nil
}

func (m *machine) Take(context.Context) (*runner.Block, error) {
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	for position := range len(m.cfg.Plan) {
		b, offered := m.blocks[position+1]
		if !offered || m.taken[b.Position] != "" {
			continue
		}
		m.taken[b.Position] = m.name
		b.Cells = slices.DeleteFunc(slices.Clone(b.Cells), func(c bench.Cell) bool { _, has := m.rows[c]; return has })
		return &b, nil
	}
	return nil, nil
}

func (m *machine) Finish(_ context.Context, b runner.Block) error {
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	m.finished[b.Position] = true
	return nil
}

func (m *machine) News(ctx context.Context, here runner.Standing) (n runner.News, err error) {
	if err := fake.Sleep(ctx, 100*time.Millisecond); err != nil {
		return n, err
	}
	m.pool.mu.Lock()
	defer m.pool.mu.Unlock()
	m.unrecorded[m.name] = here.UnrecordedUSD
	if m.leads {
		n.Rows = slices.Collect(maps.Values(m.rows))
	}
	for position := range m.blocks {
		switch taken := m.taken[position]; {
		case taken == "" && m.leads && here.Leaves:
			m.taken[position] = m.name
		case taken == "":
			n.Open++
		case taken != m.name && m.leads && !m.finished[position]:
			n.Others++
		}
	}
	n.Over = m.over && !m.leads
	if !m.leads {
		n.RunUSD = m.runUSD
		return n, nil
	}
	for machine, usd := range m.unrecorded {
		if machine != m.name {
			n.UnrecordedUSD += usd
		}
	}
	return n, nil
}

// giveBack has others take what a machine has not finished.
func (p *pool) giveBack(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for position, by := range p.taken {
		if by == name && !p.finished[position] {
			p.taken[position] = ""
		}
	}
}

// together runs machines, the first of which leads; the others end when it does.
func (p *pool) together(t *testing.T, machines ...*machine) (lead runner.Outcome, took time.Duration) {
	t.Helper()
	began := time.Now()
	var helpers sync.WaitGroup
	for _, m := range machines[1:] {
		helpers.Go(func() {
			_, err := m.rig.run(t.Context(), t)
			assert.NoError(t, err)
			p.giveBack(m.name)
		})
	}
	lead, err := machines[0].rig.run(t.Context(), t)
	require.NoError(t, err)
	took = time.Since(began)
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	helpers.Wait()
	return lead, took
}

// by returns which machine has made the rows of each block.
func by(t *testing.T, rows []bench.Row) map[string]int {
	t.Helper()
	cells, blocks, shares := map[bench.Cell]bool{}, map[string]string{}, map[string]int{}
	for _, row := range rows {
		assert.False(t, cells[row.Cell()], "%s has two rows", row.Cell())
		cells[row.Cell()] = true
		block, machine := fmt.Sprint(row.ScenarioID, row.Iteration), row.Tools["machine"]
		if before, seen := blocks[block]; seen {
			assert.Equal(t, before, machine, "the modes of a block are compared on one machine")
		}
		blocks[block] = machine
		shares[machine]++
	}
	return shares
}

func TestN4MachinesShareTheBlocksOfARun(t *testing.T) {
	for helpers, most := range map[int]time.Duration{0: 24500 * time.Millisecond, 1: 12500 * time.Millisecond, 3: 6500 * time.Millisecond} {
		t.Run(fmt.Sprint(helpers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool()
				machines := []*machine{p.machine("lead", true)}
				for i := range helpers {
					machines = append(machines, p.machine(fmt.Sprint("help-", i), false))
				}
				out, took := p.together(t, machines...)
				assert.Empty(t, out.Left)
				assert.LessOrEqual(t, took, most)
				shares := by(t, machines[0].ledger.Rows())
				assert.Len(t, shares, helpers+1, "each does some: %v", shares)
				assert.Len(t, machines[0].ledger.Rows(), 24)
			})
		})
	}
}

func TestAMachineThatDiesLosesTheCellInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		lead, dies := p.machine("lead", true), p.machine("dies", false)
		ctx, kill := context.WithCancel(t.Context())
		var dead sync.WaitGroup
		dead.Go(func() { _, _ = runner.Run(ctx, dies.cfg, dies.deps) })
		time.AfterFunc(3500*time.Millisecond, func() { // in the second cell of its second block
			kill()
			dead.Wait()
			p.giveBack("dies")
		})
		out, took := p.together(t, lead)
		assert.Empty(t, out.Left)
		cells := map[bench.Cell]bool{}
		made := 0
		for _, row := range lead.ledger.Rows() {
			assert.False(t, cells[row.Cell()])
			cells[row.Cell()] = true
			if row.Tools["machine"] == "dies" {
				made++
			}
		}
		assert.Len(t, cells, 24)
		assert.Equal(t, 3, made, "what it had done counts")
		assert.LessOrEqual(t, took, 21500*time.Millisecond)
	})
}

// Who led the run had spent its budget and died; the others are in the middle of blocks.
func TestN12WhoLeadsWithoutMoneyWaitsForWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		died, help := p.machine("lead", true), p.machine("help", false)
		ctx, kill := context.WithCancel(t.Context())
		var dead, helper sync.WaitGroup
		dead.Go(func() { _, _ = runner.Run(ctx, died.cfg, died.deps) })
		helper.Go(func() {
			_, err := help.rig.run(t.Context(), t)
			assert.NoError(t, err)
		})
		require.NoError(t, fake.Sleep(t.Context(), 2500*time.Millisecond))
		kill()
		dead.Wait()
		p.giveBack("lead")
		lead := p.machine("lead", true)
		lead.cfg.Price, lead.cfg.MaxCostUSD, lead.cfg.SpentUSD = &bench.Price{Input: 1e6}, session, session
		out, err := lead.rig.run(t.Context(), t)
		require.NoError(t, err)
		assert.Equal(t, bench.MissingBudget, out.Stopped)
		assert.Len(t, p.rows, 6, "nobody takes another block")
		assert.Len(t, lead.ledger.Rows(), 6, "what others had begun is waited for")
		p.mu.Lock()
		p.over = true
		p.mu.Unlock()
		helper.Wait()
	})
}

// session is what one costs of the fake agent, in USD, at a USD for each token that is
// read.
const session = 6.0

func TestN12ABudgetIsThatOfAllMachines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool()
		machines := []*machine{p.machine("lead", true), p.machine("help-0", false), p.machine("help-1", false)}
		for _, m := range machines {
			m.cfg.Price, m.cfg.MaxCostUSD = &bench.Price{Input: 1e6}, 12.5*session
			m.cfg.SkipWarmup = false
		}
		out, _ := p.together(t, machines...)
		assert.Equal(t, bench.MissingBudget, out.Stopped)
		rows := machines[0].ledger.Rows()
		by(t, rows)
		sessions := 0
		for _, m := range machines {
			sessions += m.attempts()
		}
		assert.InDelta(t, out.CostUSD, float64(sessions)*session, 1e-6, "warm-ups of all machines are paid for")
		assert.LessOrEqual(t, sessions, 13+2*len(machines), "one attempt a machine more, and what began before the news of it")
		assert.Len(t, rows, sessions-2*len(machines), "who ends waits for the rows of the others")
	})
}
