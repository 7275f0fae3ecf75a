package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// EventCrossReferenced is the kind of the events by which a timeline tells that
// another issue or pull request, the subject, refers to its own.
const EventCrossReferenced = "cross-referenced"

// inCode are parts of a text in which GitHub makes no links.
var inCode = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// reference matches "#3", "GH-3", "owner/name#3" and the address of an issue or
// pull request, each as a word of its own.
var reference = regexp.MustCompile(
	`(?i)(?:^|[^\w/#&.-])(?:https://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/|([\w.-]+/[\w.-]+)?#|gh-)(\d+)\b`)

// EventReferenced is the kind of the events by which a timeline tells that the
// message of a commit of the default branch refers to its issue.
const EventReferenced = "referenced"

// referTo notes in the timelines of the issues and pull requests that a text of
// another one refers to that it does, once for each.
func (s *State) referTo(actor ID, source *Issue, text string) {
	s.refer(actor, s.Repos.Get(source.RepoID), text, Event{Kind: EventCrossReferenced, SubjectID: source.ID})
}

// refer records an event, once, in the timeline of each issue and pull request
// that a text in a repository refers to.
func (s *State) refer(actor ID, in *Repo, text string, e Event) {
	if !strings.ContainsAny(text, "#/-") {
		return
	}
	for _, found := range reference.FindAllStringSubmatch(inCode.ReplaceAllString(text, " "), -1) {
		repo := in
		if owner, name, named := strings.Cut(found[1]+found[2], "/"); named {
			repo = s.Repo(owner, name)
		}
		number, err := strconv.Atoi(found[3])
		if err != nil || repo == nil || s.Permission(actor, repo) < PermRead {
			continue
		}
		target := s.Issue(repo, number)
		if target == nil || target.ID == e.SubjectID || slices.ContainsFunc(s.EventsOf(target), func(known *Event) bool {
			return known.Kind == e.Kind && known.SubjectID == e.SubjectID && known.CommitSHA == e.CommitSHA
		}) {
			continue
		}
		s.record(actor, target, e)
	}
}
