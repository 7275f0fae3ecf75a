package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// CheckCapabilities finds out whether ghx lists the capabilities that
// scenarios use, under the names that they have today or had in older versions
// (rule N2), and returns which.
func CheckCapabilities(ctx context.Context, run Run, wanted []string) (scenario.Names, error) {
	out, err := run(ctx, GHX, "capabilities", "list", "--json")
	if err != nil {
		return nil, fault.Infraf("`ghx capabilities list --json` fails: %w", err)
	}
	listed, err := capabilities(out)
	if err != nil {
		return nil, fault.Infraf("`ghx capabilities list --json` cannot be read: %w", err)
	}
	names, missing := scenario.NamesIn(listed, wanted)
	if len(missing) > 0 {
		return nil, fault.Invalidf("this ghx does not have what the scenarios use: %s; install a newer one, or choose other scenarios",
			strings.Join(missing, ", "))
	}
	return names, nil
}

// CheckRuntime finds out whether a program's interpreter keeps to the proxy.
func CheckRuntime(ctx context.Context, run Run, program Program) error {
	if err := program.checkNode(ctx, run); err != nil {
		return fault.Invalidf("%w; mend: npm install -g node@22", err)
	}
	return nil
}

// capabilities reads the list of ghx's capabilities.
func capabilities(out string) ([]string, error) {
	var list []struct {
		ID string `json:"capability_id"`
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(list))
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return ids, nil
}
