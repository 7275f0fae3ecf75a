package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/redact"
)

// kind is how a well-known token looks, written down a second time: a literal, and
// at least so many bytes of a class after it.
type kind struct {
	open, shut []string
	class      *regexp.Regexp
	min, max   int
	// bare is true where the literal is not masked, alone where it must begin a word.
	bare, alone bool
}

var kindsOfTokens = sync.OnceValue(func() []kind {
	var headers, begins, ends []string
	for _, name := range []string{"Authorization", "authorization", "AUTHORIZATION"} {
		for _, is := range []string{`:`, `=`, `: "`, `="`, `: '`, `='`, `":"`, `": "`, `':'`, `': '`, `\":\"`, `\": \"`} {
			headers = append(headers, name+is)
		}
	}
	for _, name := range []string{"", "RSA ", "EC ", "DSA ", "ENCRYPTED ", "OPENSSH "} {
		begins, ends = append(begins, "-----BEGIN "+name+"PRIVATE KEY-----"), append(ends, "-----END "+name+"PRIVATE KEY-----")
	}
	begins, ends = append(begins, "-----BEGIN PGP PRIVATE KEY BLOCK-----"), append(ends, "-----END PGP PRIVATE KEY BLOCK-----")
	return []kind{
		{open: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, class: regexp.MustCompile(`[A-Za-z0-9_.-]`), min: 16},
		{open: []string{"sk-"}, class: regexp.MustCompile(`[A-Za-z0-9_-]`), min: 20, alone: true},
		{open: []string{"Bearer ", "bearer ", "BEARER "}, class: regexp.MustCompile(`[A-Za-z0-9._~+/=-]`), min: 16, bare: true},
		{open: headers, class: regexp.MustCompile(`[^\x00-\x1f\x7f"'\x60<>\\]`), min: 8, bare: true},
		{open: begins, shut: ends, class: regexp.MustCompile(`[A-Za-z0-9+/=\\ \t\r\n:,.-]`), max: 64 << 10},
	}
})

// plainly finds what is to be masked by looking for everything everywhere. Where
// the text may go on to a secret, or a token is not long enough yet, pending is
// where that began; else it is the text's length.
type plainly struct {
	text    string
	masked  []bool
	pending int
}

func lookFor(text string, secrets []string) *plainly {
	p := &plainly{text, make([]bool, len(text)), len(text)}
	var literals []string
	for _, secret := range secrets {
		for _, form := range redact.Forms(secret) {
			p.occurrences(form, 0)
			literals = append(literals, form)
		}
	}
	for _, k := range kindsOfTokens() {
		p.tokens(k)
		literals = slices.Concat(literals, k.open, k.shut)
	}
	for _, literal := range literals {
		for n := range min(len(literal), len(text)) {
			if strings.HasSuffix(text, literal[:n+1]) {
				p.pending = min(p.pending, len(text)-n-1)
			}
		}
	}
	return p
}

func (p *plainly) mask(from, to int) {
	for i := from; i < to; i++ {
		p.masked[i] = true
	}
}

func (p *plainly) occurrences(of string, from int) {
	for at := from; at+len(of) <= len(p.text); at++ {
		if p.text[at:at+len(of)] == of {
			p.mask(at, at+len(of))
		}
	}
}

func (p *plainly) tokens(k kind) {
	opens := func(at int) string {
		for _, literal := range k.open {
			start := at - len(literal)
			if strings.HasSuffix(p.text[:at], literal) && (!k.alone || start == 0 || !regexp.MustCompile(`[A-Za-z0-9]`).MatchString(p.text[start-1:start])) {
				return literal
			}
		}
		return ""
	}
	for at := 1; at <= len(p.text); at++ {
		literal := opens(at)
		if literal == "" {
			continue
		}
		end, shut := at, false
		for end < len(p.text) && !shut && (k.max == 0 || end-at < k.max) && (p.text[end] >= 0x80 && k.bare && k.min == 8 || k.class.MatchString(p.text[end:end+1])) {
			end++
			shut = slices.ContainsFunc(k.shut, func(s string) bool { return strings.HasSuffix(p.text[:end], s) })
		}
		start := at - len(literal)
		if k.bare {
			start = at
		}
		if end-at >= k.min {
			p.mask(start, end)
		} else if end == len(p.text) {
			p.pending = min(p.pending, start)
		}
		at = end
	}
}

// upTo returns the text before a place as it is to be shown.
func (p *plainly) upTo(end int) string {
	var out strings.Builder
	for i := range end {
		if !p.masked[i] {
			out.WriteByte(p.text[i])
		} else if i == 0 || !p.masked[i-1] {
			out.WriteString(redact.Mask)
		}
	}
	return out.String()
}

// tangled are secrets of which one begins, ends or goes on as another does.
var tangled = []string{"abcabd", "bcabca", "aab-secret-xyz", "secret", "cret-x<y&z>\"'", "ghp_aaa"}

// jumble returns a text of pieces of secrets and tokens.
func jumble(draw *rand.Rand) string {
	var literals []string
	for _, k := range kindsOfTokens() {
		literals = slices.Concat(literals, k.open, k.shut)
	}
	var text strings.Builder
	for range 1 + draw.IntN(12) {
		switch draw.IntN(7) {
		case 0:
			text.WriteString(literals[draw.IntN(len(literals))])
		case 1: // as long as tokens are at least, or nearly
			text.WriteString(strings.Repeat("Az09._-/+="[draw.IntN(10):][:1], []int{6, 7, 8, 14, 15, 16, 17, 19, 20, 21}[draw.IntN(10)]))
		case 2:
			forms := redact.Forms(tangled[draw.IntN(len(tangled))])
			text.WriteString(forms[draw.IntN(len(forms))])
		case 3: // a part of something
			from := [][]string{literals, tangled, tangled}[draw.IntN(3)]
			word := from[draw.IntN(len(from))]
			start := draw.IntN(1 + draw.IntN(len(word)))
			text.WriteString(word[start : start+draw.IntN(len(word)-start)+1])
		case 4:
			text.WriteString([]string{" ", "\n", "\"", "'", "\\", "\x7f", "\x1f", "é", "<", "`", "a", "_", "-", "\xff", "task-", "{"}[draw.IntN(16)])
		default:
			for range draw.IntN(8) {
				text.WriteByte("abcd-"[draw.IntN(5)])
			}
		}
	}
	return text.String()
}

func TestWhatIsMaskedIsWhatAPlainSearchFinds(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		text := jumble(draw)
		want := lookFor(text, tangled).upTo(len(text))
		require.Equal(t, want, redact.New(tangled...).String(text), "%q", text)
		require.Equal(t, want, string(redact.New(tangled...).Bytes([]byte(text))), "%q", text)
	}
}

func TestAWriterPassesOnWhatIsSettledAndNothingElse(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		text := jumble(draw)
		var out bytes.Buffer
		r := redact.New(tangled...)
		w := r.Writer(&out)
		for read := 0; read < len(text); {
			n := min(1+draw.IntN(9), len(text)-read)
			_, err := w.Write([]byte(text[read : read+n]))
			require.NoError(t, err)
			read += n
			so := lookFor(text[:read], tangled)
			require.Equal(t, so.upTo(so.pending), out.String(), "%q", text[:read])
		}
		require.NoError(t, w.Close())
		require.Equal(t, r.String(text), out.String(), "%q", text)
	}
}

func TestASecretThatIsAddedLaterIsFoundInWhatIsHeldBack(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	for range 1500 {
		text, known := jumble(draw), draw.IntN(len(tangled))
		at := draw.IntN(len(text) + 1)
		var out bytes.Buffer
		r := redact.New(tangled[:known]...)
		w := r.Writer(&out)
		_, err := w.Write([]byte(text[:at]))
		require.NoError(t, err)
		sent := lookFor(text[:at], tangled[:known]).pending
		for _, secret := range tangled[known:] {
			r.Add(secret)
		}
		_, err = w.Write([]byte(text[at:]))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		want := lookFor(text, tangled[:known])
		for _, secret := range tangled[known:] {
			for _, form := range redact.Forms(secret) {
				want.occurrences(form, sent)
			}
		}
		require.Equal(t, want.upTo(len(text)), out.String(), "%q, the rest known after %d", text, at)
	}
}

func TestASecretThatIsAddedLaterIsFoundBesideWhatIsMaskedAlready(t *testing.T) {
	// What may still become the first secret is held back.
	for held, want := range map[string]string{
		"new-one ghp_aaaaaaaaaaaaaaaaaaaa e": "[redacted] [redacted] e.",
		"new-oneghp_aaaaaaaaaaaaaaaaaaaa e":  "[redacted] e.",
		"ghp_new-one-aaaaaaaaaaaaaaaaaaaa e": "[redacted] e.",
	} {
		var out bytes.Buffer
		r := redact.New(held + "nd")
		w := r.Writer(&out)
		_, err := w.Write([]byte(held))
		require.NoError(t, err)
		require.Empty(t, out.String())
		r.Add("new-one")
		_, err = w.Write([]byte("."))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		assert.Equal(t, want, out.String(), held)
	}
}

func TestAPrivateKeyIsAsLongAsOneCanBe(t *testing.T) {
	const begin, most = "-----BEGIN EC PRIVATE KEY-----", 64 << 10
	for _, over := range []int{0, 1, 100} {
		got := redact.New().String(begin + strings.Repeat("A", most+over) + "\n")
		if over == 0 {
			assert.Equal(t, redact.Mask+"\n", got)
			continue
		}
		assert.Equal(t, redact.Mask+strings.Repeat("A", over)+"\n", got)
	}
}

func TestTheShortestSecret(t *testing.T) {
	assert.Equal(t, "[redacted]", redact.New(" 123456\n").String("123456"))
	assert.Equal(t, "12345", redact.New(" 12345 ").String("12345"))
	for _, form := range redact.Forms("123456") {
		assert.GreaterOrEqual(t, len(form), 6)
	}
}

func TestFormsAreEveryWayOfWriting(t *testing.T) {
	secret := `/K<e>y&"x/y z` + "\x01é"
	escaped := func(s string, html bool) string {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(html)
		require.NoError(t, e.Encode(s))
		return strings.TrimSpace(out.String())[1 : out.Len()-2]
	}
	want := []string{secret,
		`%2FK%3Ce%3Ey%26%22x%2Fy+z%01%C3%A9`, `%2fK%3ce%3ey%26%22x%2fy+z%01%c3%a9`, `%2FK%3Ce%3Ey&%22x%2Fy%20z%01%C3%A9`, `%2fK%3ce%3ey&%22x%2fy%20z%01%c3%a9`}
	for _, once := range []bool{false, true} {
		want = append(want, escaped(secret, once))
		for _, twice := range []bool{false, true} {
			want = append(want, escaped(escaped(secret, once), twice))
		}
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		want = append(want, encoding.EncodeToString([]byte(secret)))
		for offset := range 3 {
			// The digits that stay as they are whatever stands around the secret.
			low := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + secret + "\x00\x00\x00"))
			high := encoding.EncodeToString([]byte(strings.Repeat("\xff", offset) + secret + "\xff\xff\xff"))
			same := func(i int) bool { return low[i] == high[i] }
			from, to := 0, (offset+len(secret))*4/3
			for !same(from) {
				from++
			}
			for i := from; i < to; i++ {
				require.True(t, same(i))
			}
			require.False(t, same(to) && same(to+1))
			want = append(want, low[from:to])
		}
	}
	slices.Sort(want)
	assert.Equal(t, slices.Compact(want), redact.Forms(secret))
}
