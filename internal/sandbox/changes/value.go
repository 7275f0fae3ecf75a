package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// accounts are the fields that hold ids of accounts.
var accounts = []string{
	"AuthorID", "ActorID", "OwnerID", "CreatorID", "UploaderID", "UserID", "ClosedBy", "MergedBy", "ResolvedBy", "SuspendedBy", "ByID",
	"Assignees", "RequestedReviewers", "Stargazers", "Watchers", "Ignorers", "Members", "Collaborators", "Users", "BotID", "AccountID", "OrgID",
	"InviteeID", "InviterID", "Maintainers", "Following", "Upvoters", "AnswerChosenBy", "TransferTo",
}

// valuer makes plain JSON values of what a state holds.
type valuer struct{ s *model.State }

// value returns the value of a field: nil for what is not there.
func (v valuer) value(name string, of reflect.Value) any {
	if of.Kind() == reflect.Pointer {
		if of.IsNil() {
			return nil
		}
		return v.value(name, of.Elem())
	}
	switch at := of.Interface().(type) {
	case time.Time:
		if at.IsZero() {
			return nil
		}
		return at.UTC().Format(time.RFC3339)
	case model.AutoMerge:
		return map[string]any{
			"enabled_by": v.s.Login(at.ByID), "merge_method": string(at.Merge.Method), "commit_title": orNil(at.Merge.Title), "commit_message": orNil(at.Merge.Message),
		}
	case model.QueueEntry:
		return map[string]any{"enqueued_by": v.s.Login(at.ByID), "jump": at.Jumped}
	case fmt.Stringer:
		return at.String()
	}
	switch of.Kind() {
	case reflect.String:
		return orNil(of.String())
	case reflect.Bool:
		return of.Bool()
	case reflect.Int:
		return int(of.Int())
	case reflect.Int64:
		return v.id(name, of.Int())
	case reflect.Slice:
		return v.list(name, of)
	case reflect.Map:
		return v.object(name, of)
	case reflect.Struct:
		return v.element(of)
	default:
		return of.Interface()
	}
}

// orNil is a text, nil if it is empty.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// id is what the object of an id is called; a number that is none is itself.
func (v valuer) id(name string, id model.ID) any {
	switch {
	case name == "Bytes":
		return int(id)
	case id == 0:
		return nil
	case slices.Contains(accounts, name):
		return v.s.Login(id)
	case name == "Labels":
		if label := v.s.Labels.Get(id); label != nil {
			return label.Name
		}
	case name == "TypeID":
		if t := v.s.IssueType(id); t != nil {
			return t.Name
		}
	case name == "MilestoneID":
		if m := v.s.Milestones.Get(id); m != nil {
			return m.Title
		}
	}
	return reference(v.s, id)
}

// list is nil for an empty one.
func (v valuer) list(name string, of reflect.Value) any {
	if of.Type() == reflect.TypeFor[[]byte]() {
		return of.Len()
	}
	all := make([]any, 0, of.Len())
	for n := range of.Len() {
		all = append(all, v.value(name, of.Index(n)))
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func (v valuer) object(name string, of reflect.Value) any {
	all := map[string]any{}
	for _, key := range of.MapKeys() {
		text := fmt.Sprint(key.Interface())
		if key.Kind() == reflect.Int64 {
			text = fmt.Sprint(v.id(name, key.Int()))
		}
		all[text] = v.value(name, of.MapIndex(key))
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// element is a part of a list or map that has parts itself.
func (v valuer) element(of reflect.Value) any {
	if branch, isBranch := of.Interface().(model.LinkedBranch); isBranch {
		return branch.Name
	}
	all := map[string]any{}
	for n := range of.NumField() {
		f := of.Type().Field(n)
		if f.Name == "ID" || !f.IsExported() {
			continue
		}
		if content, isContent := of.Field(n).Interface().([]byte); isContent {
			sum := sha256.Sum256(content)
			all["size"], all["digest"] = len(content), "sha256:"+hex.EncodeToString(sum[:])
			continue
		}
		if value := v.value(f.Name, of.Field(n)); value != nil {
			all[snake(strings.TrimSuffix(f.Name, "ID"))] = value
		}
	}
	return all
}

// projectValue is the value of a field of a project's item.
func (v valuer) projectValue(f *model.ProjectField, value model.ProjectValue) any {
	if f != nil && f.Type == model.FieldNumber {
		return value.Number
	}
	return orNil(ValueText(v.s, value))
}

// ValueText is the value of a field of a project's item, in words.
func ValueText(s *model.State, v model.ProjectValue) string {
	if v.Choice == "" {
		if v.Number != 0 {
			return strconv.FormatFloat(v.Number, 'g', -1, 64)
		}
		return v.Text
	}
	for field := range s.ProjectFields.All() {
		for _, o := range field.Options {
			if o.ID == v.Choice {
				return o.Name
			}
		}
		for _, i := range field.Iterations {
			if i.ID == v.Choice {
				return i.Title
			}
		}
	}
	return v.Choice
}

// Text is a field's value as a person reads it: empty for nil, the parts of a
// list with commas between, and of what has parts its name.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		each := make([]string, 0, len(v))
		for _, one := range v {
			each = append(each, Text(one))
		}
		return strings.Join(each, ", ")
	case map[string]any:
		for _, name := range []string{"name", "title", "label"} {
			if text, named := v[name].(string); named {
				return text
			}
		}
	}
	// What fields hold can be written as JSON.
	text, _ := json.Marshal(value)
	return string(text)
}

// Texts are what a field was and is as a person reads it: by [Text], or in full
// where that would not tell them apart.
func (f Field) Texts() (before, after string) {
	before, after = Text(f.Before), Text(f.After)
	if before == after && !reflect.DeepEqual(f.Before, f.After) {
		was, _ := json.Marshal(f.Before)
		is, _ := json.Marshal(f.After)
		return string(was), string(is)
	}
	return before, after
}
