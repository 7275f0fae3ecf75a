package service_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
)

const (
	secret    = "the-secret-of-the-webhook"
	id        = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
	payload   = `{"action":"opened","installation":{"id":7},"repository":{"full_name":"octo/hello"},"number":3}`
	inboxWait = 20 * time.Second
)

// table routes as a small table would.
type table struct{}

func (table) Event(event string) bool          { return event == "pull_request" }
func (table) Action(event, action string) bool { return event == "pull_request" && action == "opened" }

// keeper keeps deliveries in memory. If hold is not nil, it waits for it.
type keeper struct {
	mu      sync.Mutex
	kept    map[string]service.Delivery
	batches []int
	err     error
	called  chan int
	hold    chan struct{}
}

func (k *keeper) Keep(_ context.Context, deliveries []service.Delivery) ([]bool, error) {
	if k.hold != nil {
		k.called <- len(deliveries)
		<-k.hold
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.batches = append(k.batches, len(deliveries))
	if k.err != nil {
		return nil, k.err
	}
	var fresh []bool
	for _, d := range deliveries {
		_, known := k.kept[d.ID]
		fresh = append(fresh, !known)
		k.kept[d.ID] = d
	}
	return fresh, nil
}

// rig is a receiver that runs.
type receiverRig struct {
	*service.Receiver
	keeper *keeper
	log    *bytes.Buffer
	mu     sync.Mutex
	counts map[string]int
	now    time.Time
}

func newReceiverRig(t testing.TB, change func(*service.ReceiverOptions, *keeper)) *receiverRig {
	t.Helper()
	r := &receiverRig{keeper: &keeper{kept: map[string]service.Delivery{}}, log: &bytes.Buffer{}, counts: map[string]int{}, now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	opts := service.ReceiverOptions{
		Secret: func() []byte { return []byte(secret) }, Route: table{}, Keeper: r.keeper,
		Log: slog.New(slog.NewTextHandler(r.log, nil)), Now: func() time.Time { return r.now },
		Count: func(event string, outcome service.Outcome) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.counts[event+" "+string(outcome)]++
		},
	}
	if change != nil {
		change(&opts, r.keeper)
	}
	r.Receiver = service.NewReceiver(opts)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return r
}

func sign(body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// delivery is a request as GitHub sends it.
func delivery(body string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-GitHub-Event", "pull_request")
	request.Header.Set("X-GitHub-Delivery", id)
	request.Header.Set("X-Hub-Signature-256", sign(body))
	return request
}

func (r *receiverRig) send(request *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	return w
}

func TestADeliveryIsStoredBeforeItIsAnswered(t *testing.T) {
	r := newReceiverRig(t, nil)
	w := r.send(delivery(payload))
	assert.Equal(t, http.StatusAccepted, w.Code)
	assert.Equal(t, "stored\n", w.Body.String())
	kept := r.keeper.kept[id]
	body, err := kept.Body.Unpack()
	require.NoError(t, err)
	assert.Equal(t, payload, string(body))
	kept.Body = nil
	assert.Equal(t, service.Delivery{ID: id, Event: "pull_request", Action: "opened", Installation: 7, Repository: "octo/hello", Received: r.now}, kept)
	assert.Equal(t, map[string]int{"pull_request stored": 1}, r.counts)
}

func TestADeliveryInAFormIsUnderstood(t *testing.T) {
	r := newReceiverRig(t, nil)
	request := delivery(url.Values{"payload": {payload}}.Encode())
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	assert.Equal(t, http.StatusAccepted, r.send(request).Code)
	body, err := r.keeper.kept[id].Body.Unpack()
	require.NoError(t, err)
	assert.Equal(t, payload, string(body))
}

func TestAReplayIsAcceptedAndNotNew(t *testing.T) {
	r := newReceiverRig(t, nil)
	r.send(delivery(payload))
	again := delivery(payload)
	again.Header.Set("X-GitHub-Delivery", strings.ToUpper(id))
	w := r.send(again)
	assert.Equal(t, http.StatusAccepted, w.Code)
	assert.Equal(t, "replayed\n", w.Body.String())
	assert.Equal(t, map[string]int{"pull_request stored": 1, "pull_request replayed": 1}, r.counts)
}

func TestWhatStartsNothingIsAcceptedAndNotStored(t *testing.T) {
	for name, change := range map[string]func(*http.Request) *http.Request{
		"an event that is in no table":  func(r *http.Request) *http.Request { r.Header.Set("X-GitHub-Event", "star"); return r },
		"an event with a digit":         func(r *http.Request) *http.Request { r.Header.Set("X-GitHub-Event", "projects_v2_item"); return r },
		"an event that nobody knows":    func(r *http.Request) *http.Request { r.Header.Set("X-GitHub-Event", "brand_new_event"); return r },
		"an action that starts nothing": func(*http.Request) *http.Request { return delivery(`{"action":"closed"}`) },
		"an action that nobody knows":   func(*http.Request) *http.Request { return delivery(`{"action":"brand_new"}`) },
		"a payload without an action":   func(*http.Request) *http.Request { return delivery(`{}`) },
		"a payload of another shape":    func(*http.Request) *http.Request { return delivery(`{"repository":[1,2],"installation":"x"}`) },
		"no JSON of an event that is not": func(*http.Request) *http.Request {
			r := delivery(`not json`)
			r.Header.Set("X-GitHub-Event", "star")
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiverRig(t, nil)
			w := r.send(change(delivery(payload)))
			assert.Equal(t, http.StatusAccepted, w.Code)
			assert.Equal(t, "ignored\n", w.Body.String())
			assert.Empty(t, r.keeper.kept)
		})
	}
}

func TestFieldsOfAnotherShapeAreLeftOut(t *testing.T) {
	r := newReceiverRig(t, nil)
	w := r.send(delivery(`{"action":"opened","installation":{"id":"7"},"repository":{"full_name":"../../etc/passwd\u0000"}}`))
	assert.Equal(t, http.StatusAccepted, w.Code)
	assert.Zero(t, r.keeper.kept[id].Installation)
	assert.Empty(t, r.keeper.kept[id].Repository)
}

func TestBadInputIsRefused(t *testing.T) {
	set := func(name, value string) func(*http.Request) *http.Request {
		return func(r *http.Request) *http.Request { r.Header.Set(name, value); return r }
	}
	old := hmac.New(sha1.New, []byte(secret))
	old.Write([]byte(payload))
	cases := []struct {
		name    string
		change  func(*http.Request) *http.Request
		status  int
		outcome service.Outcome
	}{
		{"another method", func(r *http.Request) *http.Request { r.Method = http.MethodGet; return r }, 405, service.BadMethod},
		{"another content type", set("Content-Type", "text/plain"), 415, service.BadType},
		{"a content type with a parameter that is none", set("Content-Type", "application/json; charset"), 415, service.BadType},
		{"a form with a parameter that is none", set("Content-Type", "application/x-www-form-urlencoded; charset"), 415, service.BadType},
		{"no content type", set("Content-Type", ""), 415, service.BadType},
		{"no event", set("X-GitHub-Event", ""), 400, service.BadHeader},
		{"an event that is no name", set("X-GitHub-Event", "../x\n"), 400, service.BadHeader},
		{"no delivery id", set("X-GitHub-Delivery", ""), 400, service.BadHeader},
		{"a delivery id that is no GUID", set("X-GitHub-Delivery", "1; DROP TABLE delivery"), 400, service.BadHeader},
		{"no signature", set("X-Hub-Signature-256", ""), 401, service.NoSignature},
		{"a signature with another secret", set("X-Hub-Signature-256", "sha256="+strings.Repeat("ab", 32)), 401, service.WrongSignature},
		{"a signature that is too short", set("X-Hub-Signature-256", sign(payload)[:40]), 401, service.WrongSignature},
		{"a signature that is no number", set("X-Hub-Signature-256", "sha256="+strings.Repeat("xy", 32)), 401, service.WrongSignature},
		{"a signature of SHA-1 in the place of the new one", set("X-Hub-Signature-256", "sha1="+hex.EncodeToString(old.Sum(nil))), 401, service.NoSignature},
		{"a signature of SHA-1 alone", func(r *http.Request) *http.Request {
			r.Header.Del("X-Hub-Signature-256")
			r.Header.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(old.Sum(nil)))
			return r
		}, 401, service.OldSignature},
		{"a body that was changed", func(*http.Request) *http.Request {
			r := delivery(strings.Replace(payload, "7", "8", 1))
			r.Header.Set("X-Hub-Signature-256", sign(payload))
			return r
		}, 401, service.WrongSignature},
		{"a body that was cut, with a good signature of the whole", func(*http.Request) *http.Request {
			r := delivery(payload[:40])
			r.Header.Set("X-Hub-Signature-256", sign(payload))
			return r
		}, 401, service.WrongSignature},
		{"JSON that ends too early", func(*http.Request) *http.Request { return delivery(payload[:40]) }, 400, service.BadPayload},
		{"an empty body", func(*http.Request) *http.Request { return delivery("") }, 400, service.BadPayload},
		{"a list", func(*http.Request) *http.Request { return delivery(`[{"action":"opened"}]`) }, 400, service.BadPayload},
		{"null", func(*http.Request) *http.Request { return delivery(`null`) }, 400, service.BadPayload},
		{"a text", func(*http.Request) *http.Request { return delivery(`"opened"`) }, 400, service.BadPayload},
		{"an action that is a number", func(*http.Request) *http.Request { return delivery(`{"action":1}`) }, 400, service.BadPayload},
		{"an action that is a list", func(*http.Request) *http.Request { return delivery(`{"action":["opened"]}`) }, 400, service.BadPayload},
		{"an action that is no name", func(*http.Request) *http.Request { return delivery(`{"action":"OPENED\u0000"}`) }, 400, service.BadPayload},
		{"JSON nested to exhaust the stack", func(*http.Request) *http.Request { return delivery(strings.Repeat(`{"action":`, 1<<20)) }, 400, service.BadPayload},
		{"a form without a payload", func(*http.Request) *http.Request {
			r := delivery("other=1")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return r
		}, 400, service.BadPayload},
		{"a form that is none", func(*http.Request) *http.Request {
			r := delivery("payload=%zz")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			return r
		}, 400, service.BadPayload},
		{"a body that is announced with 30 MB", func(r *http.Request) *http.Request { r.ContentLength = 30 << 20; return r }, 413, service.TooLarge},
		{"a body of 30 MB that is not announced", func(r *http.Request) *http.Request {
			r.ContentLength = -1
			r.Body = io.NopCloser(io.LimitReader(zeros{}, 30<<20))
			return r
		}, 413, service.TooLarge},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newReceiverRig(t, nil)
			w := r.send(c.change(delivery(payload)))
			assert.Equal(t, c.status, w.Code)
			assert.Empty(t, r.keeper.kept)
			require.Len(t, r.counts, 1)
			for counted := range r.counts {
				event := "pull_request"
				if c.status == http.StatusMethodNotAllowed || c.outcome == service.BadHeader && c.change(delivery(payload)).Header.Get("X-GitHub-Event") != event {
					event = "" // anybody can make up names
				}
				assert.Equal(t, event+" "+string(c.outcome), counted)
			}
			assert.Contains(t, r.log.String(), "reason="+string(c.outcome))
			for _, kept := range []string{secret, sign(payload), "octo/hello", "DROP"} {
				assert.NotContains(t, r.log.String()+w.Body.String(), kept)
			}
		})
	}
}

// Who sets a server up learns what is wrong with a signature.
func TestASignatureThatIsNoneIsSaidToBeNone(t *testing.T) {
	r := newReceiverRig(t, nil)
	for signature, says := range map[string]string{"sha256=xy": "is no SHA-256 in hexadecimal", sign(payload)[:40]: "is no SHA-256 in hexadecimal", sign("other"): "is not that of this body"} {
		request := delivery(payload)
		request.Header.Set("X-Hub-Signature-256", signature)
		assert.Contains(t, r.send(request).Body.String(), says)
	}
}

// GitHub sends no body of more than 25 MB.
func TestABodyOfExactlyTheLimitIsStored(t *testing.T) {
	const limit = 25 << 20
	sized := func(size int) string {
		begin, end := strings.TrimSuffix(payload, "}")+`,"body":"`, `"}`
		return begin + strings.Repeat("x", size-len(begin)-len(end)) + end
	}
	for name, announced := range map[string]bool{"its length is announced": true, "its length is not announced": false} {
		t.Run(name, func(t *testing.T) {
			r := newReceiverRig(t, nil)
			of := func(body string) *http.Request {
				request := delivery(body)
				if !announced {
					request.ContentLength = -1
				}
				return request
			}
			assert.Equal(t, http.StatusRequestEntityTooLarge, r.send(of(sized(limit+1))).Code)
			assert.Empty(t, r.keeper.kept, "one byte more")
			largest := sized(limit)
			assert.Equal(t, http.StatusAccepted, r.send(of(largest)).Code)
			body, err := r.keeper.kept[id].Body.Unpack()
			require.NoError(t, err)
			assert.True(t, largest == string(body), "it is kept whole")
		})
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestABodyThatNeverArrivesIsRefused(t *testing.T) {
	r := newReceiverRig(t, nil)
	server := httptest.NewServer(r)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: pull_request\r\n"+
		"X-GitHub-Delivery: %s\r\nX-Hub-Signature-256: %s\r\nContent-Length: %d\r\n\r\n%s", id, sign(payload), len(payload)+100, payload)
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	assert.Empty(t, r.keeper.kept)
	assert.Equal(t, map[string]int{"pull_request truncated": 1}, r.counts)
}

func TestWithoutASecretNothingIsAccepted(t *testing.T) {
	r := newReceiverRig(t, func(o *service.ReceiverOptions, _ *keeper) { o.Secret = func() []byte { return nil } })
	request := delivery(payload)
	mac := hmac.New(sha256.New, nil)
	mac.Write([]byte(payload))
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	w := r.send(request)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.NotEmpty(t, w.Header().Get("Retry-After"))
	assert.Empty(t, r.keeper.kept)
}

func TestADatabaseThatIsDownIsToldToTheSender(t *testing.T) {
	r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) { k.err = errors.New("the disk is full") })
	w := r.send(delivery(payload))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.NotEmpty(t, w.Header().Get("Retry-After"))
	assert.NotContains(t, w.Body.String(), "disk")
	assert.Equal(t, map[string]int{"pull_request busy": 1}, r.counts)
	assert.Contains(t, r.log.String(), "the disk is full")
}

// deliveryNumber returns a delivery with an id of its own.
func deliveryNumber(n int) *http.Request {
	request := delivery(payload)
	request.Header.Set("X-GitHub-Delivery", fmt.Sprintf("%08x-cc78-11e3-81ab-4c9367dc0958", n))
	return request
}

func TestDeliveriesThatArriveTogetherAreStoredTogether(t *testing.T) {
	r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) {
		k.called, k.hold = make(chan int, 10), make(chan struct{})
	})
	var all sync.WaitGroup
	all.Go(func() { assert.Equal(t, http.StatusAccepted, r.send(deliveryNumber(0)).Code) })
	assert.Equal(t, 1, <-r.keeper.called)
	const others = 20
	for n := range others {
		all.Go(func() { assert.Equal(t, http.StatusAccepted, r.send(deliveryNumber(n+1)).Code) })
	}
	require.Eventually(t, func() bool { return r.Waiting() == others }, inboxWait, time.Millisecond)
	close(r.keeper.hold)
	all.Wait()
	assert.Equal(t, []int{1, others}, r.keeper.batches)
}

func TestWhatCannotWaitIsRefusedAtOnce(t *testing.T) {
	r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) {
		k.called, k.hold = make(chan int, 10), make(chan struct{})
	})
	var all sync.WaitGroup
	all.Go(func() { r.send(deliveryNumber(0)) })
	<-r.keeper.called
	const most = 1024
	for n := range most {
		all.Go(func() { r.send(deliveryNumber(n + 1)) })
	}
	require.Eventually(t, func() bool { return r.Waiting() == most }, inboxWait, time.Millisecond)
	w := r.send(deliveryNumber(most + 1))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.NotEmpty(t, w.Header().Get("Retry-After"))
	close(r.keeper.hold)
	all.Wait()
	assert.Len(t, r.keeper.kept, most+1)
	assert.NotContains(t, r.log.String(), "could not be stored", "that many come is no fault of the database")
}

func TestLargeBodiesDoNotCrowdOutSmallOnes(t *testing.T) {
	for _, size := range []int64{-1, service.MaxBody} { // it is not said, or is
		r := newReceiverRig(t, nil)
		large := func() *http.Request {
			request := delivery(payload)
			request.ContentLength = size
			return request
		}
		var all sync.WaitGroup
		var stalled []*io.PipeWriter
		for range 3 {
			reader, writer := io.Pipe()
			request := large()
			request.Body = reader
			all.Go(func() { r.send(request) })
			_, err := writer.Write([]byte("{")) // it is being read
			require.NoError(t, err)
			stalled = append(stalled, writer)
		}
		assert.Equal(t, http.StatusServiceUnavailable, r.send(large()).Code)
		assert.Equal(t, http.StatusAccepted, r.send(delivery(payload)).Code)
		for _, writer := range stalled {
			require.NoError(t, writer.Close())
		}
		all.Wait()
		assert.Equal(t, http.StatusAccepted, r.send(large()).Code, "there is room again")
	}
}

func TestRefusalsDoNotFillTheLog(t *testing.T) {
	r := newReceiverRig(t, nil)
	for range 100 {
		r.send(httptest.NewRequest(http.MethodGet, "/webhook", nil))
	}
	assert.Equal(t, 1, strings.Count(r.log.String(), "refused"))
	assert.Equal(t, map[string]int{" bad_method": 100}, r.counts)
	r.now = r.now.Add(time.Second - 1)
	r.send(httptest.NewRequest(http.MethodGet, "/webhook", nil))
	assert.Equal(t, 1, strings.Count(r.log.String(), "refused"))
	r.now = r.now.Add(1)
	for range 2 {
		r.send(httptest.NewRequest(http.MethodGet, "/webhook", nil))
	}
	assert.Contains(t, r.log.String(), "more_since_last=100")
	assert.Equal(t, 2, strings.Count(r.log.String(), "refused"))
	r.now = r.now.Add(time.Second)
	r.send(httptest.NewRequest(http.MethodGet, "/webhook", nil))
	assert.Contains(t, r.log.String(), "more_since_last=1\n")
}

// GitHub pings an App as soon as it has made it, which is before the server
// knows the secret.
func TestAPingDuringTheSetUpIsNoWarning(t *testing.T) {
	r := newReceiverRig(t, func(opts *service.ReceiverOptions, _ *keeper) { opts.Secret = func() []byte { return nil } })
	assert.Equal(t, http.StatusServiceUnavailable, r.send(delivery(payload)).Code)
	assert.Contains(t, r.log.String(), "level=INFO")
	assert.Contains(t, r.log.String(), "before the App was set up")
	assert.NotContains(t, r.log.String(), "refused")
	assert.NotContains(t, r.log.String(), "level=WARN")
}

func FuzzReceiver(f *testing.F) {
	f.Add("pull_request", id, "application/json", payload, true)
	f.Add("pull_request", id, "application/x-www-form-urlencoded", "payload="+url.QueryEscape(payload), true)
	f.Add("star", "x", "", `{"action":{"action":[]}}`, false)
	f.Add("pull_request", id, "application/json", `{"action":"opened","installation":{"id":1e999},"repository":{"full_name":"\ud800/x"}}`, true)
	r := newReceiverRig(f, nil)
	f.Fuzz(func(t *testing.T, event, delivered, media, body string, signed bool) {
		request := delivery(body)
		request.Header.Set("X-GitHub-Event", event)
		request.Header.Set("X-GitHub-Delivery", delivered)
		request.Header.Set("Content-Type", media)
		if !signed {
			request.Header.Set("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64))
		}
		w := r.send(request)
		switch w.Code {
		case http.StatusAccepted:
			assert.True(t, signed, "a delivery without a good signature is accepted")
		case http.StatusBadRequest, http.StatusUnauthorized, http.StatusUnsupportedMediaType:
		default:
			assert.Fail(t, "unexpected status", "%d", w.Code)
		}
	})
}
