package model

import "slices"

// RuleType is what a rule is about: the types of GitHub's rulesets, and those that
// only the protection of branches has.
type RuleType string

// The rule types.
const (
	RuleCreation       RuleType = "creation"
	RuleUpdate         RuleType = "update"
	RuleDeletion       RuleType = "deletion"
	RuleLinearHistory  RuleType = "required_linear_history"
	RuleSignatures     RuleType = "required_signatures"
	RulePullRequest    RuleType = "pull_request"
	RuleStatusChecks   RuleType = "required_status_checks"
	RuleNonFastForward RuleType = "non_fast_forward"
	RuleDeployments    RuleType = "required_deployments"
	RuleMergeQueue     RuleType = "merge_queue"
	RuleCommitMessage  RuleType = "commit_message_pattern"
	RuleAuthorEmail    RuleType = "commit_author_email_pattern"
	RuleCommitterEmail RuleType = "committer_email_pattern"
	RuleBranchName     RuleType = "branch_name_pattern"
	RuleTagName        RuleType = "tag_name_pattern"

	// ruleLock makes a branch read-only, ruleRestriction lets some push alone, and
	// ruleConversations asks for threads to be resolved.
	ruleLock          RuleType = "lock_branch"
	ruleRestriction   RuleType = "restrictions"
	ruleConversations RuleType = "required_conversation_resolution"
)

// Rule is one rule for a ref. Of its parameters there are those of its type, nil
// for types that have none.
type Rule struct {
	Type    RuleType
	Pull    *PullRule    `json:",omitempty"`
	Checks  *ChecksRule  `json:",omitempty"`
	Update  *UpdateRule  `json:",omitempty"`
	Pattern *PatternRule `json:",omitempty"`

	Deployments *DeploymentsRule `json:",omitempty"`
	Queue       *QueueRule       `json:",omitempty"`

	// allowed are those whom a [ruleRestriction] lets push.
	allowed *Actors
}

// Parameters returns a pointer to the parameters of a rule, nil for a type that
// has none; they have GitHub's names as JSON.
func (r *Rule) Parameters() any {
	switch r.Type {
	case RulePullRequest:
		r.Pull = ensured(r.Pull)
		return r.Pull
	case RuleStatusChecks:
		r.Checks = ensured(r.Checks)
		return r.Checks
	case RuleDeployments:
		r.Deployments = ensured(r.Deployments)
		return r.Deployments
	case RuleMergeQueue:
		r.Queue = ensured(r.Queue)
		return r.Queue
	case RuleUpdate:
		r.Update = ensured(r.Update)
		return r.Update
	case RuleCommitMessage, RuleAuthorEmail, RuleCommitterEmail, RuleBranchName, RuleTagName:
		r.Pattern = ensured(r.Pattern)
		return r.Pattern
	default:
		return nil
	}
}

func ensured[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// PullRule asks for pull requests, and for reviews of them.
type PullRule struct {
	DismissStaleReviewsOnPush      bool           `json:"dismiss_stale_reviews_on_push"`
	RequireCodeOwnerReview         bool           `json:"require_code_owner_review"`
	RequireLastPushApproval        bool           `json:"require_last_push_approval"`
	RequiredApprovingReviewCount   int            `json:"required_approving_review_count"`
	RequiredReviewThreadResolution bool           `json:"required_review_thread_resolution"`
	RequiredReviewers              []TeamReview   `json:"required_reviewers"`
	AllowedMergeMethods            []MergeMethod  `json:"allowed_merge_methods"`
	DismissalRestriction           *DismissalRule `json:"dismissal_restriction,omitempty"`
}

// TeamReview asks for approvals of a team's members where files of some paths
// are changed.
type TeamReview struct {
	FilePatterns     []string `json:"file_patterns"`
	MinimumApprovals int      `json:"minimum_approvals"`
	Reviewer         RuleSide `json:"reviewer"`
}

// RuleSide names an account or a role by GitHub's id and type.
type RuleSide struct {
	ID   ID     `json:"id"`
	Type string `json:"type"`
}

// DismissalRule restricts who may dismiss reviews.
type DismissalRule struct {
	Enabled       bool       `json:"enabled"`
	AllowedActors []RuleSide `json:"allowed_actors"`
}

// ChecksRule asks for checks that have passed.
type ChecksRule struct {
	Strict             bool            `json:"strict_required_status_checks_policy"`
	DoNotEnforceCreate bool            `json:"do_not_enforce_on_create"`
	Checks             []RequiredCheck `json:"required_status_checks"`
}

// RequiredCheck is a check by its name and the App that it must be of, 0 for any.
type RequiredCheck struct {
	Context       string `json:"context"`
	IntegrationID ID     `json:"integration_id,omitempty"`
}

// UpdateRule lets a ref be updated from the repository that this one was forked
// from, or not.
type UpdateRule struct {
	AllowsFetchAndMerge bool `json:"update_allows_fetch_and_merge"`
}

// PatternRule asks a text to be like a pattern, or not to be.
type PatternRule struct {
	Name     string `json:"name,omitempty"`
	Negate   bool   `json:"negate"`
	Operator string `json:"operator"`
	Pattern  string `json:"pattern"`
}

func (r Rule) clone() Rule {
	if p := copyOf(r.Pull); p != nil {
		p.AllowedMergeMethods, p.RequiredReviewers = slices.Clone(p.AllowedMergeMethods), slices.Clone(p.RequiredReviewers)
		for n, team := range p.RequiredReviewers {
			p.RequiredReviewers[n].FilePatterns = slices.Clone(team.FilePatterns)
		}
		if p.DismissalRestriction = copyOf(p.DismissalRestriction); p.DismissalRestriction != nil {
			p.DismissalRestriction.AllowedActors = slices.Clone(p.DismissalRestriction.AllowedActors)
		}
		r.Pull = p
	}
	if c := copyOf(r.Checks); c != nil {
		c.Checks = slices.Clone(c.Checks)
		r.Checks = c
	}
	if d := copyOf(r.Deployments); d != nil {
		d.Environments = slices.Clone(d.Environments)
		r.Deployments = d
	}
	r.Update, r.Pattern, r.Queue = copyOf(r.Update), copyOf(r.Pattern), copyOf(r.Queue)
	return r
}
