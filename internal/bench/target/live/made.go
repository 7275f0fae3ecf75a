package live

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// MadeKind is a kind of thing that agents make in a repository.
type MadeKind string

// The kinds.
const (
	MadeIssue     MadeKind = "issue"
	MadePull      MadeKind = "pull request"
	MadeRelease   MadeKind = "release"
	MadeMilestone MadeKind = "milestone"
	MadeLabel     MadeKind = "label"
	MadeRef       MadeKind = "ref"
	MadeRun       MadeKind = "workflow run"
)

// Made is something that an agent has made: its requests and GitHub's answers
// tell.
type Made struct {
	Kind MadeKind
	// Number is that of an issue, a pull request or a milestone, and the id of
	// a release.
	Number int64
	// Name is that of a label, the whole one of a ref, the tag of a release,
	// and the file or number of the workflow of a run.
	Name string
}

// madeBy returns what a request that GitHub has granted has made.
func madeBy(q *question, pushed []byte, answer *heldWriter) []Made {
	if q.part == partWeb {
		return pushedRefs(pushed)
	}
	body, err := answer.text()
	if err != nil {
		return nil
	}
	if q.graphQL() {
		return q.query.made(body)
	}
	segments, ok := pathSegments(q.URL)
	if !ok || q.Method != http.MethodPost {
		return nil
	}
	if last := len(segments) - 1; last > 1 && segments[last] == "dispatches" && segments[last-2] == "workflows" && answer.status < http.StatusMultipleChoices {
		return []Made{{Kind: MadeRun, Name: segments[last-1]}}
	}
	if answer.status != http.StatusCreated {
		return nil
	}
	var made struct {
		Number, ID int64
		TagName    string `json:"tag_name"`
		Name, Ref  string
	}
	if json.Unmarshal(body, &made) != nil {
		return nil
	}
	below := segments[min(3, len(segments)):]
	if segments[0] == "repositories" {
		below = segments[min(2, len(segments)):]
	}
	switch strings.Join(below, "/") {
	case "issues":
		return []Made{{Kind: MadeIssue, Number: made.Number}}
	case "pulls":
		return []Made{{Kind: MadePull, Number: made.Number}}
	case "milestones":
		return []Made{{Kind: MadeMilestone, Number: made.Number}}
	case "releases":
		return []Made{{Kind: MadeRelease, Number: made.ID, Name: made.TagName}}
	case "labels":
		return []Made{{Kind: MadeLabel, Name: made.Name}}
	case "git/refs":
		return []Made{{Kind: MadeRef, Name: made.Ref}}
	default:
		return nil
	}
}

// made returns what a mutation has made, as far as its selections tell.
func (q query) made(answer []byte) (all []Made) {
	var reply struct {
		Data map[string]map[string]struct {
			URL, Name, Prefix string
			Number            int64
		}
	}
	// An answer with parts of other shapes is read as far as it goes.
	_ = json.Unmarshal(answer, &reply)
	for _, one := range q.operation.SelectionSet {
		field, ok := one.(*ast.Field)
		if !ok {
			continue
		}
		payload := reply.Data[field.Alias]
		var made Made
		switch field.Name {
		case "createIssue":
			made = Made{Kind: MadeIssue, Number: numberOf(payload["issue"].Number, payload["issue"].URL)}
		case "createPullRequest":
			made = Made{Kind: MadePull, Number: numberOf(payload["pullRequest"].Number, payload["pullRequest"].URL)}
		case "createLabel":
			made = Made{Kind: MadeLabel, Name: payload["label"].Name}
		case "createRef":
			made = Made{Kind: MadeRef, Name: payload["ref"].Prefix + payload["ref"].Name}
		}
		if made.Number != 0 || made.Name != "" {
			all = append(all, made)
		}
	}
	return all
}

// numberOf returns the number that an object has, or else the one at the end
// of its address; 0 if there is none.
func numberOf(number int64, address string) int64 {
	if number == 0 {
		// Without a number there is none.
		number, _ = strconv.ParseInt(address[strings.LastIndex(address, "/")+1:], 10, 64)
	}
	return number
}

// pushedRefs returns the refs that a push has made, which its first lines
// tell: the old commit, the new one and the ref, each line with its length
// (https://git-scm.com/docs/pack-protocol#_pushing_data_to_a_server).
func pushedRefs(push []byte) (made []Made) {
	const lengthDigits, hash = 4, 40
	none := strings.Repeat("0", hash)
	for len(push) >= lengthDigits {
		length, err := strconv.ParseUint(string(push[:lengthDigits]), 16, 16)
		if err != nil || length <= lengthDigits || int(length) > len(push) {
			break
		}
		line, _, _ := strings.Cut(string(push[lengthDigits:length]), "\x00")
		if parts := strings.Fields(line); len(parts) == 3 && parts[0] == none && parts[1] != none {
			made = append(made, Made{Kind: MadeRef, Name: parts[2]})
		}
		push = push[length:]
	}
	return made
}

// text returns the answer's body as it was before it was compressed.
func (h *heldWriter) text() ([]byte, error) {
	if h.header.Get("Content-Encoding") != "gzip" {
		return h.body.Bytes(), nil
	}
	plain, err := gzip.NewReader(bytes.NewReader(h.body.Bytes()))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(plain, maxAnswer))
}

// refused reports whether the answer of the GraphQL API is that none of the
// request's mutations was done: each is null, and an error is about it as a
// whole. One that is null for what was selected of it may have been done.
func (h *heldWriter) refused() bool {
	var reply struct {
		Data   map[string]json.RawMessage
		Errors []struct{ Path []any }
	}
	body, err := h.text()
	if err != nil || json.Unmarshal(body, &reply) != nil || len(reply.Errors) == 0 {
		return false
	}
	for _, e := range reply.Errors {
		if len(reply.Data) > 0 && len(e.Path) != 1 {
			return false
		}
	}
	for _, field := range reply.Data {
		// A text is the __typename; what a mutation answers is an object.
		if field[0] == '{' {
			return false
		}
	}
	return true
}

// maxAnswer is how much of a compressed answer is read, in bytes.
const maxAnswer = 4 << 20

// maxCommands is how much of a push is kept to see which refs it makes, in
// bytes.
const maxCommands = 64 << 10

// beginning keeps the beginning of what is read.
type beginning struct {
	io.ReadCloser
	kept []byte
}

func (b *beginning) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.kept = append(b.kept, p[:min(n, maxCommands-len(b.kept))]...)
	return n, err
}
