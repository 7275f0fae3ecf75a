package world

import "encoding/json"

// Run gives names to a run that a push or a pull request starts.
type Run struct {
	Place
	// Workflow is the file's name.
	Workflow string `json:"workflow"`
	As       string `json:"as"`
	// Jobs are names for jobs by their names in the run.
	Jobs map[string]string `json:"jobs"`
	// Reruns is how often all of it is run again.
	Reruns Number `json:"reruns"`
}

// Dispatch is a run that is started by hand.
type Dispatch struct {
	Run
	Ref    string            `json:"ref"`
	By     string            `json:"by"`
	When   Moment            `json:"at"`
	Inputs map[string]string `json:"inputs"`
}

// Outcome says how a job of a workflow ends, where that can be said: in the
// sandbox. The first one that fits a run counts.
type Outcome struct {
	Place
	Workflow string `json:"workflow"`
	Job      string `json:"job"`
	// Branch and Title are patterns of [path.Match] for the run's branch and
	// title; empty means any.
	Branch string `json:"branch"`
	Title  string `json:"title"`
	// Ends are the conclusions by attempt; none means success.
	Ends []string `json:"ends"`
	// Step is the one that a failure happens in; empty means the last one.
	Step  string `json:"step"`
	Hangs bool   `json:"hangs"`
	// Waits is true for a job that no machine begins.
	Waits   bool         `json:"waits"`
	Steps   []StepOutput `json:"steps"`
	Uploads []Upload     `json:"uploads"`
}

// StepOutput is what a step of a job prints, and how long it takes.
type StepOutput struct {
	Place
	Name string `json:"name"`
	// When is how the job ends if it is to count; empty means however it ends.
	When    string    `json:"when"`
	Seconds Number    `json:"seconds"`
	Log     []LogPart `json:"log"`
	// Text is the whole log, made of its parts.
	Text string `json:"-"`
}

// Upload is an artifact of a job: an archive of one file.
type Upload struct {
	Place
	Name string `json:"name"`
	File string `json:"file"`
	Text string `json:"text"`
}

// LogPart is a part of a log: a text, or a file of the world's folder.
type LogPart struct {
	Text string
	File string
}

// UnmarshalJSON reads a text or an object.
func (p *LogPart) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &p.Text) == nil {
		return nil
	}
	return json.Unmarshal(data, &struct {
		File *string `json:"file"`
	}{&p.File})
}
