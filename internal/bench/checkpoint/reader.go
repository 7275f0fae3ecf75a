package checkpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// MaxAnswer bounds what is read of GitHub at a time, in bytes.
const MaxAnswer = 4 << 20

// GitHubReader reads GitHub's state through its APIs. What the reads that ship
// with the program answer has the fields of ghx's capabilities of the same name,
// and more.
type GitHubReader struct{ client *github.Client }

// NewGitHubReader returns a reader that asks as the client's account.
func NewGitHubReader(client *github.Client) *GitHubReader { return &GitHubReader{client} }

// Read answers a read whose references are filled in. What does not exist is
// nil. The error is of kind invalid for a task that there is not and for jq that
// fails, of kind infrastructure where GitHub refused.
func (r *GitHubReader) Read(ctx context.Context, read bench.Read) (any, error) {
	answer, err := r.answer(ctx, read)
	switch {
	case github.NotFound(err):
		return nil, nil
	case err != nil:
		return nil, fault.Wrap(fault.Infrastructure, fmt.Errorf("read %s: %w", nameOf(read), err))
	default:
		return answer, nil
	}
}

// nameOf says which read it is, for errors.
func nameOf(read bench.Read) string {
	switch {
	case read.Task != "":
		return read.Task
	case read.Path != "":
		return read.Path
	default:
		return "GraphQL"
	}
}

func (r *GitHubReader) answer(ctx context.Context, read bench.Read) (answer any, err error) {
	var next any
	if read.Task != "" {
		answer, err = r.form(ctx, read.Task, read.Input)
	} else {
		answer, next, err = r.ask(ctx, read)
	}
	if err != nil || read.JQ == "" {
		return answer, err
	}
	program, err := jq.Compile(read.JQ, readVariables()...)
	if err != nil {
		return nil, err
	}
	input, err := jq.Plain(read.Input)
	if err != nil {
		return nil, err
	}
	return program.Run(ctx, answer, input, next)
}

// ask sends a query or requests a path. Next is the number of the next page of a
// list of which one page was to be read, nil if there is none.
func (r *GitHubReader) ask(ctx context.Context, read bench.Read) (answer, next any, err error) {
	if read.Query != "" {
		var data json.RawMessage
		if err := r.client.GraphQL(ctx, read.Query, read.Variables, &data); err != nil {
			return nil, nil, err
		}
		if len(data) > MaxAnswer {
			return nil, nil, errTooLarge
		}
		answer, err = jq.Decode(data)
		return answer, nil, err
	}
	return r.pages(ctx, read)
}

// errTooLarge is about an answer of GitHub's that is beyond [MaxAnswer].
var errTooLarge = fault.Invalidf("the answer has more than %d MiB: select less, or read fewer pages", MaxAnswer>>20)

// pages requests the pages of a path and joins them.
func (r *GitHubReader) pages(ctx context.Context, read bench.Read) (answer, next any, err error) {
	address, err := url.Parse(read.Path)
	if err != nil || address.Host != "" || !strings.HasPrefix(read.Path, "/") {
		return nil, nil, fault.Invalidf("%q is no path of the REST API: want one that begins with a slash, such as /repos/octocat/hello", read.Path)
	}
	left := MaxAnswer
	for page := range max(read.Pages, 1) {
		text, err := r.get(ctx, address, read.Accept, left)
		if err != nil {
			return nil, nil, err
		}
		left -= text.text.Len()
		body, err := text.value()
		if err != nil {
			return nil, nil, err
		}
		if answer = joined(answer, body); page == 0 {
			answer = body
		}
		if text.next == 0 {
			return answer, nil, nil
		}
		query := address.Query()
		query.Set("page", strconv.Itoa(text.next))
		address.RawQuery, next = query.Encode(), text.next
	}
	if read.Pages > 1 {
		return nil, nil, fault.Invalidf("the list goes on after %d pages: raise pages, or ask for less", read.Pages)
	}
	return answer, next, nil
}

// joined puts a further page of a list after the others: its elements, or those
// of the lists that the page's object has.
func joined(whole, page any) any {
	switch page := page.(type) {
	case []any:
		list, _ := whole.([]any)
		return append(list, page...)
	case map[string]any:
		object, _ := whole.(map[string]any)
		for name, part := range page {
			if list, is := part.([]any); is && object != nil {
				object[name] = joined(object[name], list)
			}
		}
	}
	return whole
}

// get requests an address.
func (r *GitHubReader) get(ctx context.Context, address *url.URL, accept string, left int) (*body, error) {
	// Behind a dot nothing is taken for a scheme and a host, which a path can
	// have in it.
	request, err := r.client.REST.NewRequest(http.MethodGet, "."+address.String(), nil)
	if err != nil {
		return nil, err
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	text := &body{left: left}
	response, err := r.client.REST.Do(ctx, request, text)
	if err != nil {
		return nil, err
	}
	text.json = strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
	text.next = response.NextPage
	return text, nil
}

// body is what GitHub answered to a request of the REST API.
type body struct {
	text bytes.Buffer
	// left is how many more bytes are read.
	left int
	json bool
	// next is the number of the next page, 0 if there is none.
	next int
}

// Write takes a part of the body.
func (b *body) Write(part []byte) (int, error) {
	if b.left -= len(part); b.left < 0 {
		return 0, errTooLarge
	}
	return b.text.Write(part)
}

// value is what a body says: a text where it is not JSON.
func (b *body) value() (any, error) {
	if b.json {
		return jq.Decode(b.text.Bytes())
	}
	if !utf8.Valid(b.text.Bytes()) {
		return nil, fault.Invalidf("the answer is neither JSON nor text")
	}
	return b.text.String(), nil
}
