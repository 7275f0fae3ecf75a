package graphql

import (
	"container/list"
	"sync"
)

// Limits of the cache of documents. A compiled document takes many times the
// memory of its text.
const (
	cachedDocuments    = 512
	cachedBytes        = 1 << 20
	cachedBytesPerText = 64 << 10
)

// cache holds the documents used last, by their texts.
type cache struct {
	mu      sync.Mutex
	entries map[string]*list.Element
	// order has the document used last in front.
	order *list.List
	bytes int
}

type cached struct {
	text string
	doc  *document
}

func newCache() *cache { return &cache{entries: map[string]*list.Element{}, order: list.New()} }

func (c *cache) get(text string) (*document, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[text]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cached).doc, true
}

func (c *cache) put(text string, doc *document) {
	if len(text) > cachedBytesPerText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[text]; ok {
		return
	}
	c.entries[text] = c.order.PushFront(cached{text, doc})
	c.bytes += len(text)
	for c.order.Len() > cachedDocuments || c.bytes > cachedBytes {
		oldest := c.order.Remove(c.order.Back()).(cached)
		delete(c.entries, oldest.text)
		c.bytes -= len(oldest.text)
	}
}
