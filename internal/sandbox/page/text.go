package page

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The most that is shown of a text, in bytes, and of a list.
const (
	maxText = 64 << 10
	maxList = 200
	onePage = 50
)

// clipped is a text that is not too long to be shown.
func clipped(text string) string { return clippedTo(text, maxText) }

func clippedTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s\n… %d more bytes", strings.ToValidUTF8(text[:most], ""), len(text)-most)
}

// shortSHA is how a commit is shown.
func shortSHA(sha string) string { return sha[:min(len(sha), 7)] }

// when is a time as it is shown.
func when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04:05")
}

// count is a number of things in words.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// path is the path of a page.
func path(parts ...string) string {
	for n := range parts {
		parts[n] = url.PathEscape(parts[n])
	}
	return prefix + strings.Join(parts, "/")
}

// repoPath is that of a repository's page, or of one below it.
func repoPath(s *model.State, repo *model.Repo, below ...string) string {
	return path(append([]string{"repos", s.Login(repo.OwnerID), repo.Name}, below...)...)
}

func issuePath(s *model.State, i *model.Issue) string {
	return repoPath(s, s.Repos.Get(i.RepoID), "issues", strconv.Itoa(i.Number))
}

// link is a text that may lead somewhere.
type link struct{ Text, Path string }

// pill is a state in one word, with the tone that it has.
type pill struct{ Word, Tone string }

// The tones of pills.
const (
	good    = "good"
	bad     = "bad"
	busy    = "busy"
	neutral = ""
)

// resultPill is for what Actions and checks come to.
func resultPill(status model.Status, conclusion model.Conclusion) pill {
	switch conclusion {
	case "":
		return pill{strings.ReplaceAll(string(status), "_", " "), busy}
	case model.Success:
		return pill{"success", good}
	case model.Failure, model.TimedOut, model.ActionRequired:
		return pill{strings.ReplaceAll(string(conclusion), "_", " "), bad}
	default:
		return pill{strings.ReplaceAll(string(conclusion), "_", " "), neutral}
	}
}

// issuePill is for issues and pull requests.
func issuePill(i *model.Issue) pill {
	switch {
	case i.Pull != nil && i.Pull.Merged():
		return pill{"merged", good}
	case i.Closed && i.Pull == nil && i.StateReason == "not_planned":
		return pill{"not planned", neutral}
	case i.Closed && i.Pull == nil:
		return pill{"closed", good}
	case i.Closed:
		return pill{"closed", bad}
	case i.Pull != nil && i.Pull.Draft:
		return pill{"draft", neutral}
	default:
		return pill{"open", busy}
	}
}
