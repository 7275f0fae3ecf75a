package service

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// Route says whether deliveries of an event matter; action is empty if the
// event has none. Event is called on its own first, so that the payload of one
// that never matters is not even read.
type Route interface {
	Event(event string) bool
	Action(event, action string) bool
}

// Keeper stores deliveries for good. It reports for each whether it is new.
type Keeper interface {
	Keep(ctx context.Context, deliveries []Delivery) ([]bool, error)
}

// ReceiverOptions say how a [Receiver] works. All must be given but for Count.
type ReceiverOptions struct {
	// Secret returns what GitHub signs deliveries with; nil as long as there
	// is none, and then none is accepted.
	Secret func() []byte
	Route  Route
	Keeper Keeper
	Log    *slog.Logger
	Now    func() time.Time
	// Count is told of every request; nil if nobody wants to know.
	Count func(event string, outcome Outcome)
}

// Outcome is what became of a request.
type Outcome string

// The outcomes of requests that are answered with 202.
const (
	Stored Outcome = "stored"
	// Replayed is a delivery that is stored already.
	Replayed Outcome = "replayed"
	// Ignored is a delivery of an event or action that starts nothing.
	Ignored Outcome = "ignored"
)

// The outcomes of requests that are refused.
const (
	BadMethod      Outcome = "bad_method"
	BadType        Outcome = "bad_content_type"
	BadHeader      Outcome = "bad_header"
	NoSignature    Outcome = "no_signature"
	OldSignature   Outcome = "old_signature"
	WrongSignature Outcome = "wrong_signature"
	TooLarge       Outcome = "too_large"
	Truncated      Outcome = "truncated"
	BadPayload     Outcome = "bad_payload"
	// NotSetUp is a server without a secret.
	NotSetUp Outcome = "not_set_up"
	// Busy is a server that cannot take more at the moment, or cannot store.
	Busy Outcome = "busy"
)

// The limits.
const (
	// smallBody is the size in bytes of bodies, as nearly all are, that do not
	// wait behind large ones.
	smallBody = 256 << 10
	// firstRoom is how much room is made, in bytes, for what a sender only
	// announces.
	firstRoom = 32 << 10
	// smallInFlight and largeInFlight are how many bytes of bodies are held at a
	// time: those of small ones that have arrived, of large ones all that are
	// announced.
	smallInFlight = 32 << 20
	largeInFlight = 3 * MaxBody
	// arrival is how long a small body may take. That of large ones is limited by
	// the server.
	arrival = 5 * time.Second
	// patience is how long a delivery waits to be stored. GitHub gives up
	// after ten seconds.
	patience = 8 * time.Second
	// retryAfter is when a sender is told to come back, in seconds.
	retryAfter = "5"
	// logEvery is how often a kind of refusal is logged; the rest is counted.
	logEvery = time.Second
)

// Receiver answers deliveries. Its batches are stored by [Receiver.Run]. The protocol is
// that of https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries.
type Receiver struct {
	opts    ReceiverOptions
	batches *batcher
	buffers buffers
	// small and large count the bytes of bodies that are held.
	small, large atomic.Int64
	refused      refusals
}

// NewReceiver returns a receiver.
func NewReceiver(opts ReceiverOptions) *Receiver {
	if opts.Count == nil {
		opts.Count = func(string, Outcome) {}
	}
	return &Receiver{opts: opts, batches: newBatcher(opts.Keeper), refused: refusals{last: map[Outcome]*refusal{}}}
}

// Run stores what is received until the context ends. What was received by then
// is stored first.
func (r *Receiver) Run(ctx context.Context) { r.batches.run(ctx) }

// refusalError is why a request is refused.
type refusalError struct {
	outcome Outcome
	status  int
	message string
}

func (r *refusalError) Error() string { return r.message }

func refuse(outcome Outcome, status int, message string) error {
	return &refusalError{outcome, status, message}
}

// ServeHTTP answers a delivery.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	head, err := r.header(request)
	if err != nil {
		r.answerRefusal(w, request, head, err)
		return
	}
	outcome, err := r.receive(w, request, head)
	if err != nil {
		r.answerRefusal(w, request, head, err)
		return
	}
	r.opts.Count(head.event, outcome)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusAccepted)
	_, _ = w.Write([]byte(outcome + "\n")) // the sender may be gone; what it sent is stored
}

// header is what is known of a delivery before its body is read.
type header struct {
	// event is empty as long as it is not known to be a name.
	event, delivery string
	signature       []byte
	form, matters   bool
}

var (
	eventName  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	deliveryID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// header checks everything that can be without the body.
func (r *Receiver) header(request *http.Request) (header, error) {
	if request.Method != http.MethodPost {
		return header{}, refuse(BadMethod, http.StatusMethodNotAllowed, "deliveries of webhooks are POSTed")
	}
	var h header
	if event := request.Header.Get("X-GitHub-Event"); eventName.MatchString(event) {
		h.event, h.matters = event, r.opts.Route.Event(event)
	} else {
		return h, refuse(BadHeader, http.StatusBadRequest, "X-GitHub-Event names no event")
	}
	h.delivery = strings.ToLower(request.Header.Get("X-GitHub-Delivery"))
	if !deliveryID.MatchString(h.delivery) {
		return h, refuse(BadHeader, http.StatusBadRequest, "X-GitHub-Delivery is no GUID")
	}
	switch media, _, err := mime.ParseMediaType(request.Header.Get("Content-Type")); {
	case err == nil && media == "application/json":
	case err == nil && media == "application/x-www-form-urlencoded":
		h.form = true
	default:
		return h, refuse(BadType, http.StatusUnsupportedMediaType, "the content type is neither application/json nor application/x-www-form-urlencoded")
	}
	if request.ContentLength > MaxBody {
		return h, tooLarge()
	}
	var err error
	h.signature, err = signature(request.Header)
	return h, err
}

func tooLarge() error {
	return refuse(TooLarge, http.StatusRequestEntityTooLarge, "the body is larger than 25 MB")
}

// receive reads, checks and stores a delivery.
func (r *Receiver) receive(w http.ResponseWriter, request *http.Request, head header) (Outcome, error) {
	secret := r.opts.Secret()
	if len(secret) == 0 {
		return "", refuse(NotSetUp, http.StatusServiceUnavailable, "the App has no webhook secret yet")
	}
	buffer := r.buffers.get()
	defer r.buffers.put(buffer)
	release, err := r.read(buffer, w, request)
	defer release()
	if err != nil {
		return "", err
	}
	if !authentic(secret, buffer.Bytes(), head.signature) {
		return "", refuse(WrongSignature, http.StatusUnauthorized, "X-Hub-Signature-256 is not that of this body and the App's webhook secret")
	}
	if !head.matters {
		return Ignored, nil
	}
	delivery, err := r.understand(head, buffer.Bytes())
	if err != nil {
		return "", err
	}
	if !r.opts.Route.Action(delivery.Event, delivery.Action) {
		return Ignored, nil
	}
	return r.keep(request.Context(), delivery)
}

// keep waits until a delivery is stored.
func (r *Receiver) keep(ctx context.Context, delivery Delivery) (Outcome, error) {
	// A sender that gives up does not stop what it has sent from being stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	fresh, err := r.batches.keep(ctx, delivery)
	switch {
	case err != nil:
		if !errors.Is(err, errFull) {
			r.opts.Log.ErrorContext(ctx, "a delivery could not be stored", slog.String("delivery", delivery.ID), slog.String("error", err.Error()))
		}
		return "", refuse(Busy, http.StatusServiceUnavailable, "deliveries cannot be stored at the moment")
	case fresh:
		return Stored, nil
	default:
		return Replayed, nil
	}
}
