package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// MergeTexts are what a repository wants commits of merges to say, in GitHub's
// words; empty for GitHub's own choice.
type MergeTexts struct {
	SquashTitle, SquashMessage string
	MergeTitle, MergeMessage   string
}

// The words of [MergeTexts].
const (
	textPullTitle      = "PR_TITLE"
	textPullBody       = "PR_BODY"
	textBlank          = "BLANK"
	textCommitMessages = "COMMIT_MESSAGES"
	textCommitOrTitle  = "COMMIT_OR_PR_TITLE"
	textMergeMessage   = "MERGE_MESSAGE"
)

// Complete returns the texts with GitHub's own choices for those that are empty.
func (t MergeTexts) Complete() MergeTexts {
	return MergeTexts{
		SquashTitle: orElse(t.SquashTitle, textCommitOrTitle), SquashMessage: orElse(t.SquashMessage, textCommitMessages),
		MergeTitle: orElse(t.MergeTitle, textMergeMessage), MergeMessage: orElse(t.MergeMessage, textPullTitle),
	}
}

// MergeTextsEdit changes what merges say; nil fields stay.
type MergeTextsEdit struct {
	SquashTitle, SquashMessage *string
	MergeTitle, MergeMessage   *string
}

// pairs of title and message that GitHub offers.
var (
	squashTexts = []string{
		textPullTitle + " " + textPullBody, textPullTitle + " " + textBlank, textPullTitle + " " + textCommitMessages, textCommitOrTitle + " " + textCommitMessages,
	}
	mergeTexts = []string{textPullTitle + " " + textPullBody, textPullTitle + " " + textBlank, textMergeMessage + " " + textPullTitle}
)

// applied returns the texts with an edit, whose titles and messages must go
// together; a message is given with its title.
func (t MergeTexts) applied(edit MergeTextsEdit) (MergeTexts, error) {
	if edit == (MergeTextsEdit{}) {
		return t, nil
	}
	switch {
	case edit.SquashMessage != nil && edit.SquashTitle == nil:
		return t, custom(repoResource, "squash_merge_commit_title", "squash_merge_commit_title is required when using squash_merge_commit_message")
	case edit.MergeMessage != nil && edit.MergeTitle == nil:
		return t, custom(repoResource, "merge_commit_title", "merge_commit_title is required when using merge_commit_message")
	}
	now := t.Complete()
	assign(&now.SquashTitle, edit.SquashTitle)
	assign(&now.SquashMessage, edit.SquashMessage)
	assign(&now.MergeTitle, edit.MergeTitle)
	assign(&now.MergeMessage, edit.MergeMessage)
	switch {
	case !slices.Contains(squashTexts, now.SquashTitle+" "+now.SquashMessage):
		return t, custom(repoResource, "squash_merge_commit_title", "squash_merge_commit_title and squash_merge_commit_message cannot be combined so")
	case !slices.Contains(mergeTexts, now.MergeTitle+" "+now.MergeMessage):
		return t, custom(repoResource, "merge_commit_title", "merge_commit_title and merge_commit_message cannot be combined so")
	}
	return now, nil
}

// mergeText is what the commit of a merge says unless it is told.
func (s *State) mergeText(repo *Repo, i *Issue) (title, message string) {
	texts := repo.MergeTexts.Complete()
	title, message = fmt.Sprintf("Merge pull request #%d from %s/%s", i.Number, s.headOwner(i), i.Pull.HeadRef), i.Title
	if texts.MergeTitle == textPullTitle {
		title = fmt.Sprintf("%s (#%d)", i.Title, i.Number)
	}
	switch texts.MergeMessage {
	case textPullBody:
		message = i.Body
	case textBlank:
		message = ""
	}
	return title, message
}

// squashText is what the commit of a squashed pull request says unless it is
// told: the message of its only commit, or its title and the messages of all,
// where the repository wants nothing else.
func squashText(repo *Repo, i *Issue, commits []gitstore.Commit) (title, message string) {
	texts := repo.MergeTexts.Complete()
	title = fmt.Sprintf("%s (#%d)", i.Title, i.Number)
	var messages []string
	for _, c := range commits {
		messages = append(messages, "* "+strings.TrimSpace(c.Message))
	}
	message = strings.Join(messages, "\n\n")
	if len(commits) == 1 {
		headline, body, _ := strings.Cut(commits[0].Message, "\n")
		if message = strings.TrimSpace(body); texts.SquashTitle == textCommitOrTitle {
			title = fmt.Sprintf("%s (#%d)", headline, i.Number)
		}
	}
	switch texts.SquashMessage {
	case textPullBody:
		message = i.Body
	case textBlank:
		message = ""
	}
	return title, message
}
