package service_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// organisation stores an account's defaults.
func (r *rig) organisation(text string) {
	r.Helper()
	made := r.As("owner").Do("POST", "/user/repos", `{"name":"`+settings.DefaultsRepo+`","auto_init":true}`)
	require.Equal(r, http.StatusCreated, made.Status, made.Body)
	stored := r.As("owner").Do("PUT", "/repos/"+sandboxtest.Owner+"/"+settings.DefaultsRepo+"/contents/"+settings.Path, map[string]any{
		"message": "Defaults", "content": base64.StdEncoding.EncodeToString([]byte(text)),
	})
	require.Equal(r, http.StatusCreated, stored.Status, stored.Body)
}

func TestAnOrganisationHasDefaultsForItsRepositories(t *testing.T) {
	t.Parallel()
	r := newRig(t, "labels: {skip: no-bench}\n")
	r.pullEvent("opened")
	r.wait(1)
	assert.Contains(t, r.check().Output.Summary, "lacks model")
	require.Len(t, r.check().Annotations, 1)
	assert.Contains(t, r.check().Annotations[0].Message, ".github/bench.yml:1:1: lacks model", "the place is the file's")

	r.organisation("model: scripted\nexecutor: local\nscenarios: [pr-view-001]\n")
	r.push("src/b.ts")
	r.ahead.Store(int64(time.Minute))
	r.pullEvent("synchronize")
	r.wait(1)
	assert.Empty(t, r.executor.works(), "an account without defaults is not asked each time")

	r.push("src/c.ts")
	r.ahead.Store(int64(10 * time.Minute))
	r.pullEvent("synchronize")
	r.wait(1)
	require.Len(t, r.executor.works(), 1)
	plan := r.executor.works()[0].Run.Request.Plan
	assert.Equal(t, []any{"scripted", []string{"pr-view-001"}}, []any{plan.Model, plan.Scenarios})
}

func TestDefaultsAloneMeasureNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.organisation("model: scripted\nexecutor: local\n")
	r.pullEvent("opened")
	assert.Empty(t, r.checks(), "a repository asks for it by a file of its own")
}

// What an account sets for its repositories is not left out while its defaults cannot be read.
func TestNothingIsMeasuredWhileDefaultsCannotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.organisation("timeout_minutes: 7\n")
	_, err := r.Faults().Add(faults.Rule{Kind: faults.Unavailable, Method: http.MethodGet, Path: "/repos/" + sandboxtest.Owner + "/" + settings.DefaultsRepo + "/contents/{path...}", Token: appToken, Count: 1})
	require.NoError(t, err)
	opened := map[string]any{"action": "opened", "pull_request": r.pull()}
	require.Error(t, r.try("delivery", "pull_request", opened))
	assert.Empty(t, r.checks())
	require.NoError(t, r.try("delivery", "pull_request", opened))
	r.wait(1)
	require.Len(t, r.executor.works(), 1)
	assert.Equal(t, 7*time.Minute, r.executor.works()[0].Run.Request.Plan.Timeout)
}

// GitHub does not send what is larger than a megabyte.
func TestDefaultsThatAreTooLargeAreNotLeftOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.organisation("model: scripted # " + strings.Repeat("x", 1<<20) + "\n")
	err := r.try("delivery", "pull_request", map[string]any{"action": "opened", "pull_request": r.pull()})
	require.ErrorContains(t, err, "read "+settings.Path)
	assert.Equal(t, fault.Invalid, fault.KindOf(err), "no wait mends it")
	assert.Empty(t, r.checks())
}

// An account whose defaults the App may not read has none; an outage is another thing.
func TestDefaultsThatTheAppMayNotReadAreNone(t *testing.T) {
	t.Parallel()
	for status, none := range map[int]bool{
		http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusGone: true, http.StatusUnprocessableEntity: true,
		http.StatusTooManyRequests: false, http.StatusBadGateway: false,
	} {
		r := newRig(t, config)
		r.transport = answering{path: sandboxtest.Owner + "/" + settings.DefaultsRepo + "/", status: status}
		err := r.try("delivery", "pull_request", map[string]any{"action": "opened", "pull_request": r.pull()})
		if !none {
			assert.Error(t, err, "%d", status)
			continue
		}
		require.NoError(t, err, "%d", status)
		r.wait(1)
		assert.Len(t, r.executor.works(), 1, "%d", status)
	}
}

// answering answers what is asked of a path with a status.
type answering struct {
	path   string
	status int
}

func (a answering) RoundTrip(q *http.Request) (*http.Response, error) {
	if !strings.Contains(q.URL.Path, a.path) {
		return http.DefaultTransport.RoundTrip(q)
	}
	return &http.Response{
		StatusCode: a.status, Status: fmt.Sprint(a.status, " ", http.StatusText(a.status)), Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"message":"no"}`)), Request: q,
	}, nil
}
