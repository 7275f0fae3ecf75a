package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// Who asks for very much is answered, but what he asked for is not all kept: neither the
// end of a long request, nor what comes after much else.
func TestWhatIsKeptOfRequestsIsBounded(t *testing.T) {
	const ofOne, ofAll = 64 << 10, 64 << 20
	w := sandboxtest.New(t)
	w.As("writer")
	w.As("reader")
	long := strings.Repeat("x ", ofOne/2)
	ask := func(login, body string) {
		request := httptest.NewRequest(http.MethodPost, "https://api.github.com/graphql", strings.NewReader(body))
		request.Header.Set("Authorization", "token "+sandboxtest.Token(login))
		request.Header.Set("User-Agent", "bounded")
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, request)
		require.Equal(t, http.StatusBadRequest, answer.Code, "it is no JSON")
	}
	ask("writer", "first"+" "+long+" behind")
	for range ofAll/ofOne - 1 {
		ask("writer", long)
	}
	ask("writer", "late "+long)
	ask("reader", "later")
	asked := func(login, text string) bool { return w.Asked(sandboxtest.Token(login), text) }
	assert.True(t, asked("writer", "first"))
	assert.False(t, asked("writer", "behind"), "it is behind what is kept of one request")
	assert.False(t, asked("writer", "late"), "it is behind what is kept of all")
	assert.False(t, asked("reader", "later"), "whoever asks")
	assert.Equal(t, ofAll/ofOne+1, w.Usage(sandboxtest.Token("writer")).GraphQL, "all count")
}

// endless is a body that does not end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

// A push may have more than other requests, and not any size.
func TestWhatIsReadOfRequestsIsBounded(t *testing.T) {
	const maxPush = 2 << 20
	w := sandboxtest.New(t)
	w.LimitPushes(maxPush)
	w.As("owner")
	before := len(w.Changes())
	for name, c := range map[string]struct {
		host, path string
		most       int64
	}{
		"a request of the API": {"api.github.com", "/graphql", 64 << 20},
		"a push":               {"github.com", "/owner/hello.git/git-receive-pack", maxPush},
		"a push elsewhere":     {"github.com", "/owner/other.git/git-receive-pack", 64 << 20},
	} {
		body := &endless{}
		request := httptest.NewRequest(http.MethodPost, "https://"+c.host+c.path, body)
		request.SetBasicAuth("x", sandboxtest.Token("owner"))
		answer := httptest.NewRecorder()
		w.ServeHTTP(answer, request)
		assert.Equal(t, http.StatusRequestEntityTooLarge, answer.Code, name)
		assert.GreaterOrEqual(t, body.read, c.most, name)
		assert.Less(t, body.read, 2*c.most+1<<20, name)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		assert.Contains(t, string(text), "too large", name)
	}
	assert.Len(t, w.Changes(), before, "nothing was pushed")
}
