package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestParse(t *testing.T) {
	type request = sandbox.Request
	for name, c := range map[string]struct {
		method, target, protocol string
		want                     request
		isGit                    bool
	}{
		"the beginning of a fetch":        {"GET", "/o/r.git/info/refs?service=git-upload-pack", "version=2", request{"o", "r", sandbox.Fetch, true, 2}, true},
		"of a push, without .git":         {"GET", "/o/r/info/refs?service=git-receive-pack", "", request{"o", "r", sandbox.Push, true, 0}, true},
		"a fetch":                         {"POST", "/o/r.git/git-upload-pack", "version=1", request{"o", "r", sandbox.Fetch, false, 1}, true},
		"a push":                          {"POST", "/o/r.git/git-receive-pack", "x:version=2:y", request{"o", "r", sandbox.Push, false, 2}, true},
		"a version that is none":          {"POST", "/o/r/git-upload-pack", "version=9; rm", request{"o", "r", sandbox.Fetch, false, 0}, true},
		"a service that is none":          {"GET", "/o/r/info/refs?service=git-upload-archive", "", request{}, false},
		"the protocol without a service":  {"GET", "/o/r/info/refs", "", request{}, false},
		"a page":                          {"GET", "/o/r", "", request{}, false},
		"the site itself":                 {"GET", "/", "", request{}, false},
		"a file of the old protocol":      {"GET", "/o/r.git/objects/info/packs", "", request{}, false},
		"a folder too deep":               {"POST", "/o/r/x/git-upload-pack", "", request{}, false},
		"a path that leads out":           {"POST", "/../../git-upload-pack/x", "", request{}, false},
		"a service by the wrong method":   {"GET", "/o/r.git/git-upload-pack", "", request{}, false},
		"an advertisement to a POST":      {"POST", "/o/r.git/info/refs?service=git-upload-pack", "", request{}, false},
		"the name of an owner is missing": {"GET", "//r/info/refs?service=git-upload-pack", "", request{}, false},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Git-Protocol", c.protocol)
		got, isGit := sandbox.Parse(r)
		assert.Equal(t, c.isGit, isGit, name)
		if isGit {
			assert.Equal(t, c.want, got, name)
		}
	}
}

func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestBodies(t *testing.T) {
	const most = 1000
	for name, c := range map[string]struct {
		encoding string
		body     []byte
		want     string
	}{
		"plain":                        {"", []byte("x"), ""},
		"compressed":                   {"gzip", zipped(t, []byte("x")), ""},
		"as long as can be":            {"gzip", zipped(t, bytes.Repeat([]byte("x"), most)), ""},
		"a bomb":                       {"gzip", zipped(t, make([]byte, 10<<20)), "the body is over 1000 bytes when it is unpacked"},
		"not compressed, as it says":   {"gzip", []byte("x"), "unpack the body: unexpected EOF"},
		"cut short":                    {"gzip", zipped(t, []byte("xxxx"))[:20], "unpack the body: unexpected EOF"},
		"an encoding that is no git's": {"br", []byte("x"), "the body has an encoding other than gzip"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Content-Encoding", c.encoding)
		body, err := sandbox.Body(r, c.body, most)
		if c.want == "" {
			assert.NoError(t, err, name)
			assert.Equal(t, byte('x'), body[0], name)
			continue
		}
		assert.ErrorContains(t, err, c.want, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

const (
	zero = "0000000000000000000000000000000000000000"
	one  = "1111111111111111111111111111111111111111"
)

func line(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

func TestReadPush(t *testing.T) {
	p, err := sandbox.ReadPush(strings.NewReader(line("shallow "+one+"\n") + line(zero+" "+one+" refs/heads/a\x00 report-status side-band-64k\n") +
		line(one+" "+zero+" refs/heads/b\n") + "0000PACK..."))
	require.NoError(t, err)
	require.Len(t, p.Updates, 2)
	assert.Equal(t, "refs/heads/a", p.Updates[0].Ref)
	assert.True(t, p.Updates[0].From.IsZero())
	assert.Equal(t, one, p.Updates[0].To.String())
	assert.True(t, p.Updates[1].To.IsZero())
	pack, err := io.ReadAll(p.Pack)
	require.NoError(t, err)
	assert.Equal(t, "PACK...", string(pack))

	for name, body := range map[string]string{
		"nothing":                    "",
		"no end":                     line(zero + " " + one + " refs/heads/a\n"),
		"no lines":                   "hello, world",
		"a length beyond the body":   "ffff0000",
		"a length that is none":      "0003",
		"a command without a ref":    line(zero+" "+one+"\n") + "0000",
		"a hash that is none":        line("x "+one+" refs/heads/a\n") + "0000",
		"a ref with too long a name": line(zero+" "+one+" refs/heads/"+strings.Repeat("x", 4096)) + "0000",
		"more commands than allowed": strings.Repeat(line(zero+" "+one+" refs/heads/a\n"), 1001) + "0000",
	} {
		_, err := sandbox.ReadPush(strings.NewReader(body))
		assert.Error(t, err, name)
	}
}

func FuzzReadPush(f *testing.F) {
	f.Add([]byte(line(zero+" "+one+" refs/heads/a\x00 report-status\n") + "0000PACK"))
	f.Add([]byte("0000"))
	f.Fuzz(func(_ *testing.T, body []byte) {
		p, err := sandbox.ReadPush(bytes.NewReader(body))
		if err == nil {
			p.Report(nil, "")
		}
	})
}

func TestReports(t *testing.T) {
	command := zero + " " + one + " refs/heads/a"
	read := func(capabilities string) *sandbox.Pushed {
		p, err := sandbox.ReadPush(strings.NewReader(line(command+"\x00"+capabilities+"\n") + "0000"))
		require.NoError(t, err)
		return p
	}
	taken := line("unpack ok\n") + line("ok refs/heads/a\n") + "0000"
	assert.Equal(t, taken, string(read("report-status").Report(nil, "hello")))
	assert.Equal(t, line("\x02hello")+line("\x01"+taken)+"0000", string(read("report-status side-band-64k").Report(nil, "hello")))
	assert.Empty(t, read("").Report(nil, "hello"), "a client that asks for no report gets none")
	assert.Equal(t, "0000", string(read("side-band-64k").Report(nil, "")))

	p := read("report-status")
	assert.Equal(t, line("unpack no pack\n")+line("ng refs/heads/a unpacker error\n")+"0000", string(p.Report(errors.New("no pack"), "")))
	p.Updates[0] = model.RefUpdate{Ref: "refs/heads/a", Refused: "not here", Detail: "because"}
	assert.False(t, p.Taken())
	assert.Equal(t, line("unpack ok\n")+line("ng refs/heads/a not here\n")+"0000", string(p.Report(nil, "")))
	long := strings.Repeat("x", 100_000)
	out := read("report-status side-band-64k").Report(nil, long)
	assert.Greater(t, len(out), len(long))
	assert.Equal(t, "fff0\x02", string(out[:5]), "what is longer than a line goes in several")
}

func TestAdvertisePush(t *testing.T) {
	empty := string(sandbox.AdvertisePush(nil))
	assert.True(t, strings.HasPrefix(empty, line("# service=git-receive-pack\n")+"0000"), empty)
	assert.Contains(t, empty, zero+" capabilities^{}\x00report-status ")
	two := string(sandbox.AdvertisePush([]gitstore.Ref{{Name: "refs/heads/a"}, {Name: "refs/heads/b"}}))
	assert.Contains(t, two, zero+" refs/heads/a\x00report-status ")
	assert.Contains(t, two, line(zero+" refs/heads/b\n")+"0000")
}
