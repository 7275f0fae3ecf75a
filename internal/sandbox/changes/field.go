package changes

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// bookkeeping are the fields that tell nothing, because they move with others
// or are in the object's name.
var bookkeeping = []string{
	"ID", "RepoID", "ProjectID", "SuiteID", "CreatedAt", "UpdatedAt", "PushedAt", "StarredAt", "WatchedAt", "LastNumber", "LastRunNumber", "LastProject", "Pushers", "Git", "DiscussionCategories", "AnswerChosenAt", "Revisions", "FormerPlaces", "FormerBranches",
}

// secrets are the fields whose values are not told.
var secrets = []string{"Secret", "ClientSecret"}

const secretValue = "(secret)"

// gitHubNames are the names of fields whose names in the model are others, by
// type and field, or by field alone.
var gitHubNames = map[string]string{
	"LockReason": "active_lock_reason", "Branches": "linked_branches",
	"Pull.HeadRef": "head.ref", "Pull.HeadSHA": "head.sha", "Pull.HeadRepoID": "head.repo", "Pull.BaseRef": "base.ref", "Pull.BaseSHA": "base.sha",
	"CommitSHA": "commit_id", "Release.Target": "target_commitish", "Run.Number": "run_number", "PullID": "pull_request",
	"AllowMerge": "allow_merge_commit", "AllowSquash": "allow_squash_merge", "AllowRebase": "allow_rebase_merge", "AllowUpdating": "allow_update_branch",
	"SignedOff":           "web_commit_signoff_required",
	"ProjectItem.IssueID": "content", "User.Twitter": "twitter_username",
	"MergeTexts.SquashTitle": "squash_merge_commit_title", "MergeTexts.SquashMessage": "squash_merge_commit_message",
	"MergeTexts.MergeTitle": "merge_commit_title", "MergeTexts.MergeMessage": "merge_commit_message",
}

// flattened are the parts whose fields are told as the object's own.
var flattened = []reflect.Type{reflect.TypeFor[model.Pull](), reflect.TypeFor[model.MergeTexts]()}

// field is a part of an object as it is told.
type field struct {
	name  string
	value any
	// hidden is what is compared in the place of a value that is not told.
	hidden any
	// chosen is true for a value that need not be there: a false one tells something.
	chosen bool
}

func (f field) empty() bool { return f.value == nil || !f.chosen && (f.value == false || f.value == 0) }

func (f field) same(other field) bool {
	return reflect.DeepEqual(f.value, other.value) && reflect.DeepEqual(f.hidden, other.hidden)
}

// pairs puts fields as they were and as they are beside each other, those that
// differ, in the order in which they are now.
func pairs(was, is []field) []Field {
	var found []Field
	at := func(list []field, name string) (field, bool) {
		n := slices.IndexFunc(list, func(f field) bool { return f.name == name })
		if n < 0 {
			return field{}, false
		}
		return list[n], true
	}
	for _, now := range is {
		then, known := at(was, now.name)
		if !now.same(then) && (known || !now.empty()) {
			found = append(found, Field{Name: now.name, Before: then.value, After: now.value})
		}
	}
	for _, then := range was {
		if _, still := at(is, then.name); !still && !then.empty() {
			found = append(found, Field{Name: then.name, Before: then.value})
		}
	}
	return found
}

// filled returns the fields of a new row that are not empty.
func filled(s *model.State, row any) []Field { return pairs(nil, fieldsOf(s, row)) }

// lost returns the fields of a row that is gone that were not empty.
func lost(s *model.State, row any) []Field { return pairs(fieldsOf(s, row), nil) }

// differing returns the fields of a row that are not what they were.
func differing(before, after *model.State, was, is any) []Field {
	if reflect.DeepEqual(was, is) {
		if run, isRun := is.(*model.Run); isRun {
			// Its jobs may differ.
			return pairs(runFields(before, run), runFields(after, run))
		}
		return nil
	}
	found := pairs(fieldsOf(before, was), fieldsOf(after, is))
	then, isIssue := was.(*model.Issue)
	now, _ := is.(*model.Issue)
	if isIssue && then.RepoID != now.RepoID {
		found = append(found, Field{"repository", repoName(before, then.RepoID), repoName(after, now.RepoID)})
	}
	return found
}

// fieldsOf returns the fields of a row, which is a pointer, those of its parts
// among them.
func fieldsOf(s *model.State, row any) []field {
	return append(derived(s, row), valuer{s}.fields("", reflect.ValueOf(row).Elem())...)
}

// fields returns those of a struct.
func (v valuer) fields(prefix string, of reflect.Value) []field {
	var all []field
	typ := of.Type()
	for n := range typ.NumField() {
		f := typ.Field(n)
		if !f.IsExported() || slices.Contains(bookkeeping, f.Name) || isDerived(typ, f.Name) {
			continue
		}
		name := prefix + cmp.Or(gitHubNames[typ.Name()+"."+f.Name], gitHubNames[f.Name], snake(strings.TrimSuffix(f.Name, "ID")))
		inner := of.Field(n)
		switch within := structOf(inner); {
		case within.IsValid() && (f.Anonymous || slices.Contains(flattened, within.Type())):
			all = append(all, v.fields(prefix, within)...)
		case within.IsValid():
			all = append(all, v.fields(name+".", within)...)
		case slices.Contains(secrets, f.Name):
			one := field{name: name, hidden: inner.Interface()}
			if !inner.IsZero() {
				one.value = secretValue
			}
			all = append(all, one)
		default:
			all = append(all, field{name: name, value: v.value(f.Name, inner), chosen: inner.Kind() == reflect.Pointer})
		}
	}
	return all
}

// structOf returns the struct that a value is or points to, unless it is told
// as one; the zero value for others. A nil pointer has no fields.
func structOf(value reflect.Value) reflect.Value {
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	whole := []reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[model.AutoMerge](), reflect.TypeFor[model.QueueEntry]()}
	if value.Kind() != reflect.Struct || slices.Contains(whole, value.Type()) {
		return reflect.Value{}
	}
	return value
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
