package egress_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const key = "sk-real-0123456789"

func TestTheKeyIsAddedAndTheAgentsIsDropped(t *testing.T) {
	for name, c := range map[string]struct{ header, want string }{
		"as a bearer token":      {"", "Bearer " + key},
		"in a header of its own": {"x-api-key", key},
	} {
		t.Run(name, func(t *testing.T) {
			var got *http.Request
			p := serve(t, egress.Options{Model: &egress.Model{
				BaseURL: "https://api.model.example/v1", Key: key, Header: c.header,
				Transport: tripper(func(r *http.Request) (*http.Response, error) { got = r; return respond(r, 200, "{}"), nil }),
			}})
			a := p.Begin(nil)
			header := []string{"anthropic-version", "2023-06-01", "Accept-Encoding", "gzip"}
			for _, name := range []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie"} {
				header = append(header, name, "of the agent's own")
			}
			require.Equal(t, "https://api.model.example/v1", p.ModelURL())
			do(t, p.client(t), "POST", p.ModelURL()+"/chat/completions?key=agents&api_key=agents&api-key=agents&access_token=agents&beta=true", "{}", header...)

			assert.Equal(t, "https://api.model.example/v1/chat/completions?beta=true", got.URL.String())
			assert.Equal(t, "api.model.example", got.Host)
			assert.Equal(t, "2023-06-01", got.Header.Get("anthropic-version"))
			assert.Equal(t, "identity", got.Header.Get("Accept-Encoding"), "the key could not be found in what is compressed")
			for name, values := range got.Header {
				assert.NotContains(t, strings.Join(values, ","), "agent's own", name)
				assert.NotContains(t, name, "Forwarded")
			}
			name := "Authorization"
			if c.header != "" {
				name = c.header
			}
			assert.Equal(t, c.want, got.Header.Get(name))
			assert.Equal(t, egress.Usage{Model: 1, Answers: 1}, a.Usage())
		})
	}
}

func TestAModelOnLoopbackIsReachedByANameThatStandsForIt(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host+r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1", Key: "k"}})
	p.Begin(nil)
	require.Equal(t, "https://model.egress.internal/v1", p.ModelURL())
	host := strings.TrimPrefix(upstream.URL, "http://")
	for _, base := range []string{p.ModelURL(), upstream.URL + "/v1"} {
		status, text := 0, ""
		if strings.HasPrefix(base, "https") {
			got := do(t, p.client(t), "GET", base+"/models", "")
			status, text = got.status, got.body
		} else {
			// A client that sends even loopback's URLs to its proxy.
			status, text = plainly(t, p, base+"/models")
		}
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, host+"/v1/models Bearer k", text)
	}
	status, _ := plainly(t, p, "http://127.0.0.1:1/v1/models")
	assert.Equal(t, http.StatusForbidden, status, "another port of the same address")
	status, _ = plainly(t, p, "http://localhost:"+strings.Split(host, ":")[1]+"/v1/models")
	assert.Equal(t, http.StatusForbidden, status, "another name of it")
}

func TestOnlyWhatIsBelowTheBaseURLIsAskedFor(t *testing.T) {
	var paths []string
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1/", Key: key, Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			paths = append(paths, r.URL.Path)
			return respond(r, 200, "{}"), nil
		})}})
	a := p.Begin(nil)
	for _, path := range []string{"/", "/v1", "/v2/models", "/v1evil", "/admin", "/v1/../admin", "/v1/%2e%2e/admin", "/v1/..%2fadmin", "/v1//x", "/v1/./x"} {
		conn := inside(t, p, "api.model.example:443")
		conn.send(t, "GET "+path+" HTTP/1.1\r\nHost: api.model.example\r\n\r\n")
		assert.Equal(t, http.StatusForbidden, conn.receive(t).StatusCode, path)
	}
	assert.Empty(t, paths)
	assert.Zero(t, a.Usage().Model)
	do(t, p.client(t), "POST", "https://api.model.example/v1/responses", "")
	assert.Equal(t, []string{"/v1/responses"}, paths)
}

func TestEventsOfTheModelAreSentOnAtOnce(t *testing.T) {
	goOn := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: %d %s\n\n", i, key)
			w.(http.Flusher).Flush()
			<-goOn
		}
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1", Key: key}})
	p.Begin(nil)
	response, err := p.client(t).Get(p.ModelURL() + "/stream")
	require.NoError(t, err)
	defer response.Body.Close()
	hidden := strings.Repeat("*", len(key))
	for i := range 3 {
		event := make([]byte, len("data: 0 \n\n")+len(key))
		_, err := io.ReadFull(response.Body, event)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("data: %d %s\n\n", i, hidden), string(event))
		goOn <- struct{}{}
	}
}

func TestTheKeyIsTakenOutOfWhatTheModelRepeats(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: key, Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			return respond(r, 401, "the key "+key+" is wrong", "X-Echo", "Bearer "+key), nil
		})}})
	p.Begin(nil)
	got := do(t, p.client(t), "GET", "https://api.model.example/v1/models", "")
	assert.Equal(t, "the key "+strings.Repeat("*", len(key))+" is wrong", got.body)
	assert.Equal(t, "Bearer ***", got.header.Get("X-Echo"))
}

func TestTheShortestKeyThatIsTakenOut(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: "sk-123", Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, "its sk-123", "X-Echo", "sk-123"), nil
		})}})
	p.Begin(nil)
	got := do(t, p.client(t), "GET", "https://api.model.example/v1/models", "")
	assert.Equal(t, "its ******", got.body)
	assert.Equal(t, "***", got.header.Get("X-Echo"))
}

func TestWithoutAKeyNoneIsSent(t *testing.T) {
	var got *http.Request
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Header: "X-My-Key", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { got = r; return respond(r, 200, "{}"), nil })}})
	p.Begin(nil)
	do(t, p.client(t), "GET", "https://api.model.example/v1/models", "", "X-My-Key", "of the agent's own", "Authorization", "too")
	assert.Empty(t, got.Header.Values("X-My-Key"))
	assert.Empty(t, got.Header.Values("Authorization"))
}

func TestNothingButTheModelIsTakenForIt(t *testing.T) {
	reached := 0
	transport := tripper(func(r *http.Request) (*http.Response, error) { reached++; return respond(r, 200, "{}"), nil })
	for base, others := range map[string][]string{
		"https://api.model.example/v1": {
			"https://example.com/v1", "https://api.model.example:444/v1", "http://api.model.example/v1/models",
			"http://api.model.example:443/v1/models", "https://model.egress.internal:444/v1", "http://model.egress.internal/v1/models",
		},
		"http://10.0.0.1/v1": {
			"https://10.0.0.1:80/v1", "https://10.0.0.1/v1", "http://10.0.0.1:81/v1/models", "http://10.0.0.2/v1/models", "https://example.com/v1",
		},
	} {
		t.Run(base, func(t *testing.T) {
			p := serve(t, egress.Options{Model: &egress.Model{BaseURL: base, Key: key, Transport: transport}})
			p.Begin(nil)
			for _, url := range others {
				status, text := plainly(t, p, url)
				assert.Equal(t, http.StatusForbidden, status, url)
				assert.Contains(t, text, "refuses", url)
			}
		})
	}
	assert.Zero(t, reached)
}

func TestAModelWithoutEncryptionIsAtPort80(t *testing.T) {
	reached := 0
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "http://10.0.0.1/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { reached++; return respond(r, 200, r.URL.Host), nil })}})
	p.Begin(nil)
	for _, url := range []string{"http://10.0.0.1/v1/models", "http://10.0.0.1:80/v1/models"} {
		status, text := plainly(t, p, url)
		assert.Equal(t, http.StatusOK, status, url)
		assert.Equal(t, "10.0.0.1", text)
	}
	conn := dial(t, p)
	conn.send(t, "GET http://10.0.0.1/v1/models HTTP/1.1\r\nHost: 10.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+conn.auth+"\r\n")
	assert.Equal(t, http.StatusForbidden, conn.receive(t).StatusCode, "a WebSocket")
	assert.Equal(t, 2, reached)
}

// Tools send no request for a loopback address to a proxy, and some none for an
// address, for another port or without encryption.
func TestTheAgentIsToldAURLThatItsToolsSendToTheProxy(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.model.example/v1":      "https://api.model.example/v1",
		"https://api.model.example:443/v1":  "https://api.model.example:443/v1",
		"https://api.model.example:8443/v1": "https://model.egress.internal/v1",
		"http://api.model.example/v1":       "https://model.egress.internal/v1",
		"http://api.model.example:443/v1":   "https://model.egress.internal/v1",
		"https://10.0.0.1/v1":               "https://model.egress.internal/v1",
		"https://localhost/v1":              "https://model.egress.internal/v1",
	} {
		t.Run(base, func(t *testing.T) {
			assert.Equal(t, want, serve(t, egress.Options{Model: &egress.Model{BaseURL: base}}).ModelURL())
		})
	}
	assert.Empty(t, serve(t, egress.Options{}).ModelURL())
}

func TestAQuestionAboutTheLengthOfAPromptIsNoAnswer(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example", Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, `{"usage":{"input_tokens":3}}`), nil
		})}})
	a := p.Begin(nil)
	do(t, p.client(t), "POST", "https://api.model.example/v1/messages/count_tokens", "{}")
	assert.Equal(t, egress.Usage{Model: 1}, a.Usage())
	do(t, p.client(t), "POST", "https://api.model.example/v1/messages", "{}")
	assert.Equal(t, egress.Usage{Model: 2, Answers: 1, Told: 1, Tokens: bench.Tokens{Input: 3, Total: 3}}, a.Usage())
}

func TestAModelAtAnAddressHasACertificateForIt(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://10.0.0.1/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { return respond(r, 200, r.URL.Host), nil })}})
	p.Begin(nil)
	for _, base := range []string{"https://10.0.0.1/v1", p.ModelURL()} {
		assert.Equal(t, "10.0.0.1", do(t, p.client(t), "GET", base+"/models", "").body)
	}
}

// A transport of the caller's own may say nothing of the request.
func TestAnAnswerThatDoesNotNameItsRequestIsPassedOn(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: key, Transport: tripper(
		func(r *http.Request) (*http.Response, error) {
			response := respond(r, 500, "the key "+key)
			response.Request = nil
			return response, nil
		})}})
	p.Begin(nil)
	assert.Equal(t, "the key "+strings.Repeat("*", len(key)), do(t, p.client(t), "POST", "https://api.model.example/v1/messages", "{}").body)
}

func TestAKeyThatIsAWordIsLeftInWhatTheModelSays(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: "none", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { return respond(r, 200, "none of them"), nil })}})
	p.Begin(nil)
	assert.Equal(t, "none of them", do(t, p.client(t), "GET", "https://api.model.example/v1/models", "").body)
}

func TestARefusedKeyIsToldOnce(t *testing.T) {
	status, told := http.StatusOK, []int{}
	p := serve(t, egress.Options{Model: &egress.Model{
		BaseURL: "https://api.model.example/v1", OnRefused: func(status int) { told = append(told, status) },
		Transport: tripper(func(r *http.Request) (*http.Response, error) { return respond(r, status, "{}"), nil }),
	}})
	p.Begin(nil)
	for _, status = range []int{200, 429, 500, 401, 403, 401} {
		assert.Equal(t, status, do(t, p.client(t), "GET", "https://api.model.example/v1/models", "").status)
	}
	assert.Equal(t, []int{401}, told)
}

func TestAKeyThatMayNotIsTold(t *testing.T) {
	told := 0
	p := serve(t, egress.Options{Model: &egress.Model{
		BaseURL: "https://api.model.example/v1", OnRefused: func(status int) { told = status },
		Transport: tripper(func(r *http.Request) (*http.Response, error) { return respond(r, 403, "{}"), nil }),
	}})
	p.Begin(nil)
	do(t, p.client(t), "GET", "https://api.model.example/v1/models", "")
	assert.Equal(t, 403, told)
}

func TestACallThatIsNotAllowedIsNotMade(t *testing.T) {
	var allowed error
	p := serve(t, egress.Options{Model: &egress.Model{
		BaseURL: "https://api.model.example/v1", Allow: func() error { return allowed },
		Transport: tripper(func(r *http.Request) (*http.Response, error) { return respond(r, 200, "{}"), nil }),
	}})
	a := p.Begin(nil)
	call := func() answer {
		return do(t, p.client(t), "POST", "https://api.model.example/v1/responses", "{}")
	}
	assert.Equal(t, http.StatusOK, call().status)
	allowed = fault.Because(fault.Invalid, errors.New("5.11 of 5 USD"), "the run's budget is spent")
	got := call()
	assert.Equal(t, http.StatusPaymentRequired, got.status)
	assert.Equal(t, "application/json", got.header.Get("Content-Type"))
	assert.JSONEq(t, `{"type":"error","error":{"type":"budget_exhausted","code":"budget_exhausted","message":"the run's budget is spent"}}`, got.body)
	assert.Equal(t, 1, a.Usage().Model)
}

func TestAModelThatCannotBeReachedIsABadGateway(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Key: key, Transport: tripper(
		func(*http.Request) (*http.Response, error) { return nil, errors.New("with " + key + " in it") })}})
	p.Begin(nil)
	got := do(t, p.client(t), "GET", "https://api.model.example/v1/models", "")
	assert.Equal(t, http.StatusBadGateway, got.status)
	assert.JSONEq(t, `{"message":"The benchmark's proxy cannot reach api.model.example."}`, got.body)
}

func TestAProgramWithoutAProxyReachesTheModelWithAKeyOfItsOwn(t *testing.T) {
	var reached atomic.Int32
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		_, _ = io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"))
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1/", Key: key}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.ServeModel(listener, "placeholder")
	base := p.ModelURLAt(listener.Addr())
	require.Equal(t, "http://"+listener.Addr().String()+"/v1", base)
	ask := func(path string, header ...string) (int, string) {
		got := do(t, http.DefaultClient, "GET", base+path, "", header...)
		return got.status, got.body
	}
	status, _ := ask("/models", "Authorization", "Bearer placeholder")
	assert.Equal(t, http.StatusForbidden, status, "no attempt is under way")
	p.Begin(nil)
	for _, header := range [][]string{{"Authorization", "Bearer placeholder"}, {"X-Api-Key", "placeholder"}} {
		status, text := ask("/models", header...)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "/v1/models Bearer ******************", text, "the model has the real one, and nobody reads it")
	}
	for _, header := range [][]string{nil, {"Authorization", "Bearer another"}, {"Authorization", ""}, {"Authorization", "Bearer " + key}} {
		status, text := ask("/models", header...)
		assert.Equal(t, http.StatusUnauthorized, status)
		assert.JSONEq(t, `{"type":"error","error":{"type":"wrong_key","code":"wrong_key","message":"This is for the agents of a benchmark alone: show the key that stands in their environment."}}`, text)
	}
	assert.Equal(t, int32(2), reached.Load(), "by those with the key alone")
	status, _ = ask("/../admin", "Authorization", "Bearer placeholder")
	assert.NotEqual(t, http.StatusOK, status, "only what is below the base URL")
	require.NoError(t, p.Close())
	_, err = http.Get(base + "/models") //nolint:bodyclose,noctx // there is no answer
	require.Error(t, err)
}

func TestAnEmptyKeyLetsNobodyIn(t *testing.T) {
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { return respond(r, 200, "{}"), nil })}})
	p.Begin(nil)
	front := listen(t)
	p.ServeModel(front, "")
	for _, header := range [][]string{nil, {"Authorization", "Bearer "}} {
		assert.Equal(t, http.StatusUnauthorized, do(t, http.DefaultClient, "GET", p.ModelURLAt(front.Addr())+"/models", "", header...).status)
	}
}

func TestARequestWhoseModelCannotBeReadIsRefused(t *testing.T) {
	const named = `{"model":"cheap"}`
	reached, asked := 0, []string{}
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { reached++; return respond(r, 200, "{}"), nil })}})
	p.BeginWatched(nil, egress.ModelWatch{Asks: func(model string) error { asked = append(asked, model); return nil }})
	most := strings.Repeat(" ", 32<<20-len(named)) + named
	for _, c := range []struct {
		what, head, body string
		status           int
	}{
		{"the longest", fmt.Sprintf("Content-Length: %d\r\n", len(most)), most, http.StatusOK},
		{"a longer one", fmt.Sprintf("Content-Length: %d\r\n", len(most)+1), " " + most, http.StatusForbidden},
		{"one that breaks off", "Transfer-Encoding: chunked\r\n", fmt.Sprintf("%x\r\n%s\r\nno length\r\n", len(named), named), http.StatusForbidden},
	} {
		conn := inside(t, p, "api.model.example:443")
		conn.send(t, "POST /v1/responses HTTP/1.1\r\nHost: api.model.example\r\n"+c.head+"\r\n"+c.body)
		response := conn.receive(t)
		require.Equal(t, c.status, response.StatusCode, c.what)
		if c.status != http.StatusOK {
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Contains(t, string(text), "cannot be read, or is longer than 32 MiB", c.what)
		}
	}
	assert.Equal(t, []string{"cheap"}, asked)
	assert.Equal(t, 1, reached)
}

func TestWhatAnAgentAsksOfAModelIsWatched(t *testing.T) {
	const answer = `{"usage": {"prompt_tokens": 7, "completion_tokens": 1}, "asked": %s}`
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "silent") {
			_, _ = io.WriteString(w, "data: {}\n\n")
			return
		}
		_, _ = fmt.Fprintf(w, answer, body)
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1", Key: key}})
	var asked []string
	untold := make(chan int64, 10)
	p.BeginWatched(nil, egress.ModelWatch{
		Asks: func(model string) error {
			asked = append(asked, model)
			if model != "cheap" {
				return fault.Invalidf("it is too dear")
			}
			return nil
		},
		Untold: func(bytes int64) { untold <- bytes },
	})
	for body, status := range map[string]int{
		`{"model": "cheap"}`: 200, `{"model": "cheap", "say": "silent"}`: 200,
		`{"model": "dear"}`: 403, `{"model": "dear", "Model": "cheap"}`: 403, `{"model": ["cheap"]}`: 403, `{}`: 403, `no JSON`: 403,
	} {
		got := do(t, p.client(t), "POST", p.ModelURL()+"/chat/completions", body)
		assert.Equal(t, status, got.status, body)
		if status == 200 && !strings.Contains(body, "silent") {
			assert.Equal(t, fmt.Sprintf(answer, body), got.body, "the model is asked what the agent asks")
		}
	}
	assert.Equal(t, http.StatusOK, do(t, p.client(t), "GET", p.ModelURL()+"/models", "").status, "a list costs nothing")
	assert.ElementsMatch(t, []string{"cheap", "cheap", "dear", "dear", "", "", ""}, asked)
	assert.Equal(t, int64(10), <-untold)
	require.NoError(t, p.Close())
	assert.Empty(t, untold)
}
