package rest

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
)

// HookDelivery is one webhook that was sent, or is to be.
type HookDelivery struct {
	ID int64
	// GUID is that of the happening for this webhook; redeliveries have the
	// same.
	GUID   string
	HookID int64
	// TargetID is that of what the webhook belongs to, and TargetType its kind,
	// such as [model.TargetRepository].
	TargetID      int64
	TargetType    string
	Event, Action string
	// InstallationID and RepositoryID are 0 where there is none.
	InstallationID, RepositoryID int64
	URL                          string
	// Secret signs the delivery unless it is empty.
	Secret string
	// Form is true for a body of content type form rather than JSON.
	Form    bool
	Payload []byte

	Redelivery bool
	// DeliveredAt is when it was sent; the zero time until then.
	DeliveredAt time.Time
	Duration    time.Duration
	// Status is GitHub's word for how it went, StatusCode that of the answer;
	// both are empty until it was sent.
	Status         string
	StatusCode     int
	RequestHeader  http.Header
	ResponseHeader http.Header
	Response       string
}

// Pending reports whether a delivery has not been sent yet.
func (d HookDelivery) Pending() bool { return d.Status == "" }

// maxKept is how many deliveries are kept, maxKeptBytes how much their payloads
// hold together; older ones are forgotten.
const (
	maxKept      = 5000
	maxKeptBytes = 256 << 20
)

// MaxPayload is the largest payload that is delivered, in bytes: GitHub sends
// none that is larger.
const MaxPayload = 25 << 20

// HookLog is a world's deliveries. Its zero value is empty. It is safe for
// concurrent use.
type HookLog struct {
	mu   sync.Mutex
	kept []*HookDelivery
	// bytes are those of the payloads that are kept.
	bytes int
	last  int64
	// waiting are the deliveries to be sent by webhook, in their order, held
	// those that come after the next one.
	waiting, held map[int64][]*HookDelivery
	// sending are the webhooks to which something is being sent.
	sending map[int64]bool
	sender  *HookSender
	// changed is closed and made anew whenever a delivery was sent.
	changed chan struct{}
}

// Add takes a delivery to be sent, gives it an id and, if it has none, a GUID,
// and does to it what a fault says.
func (l *HookLog) Add(d HookDelivery, kind faults.Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(&d, kind)
}

func (l *HookLog) add(d *HookDelivery, kind faults.Kind) {
	if l.waiting == nil {
		l.waiting, l.held, l.sending, l.changed = map[int64][]*HookDelivery{}, map[int64][]*HookDelivery{}, map[int64]bool{}, make(chan struct{})
	}
	l.last++
	d.ID = firstID + l.last
	if d.GUID == "" {
		d.GUID = newGUID()
	}
	l.kept = append(l.kept, d)
	l.bytes += len(d.Payload)
	l.forget()
	switch kind {
	case faults.HookLost:
		d.Status, d.StatusCode = statusNoConnection, http.StatusBadGateway
		return
	case faults.HookLate:
		l.held[d.HookID] = append(l.held[d.HookID], d)
		return
	case faults.HookDoubled:
		l.waiting[d.HookID] = append(l.waiting[d.HookID], d, d)
	default:
		l.waiting[d.HookID] = append(l.waiting[d.HookID], d)
	}
	l.waiting[d.HookID] = append(l.waiting[d.HookID], l.held[d.HookID]...)
	delete(l.held, d.HookID)
	if extra := len(l.waiting[d.HookID]) - maxKept; extra > 0 {
		// Nobody sends them.
		l.waiting[d.HookID] = slices.Delete(l.waiting[d.HookID], 0, extra)
	}
	l.wake(d.HookID)
}

// forget drops the oldest deliveries beyond the limits. Those that are large
// together are not sent any more either.
func (l *HookLog) forget() {
	n := 0
	for ; len(l.kept)-n > maxKept || l.bytes > maxKeptBytes && len(l.kept)-n > 1; n++ {
		if l.bytes > maxKeptBytes {
			l.drop(l.kept[n])
		}
		l.bytes -= len(l.kept[n].Payload)
	}
	l.kept = slices.Delete(l.kept, 0, n)
}

// drop takes a delivery off those that wait.
func (l *HookLog) drop(d *HookDelivery) {
	left := slices.DeleteFunc(slices.Clone(l.waiting[d.HookID]), func(other *HookDelivery) bool { return other == d })
	if l.waiting[d.HookID] = left; len(left) == 0 {
		delete(l.waiting, d.HookID)
	}
}

// firstID is the id before the first one.
const firstID = 10_000_000_000

// Redeliver sends a delivery again, with the same GUID and payload, to where
// its webhook is now. It returns false if there is no such delivery of that
// webhook.
func (l *HookLog) Redeliver(hook, id int64, url, secret string, form bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.kept {
		if d.HookID == hook && d.ID == id {
			again := *d
			again.Redelivery, again.Status, again.StatusCode, again.Response = true, "", 0, ""
			again.DeliveredAt, again.Duration, again.RequestHeader, again.ResponseHeader = time.Time{}, 0, nil, nil
			again.URL, again.Secret, again.Form = url, secret, form
			l.add(&again, "")
			return true
		}
	}
	return false
}

// Of returns the deliveries of a webhook, newest first; 0 means of all.
func (l *HookLog) Of(hook int64) []HookDelivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []HookDelivery
	for _, d := range slices.Backward(l.kept) {
		if hook == 0 || d.HookID == hook {
			all = append(all, *d)
		}
	}
	return all
}

// idle reports whether nothing waits to be sent, and returns what is closed
// when that may have changed.
func (l *HookLog) idle() (bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) == 0 && len(l.sending) == 0, l.changed
}
