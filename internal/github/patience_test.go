package github_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// patient returns a client of a transport that waits; its pauses have no
// chance in them.
func patient(t *testing.T, next http.RoundTripper) *github.Client {
	t.Helper()
	return client(t, github.Options{Transport: next, Patience: &github.Patience{Now: time.Now, Random: func() float64 { return 1 }}})
}

// script answers requests in turn, the last answer again and again.
type script struct {
	answers []func(*http.Request) (*http.Response, error)
	bodies  []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	s.bodies = append(s.bodies, body)
	return s.answers[min(len(s.bodies), len(s.answers))-1](r)
}

func says(status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return answering(func(*http.Request) (int, string, []string) { return status, body, header })
}

func in(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }

var (
	fine    = says(200, `{"data":{"a":1},"login":"me","id":1}`)
	refused = func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	cut = func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "read", Err: errors.New("connection reset")}
	}
)

type call func(ctx context.Context, c *github.Client) error

func get(ctx context.Context, c *github.Client) error {
	_, _, err := c.REST.Users.Get(ctx, "")
	return err
}

func post(ctx context.Context, c *github.Client) error {
	_, _, err := c.REST.Issues.CreateComment(ctx, "o", "r", 1, &gh.IssueComment{Body: new("text")})
	return err
}

func patch(ctx context.Context, c *github.Client) error {
	_, _, err := c.REST.Issues.EditComment(ctx, "o", "r", 1, &gh.IssueComment{Body: new("text")})
	return err
}

func remove(ctx context.Context, c *github.Client) error {
	_, err := c.REST.Issues.DeleteComment(ctx, "o", "r", 1)
	return err
}

func put(ctx context.Context, c *github.Client) error {
	_, err := c.REST.Activity.Star(ctx, "o", "r")
	return err
}

func query(ctx context.Context, c *github.Client) error {
	return c.GraphQL(ctx, "{ a }", nil, nil)
}

func mutate(ctx context.Context, c *github.Client) error {
	return c.GraphQL(ctx, "mutation { a }", nil, nil)
}

func TestWhatIsRepeated(t *testing.T) {
	secondary := `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	type answer = func(*http.Request) (*http.Response, error)
	for _, c := range []struct {
		name   string
		call   call
		first  func() answer
		waits  time.Duration
		failed bool
	}{
		{"a GET that failed", get, func() answer { return says(502, "") }, 500 * time.Millisecond, false},
		{"a GET whose connection was cut", get, func() answer { return cut }, 500 * time.Millisecond, false},
		{"a PUT", put, func() answer { return says(503, "") }, 500 * time.Millisecond, false},
		{"a DELETE", remove, func() answer { return cut }, 500 * time.Millisecond, false},
		{"a POST that did not reach GitHub", post, func() answer { return refused }, 500 * time.Millisecond, false},
		{"a PATCH that did not reach GitHub", patch, func() answer { return refused }, 500 * time.Millisecond, false},
		{"not a POST that failed", post, func() answer { return says(502, "") }, 0, true},
		{"not a POST whose connection was cut", post, func() answer { return cut }, 0, true},
		{"not a PATCH that failed", patch, func() answer { return says(500, "") }, 0, true},
		{"a GraphQL query", query, func() answer { return says(500, "") }, 500 * time.Millisecond, false},
		{"not a mutation", mutate, func() answer { return says(500, "") }, 0, true},
		{"not what is refused", get, func() answer { return says(404, `{}`) }, 0, true},
		{"not what may not be done", get, func() answer { return says(403, `{"message":"Must have admin rights"}`) }, 0, true},
		{"a POST within a secondary limit", post, func() answer { return says(403, secondary, "Retry-After", "7") }, 7 * time.Second, false},
		{"a secondary limit that does not say how long", post, func() answer { return says(403, secondary) }, time.Minute, false},
		{"a PATCH with 429", patch, func() answer { return says(429, `{}`, "Retry-After", "3") }, 3 * time.Second, false},
		{"429 alone", get, func() answer { return says(429, `{}`) }, time.Minute, false},
		{"a POST over the primary limit", post, func() answer {
			return says(403, `{"message":"API rate limit exceeded"}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(40*time.Second))
		}, 41 * time.Second, false},
		{"a GraphQL request over the limit", query, func() answer {
			return says(200, `{"errors":[{"type":"RATE_LIMITED","message":"x"}]}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(40*time.Second))
		}, 41 * time.Second, false},
		{"not another error of GraphQL", query, func() answer { return says(200, `{"errors":[{"type":"FORBIDDEN","message":"x"}]}`) }, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := &script{answers: []func(*http.Request) (*http.Response, error){c.first(), fine}}
				began := time.Now()
				err := c.call(t.Context(), patient(t, wire))
				assert.Equal(t, c.failed, err != nil, "%v", err)
				assert.Equal(t, c.waits, time.Since(began))
				if !c.failed {
					require.Len(t, wire.bodies, 2)
					assert.Equal(t, wire.bodies[0], wire.bodies[1], "the same is sent again")
				}
			})
		})
	}
}

func TestPausesGrowAndEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){says(500, "")}}
		began := time.Now()
		err := get(t.Context(), patient(t, wire))
		assert.Equal(t, 500, github.StatusOf(err))
		assert.Len(t, wire.bodies, github.DefaultAttempts)
		assert.Equal(t, 3500*time.Millisecond, time.Since(began), "0.5 + 1 + 2 seconds")
	})
}

func TestPausesDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){says(500, ""), fine}}
		began := time.Now()
		require.NoError(t, get(t.Context(), client(t, github.Options{
			Transport: wire, Patience: &github.Patience{Now: time.Now, Random: func() float64 { return 0 }},
		})))
		assert.Equal(t, 250*time.Millisecond, time.Since(began))
	})
}

func TestLimitsThatLastTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){
			says(403, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(time.Hour)), fine,
		}}
		c, began := patient(t, wire), time.Now()
		for range 2 {
			err := get(t.Context(), c)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			assert.Equal(t, "GitHub's rate limit is used up; it resets at 2000-01-01T01:00:01Z", fault.Public(err))
			assert.Equal(t, fault.Public(err), strings.TrimPrefix(fault.Public(github.Explain("read user", err)), "read user: "))
		}
		assert.Len(t, wire.bodies, 1, "what is known to be refused is not sent")
		assert.Zero(t, time.Since(began), "nobody waits for what he will not get")
		time.Sleep(time.Hour + time.Second)
		assert.NoError(t, get(t.Context(), c))
	})
}

// The limit's last request is answered; the next one waits.
func TestTheLastRequestOfALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){
			says(200, `{}`, "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", in(30*time.Second)), fine,
		}}
		c, began := patient(t, wire), time.Now()
		require.NoError(t, get(t.Context(), c))
		assert.Zero(t, time.Since(began))
		require.NoError(t, query(t.Context(), c))
		assert.Zero(t, time.Since(began), "GraphQL has a limit of its own")
		require.NoError(t, get(t.Context(), c))
		assert.Equal(t, 31*time.Second, time.Since(began))
	})
}

func TestALimitThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){says(429, `{}`, "Retry-After", "50")}}
		began := time.Now()
		err := post(t.Context(), patient(t, wire))
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		assert.LessOrEqual(t, time.Since(began), github.DefaultMaxWait)
		assert.Len(t, wire.bodies, 3, "after 0, 50 and 100 seconds")
	})
}

func TestALimitThatIsNotWaitedForSaysWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		hasty := &github.Patience{Now: time.Now, Random: func() float64 { return 1 }, MaxWait: 5 * time.Second}
		limited := roundTrip(says(403, `{"message":"You have exceeded a secondary rate limit"}`, "Retry-After", "60"))
		err := github.Explain("look", get(t.Context(), client(t, github.Options{Transport: limited, Patience: hasty})))
		until, is := github.LimitedUntil(err)
		assert.True(t, is)
		assert.Equal(t, began.Add(time.Minute), until)

		err = get(t.Context(), client(t, github.Options{Transport: roundTrip(fine), Patience: hasty, Tokens: func(context.Context) (string, error) { return "", err }}))
		_, is = github.LimitedUntil(err)
		assert.True(t, is, "that of the request for a token is as good")
		assert.Zero(t, time.Since(began))

		_, is = github.LimitedUntil(get(t.Context(), patient(t, roundTrip(says(404, `{}`)))))
		assert.False(t, is)
	})
}

func TestALimitThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &script{answers: []func(*http.Request) (*http.Response, error){says(429, `{}`, "Retry-After", "1")}}
		err := post(t.Context(), patient(t, wire))
		assert.Equal(t, "GitHub's rate limit is used up; it resets at 2000-01-01T00:00:04Z", fault.Public(err))
		assert.Len(t, wire.bodies, github.DefaultAttempts)
	})
}

func TestAFailureIsReportedWhenThereIsNoTimeToRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wire := &script{answers: []func(*http.Request) (*http.Response, error){says(500, "")}}
		assert.Equal(t, 500, github.StatusOf(get(ctx, patient(t, wire))))
		assert.Len(t, wire.bodies, 2, "at 0 and 0.5 seconds; the next would come too late")
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := says(429, `{}`, "Retry-After", "50")
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(5*time.Second, cancel).Stop()
		began := time.Now()
		assert.ErrorIs(t, get(ctx, patient(t, roundTrip(limited))), context.Canceled)
		assert.Equal(t, 5*time.Second, time.Since(began))

		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := get(ctx, patient(t, roundTrip(limited)))
		assert.Contains(t, fault.Public(err), "it resets at", "there is no use in waiting beyond the deadline")
		assert.Equal(t, 5*time.Second, time.Since(began))
	})
}

func TestManyWaitForOneLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int32
		began := time.Now()
		c := patient(t, answering(func(*http.Request) (int, string, []string) {
			if sent.Add(1); time.Since(began) < 20*time.Second {
				return 429, `{}`, []string{"Retry-After", "20"}
			}
			return 200, `{}`, nil
		}))
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, get(t.Context(), c)) })
		synctest.Wait()
		const others = 10
		for range others {
			// One after the other, they find the limit known.
			all.Go(func() { assert.NoError(t, query(t.Context(), c)) })
			synctest.Wait()
		}
		assert.EqualValues(t, 1, sent.Load(), "a limit of all requests holds the others back")
		all.Wait()
		assert.Equal(t, 20*time.Second, time.Since(began))
		assert.EqualValues(t, 2+others, sent.Load())
	})
}

func TestWithoutPatience(t *testing.T) {
	wire := &script{answers: []func(*http.Request) (*http.Response, error){says(500, ""), fine}}
	assert.Error(t, get(t.Context(), client(t, github.Options{Transport: wire})))
	assert.Len(t, wire.bodies, 1)
}
