package gateprocess

import (
	"strconv"

	"github.com/ghx-dev/bench-action/harness"
)

// Gate is a gate of a benchmark other than ghx.
type Gate struct {
	// Config is the experiment's configuration, in the folder that the gate runs in.
	Config string
	// MaxCostUSD is the most that may be spent, in USD, as far as the benchmark tells; 0
	// is no limit.
	MaxCostUSD float64
	// Evidence is nil where the configuration says how it is decided.
	Evidence *Evidence
	// Against is nil where there is no baseline that is given.
	Against *Against
	// Shard is the part that is done, empty for all; without a baseline there are no parts.
	Shard string
}

// Evidence says how evidence decides. A margin of 0 is the usual one.
type Evidence struct {
	Epochs                                   string
	MarginSuccess, MarginCost, MarginLatency float64
}

// Against are the commits that are compared: neither folder is a checkout.
type Against struct {
	// Commit and Tree are those of the folder that the gate runs in, BaseCommit and
	// BaseTree those of BaseDir. Trees may be empty.
	Commit, Tree, BaseDir, BaseCommit, BaseTree string
}

// Arguments is the command line of bench that runs the gate.
func (g Gate) Arguments() []string {
	args := []string{"harness", "gate", "--config", g.Config}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	number := func(n float64) string {
		if n <= 0 {
			return ""
		}
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	add("--max-cost-usd", number(g.MaxCostUSD))
	if e := g.Evidence; e != nil {
		add("--policy", string(harness.GateEvidence))
		add("--epochs", e.Epochs)
		add("--margin-success", number(e.MarginSuccess))
		add("--margin-cost", number(e.MarginCost))
		add("--margin-latency", number(e.MarginLatency))
	}
	if a := g.Against; a != nil {
		add("--git-commit", a.Commit)
		add("--base-dir", a.BaseDir)
		add("--base-commit", a.BaseCommit)
		add("--git-tree", a.Tree)
		add("--base-tree", a.BaseTree)
		add("--shard", g.Shard)
	}
	return args
}
