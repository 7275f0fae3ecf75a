package live

import "context"

// maxSharing is how many attempts share a repository at most.
const maxSharing = 64

// turns lets many share, or one own. Who comes first has its turn first.
type turns struct {
	// next is held by whoever is about to have a turn, slots by those who
	// have one.
	next, slots chan struct{}
}

func newTurns() *turns {
	return &turns{next: make(chan struct{}, 1), slots: make(chan struct{}, maxSharing)}
}

// share waits for a turn beside others. The error is why the context ended.
func (t *turns) share(ctx context.Context) (leave func(), err error) { return t.take(ctx, 1) }

// own waits for a turn alone.
func (t *turns) own(ctx context.Context) (leave func(), err error) { return t.take(ctx, maxSharing) }

func (t *turns) take(ctx context.Context, count int) (leave func(), err error) {
	select {
	case t.next <- struct{}{}:
		defer func() { <-t.next }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	taken := 0
	leave = func() {
		for range taken {
			<-t.slots
		}
	}
	for taken < count {
		select {
		case t.slots <- struct{}{}:
			taken++
		case <-ctx.Done():
			leave()
			return nil, context.Cause(ctx)
		}
	}
	return leave, nil
}
