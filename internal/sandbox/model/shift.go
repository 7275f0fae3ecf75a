package model

import (
	"reflect"
	"regexp"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Shift moves all of a world's times by a duration: its clock, those of its
// rows, and those of commits and tags, which have other hashes then. Whatever
// names those by their hash, or a beginning of it, does so afterwards too. Equal
// worlds that are shifted by as much are equal again. Indexes are made anew.
func (s *State) Shift(by time.Duration) (*Shifted, error) {
	moved := &Shifted{by: by, hashes: map[gitstore.Hash]gitstore.Hash{}, short: map[string]gitstore.Hash{}}
	stores := map[*gitstore.Store]*gitstore.Store{}
	for _, repo := range s.Repos.rows {
		git, hashes, err := repo.Git.Redated(by, moved.message)
		if err != nil {
			return nil, err
		}
		stores[repo.Git] = git
		moved.note(hashes)
	}
	change := reshaping{
		reflect.TypeFor[time.Time](): func(v reflect.Value) reflect.Value { return reflect.ValueOf(moved.Time(v.Interface().(time.Time))) },
		reflect.TypeFor[gitstore.Hash](): func(v reflect.Value) reflect.Value {
			return reflect.ValueOf(moved.Hash(v.Interface().(gitstore.Hash)))
		},
		reflect.TypeFor[*gitstore.Store](): func(v reflect.Value) reflect.Value { return reflect.ValueOf(stores[v.Interface().(*gitstore.Store)]) },
		reflect.TypeFor[string]():          func(v reflect.Value) reflect.Value { return reflect.ValueOf(moved.Text(v.String())) },
	}
	for _, t := range tables {
		t.reshape(s, change)
	}
	s.Now = moved.Time(s.Now)
	s.Index()
	return moved, nil
}

// Shifted knows what is said otherwise since a world was shifted.
type Shifted struct {
	by     time.Duration
	hashes map[gitstore.Hash]gitstore.Hash
	// short are the old hashes by how they begin.
	short map[string]gitstore.Hash
}

// shortHash is how much of a hash names it.
const shortHash = 7

func (m *Shifted) note(hashes map[gitstore.Hash]gitstore.Hash) {
	for old, now := range hashes {
		m.hashes[old] = now
		m.short[old.String()[:shortHash]] = old
	}
}

// message is [Shifted.Text] for a commit's message, which names older commits.
func (m *Shifted) message(text string, hashes map[gitstore.Hash]gitstore.Hash) string {
	if !hexWord.MatchString(text) {
		return text
	}
	older := &Shifted{by: m.by, hashes: map[gitstore.Hash]gitstore.Hash{}, short: map[string]gitstore.Hash{}}
	older.note(hashes)
	return older.Text(text)
}

// Time returns what a time is now; none stays none.
func (m *Shifted) Time(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.Add(m.by)
}

// Hash returns what the hash of a commit or tag is now; others stay.
func (m *Shifted) Hash(h gitstore.Hash) gitstore.Hash {
	if now, has := m.hashes[h]; has {
		return now
	}
	return h
}

var (
	hexWord  = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
	timeWord = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	dateText = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// Text returns what a text says now: it names commits and tags by their new
// hashes, and times as they are now. A date alone moves by full days.
func (m *Shifted) Text(text string) string {
	if dateText.MatchString(text) {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return text
		}
		return day.Add(m.by.Round(24 * time.Hour)).Format(time.DateOnly)
	}
	text = hexWord.ReplaceAllStringFunc(text, func(word string) string {
		old, known := m.short[word[:shortHash]]
		if !known || old.String()[:len(word)] != word {
			return word
		}
		return m.Hash(old).String()[:len(word)]
	})
	return timeWord.ReplaceAllStringFunc(text, func(word string) string {
		at, err := time.Parse(time.RFC3339Nano, word)
		if err != nil {
			return word
		}
		return at.Add(m.by).Format(time.RFC3339Nano)
	})
}

// Value returns what a value says now, as encoding/json decodes one.
func (m *Shifted) Value(value any) any {
	if value == nil {
		return nil
	}
	texts := reshaping{reflect.TypeFor[string](): func(v reflect.Value) reflect.Value { return reflect.ValueOf(m.Text(v.String())) }}
	return texts.of(reflect.ValueOf(value)).Interface()
}

// reshaping makes copies of values in which those of some types are others.
type reshaping map[reflect.Type]func(reflect.Value) reflect.Value

// of returns the copy of a value. Fields that are not exported stay.
func (r reshaping) of(v reflect.Value) reflect.Value {
	if change := r[v.Type()]; change != nil {
		return change(v)
	}
	switch v.Kind() {
	case reflect.String:
		if change := r[reflect.TypeFor[string]()]; change != nil {
			return change(v.Convert(reflect.TypeFor[string]())).Convert(v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(r.of(v.Elem()))
			return to
		}
	case reflect.Interface:
		if !v.IsNil() {
			to := reflect.New(v.Type()).Elem()
			to.Set(r.of(v.Elem()))
			return to
		}
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 {
			to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for n := range v.Len() {
				to.Index(n).Set(r.of(v.Index(n)))
			}
			return to
		}
	case reflect.Map:
		if !v.IsNil() {
			to := reflect.MakeMapWithSize(v.Type(), v.Len())
			for key, value := range v.Seq2() {
				to.SetMapIndex(r.of(key), r.of(value))
			}
			return to
		}
	case reflect.Struct:
		to := reflect.New(v.Type()).Elem()
		to.Set(v)
		for n := range v.NumField() {
			if v.Type().Field(n).IsExported() {
				to.Field(n).Set(r.of(v.Field(n)))
			}
		}
		return to
	default:
	}
	return v
}

func (d tableOf[T]) reshape(s *State, change reshaping) {
	for _, row := range d.in(s).rows {
		*row = change.of(reflect.ValueOf(*row)).Interface().(T)
	}
}
