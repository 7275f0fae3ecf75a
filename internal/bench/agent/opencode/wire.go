package opencode

import (
	"encoding/json"
)

// The objects of OpenCode's API, as far as they are read. `GET /doc` of a
// server describes them.

// wireMessage is a message with its parts.
type wireMessage struct {
	Info  wireInfo   `json:"info"`
	Parts []wirePart `json:"parts"`
}

type wireInfo struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionID"`
	// ParentID is the parent of a session, where the object is one.
	ParentID string     `json:"parentID"`
	Role     string     `json:"role"`
	Time     wireTime   `json:"time"`
	Error    *wireError `json:"error"`
	Tokens   wireTokens `json:"tokens"`
	Cost     float64    `json:"cost"`
	Finish   string     `json:"finish"`
}

// The roles.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// wireTime has milliseconds since 1970. Messages are created and completed,
// parts start and end.
type wireTime struct {
	Created   float64 `json:"created"`
	Completed float64 `json:"completed"`
	Start     float64 `json:"start"`
	End       float64 `json:"end"`
}

type wireTokens struct {
	Input     float64 `json:"input"`
	Output    float64 `json:"output"`
	Reasoning float64 `json:"reasoning"`
	Cache     struct {
		Read  float64 `json:"read"`
		Write float64 `json:"write"`
	} `json:"cache"`
}

// wireError is why a message broke off.
type wireError struct {
	Name string `json:"name"`
	Data struct {
		Message      string `json:"message"`
		StatusCode   int    `json:"statusCode"`
		ResponseBody string `json:"responseBody"`
	} `json:"data"`
}

type wirePart struct {
	ID        string        `json:"id"`
	MessageID string        `json:"messageID"`
	Type      string        `json:"type"`
	Text      string        `json:"text"`
	Time      wireTime      `json:"time"`
	Tool      string        `json:"tool"`
	State     wireToolState `json:"state"`
}

// The types of parts that a transcript has.
const (
	partText      = "text"
	partReasoning = "reasoning"
	partTool      = "tool"
)

type wireToolState struct {
	Status   string          `json:"status"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Time     wireTime        `json:"time"`
	Metadata struct {
		// Exit is the exit status of a shell command, nil where it had none.
		Exit *int `json:"exit"`
	} `json:"metadata"`
}

// The states of tool calls.
const (
	toolRunning   = "running"
	toolCompleted = "completed"
	toolError     = "error"
)

// event is what a server tells of its sessions.
type event struct {
	Type       string
	Properties properties
}

// properties are those of all events together.
type properties struct {
	SessionID string     `json:"sessionID"`
	Info      wireInfo   `json:"info"`
	Part      wirePart   `json:"part"`
	Status    wireStatus `json:"status"`
	Error     *wireError `json:"error"`
	// A piece of a part's text.
	MessageID string `json:"messageID"`
	PartID    string `json:"partID"`
	Field     string `json:"field"`
	Delta     string `json:"delta"`
}

type wireStatus struct {
	Type    string `json:"type"`
	Attempt int    `json:"attempt"`
	Message string `json:"message"`
}

// The types of events that are read.
const (
	eventSessionCreated  = "session.created"
	eventSessionDeleted  = "session.deleted"
	eventSessionStatus   = "session.status"
	eventSessionIdle     = "session.idle"
	eventSessionError    = "session.error"
	eventMessageUpdated  = "message.updated"
	eventMessageRemoved  = "message.removed"
	eventPartUpdated     = "message.part.updated"
	eventPartDelta       = "message.part.delta"
	eventPartRemoved     = "message.part.removed"
	eventPermissionAsked = "permission.asked"
	eventQuestionAsked   = "question.asked"
)

// The states of sessions.
const (
	statusIdle  = "idle"
	statusBusy  = "busy"
	statusRetry = "retry"
)

// readEvent reads the data of an event. ok is false for events that are not
// read and for what is none.
func readEvent(data []byte) (e event, ok bool) {
	var wire struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(data, &wire) != nil {
		return event{}, false
	}
	switch wire.Type {
	case eventSessionCreated, eventSessionDeleted, eventSessionStatus, eventSessionIdle, eventSessionError, eventMessageUpdated,
		eventMessageRemoved, eventPartUpdated, eventPartDelta, eventPartRemoved, eventPermissionAsked, eventQuestionAsked:
	default:
		return event{}, false
	}
	e.Type = wire.Type
	if json.Unmarshal(wire.Properties, &e.Properties) != nil {
		return event{}, false
	}
	return e, e.Properties.SessionID != ""
}
