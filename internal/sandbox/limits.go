package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gql"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Limits are how much a token may ask for. What is 0 is GitHub's own limit.
type Limits struct {
	// Core and GraphQL are for an hour, in requests and in points; Search is
	// for a minute.
	Core, GraphQL, Search int
	// Points are those of the secondary limit of each API for a minute: 1 for
	// what reads and 5 for what writes. Content is how many writes.
	RESTPoints, GraphQLPoints, Content int
}

// GitHub's secondary limits for a minute.
const (
	restPoints    = 900
	graphqlPoints = 2000
	contentLimit  = 80
	writePoints   = 5
)

// EnforceLimits makes the world refuse what goes beyond limits, of which
// requests before are not counted; at first it does not. Where the world's
// clock stands still between writes, so do the limits.
func (w *World) EnforceLimits(l Limits) {
	w.limiter.mu.Lock()
	defer w.limiter.mu.Unlock()
	w.limiter.used = map[meter]*window{}
	w.limiter.limits = &Limits{
		Core: cmp.Or(l.Core, rest.CoreLimit), GraphQL: cmp.Or(l.GraphQL, rest.GraphQLLimit), Search: cmp.Or(l.Search, rest.SearchLimit),
		RESTPoints: cmp.Or(l.RESTPoints, restPoints), GraphQLPoints: cmp.Or(l.GraphQLPoints, graphqlPoints), Content: cmp.Or(l.Content, contentLimit),
	}
}

// limiter counts what tokens ask for. Its zero value allows everything.
type limiter struct {
	mu     sync.Mutex
	limits *Limits
	used   map[meter]*window
}

// enforced reports whether anything is refused.
func (l *limiter) enforced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limits != nil
}

// meter is what is counted by itself.
type meter struct{ token, resource string }

// window is how much was used since it began.
type window struct {
	ends time.Time
	used int
}

// quota is how a token stands with a primary limit.
type quota struct {
	resource    string
	limit, used int
	ends        time.Time
}

func (q quota) header(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(q.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(q.limit-q.used))
	h.Set("X-RateLimit-Used", strconv.Itoa(q.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(q.ends.Unix(), 10))
	h.Set("X-RateLimit-Resource", q.resource)
}

// at returns the window of a meter, a new one if the last one has ended.
func (l *limiter) at(m meter, now time.Time, length time.Duration) *window {
	one := l.used[m]
	if one == nil || !now.Before(one.ends) {
		one = &window{ends: now.Add(length)}
		l.used[m] = one
	}
	return one
}

// primary returns how a token stands with the limit of a resource.
func (l *limiter) primary(token, resource string, now time.Time) (quota, *window) {
	q, length := quota{resource: resource, limit: l.limits.Core}, rest.RateWindow
	switch {
	case resource == "graphql":
		q.limit = l.limits.GraphQL
	case resource == "search":
		q.limit, length = l.limits.Search, time.Minute
	case token == "":
		q.limit = rest.AnonymousLimit
	}
	one := l.at(meter{token, resource}, now, length)
	q.used, q.ends = one.used, one.ends
	return q, one
}

// spend counts a request and returns the answer to one that goes beyond a
// limit, nil for others. It sets how the token stands with the primary one.
func (w *World) spend(x *exchange) *rest.Response {
	if !w.limiter.enforced() || withoutEnterprise(x.in).URL.Path == "/rate_limit" {
		return nil
	}
	call, cost, now := w.call(x), w.cost(x), w.now()
	w.limiter.mu.Lock()
	defer w.limiter.mu.Unlock()
	q, primary := w.limiter.primary(x.token.value, resourceOf(x), now)
	x.quota = &q
	if q.used+cost.Points > q.limit {
		q.used = q.limit
		return w.exhausted(x, q)
	}
	if wait := w.limiter.secondary(x, call.Write, now); wait > 0 {
		answer := rest.SecondaryLimit(max(wait, time.Second))
		return &answer
	}
	primary.used += cost.Points
	q.used = primary.used
	x.cost = cost
	return nil
}

// secondary counts a request against the secondary limits, and returns how long
// to wait if it goes beyond one.
func (l *limiter) secondary(x *exchange, write bool, now time.Time) time.Duration {
	points, limit, resource := 1, l.limits.RESTPoints, "rest points"
	if x.logged.GraphQL {
		limit, resource = l.limits.GraphQLPoints, "graphql points"
	}
	if write {
		points = writePoints
	}
	all := l.at(meter{x.token.value, resource}, now, time.Minute)
	content := l.at(meter{x.token.value, "content"}, now, time.Minute)
	if all.used+points > limit {
		return all.ends.Sub(now)
	}
	if write && content.used >= l.limits.Content {
		return content.ends.Sub(now)
	}
	all.used += points
	if write {
		content.used++
	}
	return 0
}

// refund takes back what a request has cost that GitHub does not count: one
// whose answer the client has.
func (w *World) refund(x *exchange, status int) {
	if x.quota == nil || status != http.StatusNotModified || x.token.value == "" {
		return
	}
	w.limiter.mu.Lock()
	defer w.limiter.mu.Unlock()
	if one := w.limiter.used[meter{x.token.value, x.quota.resource}]; one != nil {
		one.used -= x.cost.Points
		x.quota.used -= x.cost.Points
	}
}

// cost returns what a request costs: one, but for GraphQL.
func (w *World) cost(x *exchange) graphql.Cost {
	var query graphqlRequest
	if !x.logged.GraphQL || query.read(x.body) != nil {
		return graphql.Cost{Points: 1}
	}
	return w.gql.Cost(query.Query, query.OperationName, query.Variables)
}

// resourceOf returns the primary limit that a request counts against.
func resourceOf(x *exchange) string {
	switch {
	case x.logged.GraphQL:
		return "graphql"
	case strings.HasPrefix(withoutEnterprise(x.in).URL.Path, "/search/"):
		return "search"
	default:
		return "core"
	}
}

// exhausted is the answer to a token that has used up a primary limit.
func (w *World) exhausted(x *exchange, q quota) *rest.Response {
	who := "127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
	w.Look(func(s *model.State) {
		if u := s.User(x.token.User); u != nil {
			who = fmt.Sprintf("user ID %d.", u.ID)
		}
		if x.token.Installation != 0 {
			who = fmt.Sprintf("installation ID %d.", x.token.Installation)
		}
	})
	message := "API rate limit exceeded for " + who
	answer := rest.RateLimited(message)
	if x.logged.GraphQL {
		// Texts can always be encoded.
		body, _ := json.Marshal(map[string]any{"errors": []map[string]string{{"type": "RATE_LIMITED", "message": message}}})
		answer = rest.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body}
	}
	q.header(answer.Header)
	return &answer
}

// quotas returns how a token stands with all primary limits, nil where they are
// not enforced.
func (w *World) quotas(token string) map[string]rest.Quota {
	if !w.limiter.enforced() {
		return nil
	}
	now := w.now()
	w.limiter.mu.Lock()
	defer w.limiter.mu.Unlock()
	all := map[string]rest.Quota{}
	for _, resource := range []string{"core", "search", "graphql"} {
		q, _ := w.limiter.primary(token, resource, now)
		all[resource] = rest.Quota{Limit: q.limit, Used: q.used, Reset: q.ends}
	}
	return all
}

// withQuota is the context of a GraphQL request, which may ask for its cost.
func (w *World) withQuota(x *exchange) context.Context {
	if !bytes.Contains(x.body, []byte("rateLimit")) {
		return x.in.Context()
	}
	limit := gql.RateLimit{Cost: w.cost(x)}
	if x.quota != nil {
		limit.Limit, limit.Used, limit.Reset = x.quota.limit, x.quota.used, x.quota.ends
	}
	return gql.WithRateLimit(x.in.Context(), limit)
}
