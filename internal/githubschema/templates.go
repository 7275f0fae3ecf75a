package githubschema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// License is one that GitHub knows.
type License struct {
	// Key is GitHub's name of it, such as "mit", SPDXID that of SPDX.
	Key    string `json:"key"`
	Name   string `json:"name"`
	SPDXID string `json:"spdx_id"`
	// Description says what it is, Implementation how one uses it.
	Description    string   `json:"description"`
	Implementation string   `json:"implementation"`
	Permissions    []string `json:"permissions"`
	Conditions     []string `json:"conditions"`
	Limitations    []string `json:"limitations"`
	// Body is its text, with names in brackets for what its user fills in.
	Body string `json:"body"`
	// Featured is true for the three that GitHub recommends, Common for those
	// that its list has.
	Featured bool `json:"featured"`
	Common   bool `json:"common"`
}

type gitignore struct{ Name, Source string }

//go:embed data/templates.json.gz
var templateData []byte

var files = sync.OnceValue(func() (all struct {
	Licenses  []License
	Gitignore []gitignore
}) {
	if err := json.Unmarshal(unpack(templateData), &all); err != nil {
		panic(fmt.Sprintf("the embedded templates: %v", err))
	}
	return all
})

// Licenses returns all licenses, ordered by key. Do not change them.
func Licenses() []License { return files().Licenses }

// LicenseNamed returns the license of a key, in whatever case.
func LicenseNamed(key string) (License, bool) {
	all := Licenses()
	at := slices.IndexFunc(all, func(l License) bool { return strings.EqualFold(l.Key, key) })
	if at < 0 {
		return License{}, false
	}
	return all[at], true
}

// Gitignores returns the names of the templates of .gitignore, in order.
func Gitignores() []string {
	var names []string
	for _, t := range files().Gitignore {
		names = append(names, t.Name)
	}
	return names
}

// GitignoreNamed returns the text of a template of .gitignore.
func GitignoreNamed(name string) (string, bool) {
	for _, t := range files().Gitignore {
		if t.Name == name {
			return t.Source, true
		}
	}
	return "", false
}

// OtherLicense is what a text that is no license of [Licenses] is shown as.
var OtherLicense = License{Key: "other", Name: "Other", SPDXID: "NOASSERTION"}

// alike is the share of words that a text has in common with a license, of
// both, from which on it counts as that. It is GitHub's.
const alike = 0.98

// LicenseOf returns the license that a text is: that with the most words in
// common, [OtherLicense] if even that has too few.
func LicenseOf(text string) License {
	best, most := OtherLicense, alike
	own := wordsOf(text)
	for n, theirs := range licenseWords() {
		if share := shared(own, theirs); share >= most {
			best, most = Licenses()[n], share
		}
	}
	return best
}

var licenseWords = sync.OnceValue(func() []map[string]bool {
	var all []map[string]bool
	for _, l := range Licenses() {
		all = append(all, wordsOf(l.Body))
	}
	return all
})

// wordsOf returns the words of a license, without its title and the lines that
// say whose the copyright is.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(strings.ToLower(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "copyright (c)") || strings.HasPrefix(line, "(c) ") || strings.HasPrefix(line, "copyright ©") || strings.HasPrefix(line, "copyright [") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			words[word] = true
		}
	}
	return words
}

// shared is Dice's coefficient of two sets.
func shared(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}
