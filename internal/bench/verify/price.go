package verify

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// Price is what a session costs, and takes, by earlier sessions of a model in a
// scenario set.
type Price struct {
	USD, LatencyMS float64
	// Sessions counts those that it stands on; none where the price is not known.
	Sessions int
	// Unseen are the modes that no session is of: they are taken to cost what the
	// others do.
	Unseen []bench.Mode
}

// PriceIn returns the mean price of a session by the rows of the runs in a folder
// of runs, each mode counted alike. An error is of kind infrastructure: the folder
// cannot be read. What is no run there is passed over.
func PriceIn(base string, of Expecting) (Price, error) {
	runs, err := SourcesIn(base)
	if err != nil {
		return Price{}, err
	}
	var price Price
	sums := map[bench.Mode]*sessionSums{}
	for _, source := range runs {
		if source.Runs[0].Model.Key() != of.Model || source.Runs[0].ScenarioSet != of.ScenarioSet {
			continue
		}
		// A ledger is read up to what is no row, and its run tells the rest.
		_, _ = ledger.Scan(source.Files, func(row *bench.Row) error {
			if row.RunID == source.Runs[0].RunID && row.Cost > 0 {
				price.Sessions++
				add(sums, row)
			}
			return nil
		})
	}
	price.average(sums, of.Modes)
	return price, nil
}

// sessionSums are of the sessions of a mode.
type sessionSums struct{ n, usd, latencyMS float64 }

func add(sums map[bench.Mode]*sessionSums, row *bench.Row) {
	sum := sums[row.Mode]
	if sum == nil {
		sum = &sessionSums{}
		sums[bench.Mode(strings.Clone(string(row.Mode)))] = sum
	}
	sum.n, sum.usd, sum.latencyMS = sum.n+1, sum.usd+row.Cost, sum.latencyMS+row.LatencyMSWall
}

// average fills in what the sums come to for modes that run equally often.
func (p *Price) average(sums map[bench.Mode]*sessionSums, modes []bench.Mode) {
	if p.Sessions == 0 {
		return
	}
	all := sessionSums{}
	for _, sum := range sums {
		all.n, all.usd, all.latencyMS = all.n+sum.n, all.usd+sum.usd, all.latencyMS+sum.latencyMS
	}
	n := float64(len(modes))
	for _, mode := range modes {
		sum := sums[mode]
		if sum == nil {
			sum = &all
			p.Unseen = append(p.Unseen, mode)
		}
		p.USD += sum.usd / sum.n / n
		p.LatencyMS += sum.latencyMS / sum.n / n
	}
}

// Text says what the price stands on, without a full stop.
func (p Price) Text() string {
	text := fmt.Sprintf("from %d sessions in earlier runs of this set with this model", p.Sessions)
	if len(p.Unseen) == 0 {
		return text
	}
	return text + "; there is none yet in mode " + bench.JoinModes(p.Unseen, ", ") + ", which is taken to cost what the others do"
}
