package service

import (
	"context"
	"errors"
	"time"
)

// batcher stores deliveries that arrive together together: while one batch is
// being committed the next one gathers, so that the more arrive the larger the
// batches are.
type batcher struct {
	keeper  Keeper
	waiting chan entry
}

// entry is a delivery that waits; done has room for the answer.
type entry struct {
	delivery Delivery
	done     chan answer
}

type answer struct {
	fresh bool
	err   error
}

const (
	// mostWaiting is how many deliveries wait for a batch before others are
	// refused.
	mostWaiting = 1024
	// mostTogether limits a batch, in deliveries and in bytes.
	mostTogether      = 128
	mostTogetherBytes = 8 << 20
	// commitTimeout is how long a batch may take.
	commitTimeout = 5 * time.Second
)

// errFull is the error of a batcher that cannot take more.
var errFull = errors.New("too many deliveries wait to be stored")

func newBatcher(keeper Keeper) *batcher {
	return &batcher{keeper: keeper, waiting: make(chan entry, mostWaiting)}
}

// keep waits until a delivery is stored and reports whether it is new. If the
// context ends before that, it may be stored nevertheless.
func (b *batcher) keep(ctx context.Context, delivery Delivery) (bool, error) {
	e := entry{delivery, make(chan answer, 1)}
	select {
	case b.waiting <- e:
	default:
		return false, errFull
	}
	select {
	case got := <-e.done:
		return got.fresh, got.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// run stores batches until the context ends, and then what is left.
func (b *batcher) run(ctx context.Context) {
	for {
		select {
		case first := <-b.waiting:
			b.store(ctx, b.gather(first))
		case <-ctx.Done():
			for {
				select {
				case first := <-b.waiting:
					b.store(ctx, b.gather(first))
				default:
					return
				}
			}
		}
	}
}

// gather returns an entry and those that wait behind it.
func (b *batcher) gather(first entry) []entry {
	batch, size := []entry{first}, len(first.delivery.Body)
	for len(batch) < mostTogether && size < mostTogetherBytes {
		select {
		case next := <-b.waiting:
			batch = append(batch, next)
			size += len(next.delivery.Body)
		default:
			return batch
		}
	}
	return batch
}

// store stores a batch and answers its entries.
func (b *batcher) store(ctx context.Context, batch []entry) {
	deliveries := make([]Delivery, 0, len(batch))
	for _, e := range batch {
		deliveries = append(deliveries, e.delivery)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	fresh, err := b.keeper.Keep(ctx, deliveries)
	for i, e := range batch {
		if err != nil {
			e.done <- answer{err: err}
		} else {
			e.done <- answer{fresh: fresh[i]}
		}
	}
}

// Waiting returns how many deliveries wait to be stored.
func (r *Receiver) Waiting() int { return len(r.batches.waiting) }
