package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// InboxOptions say how an [Inbox] works. All must be given but for Count.
type InboxOptions struct {
	DB    *queue.DB
	Queue *queue.Queue
	// Lane is the queue's for the jobs of deliveries.
	Lane string
	// Secret returns what GitHub signs deliveries with; nil as long as there
	// is none, and then none is accepted.
	Secret func() []byte
	Events Subscriptions
	Log    *slog.Logger
	Now    func() time.Time
	// Redact takes secrets out of what is stored.
	Redact func(string) string
	// Count is told of every request; nil if nobody wants to know.
	Count func(event string, outcome Outcome)
}

// Handler does what deliveries start.
type Handler interface {
	// Deliver may be called again for the same delivery: see [queue.Handle].
	Deliver(ctx context.Context, d Delivery) error
	// GiveUp is called once a delivery has failed for good, perhaps more than once.
	GiveUp(ctx context.Context, d Delivery, problem error)
}

// Inbox is where deliveries arrive.
type Inbox struct {
	*Store
	opts     InboxOptions
	receiver *Receiver
	finisher *finisher
	jobs     queue.Kind[received]
	handler  Handler
}

// Open returns the inbox of a database, makes its tables, and has the queue work for
// it. It is called before the queue starts.
func Open(ctx context.Context, opts InboxOptions) (*Inbox, error) {
	store, err := OpenStore(ctx, opts.DB)
	if err != nil {
		return nil, err
	}
	i := &Inbox{
		Store: store, opts: opts, finisher: newFinisher(store),
		jobs: queue.Kind[received]{Name: "delivery", Lane: opts.Lane, Timeout: deliveryTimeout},
	}
	i.receiver = NewReceiver(ReceiverOptions{Secret: opts.Secret, Route: opts.Events, Keeper: i, Log: opts.Log, Now: opts.Now, Count: opts.Count})
	queue.Handle(opts.Queue, i.jobs, i.handle)
	return i, nil
}

// Handle sets who handles deliveries. It is called before the queue starts; without it
// they are stored and nothing else.
func (i *Inbox) Handle(h Handler) { i.handler = h }

// ServeHTTP answers a delivery.
func (i *Inbox) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	i.receiver.ServeHTTP(w, request)
}

// Receive stores what arrives until the context ends. What arrived by then is stored
// first.
func (i *Inbox) Receive(ctx context.Context) { i.receiver.Run(ctx) }

// Finish stores what becomes of deliveries until the context ends; the queue has
// stopped before.
func (i *Inbox) Finish(ctx context.Context) { i.finisher.run(ctx) }

// Waiting returns how many deliveries wait to be stored.
func (i *Inbox) Waiting() int { return i.receiver.Waiting() }

// lastingAfter is after how many attempts an error counts that an outage does
// not explain.
const lastingAfter = 5

// received is the payload of the job of a delivery.
type received struct {
	ID string `json:"id"`
}

// deliveryTimeout is how long what a delivery starts may take. It is some
// requests, each of which is answered within seconds or not at all.
const deliveryTimeout = 2 * time.Minute

// Keep stores deliveries, and a job for each that is new, or none of them. It
// reports which are new.
func (i *Inbox) Keep(ctx context.Context, arrived []Delivery) (fresh []bool, err error) {
	err = i.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		if fresh, err = i.Add(ctx, tx, arrived); err != nil {
			return err
		}
		var jobs []queue.JobSpec
		for n, d := range arrived {
			if fresh[n] {
				e, _ := i.opts.Events.named(d.Event)
				jobs = append(jobs, i.jobs.New(received{d.ID}).WithPriority(e.Priority))
			}
		}
		return i.opts.Queue.EnqueueMany(ctx, tx, jobs)
	})
	return fresh, err
}

// giveUpTimeout is how long it may take to tell that a delivery has failed; the
// time of the delivery may be over.
const giveUpTimeout = 30 * time.Second

func (i *Inbox) giveUp(ctx context.Context, delivery Delivery, problem error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTimeout)
	defer cancel()
	i.handler.GiveUp(ctx, delivery, problem)
}

// handle does what a delivery starts, and stores what became of it.
func (i *Inbox) handle(ctx context.Context, job queue.Job[received]) error {
	delivery, err := i.Delivery(ctx, job.Payload.ID)
	if errors.Is(err, ErrNone) {
		return nil // it was so old that it was removed
	}
	if err != nil {
		return err
	}
	if i.handler != nil && delivery.State == Queued {
		err = i.handler.Deliver(ctx, delivery)
	}
	state, problem := Handled, ""
	if err != nil {
		lasting := queue.IsPermanent(err) || fault.KindOf(err) != fault.Infrastructure && job.Attempt >= lastingAfter
		if !job.Final && !lasting {
			return err
		}
		i.giveUp(ctx, delivery, err)
		err = queue.Permanent(err)
		state, problem = Failed, i.opts.Redact(fault.Public(err))
		i.opts.Log.ErrorContext(ctx, "a delivery failed", slog.String("delivery", delivery.ID),
			slog.String("event", delivery.Event), slog.String("error", i.opts.Redact(err.Error())))
	}
	return errors.Join(err, i.finisher.finish(ctx, Finished{ID: delivery.ID, State: state, Problem: problem, At: i.opts.Now()}))
}
