package audit

import (
	"fmt"
	"slices"
)

// leftOut leaves writes out: all of them, and one at a time.
func leftOut(right recording) []mutant {
	reads := right
	reads.requests = slices.DeleteFunc(slices.Clone(right.requests), func(r request) bool { return r.wrote })
	if len(reads.requests) == len(right.requests) {
		return nil
	}
	made := []mutant{{kind: LeaveOutAll, name: string(LeaveOutAll), words: "writes nothing, and claims success", does: reads, same: true}}
	deeds := right.deeds()
	if len(deeds) < 2 {
		return made
	}
	for i, d := range deeds {
		made = append(made, mutant{
			kind: LeaveOut, name: fmt.Sprintf("%s %d %s", LeaveOut, i+1, d.name()), words: "leaves out " + d.words(),
			does: right.doing(right.instead(d)), same: true,
		})
	}
	return made
}

// twice does each write twice.
func twice(right recording) []mutant {
	var made []mutant
	for i, d := range right.deeds() {
		made = append(made, mutant{
			kind: Twice, name: fmt.Sprintf("%s %d %s", Twice, i+1, d.name()), words: "does twice " + d.words(),
			does: right.doing(right.instead(d, d.act, d.act)), same: true,
		})
	}
	return made
}

// doing returns the recording with other requests.
func (r recording) doing(requests []request) recording {
	r.requests = requests
	return r
}
