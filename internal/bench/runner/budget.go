package runner

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// bill is what an attempt's calls of its model come to, as they pass. The run's mu
// guards it: a program that outlives its attempt may still ask.
type bill struct {
	// metered is what the answers used, in USD at the suite's price.
	metered float64
	// settled is true once that counts as spent.
	settled bool
	// refused is true if the budget kept the agent from asking.
	refused bool
}

// mayAsk is asked before an attempt's agent calls its model (rule N12). What
// calls under way will come to is not known: that much goes beyond a budget.
func (r *run) mayAsk(b *bill) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.overBudget() {
		return nil
	}
	b.refused = true
	return fault.Invalidf("the budget of %g USD is used up", r.cfg.MaxCostUSD)
}

// used takes in what an answer of the model's API used.
func (r *run) used(b *bill, t bench.Tokens) {
	if r.cfg.Price == nil {
		return
	}
	cost := r.cfg.Price.Cost(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if b.settled { // by a program that outlived the attempt
		r.spent += cost
		return
	}
	b.metered += cost
	r.underway += cost
}

// settle counts what an attempt cost as spent: what its agent reports, and what
// the model's API used beyond that, where the two differ by more than what
// rounding explains.
func (r *run) settle(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if price := r.cfg.Price; price != nil {
		const rounding = 1.01
		reported := price.Cost(a.Measures.Tokens)
		if a.bill.metered > rounding*reported {
			a.unreported = a.bill.metered - reported
		}
	}
	a.bill.settled, a.unaffordable = true, a.bill.refused
	r.underway -= a.bill.metered
	r.spent += a.Cost + a.unreported
}

// mayGoOn reports whether the budget allows what is left to do.
func (r *run) mayGoOn() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.overBudget()
}

// overBudget is asked only where something is left to do, with mu held.
func (r *run) overBudget() bool {
	over := r.cfg.MaxCostUSD > 0 && r.costUSD()+r.underway >= r.cfg.MaxCostUSD
	r.broke = r.broke || over
	return over
}

// wireOf returns what was counted of the calls of the model's API, zeros where
// nothing was.
func wireOf(u target.Usage) bench.WireUsage {
	if u.Model == nil {
		return bench.WireUsage{}
	}
	return u.Model.WireUsage
}

// metered returns the transcript of a program that does not tell what it used,
// with what was counted outside of it: a message for each answer of the model,
// and the tokens with the last, which has the program's answer.
func metered(t agent.Transcript, used bench.WireUsage) agent.Transcript {
	last := len(t.Messages) - 1
	if last < 0 || t.Messages[last].Role != agent.Assistant {
		return t
	}
	turns := 0
	for _, m := range t.Messages {
		if m.Role == agent.Assistant {
			turns++
		}
	}
	answer := t.Messages[last]
	answer.Tokens = used.Tokens
	messages := slices.Clone(t.Messages[:last])
	for range used.Answers - turns {
		messages = append(messages, agent.Message{Role: agent.Assistant, Parts: []agent.Part{}})
	}
	t.Messages = append(messages, answer)
	return t
}
