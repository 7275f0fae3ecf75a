package testkit

import (
	"bytes"
	"sync"
)

// SyncBuffer is a text that several may write to. The zero value is ready.
type SyncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write never fails.
func (b *SyncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written so far.
func (b *SyncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
