package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const (
	// capabilities are what pushing clients may ask for.
	capabilities = reportStatus + " delete-refs " + sideBand + " quiet ofs-delta object-format=sha1 agent=git/github-sandbox"
	reportStatus = "report-status"
	sideBand     = "side-band-64k"
	// maxUpdates bounds the refs that one push updates.
	maxUpdates = 1000
)

// The bands of a multiplexed answer.
const (
	bandData     = 1
	bandProgress = 2
)

// lines collects pkt-lines, none of which is longer than they can be: names of
// refs are bounded, and bands are cut to fit. A write to memory does not fail.
type lines struct{ bytes.Buffer }

func (l *lines) printf(format string, args ...any) { l.write([]byte(fmt.Sprintf(format, args...))) }

func (l *lines) write(payload []byte) {
	fmt.Fprintf(l, "%04x%s", len(payload)+4, payload)
}

func (l *lines) flush() {
	// Writing to a buffer never fails.
	_, _ = l.WriteString(string(pktline.FlushPkt))
}

// band writes a text of any length in one of the bands.
func (l *lines) band(number byte, text []byte) {
	for part := range slices.Chunk(text, pktline.MaxPayloadSize-1) {
		l.write(append([]byte{number}, part...))
	}
}

// AdvertisePush tells a client what refs it may push to.
func AdvertisePush(refs []gitstore.Ref) []byte {
	var out lines
	out.printf("# service=%s\n", Push)
	out.flush()
	if len(refs) == 0 {
		refs = []gitstore.Ref{{Name: "capabilities^{}"}}
	}
	for n, ref := range refs {
		if n == 0 {
			out.printf("%s %s\x00%s\n", ref.Hash, ref.Name, capabilities)
			continue
		}
		out.printf("%s %s\n", ref.Hash, ref.Name)
	}
	out.flush()
	return out.Bytes()
}

// Pushed is what a client pushes.
type Pushed struct {
	Updates []model.RefUpdate
	// Pack is a packfile, nil if refs are only deleted.
	Pack io.Reader

	capabilities []string
}

// ReadPush reads the body of a push up to its packfile.
func ReadPush(body io.Reader) (*Pushed, error) {
	p, rest := &Pushed{}, bufio.NewReader(body)
	scanner := pktline.NewScanner(rest)
	for scanner.Scan() {
		line := strings.TrimSuffix(string(scanner.Bytes()), "\n")
		if line == "" {
			if _, err := rest.Peek(1); err == nil {
				p.Pack = rest
			}
			return p, nil
		}
		if strings.HasPrefix(line, "shallow ") {
			continue // Histories here are whole, whatever the client's is.
		}
		command, asked, _ := strings.Cut(line, "\x00")
		p.capabilities = append(p.capabilities, strings.Fields(asked)...)
		if err := p.add(command); err != nil {
			return nil, err
		}
	}
	return nil, fault.Invalidf("read push: it ends within its commands")
}

func (p *Pushed) add(command string) error {
	part := strings.SplitN(command, " ", 3)
	switch {
	case len(part) != 3 || !plumbing.IsHash(part[0]) || !plumbing.IsHash(part[1]):
		return fault.Invalidf("read push: %.200q is no command", command)
	case len(part[2]) > gitstore.MaxPathLength:
		return fault.Invalidf("read push: a ref's name is over the limit of %d bytes", gitstore.MaxPathLength)
	case len(p.Updates) == maxUpdates:
		return fault.Invalidf("read push: it has more than %d commands", maxUpdates)
	}
	p.Updates = append(p.Updates, model.RefUpdate{
		From: plumbing.NewHash(part[0]), To: plumbing.NewHash(part[1]), Ref: part[2],
	})
	return nil
}

// Taken reports whether any update was not refused.
func (p *Pushed) Taken() bool {
	return slices.ContainsFunc(p.Updates, func(u model.RefUpdate) bool { return u.Refused == "" })
}

// Report tells the client what became of each update, and shows it messages
// beside. unpacked is why the packfile was not taken, nil if it was.
func (p *Pushed) Report(unpacked error, messages string) []byte {
	var report, out lines
	if unpacked != nil {
		report.printf("unpack %.200s\n", unpacked)
	} else {
		report.printf("unpack ok\n")
	}
	for _, u := range p.Updates {
		switch {
		case unpacked != nil:
			report.printf("ng %s unpacker error\n", u.Ref)
		case u.Refused != "":
			report.printf("ng %s %s\n", u.Ref, u.Refused)
			messages += ending(u.Detail)
		default:
			report.printf("ok %s\n", u.Ref)
		}
	}
	report.flush()
	if !slices.Contains(p.capabilities, reportStatus) {
		report.Reset()
	}
	if !slices.Contains(p.capabilities, sideBand) {
		return report.Bytes()
	}
	out.band(bandProgress, []byte(messages))
	out.band(bandData, report.Bytes())
	out.flush()
	return out.Bytes()
}

// ending ends a text with a newline, unless it is empty.
func ending(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}
