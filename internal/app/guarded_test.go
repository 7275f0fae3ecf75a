package app_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/app"
)

func TestWhoSeesTheMetrics(t *testing.T) {
	const token, inside, outside = "a-token-of-metrics", "10.1.2.3:4", "203.0.113.7:4"
	cases := []struct {
		name, token, from, header, value string
		want                             int
	}{
		{"this machine", "", "127.0.0.1:4", "", "", http.StatusOK},
		{"this machine by IPv6", "", "[::1]:4", "", "", http.StatusOK},
		{"a Prometheus in the same network", "", inside, "", "", http.StatusOK},
		{"one in the same network of IPv6", "", "[fd00::1]:4", "", "", http.StatusOK},
		{"an IPv4 address that is written as one of IPv6", "", "[::ffff:10.1.2.3]:4", "", "", http.StatusOK},
		{"the world", "", outside, "", "", http.StatusForbidden},
		{"the world by IPv6", "", "[2001:db8::1]:4", "", "", http.StatusForbidden},
		{"the world through a proxy near by", "", inside, "X-Forwarded-For", "203.0.113.7", http.StatusForbidden},
		{"through one that forwards by the standard", "", "127.0.0.1:4", "Forwarded", "for=203.0.113.7", http.StatusForbidden},
		{"through one that says the real address", "", "127.0.0.1:4", "X-Real-Ip", "203.0.113.7", http.StatusForbidden},
		{"through one that says nothing of value", "", "127.0.0.1:4", "X-Forwarded-For", "", http.StatusForbidden},
		{"an address that is none", "", "@", "", "", http.StatusForbidden},
		{"the token", token, outside, "Authorization", "Bearer " + token, http.StatusOK},
		{"another token", token, inside, "Authorization", "Bearer another", http.StatusUnauthorized},
		{"the token in another scheme", token, inside, "Authorization", "Basic " + token, http.StatusUnauthorized},
		{"no token where there is one", token, "127.0.0.1:4", "", "", http.StatusUnauthorized},
		{"an empty token where there is none", "", outside, "Authorization", "Bearer ", http.StatusForbidden},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.RemoteAddr = c.from
			if c.header != "" {
				request.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			app.Guarded(c.token, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })).ServeHTTP(w, request)
			assert.Equal(t, c.want, w.Code)
			if c.want == http.StatusUnauthorized {
				assert.Equal(t, "Bearer", w.Header().Get("WWW-Authenticate"))
			}
		})
	}
}
