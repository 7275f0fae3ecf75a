package model

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// refChange is a change of a ref as rules judge it, whatever way it is asked
// for.
type refChange struct {
	// actor is 0 for nobody in particular, whom every rule binds.
	actor ID
	repo  *Repo
	ref   string
	// from and to are zero for a ref that is made, or deleted. Of a merge, to is
	// the head.
	from, to gitstore.Hash
	// pull is the pull request that is merged by it, nil for other changes;
	// method is empty where it is not known yet.
	pull   *Issue
	method MergeMethod
	// sync is true for what comes from the repository that this one was forked
	// from.
	sync bool
	// queued is true for what the branch's merge queue does.
	queued bool
}

func (c refChange) creates() bool { return c.from.IsZero() }
func (c refChange) deletes() bool { return c.to.IsZero() }
func (c refChange) moves() bool   { return !c.creates() && !c.deletes() }

// noun is what a ref is.
func (c refChange) noun() string {
	if strings.HasPrefix(c.ref, tagsPrefix) {
		return "tag"
	}
	return "branch"
}

// verdict is what rules have against a change, in GitHub's words; empty if
// nothing.
type verdict struct {
	// classic are those of the protection of branches, rulesets the others'.
	classic, rulesets []string
}

func (v verdict) allows() bool { return len(v.classic)+len(v.rulesets) == 0 }

// words are all of them.
func (v verdict) words() []string { return slices.Concat(v.classic, v.rulesets) }

// message is the verdict as the APIs say it.
func (v verdict) message() string {
	if len(v.rulesets) == 0 {
		return strings.Join(v.classic, " ")
	}
	return "Repository rule violations found\n\n" + strings.Join(v.words(), "\n\n") + "\n\n"
}

// pushed is the verdict as git shows it: the reason beside the ref, and lines.
func (v verdict) pushed(fullName, ref string) (reason, detail string) {
	if len(v.rulesets) == 0 {
		return "protected branch hook declined", fmt.Sprintf("error: GH006: Protected branch update failed for %s.\n\n- %s", ref, strings.Join(v.classic, "\n\n- "))
	}
	return "push declined due to repository rule violations", fmt.Sprintf(
		"error: GH013: Repository rule violations found for %s.\nReview all repository rules at https://github.com/%s/rules?ref=%s\n\n- %s\n\n",
		ref, fullName, url.QueryEscape(ref), strings.Join(v.words(), "\n\n- "))
}

// source is where rules come from.
type source struct {
	rules   []Rule
	ruleset bool
	// exempts reports whether a rule does not bind the actor of a change.
	exempts func(s *State, c refChange, rule Rule) bool
}

// sourcesFor returns the rules for a ref.
func sourcesFor(repo *Repo, ref string) []source {
	var all []source
	if branch, isBranch := strings.CutPrefix(ref, headsPrefix); isBranch {
		if _, rule, protected := repo.ProtectionOf(branch); protected {
			all = append(all, source{rules: rule.rules(), exempts: rule.exempts})
		}
	}
	for _, set := range repo.RulesetsFor(ref) {
		all = append(all, source{rules: set.Rules, ruleset: true, exempts: set.exempts})
	}
	return all
}

// Protected reports whether there are rules for a branch.
func (r *Repo) Protected(branch string) bool {
	_, _, protected := r.ProtectionOf(branch)
	return protected || len(r.RulesetsFor(headsPrefix+branch)) > 0
}

// judge is how a type of rule judges a change: what it has against it.
type judge struct {
	of    RuleType
	judge func(s *State, c refChange, rule Rule) []string
}

// judges returns how the types judge, in the order in which GitHub says it.
func judges() []judge {
	return []judge{
		{RuleNonFastForward, judgeForce},
		{RuleDeletion, judgeDeletion},
		{RuleCreation, judgeCreation},
		{ruleLock, judgeLock},
		{RuleUpdate, judgeUpdate},
		{RuleBranchName, judgeName},
		{RuleTagName, judgeName},
		{RuleCommitMessage, judgeCommits},
		{RuleAuthorEmail, judgeCommits},
		{RuleCommitterEmail, judgeCommits},
		{RuleSignatures, judgeSignatures},
		{RuleLinearHistory, judgeHistory},
		{RuleStatusChecks, judgeChecks},
		{RuleDeployments, judgeDeployments},
		{RulePullRequest, judgePull},
		{ruleConversations, judgeConversations},
		{ruleRestriction, judgeRestriction},
		{RuleMergeQueue, judgeQueue},
	}
}

// judged returns what the rules for a ref have against a change of it.
func (s *State) judged(c refChange) verdict {
	var v verdict
	for _, source := range sourcesFor(c.repo, c.ref) {
		said := &v.classic
		if source.ruleset {
			said = &v.rulesets
		}
		for _, judge := range judges() {
			for _, rule := range source.rules {
				if rule.Type != judge.of || source.exempts(s, c, rule) {
					continue
				}
				for _, words := range judge.judge(s, c, rule) {
					if !slices.Contains(*said, words) {
						*said = append(*said, words)
					}
				}
			}
		}
	}
	for _, said := range []*[]string{&v.classic, &v.rulesets} {
		if at := slices.Index(*said, needsPull); at > 0 {
			// That there must be a pull request comes first.
			*said = slices.Insert(slices.Delete(*said, at, at+1), 0, needsPull)
		}
		if len(v.words()) > 1 {
			// A head that is behind is brought up to date when all else is met.
			*said = slices.DeleteFunc(*said, func(words string) bool { return words == headBehind })
		}
	}
	return v
}

// refusal is how a way of changing a ref says that rules forbid it.
type refusal struct {
	kind   ProblemKind
	prefix string
	sync   bool
}

// The ways of changing refs.
var (
	byRefs     = refusal{kind: Invalid}
	byCreating = refusal{kind: Conflict, prefix: "Could not create file: "}
	byUpdating = refusal{kind: Conflict, prefix: "Could not update file: "}
	byDeleting = refusal{kind: Conflict, prefix: "Could not delete file: "}
	byMerging  = refusal{kind: NotAllowed}
	byMergeAPI = refusal{kind: Conflict}
	byFork     = refusal{kind: Invalid, sync: true}
)

// permitted refuses a change that rules forbid.
func (s *State) permitted(c refChange, how refusal) error {
	c.sync = how.sync
	v := s.judged(c)
	if v.allows() {
		return nil
	}
	if len(v.rulesets) > 0 {
		how.prefix = ""
	}
	return &Problem{Kind: how.kind, Message: how.prefix + v.message()}
}
