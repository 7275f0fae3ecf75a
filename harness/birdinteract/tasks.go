package birdinteract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// task is a line of a dataset's file.
type task struct {
	id   string
	line []byte
}

type tasks []task

// readTasks reads a dataset's file. The error is of kind invalid.
func readTasks(path string) (tasks, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Invalidf("read BIRD-Interact's dataset: %w; run `bench harness prepare`, or say where it is with bird_data_path", err)
	}
	var all tasks
	number := 0
	for line := range bytes.Lines(data) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var said struct {
			ID any `json:"instance_id"`
		}
		if err := json.Unmarshal(line, &said); err != nil || said.ID == nil {
			return nil, fault.Invalidf("%s:%d: want a JSON object with an instance_id", path, number)
		}
		all = append(all, task{fmt.Sprint(said.ID), line})
	}
	if len(all) == 0 {
		return nil, fault.Invalidf("BIRD-Interact's dataset %s has no tasks", path)
	}
	return all, nil
}

// choose returns the tasks with these ids, in their order, each once. The
// error, of kind invalid, names those that are not there.
func (all tasks) choose(ids []string, path string) (tasks, error) {
	byID := make(map[string]task, len(all))
	for _, t := range all {
		byID[t.id] = t
	}
	var chosen tasks
	var missing []string
	for _, id := range ids {
		t, has := byID[id]
		switch {
		case !has:
			missing = append(missing, id)
		case !slices.ContainsFunc(chosen, func(c task) bool { return c.id == id }):
			chosen = append(chosen, t)
		}
	}
	if len(missing) > 0 {
		return nil, fault.Invalidf("BIRD-Interact's dataset %s does not have the task %s", path, strings.Join(missing, ", "))
	}
	return chosen, nil
}

func (all tasks) ids() []string {
	ids := make([]string, 0, len(all))
	for _, t := range all {
		ids = append(ids, t.id)
	}
	return ids
}

// lines returns the tasks as a dataset's file has them.
func (all tasks) lines() []byte {
	var text bytes.Buffer
	for _, t := range all {
		text.Write(t.line)
		text.WriteByte('\n')
	}
	return text.Bytes()
}
