package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// textLimits are how many bytes of each text are kept, tried one after the other until
// the whole is short enough.
func textLimits() []int { return []int{64 << 10, 16 << 10, 4 << 10, 1 << 10, 256} }

// Within returns the transcript so that it takes at most that many bytes as JSON, which
// are at least a few thousand. Long texts are cut first, all at the same length; if that is
// not enough, the messages after the first ones are left out. It says where something is
// not there. Of requests the first are kept, in a quarter of the room.
func (t Transcript) Within(most int) Transcript {
	const share = 4
	for len(t.Requests) > 0 && sizeOf(t.Requests) > most/share {
		t.Requests = t.Requests[:len(t.Requests)/2]
	}
	var shorter Transcript
	for _, limit := range textLimits() {
		if shorter = t.cutTexts(limit); sizeOf(shorter) <= most {
			return shorter
		}
	}
	return shorter.first(most)
}

// sizeOf is how long a value is as JSON, in bytes.
func sizeOf(value any) int {
	data, err := json.Marshal(value)
	if err != nil {
		return 0 // a tool's input is no JSON; nobody can store it either
	}
	return len(data)
}

// cutTexts returns a copy in which no text is longer than a limit.
func (t Transcript) cutTexts(limit int) Transcript {
	t.Messages = slices.Clone(t.Messages)
	for i := range t.Messages {
		m := &t.Messages[i]
		m.Error = cut(m.Error, limit)
		m.Parts = slices.Clone(m.Parts)
		for j := range m.Parts {
			p := &m.Parts[j]
			p.Text = cut(p.Text, limit)
			if p.Tool != nil {
				call := *p.Tool
				call.Name, call.Output, call.Error = cut(call.Name, limit), cut(call.Output, limit), cut(call.Error, limit)
				if len(call.Input) > limit {
					call.Input, _ = json.Marshal(cut(string(call.Input), limit)) // texts can be marshalled
				}
				p.Tool = &call
			}
		}
	}
	return t
}

// cut leaves the beginning of a text that is too long, and says how much is not there.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes more are not kept)", strings.ToValidUTF8(text[:limit], ""), len(text)-limit)
}

// first leaves out the messages from the one on that does not fit.
func (t Transcript) first(most int) Transcript {
	all := t.Messages
	notice := func(left int) Message {
		return Message{Parts: []Part{}, Error: fmt.Sprintf("%d messages more are not kept", left)}
	}
	t.Messages = nil
	used := sizeOf(t) + sizeOf(notice(len(all))) + 1
	for i, m := range all {
		used += sizeOf(m) + 1
		if used > most {
			t.Messages = append(t.Messages, notice(len(all)-i))
			return t
		}
		t.Messages = append(t.Messages, m)
	}
	return t
}
