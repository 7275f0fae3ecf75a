package benchcli

import (
	"context"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
)

// diagnoseExperiment looks at what the benchmark of a configuration needs, for the
// split that is trained on and for that of the gate.
func (a *app) diagnoseExperiment(ctx context.Context, dir, file string) []diagnosis {
	found := []diagnosis{{Name: "bench", OK: true, Detail: version()}, diagnoseFolder(dir)}
	config, err := harness.ReadConfig(file)
	if err != nil {
		return append(found, diagnosis{Name: "configuration", Detail: err.Error()})
	}
	found = append(found, diagnosis{Name: "configuration", OK: true, Detail: file + ", " + config.Benchmark})
	known := map[harness.Check]bool{}
	for _, split := range []string{config.Split, config.GateSplit} {
		checks, err := (harnessRun{config, a.harnessHost(), split, false}).checks(ctx, nil, true)
		if err != nil {
			checks = []harness.Check{{Name: config.Benchmark, Err: err}}
		}
		for _, c := range checks {
			if said := (harness.Check{Name: c.Name, Detail: c.Detail}); c.Err != nil || !known[said] {
				known[said] = true
				found = append(found, diagnosisOf(c))
			}
		}
		if harness.FirstProblem(checks) != nil {
			break
		}
	}
	return found
}

// diagnosisOf says a check as doctor does: the mend follows the last colon or semicolon.
func diagnosisOf(c harness.Check) diagnosis {
	d := diagnosis{Name: c.Name, OK: c.Err == nil, Detail: c.Detail}
	if c.Err == nil {
		return d
	}
	d.Detail = c.Err.Error()
	if at := strings.LastIndexAny(d.Detail, ":;"); at > 0 && strings.HasPrefix(d.Detail[at+1:], " ") {
		d.Detail, d.Mend = d.Detail[:at], strings.TrimSpace(d.Detail[at+1:])
	}
	return d
}
