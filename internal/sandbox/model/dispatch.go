package model

import (
	"encoding/json"
	"unicode/utf8"
)

// GitHub's limits on what a repository is told from outside.
const (
	maxEventType      = 100
	maxClientPayload  = 10
	maxClientPayloads = 65535
)

// RepositoryDispatch is an event that somebody tells a repository of from
// outside.
type RepositoryDispatch struct {
	Type, Branch string
	// Payload is a JSON object, nil for none.
	Payload json.RawMessage
}

// DispatchRepository tells a repository of an event from outside: webhooks hear of
// it, and workflows of the default branch that wait for it start.
func (s *State) DispatchRepository(actor ID, repo *Repo, kind string, payload json.RawMessage) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if payload != nil && json.Unmarshal(payload, &fields) != nil {
		return unprocessable("Invalid request.\n\nFor 'properties/client_payload', %s is not an object.", payload)
	}
	switch {
	case kind == "":
		return unsupplied("event_type")
	case utf8.RuneCountInString(kind) > maxEventType:
		return unprocessable("Invalid request.\n\nOnly %d characters are allowed; %d were supplied.", maxEventType, utf8.RuneCountInString(kind))
	case len(fields) > maxClientPayload:
		return unprocessable("Invalid request.\n\nNo more than %d properties are allowed; %d were supplied.", maxClientPayload, len(fields))
	case len(payload) > maxClientPayloads:
		return unprocessable("client_payload is too large.")
	}
	s.Advance()
	s.emit(Happening{
		Event: "repository_dispatch", Action: kind, RepoID: repo.ID, ActorID: actor,
		Subject: &RepositoryDispatch{Type: kind, Branch: repo.DefaultBranch, Payload: payload},
	})
	if tip, known := s.BranchHead(repo, repo.DefaultBranch); known {
		s.startRuns(trigger{repo: repo, actor: actor, event: "repository_dispatch", action: kind, branch: repo.DefaultBranch, sha: tip.String()})
	}
	return nil
}
