package service_test

import (
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
)

// One commit takes no more than its time, however many wait.
func TestABatchHasItsLimit(t *testing.T) {
	r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) {
		k.called, k.hold = make(chan int, 10), make(chan struct{})
	})
	var all sync.WaitGroup
	all.Go(func() { r.send(deliveryNumber(0)) })
	assert.Equal(t, 1, <-r.keeper.called)
	for n := range 130 {
		all.Go(func() { assert.Equal(t, "stored\n", r.send(deliveryNumber(n+1)).Body.String()) })
	}
	require.Eventually(t, func() bool { return r.Waiting() == 130 }, inboxWait, time.Millisecond)
	close(r.keeper.hold)
	all.Wait()
	assert.Equal(t, []int{1, 128, 2}, r.keeper.batches)
}

func TestABatchHasItsLimitOfBytes(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	large := func(n int) *http.Request {
		text := make([]byte, 2<<20)
		_, _ = random.Read(text)
		body := `{"action":"opened","text":"` + hex.EncodeToString(text) + `"}`
		request := deliveryNumber(n)
		request.Body, request.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		request.Header.Set("X-Hub-Signature-256", sign(body))
		return request
	}
	r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) {
		k.called, k.hold = make(chan int, 10), make(chan struct{})
	})
	var all sync.WaitGroup
	all.Go(func() { r.send(deliveryNumber(0)) })
	assert.Equal(t, 1, <-r.keeper.called)
	for n := range 5 {
		request := large(n + 1)
		all.Go(func() { assert.Equal(t, "stored\n", r.send(request).Body.String()) })
	}
	require.Eventually(t, func() bool { return r.Waiting() == 5 }, inboxWait, time.Millisecond)
	close(r.keeper.hold)
	all.Wait()
	assert.Equal(t, []int{1, 2, 2, 1}, r.keeper.batches, "two have more than 8 MiB")
}

// Names and nesting that GitHub may send some day are taken; beyond that nobody knows.
func TestTheLimitsOfNamesAndNesting(t *testing.T) {
	nested := func(depth int) *http.Request {
		return delivery(`{"action":"opened","deep":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}")
	}
	event := func(length int) *http.Request {
		request := delivery(payload)
		request.Header.Set("X-GitHub-Event", strings.Repeat("e", length))
		return request
	}
	repository := func(name string) *http.Request {
		return delivery(`{"action":"opened","repository":{"full_name":"` + name + `"}}`)
	}
	long := strings.Repeat("n", 100)
	for _, c := range []struct {
		name       string
		request    *http.Request
		status     int
		repository string
	}{
		{"the deepest", nested(1000), http.StatusAccepted, ""},
		{"a level deeper", nested(1001), http.StatusBadRequest, ""},
		{"brackets side by side", delivery(`{"action":"opened","wide":[` + strings.Repeat("[],{},", 1000) + `0]}`), http.StatusAccepted, ""},
		{"brackets in a text", delivery(`{"action":"opened","title":"\"` + strings.Repeat("[{", 1000) + `\\","after":{}}`), http.StatusAccepted, ""},
		{"the longest event", event(64), http.StatusAccepted, ""},
		{"a letter more", event(65), http.StatusBadRequest, ""},
		{"the longest action", delivery(`{"action":"` + strings.Repeat("a", 64) + `"}`), http.StatusAccepted, ""},
		{"an action with a letter more", delivery(`{"action":"` + strings.Repeat("a", 65) + `"}`), http.StatusBadRequest, ""},
		{"the longest repository", repository(long + "/" + long), http.StatusAccepted, long + "/" + long},
		{"an owner with a letter more", repository(long + "n/" + long), http.StatusAccepted, ""},
		{"a repository with a letter more", repository(long + "/" + long + "n"), http.StatusAccepted, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newReceiverRig(t, nil)
			assert.Equal(t, c.status, r.send(c.request).Code)
			assert.Equal(t, c.repository, r.keeper.kept[id].Repository)
		})
	}
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	r := newReceiverRig(t, func(o *service.ReceiverOptions, _ *keeper) { o.Secret = func() []byte { return nil } })
	get := delivery(payload)
	get.Method = http.MethodGet
	w := r.send(get)
	assert.Equal(t, http.MethodPost, w.Header().Get("Allow"))
	assert.Empty(t, w.Header().Get("Retry-After"))
	w = r.send(delivery(payload))
	assert.Equal(t, "5", w.Header().Get("Retry-After"))
	assert.Empty(t, w.Header().Get("Allow"))
	assert.Equal(t, "the App has no webhook secret yet\n", w.Body.String())
}
