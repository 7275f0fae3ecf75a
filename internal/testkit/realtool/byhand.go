package realtool

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// Server is a host that knows how the server that was started on it last is
// spoken to.
type Server struct {
	agent.Host
	password string
	printed  bytes.Buffer
}

// Start starts a program of OpenCode's.
func (s *Server) Start(ctx context.Context, command agent.Command) (agent.Process, error) {
	for _, entry := range command.Env {
		if value, ok := strings.CutPrefix(entry, "OPENCODE_SERVER_PASSWORD="); ok {
			s.password = value
		}
	}
	s.printed.Reset()
	command.Output = io.MultiWriter(&s.printed, command.Output)
	return s.Host.Start(ctx, command)
}

// Session has a session: a prompt, one tool call, an answer. It returns when it
// has read the messages. The server must have been heard of by then.
func (s *Server) Session(tb testing.TB, prompt string) {
	tb.Helper()
	events := s.send(tb, http.MethodGet, "/event", nil)
	defer events.Body.Close()
	var session struct {
		ID string `json:"id"`
	}
	s.call(tb, http.MethodPost, "/session", map[string]string{"title": "by hand"}, &session)
	s.call(tb, http.MethodPost, "/session/"+session.ID+"/prompt_async", map[string]any{
		"parts": []map[string]string{{"type": "text", "text": prompt}},
	}, nil)
	idle := `"type":"session.idle","properties":{"sessionID":"` + session.ID
	lines := bufio.NewScanner(events.Body)
	const maxEvent = 16 << 20
	lines.Buffer(nil, maxEvent)
	for lines.Scan() && !strings.Contains(lines.Text(), idle) {
		continue
	}
	require.NoError(tb, lines.Err())
	var messages []json.RawMessage
	s.call(tb, http.MethodGet, "/session/"+session.ID+"/message", nil, &messages)
	require.Len(tb, messages, 3)
}

func (s *Server) call(tb testing.TB, method, path string, in, out any) {
	tb.Helper()
	response := s.send(tb, method, path, in)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(tb, err)
	require.Less(tb, response.StatusCode, http.StatusMultipleChoices, "%s", data)
	if out != nil {
		require.NoError(tb, json.Unmarshal(data, out))
	}
}

var address = regexp.MustCompile(`http://\S+`)

func (s *Server) send(tb testing.TB, method, path string, in any) *http.Response {
	tb.Helper()
	var body []byte
	if in != nil {
		var err error
		body, err = json.Marshal(in)
		require.NoError(tb, err)
	}
	request, err := http.NewRequestWithContext(tb.Context(), method, address.FindString(s.printed.String())+path, bytes.NewReader(body))
	require.NoError(tb, err)
	request.SetBasicAuth("opencode", s.password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(tb, err)
	return response
}
