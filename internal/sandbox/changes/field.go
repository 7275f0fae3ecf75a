package changes

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// bookkeeping are the fields that tell nothing, because they move with others
// or are in the object's name.
var bookkeeping = []string{
	"ID", "RepoID", "ProjectID", "CreatedAt", "UpdatedAt", "PushedAt", "LastNumber", "LastRunNumber", "LastProject", "Git",
}

// secrets are the fields whose values are not told.
var secrets = []string{"Secret", "ClientSecret", "Secrets"}

const secretValue = "(secret)"

// accounts are the fields that hold ids of accounts.
var accounts = []string{
	"AuthorID", "ActorID", "OwnerID", "CreatorID", "UploaderID", "UserID", "ClosedBy", "MergedBy", "ResolvedBy", "SuspendedBy",
	"Assignees", "RequestedReviewers", "Stargazers", "Watchers", "Members", "Collaborators", "StarredAt", "BotID", "AccountID",
}

// part is a field of a row, or of a part of it.
type part struct {
	// path is the field's name as it is told, field that in the model.
	path, field string
	value       reflect.Value
}

// parts returns the fields of a row, which is a pointer, those of its parts
// among them.
func parts(row reflect.Value) []part { return partsOf("", row.Elem()) }

func partsOf(prefix string, value reflect.Value) []part {
	var all []part
	for n := range value.NumField() {
		field := value.Type().Field(n)
		if !field.IsExported() || slices.Contains(bookkeeping, field.Name) {
			continue
		}
		path := prefix + snake(strings.TrimSuffix(field.Name, "ID"))
		inner := value.Field(n)
		switch within := structOf(inner); {
		case within.IsValid() && field.Anonymous:
			all = append(all, partsOf(prefix, within)...)
		case within.IsValid():
			all = append(all, partsOf(path+".", within)...)
		default:
			all = append(all, part{path, field.Name, inner})
		}
	}
	return all
}

// structOf returns the struct that a value is or points to, unless it is told
// as one; the zero value for others. A nil pointer has no parts.
func structOf(value reflect.Value) reflect.Value {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct || value.Type() == reflect.TypeFor[time.Time]() {
		return reflect.Value{}
	}
	return value
}

// filled returns the parts of a new row that are not empty.
func filled(s *model.State, row reflect.Value) []Field {
	var fields []Field
	for _, p := range parts(row) {
		if p.value.IsZero() {
			continue
		}
		if text := p.text(s); text != "" {
			fields = append(fields, Field{Name: p.path, After: text})
		}
	}
	return fields
}

// differing returns the parts of a row that are not what they were.
func differing(before, after *model.State, old, row reflect.Value) []Field {
	was := map[string]part{}
	for _, p := range parts(old) {
		was[p.path] = p
	}
	var fields []Field
	for _, p := range parts(row) {
		o, known := was[p.path]
		delete(was, p.path)
		if known && same(o.value, p.value) {
			continue
		}
		f := Field{Name: p.path, After: p.text(after)}
		if known {
			f.Before = o.text(before)
		}
		if f.Before == f.After {
			if known && p.field != "" && !slices.Contains(secrets, p.field) {
				f.Before, f.After = encoded(o.value), encoded(p.value)
			}
		}
		fields = append(fields, f)
	}
	for _, p := range parts(old) {
		if _, lost := was[p.path]; lost && !p.value.IsZero() {
			fields = append(fields, Field{Name: p.path, Before: p.text(before)})
		}
	}
	return fields
}

// same reports whether two values are equal; an empty list or map is as good as
// none.
func same(a, b reflect.Value) bool {
	if k := a.Kind(); (k == reflect.Slice || k == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// text is a part's value in words.
func (p part) text(s *model.State) string {
	if slices.Contains(secrets, p.field) {
		if p.value.IsZero() {
			return ""
		}
		return secretValue
	}
	return p.textOf(s, p.value)
}

func (p part) textOf(s *model.State, v reflect.Value) string {
	switch at := v.Interface().(type) {
	case time.Time:
		if at.IsZero() {
			return ""
		}
		return at.Format(time.RFC3339)
	case []byte:
		return fmt.Sprintf("%d bytes", len(at))
	case gitstore.Hash:
		return at.String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return p.textOf(s, v.Elem())
	case reflect.Int64:
		return p.id(s, v.Int())
	case reflect.Slice:
		var each []string
		for n := range v.Len() {
			each = append(each, p.element(s, v.Index(n)))
		}
		return strings.Join(each, ", ")
	case reflect.Map:
		return p.entries(s, v)
	case reflect.Struct:
		return p.element(s, v)
	default:
		return fmt.Sprint(v.Interface())
	}
}

// id is a number in words, if it is an object's id.
func (p part) id(s *model.State, id model.ID) string {
	switch {
	case id == 0:
		return ""
	case slices.Contains(accounts, p.field):
		return s.Login(id)
	case p.field == "Labels":
		if label := s.Labels.Get(id); label != nil {
			return label.Name
		}
	case p.field == "Values":
		if field := s.ProjectFields.Get(id); field != nil {
			return field.Name
		}
	}
	return reference(s, id)
}

// element is one of a list in words: of a struct what it is called and how it
// stands.
func (p part) element(s *model.State, v reflect.Value) string {
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		return p.textOf(s, v)
	}
	if value, isValue := v.Interface().(model.ProjectValue); isValue {
		return ValueText(s, value)
	}
	var said []string
	for _, name := range []string{"Name", "Title", "Label", "Conclusion", "Status"} {
		if f := v.FieldByName(name); f.IsValid() && f.Kind() == reflect.String && f.String() != "" {
			said = append(said, f.String())
			break
		}
	}
	if len(said) == 0 {
		return encoded(v)
	}
	return said[0]
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

// entries are those of a map, in order of their keys.
func (p part) entries(s *model.State, v reflect.Value) string {
	var each []string
	for _, key := range v.MapKeys() {
		name := fmt.Sprint(key.Interface())
		if key.Kind() == reflect.Int64 {
			name = p.id(s, key.Int())
		}
		each = append(each, name+": "+part{p.path, "", reflect.Value{}}.element(s, v.MapIndex(key)))
	}
	slices.Sort(each)
	return strings.Join(each, ", ")
}

// encoded is a value as JSON, for what has no better words.
func encoded(v reflect.Value) string {
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return fmt.Sprint(v.Interface())
	}
	return string(data)
}

// snake is a name of Go's with small letters and underscores.
func snake(name string) string {
	var out strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
		before = r
	}
	return out.String()
}
