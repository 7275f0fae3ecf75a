package app

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"
)

// guarded shows a page to who shows the token, as Prometheus does with
// `authorization: credentials`. Without a token it is shown to those near by:
// metrics name installations.
func guarded(token string, page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case token == "" && !near(r):
			http.Error(w, "metrics are shown to this machine and its private network: set BENCH_APP_METRICS_TOKEN, and have it sent as a bearer token", http.StatusForbidden)
		case token != "" && (!is || subtle.ConstantTimeCompare([]byte(shown), []byte(token)) == 0):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "metrics are shown to who sends BENCH_APP_METRICS_TOKEN as a bearer token", http.StatusUnauthorized)
		default:
			page.ServeHTTP(w, r)
		}
	})
}

// near reports whether a request comes from this machine or its private
// network. What a proxy passes on may come from anywhere.
func near(r *http.Request) bool {
	for _, passedOn := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"} {
		if len(r.Header.Values(passedOn)) > 0 {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	at := from.Addr().Unmap()
	return err == nil && (at.IsLoopback() || at.IsPrivate() || at.IsLinkLocalUnicast())
}
