package model

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

const (
	needsPull     = "Changes must be made through a pull request."
	headBehind    = "Head branch is out of date. Review and try the merge again."
	notAuthorized = "You're not authorized to push to this branch. Visit https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches for more information."
)

func judgeForce(_ *State, c refChange, _ Rule) []string {
	if !c.moves() || c.pull != nil || contains(c.repo, c.to, c.from) {
		return nil
	}
	return []string{"Cannot force-push to this " + c.noun()}
}

func judgeDeletion(_ *State, c refChange, _ Rule) []string {
	if !c.deletes() {
		return nil
	}
	return []string{"Cannot delete this " + c.noun()}
}

func judgeCreation(_ *State, c refChange, _ Rule) []string {
	if !c.creates() {
		return nil
	}
	return []string{"Cannot create ref due to creations being restricted."}
}

func judgeLock(_ *State, c refChange, rule Rule) []string {
	if c.creates() || c.sync && rule.Update.AllowsFetchAndMerge {
		return nil
	}
	return []string{"Cannot change this locked branch"}
}

func judgeUpdate(_ *State, c refChange, rule Rule) []string {
	if !c.moves() || c.sync && rule.Update != nil && rule.Update.AllowsFetchAndMerge {
		return nil
	}
	return []string{"Cannot update this protected ref."}
}

func judgeRestriction(_ *State, c refChange, _ Rule) []string {
	// Whether a pull request can be merged at all is asked for nobody.
	if c.creates() || c.actor == 0 {
		return nil
	}
	return []string{notAuthorized}
}

// brought returns the commits that a change brings to a ref.
func brought(c refChange) []gitstore.Commit {
	from := c.from
	if c.creates() {
		from, _ = c.repo.Git.Ref(headsPrefix + c.repo.DefaultBranch)
	}
	if c.deletes() || from.IsZero() {
		return nil
	}
	// A tag may lead to something else than a commit.
	commits, _ := c.repo.Git.Between(from, c.to)
	return commits
}

// judgeSignatures: no commit of a sandbox has a signature that it can verify.
func judgeSignatures(_ *State, c refChange, _ Rule) []string {
	if len(brought(c)) == 0 {
		return nil
	}
	return []string{"Commits must have verified signatures."}
}

func judgeHistory(_ *State, c refChange, _ Rule) []string {
	const words = "This branch must not contain merge commits."
	switch {
	case c.pull != nil && c.method == MethodMerge,
		c.pull != nil && c.method == "" && !c.repo.AllowSquash && !c.repo.AllowRebase:
		return []string{words}
	case c.pull != nil:
		return nil
	}
	for _, commit := range brought(c) {
		if len(commit.Parents) > 1 {
			return []string{words}
		}
	}
	return nil
}

// judgeName holds the name of a new ref against a pattern.
func judgeName(_ *State, c refChange, rule Rule) []string {
	of := map[RuleType]string{RuleBranchName: headsPrefix, RuleTagName: tagsPrefix}[rule.Type]
	name, is := strings.CutPrefix(c.ref, of)
	if !is || !c.creates() || rule.Pattern.meets(name) {
		return nil
	}
	return []string{rule.Pattern.complaint(strings.ToUpper(c.noun()[:1]) + c.noun()[1:] + " name")}
}

// judgeCommits holds the commits of a change against a pattern.
func judgeCommits(_ *State, c refChange, rule Rule) []string {
	of := map[RuleType]struct {
		name string
		text func(gitstore.Commit) string
	}{
		RuleCommitMessage:  {"Commit message", func(c gitstore.Commit) string { return c.Message }},
		RuleAuthorEmail:    {"Commit author email", func(c gitstore.Commit) string { return c.Author.Email }},
		RuleCommitterEmail: {"Committer email", func(c gitstore.Commit) string { return c.Committer.Email }},
	}[rule.Type]
	for _, commit := range brought(c) {
		if !rule.Pattern.meets(of.text(commit)) {
			return []string{rule.Pattern.complaint(of.name)}
		}
	}
	return nil
}

func (p *PatternRule) meets(text string) bool { return p.matches(text) != p.Negate }

func (p *PatternRule) matches(text string) bool {
	switch p.Operator {
	case "starts_with":
		return strings.HasPrefix(text, p.Pattern)
	case "ends_with":
		return strings.HasSuffix(text, p.Pattern)
	case "contains":
		return strings.Contains(text, p.Pattern)
	default:
		expression, err := regexp.Compile(p.Pattern)
		return err == nil && expression.MatchString(text)
	}
}

func (p *PatternRule) complaint(what string) string {
	verb := map[string]string{"starts_with": "start with", "ends_with": "end with", "contains": "contain"}[p.Operator]
	if verb == "" {
		verb = "match"
	}
	not := ""
	if p.Negate {
		not = "not "
	}
	return fmt.Sprintf("%s must %s%s a given pattern: %s", what, not, verb, p.Pattern)
}
