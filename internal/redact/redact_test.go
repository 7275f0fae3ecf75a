package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/redact"
)

// secret has characters that URLs, JSON and base64 write in other ways.
const secret = `p@ss/w"rd+<é>=42`

func TestStringReplacesTheValueInEveryForm(t *testing.T) {
	encoded, err := json.Marshal(secret)
	require.NoError(t, err)
	twice, err := json.Marshal(string(encoded))
	require.NoError(t, err)
	basic := func(user string) string { return base64.StdEncoding.EncodeToString([]byte(user + secret)) }
	for name, text := range map[string]string{
		"as it is":                       secret,
		"in a JSON string":               string(encoded),
		"in a JSON string within one":    string(twice),
		"in a query":                     "?token=" + url.QueryEscape(secret) + "&page=2",
		"in a query, escapes in lower":   "?token=" + "p%40ss%2fw%22rd%2b%3c%c3%a9%3e%3d42",
		"in a path":                      "/x/" + url.PathEscape(secret) + "/y",
		"in base64":                      base64.StdEncoding.EncodeToString([]byte(secret)),
		"in base64 for URLs":             base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"in base64 after one byte":       basic("x"),
		"in base64 after two bytes":      basic("ab"),
		"in base64 after a user's name":  basic("x-access-token:"),
		"in base64 with more to come":    base64.StdEncoding.EncodeToString([]byte("a:" + secret + ":more")),
		"twice":                          secret + " and " + secret,
		"next to itself":                 secret + secret,
		"overlapping another secret":     "first-" + secret,
		"in the middle of a longer word": "prefix" + secret + "suffix",
	} {
		t.Run(name, func(t *testing.T) {
			got := redact.New(secret, "first-"+secret[:6]).String("before " + text + " after")
			assert.Contains(t, got, redact.Mask)
			assert.True(t, strings.HasPrefix(got, "before ") && strings.HasSuffix(got, " after"), got)
			for _, form := range redact.Forms(secret) {
				assert.NotContains(t, got, form)
			}
		})
	}
}

func TestStringFindsWellKnownTokens(t *testing.T) {
	const body = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	for _, c := range []struct{ name, text, want string }{
		{"a personal token", "token ghp_" + body + ".", "token [redacted]"},
		{"an OAuth token in quotes", `"gho_` + body + `"`, `"[redacted]"`},
		{"an installation token in a URL", "https://x-access-token:ghs_" + body + "@github.com/o/r", "https://x-access-token:[redacted]@github.com/o/r"},
		{"a user's token", "ghu_" + body + "\n", "[redacted]\n"},
		{"a refresh token", "(ghr_" + body + ")", "([redacted])"},
		{"a fine-grained token", "github_pat_11A_" + body, "[redacted]"},
		{"a model key", "OPENAI_API_KEY=sk-proj-" + body, "OPENAI_API_KEY=[redacted]"},
		{"a bearer token", "-H 'X: Bearer " + body + "'", "-H 'X: Bearer [redacted]'"},
		{"a header in HTTP", "Authorization: token abc defg\r\nAccept: */*", "Authorization:[redacted]\r\nAccept: */*"},
		{"a header in a shell command", `curl -H "authorization: Basic dTpw" https://x`, `curl -H "authorization:[redacted]" https://x`},
		{"a header in JSON", `{"authorization":"Basic dTpwdw==","n":1}`, `{"authorization":"[redacted]","n":1}`},
		{"a header in JSON within JSON", `"{\"Authorization\": \"Basic dTpwdw==\",\"n\":1}"`, `"{\"Authorization\": \"[redacted]\",\"n\":1}"`},
		{"a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nab+/=\n-----END RSA PRIVATE KEY-----\nnext line", "[redacted]\nnext line"},
		{"a private key in JSON", `{"key":"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n","id":7}`, `{"key":"[redacted]\n","id":7}`},
		{"a private key that breaks off", `{"key":"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl","id":7}`, `{"key":"[redacted]","id":7}`},
		{"two tokens", "ghp_" + body + " ghs_" + body, "[redacted] [redacted]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, redact.New().String(c.text))
		})
	}
}

func TestStringFindsTheShortestTokens(t *testing.T) {
	for literal, shortest := range map[string]int{"ghs_": 16, "sk-": 20, "Bearer ": 16, "Authorization:": 8} {
		token := literal + strings.Repeat("x", shortest)
		assert.NotContains(t, redact.New().String(token), "x", token)
		assert.Equal(t, token[1:], redact.New().String(token[1:]), "that is no token")
		assert.Equal(t, token[:len(token)-1], redact.New().String(token[:len(token)-1]), "that is too short for one")
	}
}

func TestStringLeavesWhatIsNoSecret(t *testing.T) {
	for name, text := range map[string]string{
		"a value too short to be a secret": "abcde",
		"prose about tokens":               "use a Bearer token, or a token that begins with ghp_ or sk-.",
		"a word that ends in sk":           "task-0123456789-0123456789-0123456789 risk-free-and-well-documented",
		"a placeholder":                    "GH_TOKEN=ghp_placeholder",
		"a header without a value":         `{"authorization":null,"authorization":""}`,
		"a public key":                     "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"an id":                            "skipped ses_36a21886dffeL2WSvtXDhSgZ7f",
		"nothing":                          "",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, text, redact.New("abcde", " \n").String(text))
		})
	}
}

func TestBytesLeavesItsInputAlone(t *testing.T) {
	in := []byte("x " + secret)
	kept := bytes.Clone(in)
	assert.Equal(t, "x [redacted]", string(redact.New(secret).Bytes(in)))
	assert.Equal(t, kept, in)
	clean := []byte("nothing")
	assert.Same(t, &clean[0], &redact.New(secret).Bytes(clean)[0], "what has no secrets is not copied")
}

func TestAPrivateKeyHidesNoMoreThanAKeyCanBe(t *testing.T) {
	text := "-----BEGIN PRIVATE KEY-----" + strings.Repeat("A", 100<<10) + " the end"
	got := redact.New().String(text)
	assert.True(t, strings.HasPrefix(got, redact.Mask))
	assert.True(t, strings.HasSuffix(got, "the end"))
}

func TestWriterCatchesSecretsSplitOverWrites(t *testing.T) {
	text := "one " + secret + " two ghp_" + strings.Repeat("a", 36) + " three Authorization: Basic dXNlcjpwdw==\n" +
		"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\nfour " + secret[:len(secret)-2]
	want := redact.New(secret).String(text)
	for size := 1; size < 40; size++ {
		var out bytes.Buffer
		w := redact.New(secret).Writer(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			wrote, err := w.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, wrote)
			rest = rest[n:]
		}
		require.NoError(t, w.Close())
		require.Equal(t, want, out.String(), "in writes of %d bytes", size)
	}
}

func TestWriterHoldsBackOnlyWhatMayBecomeASecret(t *testing.T) {
	var out bytes.Buffer
	w := redact.New(secret).Writer(&out)
	_, err := w.Write([]byte("a whole line\n"))
	require.NoError(t, err)
	assert.Equal(t, "a whole line\n", out.String())
	_, err = w.Write([]byte("then " + secret[:5]))
	require.NoError(t, err)
	assert.Equal(t, "a whole line\nthen ", out.String())
	require.NoError(t, w.Close())
	assert.Equal(t, "a whole line\nthen "+secret[:5], out.String())
}

func TestWriterKnowsSecretsThatAreAddedLater(t *testing.T) {
	var out bytes.Buffer
	r := redact.New("the-first-secret")
	w := r.Writer(&out)
	for _, part := range []string{"the-first-", "secret the-fi"} {
		_, err := w.Write([]byte(part))
		require.NoError(t, err)
	}
	r.Add("the-firm")
	_, err := w.Write([]byte("rm and the-firm"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	assert.Equal(t, "[redacted] [redacted] and [redacted]", out.String())
}

func TestWriterAfterCloseAndAfterAnError(t *testing.T) {
	w := redact.New().Writer(&bytes.Buffer{})
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	n, err := w.Write([]byte("late"))
	require.ErrorIs(t, err, os.ErrClosed)
	assert.Zero(t, n)

	full := errors.New("the disk is full")
	n, err = redact.New().Writer(broken{full}).Write([]byte("text\n"))
	require.ErrorIs(t, err, full)
	assert.Zero(t, n)
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

func TestRedactorIsSafeForConcurrentUse(t *testing.T) {
	r := redact.New(secret)
	w := r.Writer(&bytes.Buffer{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 20 {
				r.Add(strings.Repeat("x", i+10))
				assert.Equal(t, "[redacted]", r.String(secret))
				_, err := w.Write([]byte(secret))
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	require.NoError(t, w.Close())
}

// hostile texts make a careless search read them again and again.
func hostile() map[string][2]string {
	const size = 1 << 20
	return map[string][2]string{
		"a long secret that is almost there": {strings.Repeat("a", 4000) + "b", strings.Repeat("a", size)},
		"beginnings of tokens":               {secret, strings.Repeat("ghp_", size/4)},
		"beginnings of headers":              {secret, strings.Repeat("Authorization: ", size/15)},
		"beginnings of keys":                 {secret, strings.Repeat("-----BEGIN PRIVATE KEY-----", size/27)},
		"nothing but the secret":             {"aaaaaa", strings.Repeat("aaaaaa", size/6)},
	}
}

func TestHostileTextTakesTimeInProportion(t *testing.T) {
	for name, c := range hostile() {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				redact.New(c[0]).String(c[1])
			}()
			select {
			case <-done: // after some milliseconds
			case <-time.After(10 * time.Second): // quadratic time would take hours
				t.Fatal("the search does not end")
			}
		})
	}
}

func FuzzWriterAgreesWithBytes(f *testing.F) {
	f.Add([]byte("a "+secret+" b ghp_aaaaaaaaaaaaaaaaaaaa"), uint8(3))
	f.Add([]byte("Authorization: Bearer abcdefghijklmnop\n"), uint8(1))
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY----------BEGIN PRIVATE KEY-----"), uint8(7))
	f.Add([]byte("sk-sk-aaaaaaaaaaaaaaaaaaaaaaaa task-aaaaaaaaaaaaaaaaaaaaaaaaaaa"), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		r := redact.New(secret, "aabaab", "abaabaaab")
		want := r.Bytes(text)
		for _, s := range []string{secret, "aabaab", "abaabaaab"} {
			assert.NotContains(t, string(want), s)
		}
		assert.Equal(t, string(want), string(r.Bytes(want)), "redacting twice changes nothing more")
		var out bytes.Buffer
		w := r.Writer(&out)
		for rest := text; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			_, err := w.Write(rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.NoError(t, w.Close())
		require.Equal(t, string(want), out.String())
	})
}

func BenchmarkBytes(b *testing.B) {
	r := redact.New(secret, "another-secret-value", strings.Repeat("k", 40))
	line := []byte(strings.Repeat(`{"timestamp":"2026-02-25T17:35:31.510Z","scenario_id":"pr-view-001","success":true},`, 1000))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Bytes(line)
	}
}
