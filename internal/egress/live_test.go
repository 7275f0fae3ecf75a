package egress_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

const (
	placeholder = "ghp_placeholder"
	realToken   = "ghs_real"
)

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// live serves an attempt on GitHub itself, which is a function.
func live(t *testing.T, gitHub tripper) *rig {
	p := serve(t, egress.Options{})
	token := func(context.Context) (string, error) { return realToken, nil }
	p.Begin(egress.NewLive(token, gitHub).Handler(placeholder))
	return p
}

func TestThePlaceholderBecomesTheToken(t *testing.T) {
	var got *http.Request
	p := live(t, func(r *http.Request) (*http.Response, error) { got = r; return respond(r, 200, "{}"), nil })
	for sent, want := range map[string]string{
		"token " + placeholder:               "token " + realToken,
		"Bearer " + placeholder:              "Bearer " + realToken,
		"Bearer   " + placeholder:            "Bearer " + realToken,
		basic("x-access-token", placeholder): basic("x-access-token", realToken),
		basic(placeholder, "x-oauth-basic"):  basic(realToken, "x-oauth-basic"),
	} {
		for _, host := range []string{"api.github.com", "github.com", "uploads.github.com", "raw.githubusercontent.com", "codeload.github.com"} {
			do(t, p.client(t), "POST", "https://"+host+"/x?y=z", "body", "Authorization", sent)
			assert.Equal(t, want, got.Header.Get("Authorization"), sent)
			assert.Equal(t, "https://"+host+"/x?y=z", got.URL.String())
			assert.Equal(t, host, got.Host)
		}
	}
	do(t, p.client(t), "GET", "https://github.com/o/r.git/info/refs", "")
	assert.Empty(t, got.Header.Values("Authorization"), "a request without a token stays one")
}

func TestAnotherTokenGoesNowhere(t *testing.T) {
	p := live(t, func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, errors.New("unexpected")
	})
	for _, sent := range []string{
		"token ghp_of_the_attempt_before", "Bearer " + placeholder + "x", "token", "token ", placeholder,
		basic("x", "y"), "Basic !", basic("x", placeholder) + "!!!!", "Basic " + base64.StdEncoding.EncodeToString([]byte(placeholder)), "Digest " + placeholder,
	} {
		got := do(t, p.client(t), "GET", "https://api.github.com/user", "", "Authorization", sent)
		assert.Equal(t, http.StatusUnauthorized, got.status, sent)
		assert.JSONEq(t, `{"message":"Bad credentials"}`, got.body)
		assert.Equal(t, "application/json; charset=utf-8", got.header.Get("Content-Type"))
	}
	conn := inside(t, p, "api.github.com:443")
	conn.send(t, "GET / HTTP/1.1\r\nHost: api.github.com\r\nAuthorization: token "+placeholder+"\r\nAuthorization: token other\r\n\r\n")
	assert.Equal(t, http.StatusUnauthorized, conn.receive(t).StatusCode)
}

func TestTheTokenGoesToNoHostThatHasNoUseForIt(t *testing.T) {
	var got *http.Request
	p := live(t, func(r *http.Request) (*http.Response, error) { got = r; return respond(r, 200, "zip"), nil })
	for _, host := range []string{"objects.githubusercontent.com", "productionresultssa3.blob.core.windows.net"} {
		do(t, p.client(t), "GET", "https://"+host+"/x", "", "Authorization", "token "+placeholder)
		assert.Empty(t, got.Header.Values("Authorization"), host)
	}
}

func TestAnAnswerMayBeginBeforeTheRequestHasEnded(t *testing.T) {
	// As where a server has read all that was announced, and the proxy has yet to
	// see that nothing follows.
	repeats := tripper(func(r *http.Request) (*http.Response, error) {
		answer := respond(r, http.StatusOK, "")
		answer.Body, answer.ContentLength = r.Body, -1
		return answer, nil
	})
	for name, start := range map[string]func(t *testing.T) (p *rig, url string){
		"of GitHub": func(t *testing.T) (*rig, string) { return live(t, repeats), "https://api.github.com/graphql" },
		"of the model": func(t *testing.T) (*rig, string) {
			p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Transport: repeats}})
			p.Begin(nil)
			return p, "https://api.model.example/v1/responses"
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, url := start(t)
			transport := p.transport(t)
			transport.ForceAttemptHTTP2 = false
			body := strings.Repeat("what the agent says. ", 3000)
			assert.Equal(t, body, do(t, &http.Client{Transport: transport}, "POST", url, body).body)
		})
	}
}

func TestRedirectsAreLeftToTheClient(t *testing.T) {
	var asked []string
	p := live(t, func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.Host)
		return respond(r, 302, "", "Location", "https://evil.example/?t="+realToken), nil
	})
	got := do(t, p.client(t), "GET", "https://api.github.com/zipball", "", "Authorization", "token "+placeholder)
	assert.Equal(t, 302, got.status)
	assert.Equal(t, "https://evil.example/?t="+placeholder, got.header.Get("Location"), "a token that is repeated is taken out")
	assert.Equal(t, []string{"api.github.com"}, asked)
}

func TestWithoutATokenOfOursNothingIsSent(t *testing.T) {
	p := serve(t, egress.Options{})
	fails := func(context.Context) (string, error) { return "", errors.New("the key of the App is gone") }
	p.Begin(egress.NewLive(fails, tripper(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, errors.New("unexpected")
	})).Handler(placeholder))
	got := do(t, p.client(t), "GET", "https://api.github.com/user", "", "Authorization", "token "+placeholder)
	require.Equal(t, http.StatusBadGateway, got.status)
	assert.False(t, strings.Contains(got.body, "App"))
}

func TestAGitHubThatCannotBeReachedIsABadGateway(t *testing.T) {
	p := live(t, func(*http.Request) (*http.Response, error) { return nil, errors.New("with " + realToken + " in it") })
	got := do(t, p.client(t), "GET", "https://api.github.com/user", "", "Authorization", "token "+placeholder)
	assert.Equal(t, http.StatusBadGateway, got.status)
	assert.JSONEq(t, `{"message":"The benchmark's proxy cannot reach api.github.com."}`, got.body)
}
