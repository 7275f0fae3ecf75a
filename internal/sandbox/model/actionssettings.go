package model

import "slices"

// ActionsSettings are what an administrator has said of a repository's Actions.
// The zero value is GitHub's own.
type ActionsSettings struct {
	// Disabled keeps workflows from running.
	Disabled bool
	// Allowed is which actions may be used: all, local_only or selected; empty
	// means all. The selected ones are GitHub's, those of verified authors, and
	// those of Patterns.
	Allowed               string
	GitHubOwned, Verified bool
	Patterns              []string
	// WritesByDefault is true where workflows may write unless they say
	// otherwise, MayApprove where they may approve pull requests.
	WritesByDefault, MayApprove bool
	// Access is who may use its workflows: none, user or organization; empty
	// means none.
	Access string
	// RetentionDays is how long artifacts and logs are kept; 0 means 90.
	RetentionDays int
	// ForkApproval is whose pull requests from forks wait for somebody before
	// workflows run; empty means those of people who are new here.
	ForkApproval string
}

func (a ActionsSettings) copy() ActionsSettings {
	a.Patterns = slices.Clone(a.Patterns)
	return a
}

// SetActions changes what is said of a repository's Actions.
func (s *State) SetActions(actor ID, repo *Repo, change func(*ActionsSettings)) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	repo.UpdatedAt = s.Advance()
	change(&repo.Actions)
	return nil
}
