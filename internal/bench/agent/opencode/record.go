package opencode

import "slices"

// record is a conversation as its events tell it. It is what is left of a
// session when its server has died, and it does not forget what the agent has
// made its server forget.
type record struct {
	order    []string
	messages map[string]*recorded
	// disputed is true once something was to be forgotten that has happened.
	disputed bool
}

type recorded struct {
	info  wireInfo
	order []string
	parts map[string]*recordedPart
}

// recordedPart is a part and the pieces of text that came after it.
type recordedPart struct {
	part  wirePart
	added []byte
}

func newRecord() *record { return &record{messages: map[string]*recorded{}} }

// apply takes an event.
func (r *record) apply(e event) {
	p := e.Properties
	switch e.Type {
	case eventMessageUpdated:
		r.message(p.Info.ID).info = p.Info
	case eventMessageRemoved:
		r.disputed = true
	case eventPartUpdated:
		part := r.message(p.Part.MessageID).part(p.Part.ID)
		if part.madeCall() && !p.Part.isSameCall(part.part) {
			r.disputed = true
			return
		}
		part.set(p.Part)
	case eventPartDelta:
		part := r.message(p.MessageID).part(p.PartID)
		if p.Field == "text" {
			part.added = append(part.added, p.Delta...)
		}
	case eventPartRemoved:
		m := r.message(p.MessageID)
		if m.part(p.PartID).part.Type == partTool {
			r.disputed = true
			return
		}
		delete(m.parts, p.PartID)
		m.order = without(m.order, p.PartID)
	}
}

func without(ids []string, id string) []string {
	return slices.DeleteFunc(ids, func(other string) bool { return other == id })
}

func (r *record) message(id string) *recorded {
	m := r.messages[id]
	if m == nil {
		m = &recorded{parts: map[string]*recordedPart{}}
		r.messages[id] = m
		r.order = append(r.order, id)
	}
	return m
}

func (m *recorded) part(id string) *recordedPart {
	p := m.parts[id]
	if p == nil {
		p = &recordedPart{}
		m.parts[id] = p
		m.order = append(m.order, id)
	}
	return p
}

func (p *recordedPart) set(part wirePart) { p.part, p.added = part, nil }

// madeCall reports whether the part is a call of a tool that has ended.
func (p *recordedPart) madeCall() bool {
	return p.part.Type == partTool && (p.part.State.Status == toolCompleted || p.part.State.Status == toolError)
}

// isSameCall reports whether a part tells of the same call of a tool as
// another, which has ended.
func (p wirePart) isSameCall(other wirePart) bool {
	return p.Type == other.Type && p.Tool == other.Tool && p.State.Status == other.State.Status
}

// has reports whether a message has parts of a type.
func (m *recorded) has(partType string) bool {
	for _, p := range m.parts {
		if p.part.Type == partType {
			return true
		}
	}
	return false
}

// wire returns the conversation in order.
func (r *record) wire() []wireMessage {
	whole := make([]wireMessage, 0, len(r.order))
	for _, id := range r.order {
		m := r.messages[id]
		w := wireMessage{Info: m.info}
		for _, id := range m.order {
			part := m.parts[id].part
			part.Text += string(m.parts[id].added)
			w.Parts = append(w.Parts, part)
		}
		whole = append(whole, w)
	}
	return whole
}
