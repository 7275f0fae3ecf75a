package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Explorer writes a report with every attempt: a page, and pieces with what is shown of
// attempts, which the page's script takes up when they are asked for. Memory does not
// hold them.
//
// A piece is JSON, gzipped and in base64: whatever agents wrote, it cannot end a script
// or be one. What is in it was made by a template, which escapes.
type Explorer struct {
	// Live has the page ask its server how a run goes that is not over.
	Live bool

	page   io.Writer
	pieces pieces
	index  index
	// held are the attempts of the piece in the making, size is their length in bytes.
	held []string
	size int
	part int
}

// pieces keeps what the page's script takes up.
type pieces interface {
	// put keeps a piece.
	put(name, text string) error
	// end writes the page's script, and what is behind it.
	end(page io.Writer, script string) error
}

// The pieces beside those of attempts, which have numbers.
const (
	pieceIndex = "index"
	pieceBody  = "body"
)

// maxPiece is how many bytes of attempts are in a piece, before they are packed, beside
// its last one.
const maxPiece = 512 << 10

// Write adds a row.
func (e *Explorer) Write(row *bench.Row, said Said) error {
	a := NewAttempt(row, said)
	a.Prefix = fmt.Sprintf("a%d-", e.index.rows())
	var body strings.Builder
	if err := a.HTML(&body); err != nil {
		return err
	}
	if e.size > maxPiece {
		if err := e.flush(); err != nil {
			return err
		}
	}
	e.index.add(row, a, e.part, len(e.held))
	e.held, e.size = append(e.held, body.String()), e.size+body.Len()
	return nil
}

// flush keeps the piece in the making.
func (e *Explorer) flush() error {
	err := e.put(fmt.Sprint(e.part), e.held)
	e.held, e.size, e.part = e.held[:0], 0, e.part+1
	return err
}

func (e *Explorer) put(name string, value any) error {
	text, err := packed(value)
	if err != nil {
		return err
	}
	return e.pieces.put(name, text)
}

func packed(value any) (string, error) {
	var text bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	zipper := gzip.NewWriter(encoder)
	lines := json.NewEncoder(zipper)
	lines.SetEscapeHTML(false)
	if err := cmp.Or(lines.Encode(value), zipper.Close(), encoder.Close()); err != nil {
		return "", fault.Internalf("write the pieces of a report: %w", err)
	}
	return text.String(), nil
}

// Close writes the page. Without rows it is what [HTML] writes.
func (e *Explorer) Close(s bench.Summary) error {
	e.index.finish(s)
	if e.index.rows() == 0 && !e.Live {
		return HTML(e.page, s)
	}
	if err := e.flush(); err != nil {
		return err
	}
	p := e.newPage(s)
	if e.Live {
		var body strings.Builder
		if err := pageTemplate.ExecuteTemplate(&body, "body", p); err != nil {
			return fault.Internalf("write HTML report: %w", err)
		}
		if err := e.put(pieceBody, body.String()); err != nil {
			return err
		}
	}
	if err := e.put(pieceIndex, &e.index); err != nil {
		return err
	}
	if err := pageTemplate.Execute(e.page, p); err != nil {
		return fault.Infraf("write HTML report: %w", err)
	}
	return e.pieces.end(e.page, "<script>"+explorerJS+"</script>\n")
}

//go:embed explorer.css
var explorerCSS string

//go:embed explorer.js
var explorerJS string

// explore is what the template shows of an explorer.
type explore struct {
	// Live is as in [Explorer].
	Live                             bool
	Outcomes, Marks, Sorts           []choice
	Modes, Classes, Tools, Scenarios []string
	Noun                             noun
}

// choice is one of a list to choose from.
type choice struct{ Value, Text string }

func (e *Explorer) newPage(s bench.Summary) page {
	p := newPage(s)
	css := pageCSS + attemptCSS + explorerCSS
	p.CSS = template.CSS(css) //nolint:gosec // it is files of ours
	p.Policy = ExplorerPolicy()
	p.Explore = &explore{
		Live: e.Live, Outcomes: outcomeChoices(), Marks: markChoices(), Sorts: sortChoices(),
		Modes: e.index.Modes, Classes: e.index.Classes[1:], Tools: e.index.Tools, Scenarios: e.index.names(), Noun: p.Noun,
	}
	p.link(s)
	return p
}

// ExplorerPolicy is the content security policy of an explorer's page: its own style and
// script, and what that script takes up.
func ExplorerPolicy() string {
	return "default-src 'none'; style-src 'sha256-" + sumOf(pageCSS+attemptCSS+explorerCSS) + "'; script-src 'sha256-" + sumOf(explorerJS) +
		"' 'strict-dynamic'; base-uri 'none'; form-action 'none'"
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}
