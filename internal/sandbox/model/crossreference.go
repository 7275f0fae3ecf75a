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

// referTo notes in the timelines of the issues and pull requests that a text of
// another one refers to that it does, once for each.
func (s *State) referTo(actor ID, source *Issue, text string) {
	if !strings.ContainsAny(text, "#/-") {
		return
	}
	for _, found := range reference.FindAllStringSubmatch(inCode.ReplaceAllString(text, " "), -1) {
		repo := s.Repos.Get(source.RepoID)
		if owner, name, named := strings.Cut(found[1]+found[2], "/"); named {
			repo = s.Repo(owner, name)
		}
		number, err := strconv.Atoi(found[3])
		if err != nil || repo == nil || s.Permission(actor, repo) < PermRead {
			continue
		}
		target := s.Issue(repo, number)
		if target == nil || target == source || slices.ContainsFunc(s.EventsOf(target), func(e *Event) bool {
			return e.Kind == EventCrossReferenced && e.SubjectID == source.ID
		}) {
			continue
		}
		s.record(actor, target, Event{Kind: EventCrossReferenced, SubjectID: source.ID})
	}
}
