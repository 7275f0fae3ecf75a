package service

import (
	"context"
	"time"
)

const (
	// finishTogether is how many deliveries are finished in one transaction.
	finishTogether = 64
	// finishTimeout is how long that may take.
	finishTimeout = 10 * time.Second
)

// finisher stores what became of deliveries: of those that end at the same
// time together, so that they do not keep new ones from being stored.
type finisher struct {
	store   *Store
	waiting chan finishing
}

type finishing struct {
	what Finished
	done chan error
}

func newFinisher(s *Store) *finisher { return &finisher{s, make(chan finishing)} }

// finish waits until what became of a delivery is stored, or the context ends.
func (f *finisher) finish(ctx context.Context, what Finished) error {
	one := finishing{what, make(chan error, 1)}
	select {
	case f.waiting <- one:
		return <-one.done
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run stores until the context ends.
func (f *finisher) run(ctx context.Context) {
	for {
		select {
		case first := <-f.waiting:
			f.storeWith(ctx, first)
		case <-ctx.Done():
			return
		}
	}
}

// storeWith stores one and those that wait beside it.
func (f *finisher) storeWith(ctx context.Context, first finishing) {
	together, all := []finishing{first}, []Finished{first.what}
	for more := true; more && len(together) < finishTogether; {
		select {
		case next := <-f.waiting:
			together, all = append(together, next), append(all, next.what)
		default:
			more = false
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	err := f.store.Finish(ctx, all)
	for _, one := range together {
		one.done <- err
	}
}
