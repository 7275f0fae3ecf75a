package egress

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyPublicAddressesArePublic(t *testing.T) {
	for address, public := range map[string]bool{
		"140.82.121.6": true, "8.8.8.8": true, "2606:50c0:8000::153": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true,
		"127.0.0.1": false, "127.8.8.8": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false, "224.0.0.1": false,
		"255.255.255.255": false, "240.0.0.1": false, "192.0.2.1": false, "198.18.0.1": false,
		"::1": false, "::": false, "fe80::1": false, "fc00::1": false, "fd00::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false,
		"64:ff9b:1::1": false, "2002:7f00:1::": false, "2001:0:1::": false, "2001:db8::1": false, "fec0::1": false,
		"100::1": false, "fe80::1%eth0": false,
	} {
		assert.Equal(t, public, isPublic(netip.MustParseAddr(address)), address)
	}
}

func TestTheDialerLooksAtTheAddressAndNotTheName(t *testing.T) {
	for _, address := range []string{"localhost:443", "127.0.0.1:443", "[::1]:443", "[::ffff:127.0.0.1]:443"} {
		_, err := publicDialer().DialContext(t.Context(), "tcp", address)
		require.ErrorContains(t, err, "is not a public address", address)
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("sk-123", "the key sk-123 is sk-12sk-123", 3)
	f.Add("aab", "aaaabaab", 1)
	f.Add("aa", "aaaaa", 2)
	f.Add("0123456789abcdef0123456789abcdef", "a key of 32 bytes: 0123456789abcdef0123456789abcdef, and then a text that is longer than it", 0)
	f.Fuzz(func(t *testing.T, secret, text string, chunk int) {
		if secret == "" || strings.Contains(secret, "*") {
			t.Skip("no secret, or one that its replacement could complete")
		}
		source := io.Reader(strings.NewReader(text))
		switch chunk % 3 {
		case 1:
			source = iotest.OneByteReader(source)
		case 2:
			source = iotest.DataErrReader(iotest.HalfReader(source))
		}
		got, err := io.ReadAll(newScrubber(io.NopCloser(source), secret))
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(text, secret, strings.Repeat("*", len(secret))), string(got))
	})
}

func TestScrubbingHoldsBackNothingButTheBeginningOfASecret(t *testing.T) {
	r, w := io.Pipe()
	s := newScrubber(r, "secret")
	go func() { _, _ = io.WriteString(w, "event: sec") }()
	buffer := make([]byte, 100)
	n, err := s.Read(buffer)
	require.NoError(t, err)
	assert.Equal(t, "event: ", string(buffer[:n]))
	go func() { _, _ = io.WriteString(w, "ond\n"); _ = w.Close() }()
	rest, err := io.ReadAll(s)
	require.NoError(t, err)
	assert.Equal(t, "second\n", string(rest))
}

func TestScrubbingPassesTheSourcesEndOn(t *testing.T) {
	source := &closing{Reader: strings.NewReader("text"), err: errors.New("closed")}
	s := newScrubber(source, "secret")
	assert.ErrorIs(t, s.Close(), source.err)
}

func TestAnAnswerThatSaysNothingOfWhatItUsedIsToldOnce(t *testing.T) {
	var told []int64
	a := &Attempt{watch: ModelWatch{Untold: func(bytes int64) { told = append(told, bytes) }}}
	source := &closing{Reader: strings.NewReader("text"), err: errors.New("closed")}
	body := a.meter(source)
	_, err := io.ReadAll(body)
	require.NoError(t, err)
	for range 2 {
		require.ErrorIs(t, body.Close(), source.err)
	}
	assert.Equal(t, []int64{4}, told)
}

type closing struct {
	io.Reader
	err error
}

func (c *closing) Close() error { return c.err }

func TestTheDialerTakesPublicAddresses(t *testing.T) {
	for address, taken := range map[string]bool{"140.82.121.6:443": true, "[2606:50c0:8000::153]:443": true, "10.0.0.1:443": false, "": false} {
		assert.Equal(t, taken, publicDialer().Control("tcp", address, nil) == nil, address)
	}
}

func TestATargetIsANameOrAnAddress(t *testing.T) {
	label := strings.Repeat("a", 62) + "."
	long := strings.Repeat(label, 4) + "a" // 253 characters
	for s, want := range map[string]target{
		"GitHub.com.":        {"github.com", 443},
		"github.com:80":      {"github.com", 80},
		"my_host-1.z9.test":  {"my_host-1.z9.test", 443},
		"[::1]":              {"::1", 443},
		"[::1]:65535":        {"::1", 65535},
		"127.0.0.1":          {"127.0.0.1", 443},
		long:                 {long, 443},
		long + "a":           {},
		"":                   {},
		"x:0":                {},
		"x:65536":            {},
		".github.com":        {},
		"a..b":               {},
		"a{b":                {},
		"a@b":                {},
		"github.com]":        {},
		"github.com:443:443": {},
	} {
		got, ok := parseTarget(s, httpsPort)
		assert.Equal(t, want != target{}, ok, s)
		if ok {
			assert.Equal(t, want, got, s)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"api.github.com:443", "[::1]:80", "::1", "a..b", "GitHub.com.", "127.1", "x:0", "[fe80::1%eth0]:443"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parsed, ok := parseTarget(s, httpsPort)
		if !ok {
			return
		}
		require.NotContains(t, parsed.host, "/")
		require.False(t, bytes.ContainsAny([]byte(parsed.host), " \r\n\t@#?\\"), parsed.host)
		require.Positive(t, parsed.port)
	})
}

func TestATransportLeavesBodiesAsTheyAre(t *testing.T) {
	asked := http.Header{}
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Header }))
	defer upstream.Close()
	transport := NewLive(nil, nil).reverse.Transport.(*http.Transport)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get(upstream.URL)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Empty(t, asked.Values("Accept-Encoding"))
	assert.Nil(t, transport.Proxy, "our environment's proxy is not asked")
	assert.True(t, transport.ForceAttemptHTTP2)
}

func TestNothingWaitsForEver(t *testing.T) {
	for name, most := range map[string]time.Duration{
		"a dial of an agent's":            publicDialer().Timeout,
		"a dial of ours":                  newDialer().Timeout,
		"a handshake":                     newTransport().TLSHandshakeTimeout,
		"a connection of ours":            newTransport().IdleConnTimeout,
		"a client's connection":           (&Proxy{opts: Options{Log: slog.New(slog.DiscardHandler)}}).newServer(nil).IdleTimeout,
		"a client's headers, once a byte": (&Proxy{opts: Options{Log: slog.New(slog.DiscardHandler)}}).newServer(nil).ReadHeaderTimeout,
	} {
		assert.Positive(t, most, name)
		assert.Less(t, most, time.Hour, name)
	}
}
