package world

import "strings"

// Kind is what an object is that has a name.
type Kind string

// The kinds of objects.
const (
	KindIssue     Kind = "issue"
	KindPull      Kind = "pull request"
	KindComment   Kind = "comment"
	KindReview    Kind = "review"
	KindThread    Kind = "thread"
	KindRun       Kind = "run"
	KindJob       Kind = "job"
	KindCommit    Kind = "commit"
	KindBranch    Kind = "branch"
	KindLabel     Kind = "label"
	KindMilestone Kind = "milestone"
	KindRelease   Kind = "release"
	KindAsset     Kind = "asset"
	KindProject   Kind = "board"
	KindField     Kind = "field"
	KindItem      Kind = "item"
	// KindDrawn is of values that were drawn, or that a script tells of.
	KindDrawn Kind = "drawn"
)

// article is the kind's name in a sentence.
func (k Kind) article() string {
	if strings.ContainsAny(string(k[:1]), "aeiou") {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// Fields returns the fields that a manifest has for every object of a kind.
func (k Kind) Fields() []string {
	return map[Kind][]string{
		KindIssue:     {"id", "database_id", "number", "url", "title", "author"},
		KindPull:      {"id", "database_id", "number", "url", "title", "author", "head_branch", "head_sha", "base_branch", "thread_count", "unresolved_count"},
		KindComment:   {"id", "node_id", "url"},
		KindReview:    {"id", "node_id", "url"},
		KindThread:    {"id", "comment_id", "path", "line"},
		KindRun:       {"id", "number", "url", "workflow", "workflow_id", "head_sha"},
		KindJob:       {"id", "name", "run_id"},
		KindCommit:    {"sha", "short_sha", "message"},
		KindBranch:    {"name", "sha"},
		KindLabel:     {"id", "name"},
		KindMilestone: {"id", "number", "title"},
		KindRelease:   {"id", "tag_name", "name", "url"},
		KindAsset:     {"id", "name", "size"},
		KindProject:   {"id", "number", "owner", "title", "url"},
		KindField:     {"id", "name", "options"},
		KindItem:      {"id"},
	}[k]
}

// The fields that an issue or pull request has only if it has what they tell
// of.
const (
	FieldParentNumber    = "parent_number"
	FieldParentID        = "parent_id"
	FieldBlockerNumber   = "blocker_number"
	FieldBlockerID       = "blocker_id"
	FieldMilestoneNumber = "milestone_number"
	FieldAssignee        = "assignee"
	FieldLabel           = "label"
	FieldMergeCommit     = "merge_commit_sha"
)

// Optional returns the further fields of an issue's resource.
func (i Issue) Optional() []string {
	fields := i.Conversation.Optional()
	if i.Parent != "" {
		fields = append(fields, FieldParentNumber, FieldParentID)
	}
	if len(i.BlockedBy) > 0 {
		fields = append(fields, FieldBlockerNumber, FieldBlockerID)
	}
	return fields
}

// Optional returns the further fields of a pull request's resource.
func (p Pull) Optional() []string {
	fields := p.Conversation.Optional()
	if p.Merged != nil {
		fields = append(fields, FieldMergeCommit)
	}
	return fields
}

// Optional returns the further fields of both.
func (i Conversation) Optional() []string {
	var fields []string
	if i.Milestone != "" {
		fields = append(fields, FieldMilestoneNumber)
	}
	if len(i.Assignees) > 0 {
		fields = append(fields, FieldAssignee)
	}
	if len(i.Labels) > 0 {
		fields = append(fields, FieldLabel)
	}
	return fields
}

// manifestFields are all fields of an object's resource.
func (n named) manifestFields() []string { return append(n.kind.Fields(), n.fields...) }

// Made are the fields that a manifest has for each resource of a world.
type Made map[string][]string

// Made returns what scenarios may bind to. It is the same in every variation.
// An error is of kind invalid: the world cannot be drawn.
func (w *World) Made() (Made, error) { return w.made() }

func (w *World) makes() (Made, error) {
	_, names, err := w.draw(sample)
	if err != nil {
		return nil, err
	}
	made := Made{}
	for name, object := range names {
		made[name] = object.manifestFields()
	}
	return made, nil
}
