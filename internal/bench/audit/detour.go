package audit

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// detour are writes of which the last ones take back what the first ones did.
// What they set off stays: people were told, runs were started, labels made.
type detour struct {
	Name  string  `json:"name"`
	Steps []write `json:"steps"`
}

//go:embed detours.json
var detourData []byte

var detourTable = sync.OnceValue(func() []detour {
	const file = "detours.json"
	var all []detour
	mustRead(file, detourData, &all)
	for i := range all {
		for k := range all[i].Steps {
			all[i].Steps[k].compile(file)
		}
	}
	return all
})

// in returns the requests of a detour in a world; ok is false where there is none.
func (d detour) in(world map[string]any) (requests []request, ok bool) {
	for _, step := range d.Steps {
		a, ok := step.in(world)
		if !ok {
			return nil, false
		}
		requests = append(requests, a.request())
	}
	return requests, true
}

// detours does, before and after the right play, something that it takes back.
func detours(right recording, s scene) []mutant {
	var made []mutant
	for _, d := range detourTable() {
		requests, ok := d.in(s.world)
		if !ok {
			continue
		}
		for when, all := range map[string][]request{
			"before": slices.Concat(requests, right.requests), "after": slices.Concat(right.requests, requests),
		} {
			made = append(made, mutant{
				kind: Detour, name: fmt.Sprintf("%s %s: %s", Detour, when, d.Name), words: fmt.Sprintf("%s, %s it", d.Name, when),
				does: right.doing(all), same: true, steps: true,
			})
		}
	}
	slices.SortFunc(made, func(a, b mutant) int { return strings.Compare(a.name, b.name) })
	return made
}
