package redact

// matcher finds many words in one pass over a text (A. Aho and M. Corasick,
// "Efficient string matching", CACM 18, 1975). A node is a prefix of a word;
// the text is read byte by byte, and the node is always the longest prefix
// that the text read so far ends with.
type matcher struct {
	nodes []node
	// first has the root's children, where most bytes of a text are looked
	// up.
	first [256]int32
}

type node struct {
	// child is the first child, next the next child of the same parent.
	child, next int32
	// fail is the node of the longest proper suffix that is a node.
	fail int32
	// depth is the length of the prefix.
	depth int32
	// word is the length of the longest word that the prefix ends with, 0 if
	// it ends with none; tag is what the word was added with.
	word int32
	tag  int32
	by   byte
}

const root = 0

func newMatcher() *matcher { return &matcher{nodes: make([]node, 1)} }

// add adds a word, not empty, before link is called.
func (m *matcher) add(word string, tag int32) {
	at := int32(root)
	for i := range len(word) {
		to := m.childOf(at, word[i])
		if to == root {
			to = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{
				by: word[i], depth: m.nodes[at].depth + 1, next: m.nodes[at].child,
			})
			m.nodes[at].child = to
			if at == root {
				m.first[word[i]] = to
			}
		}
		at = to
	}
	m.nodes[at].word = int32(len(word))
	m.nodes[at].tag = tag
}

// link makes the matcher ready, nodes in order of depth.
func (m *matcher) link() {
	queue := make([]int32, 1, len(m.nodes))
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for at := m.nodes[parent].child; at != root; at = m.nodes[at].next {
			queue = append(queue, at)
			if parent == root {
				continue
			}
			n := &m.nodes[at]
			n.fail = m.step(m.nodes[parent].fail, n.by)
			if n.word == 0 {
				n.word, n.tag = m.nodes[n.fail].word, m.nodes[n.fail].tag
			}
		}
	}
}

func (m *matcher) childOf(at int32, by byte) int32 {
	if at == root {
		return m.first[by]
	}
	for c := m.nodes[at].child; c != root; c = m.nodes[c].next {
		if m.nodes[c].by == by {
			return c
		}
	}
	return root
}

// step returns the node after one more byte. Over a text the steps along fail
// are no more than its bytes.
func (m *matcher) step(at int32, by byte) int32 {
	for {
		if to := m.childOf(at, by); to != root {
			return to
		}
		if at == root {
			return root
		}
		at = m.nodes[at].fail
	}
}
