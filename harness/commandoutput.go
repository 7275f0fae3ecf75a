package harness

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// output collects results from the lines that a benchmark's program prints.
type output struct {
	host    Host
	log     *Stream
	results Results
	// asked are the tasks to report, nil while all are; wanted has them too.
	asked  []string
	wanted map[string]bool
	// number is that of the line, from 1; at is where tasks were told.
	number int
	at     map[string]int
	// wrong is what is wrong with a line, nil for nothing, and end ends the program
	// for it.
	wrong error
	end   func(error)
}

func newOutput(host Host, log *Stream, taskIDs []string, end func(error)) *output {
	o := &output{host: host, log: log, results: Results{}, at: map[string]int{}, end: end}
	o.ask(taskIDs)
	return o
}

// ask says which tasks are to be reported, nil for all.
func (o *output) ask(taskIDs []string) {
	if taskIDs == nil {
		return
	}
	o.asked, o.wanted = taskIDs, map[string]bool{}
	for _, id := range taskIDs {
		o.wanted[id] = true
	}
	o.host.Plan(taskIDs)
}

// line takes a line of standard output.
func (o *output) line(line []byte, whole bool) {
	o.number++
	if o.wrong != nil {
		return
	}
	if err := o.take(line, whole); err != nil {
		o.wrong = err
		o.end(err)
	}
}

func (o *output) take(line []byte, whole bool) error {
	var found map[string]json.RawMessage
	strict := bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && whole
	if strict && json.Unmarshal(line, &found) != nil {
		if mended := foreignNumber.ReplaceAll(line, []byte("$1\"$2\"")); json.Unmarshal(mended, &found) != nil {
			strict = false
		}
	}
	ids := o.mine(found)
	switch {
	case strict && o.plans(found):
		return nil
	case !strict || len(ids) == 0 || !slices.ContainsFunc(ids, func(id string) bool { return like(found[id]) }):
		// Writing to the log never fails.
		_, _ = o.log.Write(append(line[:len(line):len(line)], '\n'))
		return nil
	}
	// Nothing is told of a line that is wrong in part.
	all := make([]measured, len(ids))
	for i, id := range ids {
		if err := all[i].read(found[id]); err != nil {
			return fault.Invalidf("line %d of its standard output: task %q: %w; logs are for standard error", o.number, id, err)
		}
	}
	for i, id := range ids {
		if err := o.result(id, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// foreignNumber is a value that JSON does not have and Python writes.
var foreignNumber = regexp.MustCompile(`([:,\[]\s*)(NaN|-?Infinity)\b`)

// mine returns the keys of an object that may be tasks that were asked for.
func (o *output) mine(found map[string]json.RawMessage) []string {
	ids := slices.SortedFunc(maps.Keys(found), CompareIDs)
	if o.asked != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !o.wanted[id] })
	}
	return ids
}

// tasksKey is the one of the line that says which tasks there are.
const tasksKey = "task_ids"

// plans takes the line that says which tasks there are, and reports whether it is
// that one.
func (o *output) plans(found map[string]json.RawMessage) bool {
	var ids []string
	if len(found) != 1 || json.Unmarshal(found[tasksKey], &ids) != nil {
		return false
	}
	if o.asked == nil && len(o.results) == 0 {
		o.ask(append([]string{}, ids...))
	}
	return true
}

// like reports whether a value is meant as a reward: a number, null, or an object
// with a reward or a status.
func like(value json.RawMessage) bool {
	text := string(bytes.TrimSpace(value))
	switch {
	case text == "null" || text == `"NaN"` || text == `"Infinity"` || text == `"-Infinity"`:
		return true
	case text[0] == '{':
		var fields map[string]json.RawMessage
		return json.Unmarshal(value, &fields) == nil && (fields["reward"] != nil || fields["status"] != nil)
	default:
		return text[0] == '-' || text[0] >= '0' && text[0] <= '9'
	}
}

// result takes a task's result.
func (o *output) result(id string, told measured) error {
	if before, again := o.results[id]; again {
		if before != told.outcome {
			return fault.Invalidf("line %d of its standard output: task %q has another result than in line %d: print one result of a task", o.number, id, o.at[id])
		}
		return nil
	}
	o.results[id], o.at[id] = told.outcome, o.number
	o.host.Done(Progress{TaskID: id, Outcome: told.outcome, Measured: told.Measured, Done: len(o.results), Total: len(o.asked)})
	return nil
}

// measured is a task's result as the program prints it.
type measured struct {
	outcome Outcome
	Measured
}

// read reads a result. The error says what is wrong with it.
func (m *measured) read(value json.RawMessage) error {
	if text := bytes.TrimSpace(value); text[0] != '{' {
		m.outcome = ParseReward(text)
		return m.check(text)
	}
	var given struct {
		Reward json.RawMessage `json:"reward"`
	}
	if err := json.Unmarshal(value, &given); err != nil {
		return err
	}
	m.outcome = ParseReward(given.Reward)
	if err := m.check(given.Reward); err != nil {
		return err
	}
	if err := json.Unmarshal(value, &m.outcome); err != nil {
		return err
	}
	if isGiven(given.Reward) && !m.outcome.Rewarded() {
		return fault.Invalidf("it has a reward and status %q, which has none", m.outcome.Status)
	}
	return json.Unmarshal(value, &m.Measured)
}

// isGiven reports whether a value is given and not null.
func isGiven(value json.RawMessage) bool {
	text := string(bytes.TrimSpace(value))
	return text != "" && text != "null"
}

// check is about a reward that is given and that is none.
func (m *measured) check(reward json.RawMessage) error {
	if isGiven(reward) && !m.outcome.Rewarded() {
		return fault.Invalidf("%s", m.outcome.Reason)
	}
	return nil
}

// timeOut gives the tasks that the program did not get to their outcome.
func (o *output) timeOut(why error) {
	for _, id := range o.asked {
		if _, has := o.results[id]; !has {
			o.results[id] = NoReward(Timeout, fault.Public(why))
		}
	}
}
