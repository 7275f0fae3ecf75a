package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// The versions of the API that GitHub supports.
const (
	// firstVersion is the one that answers have where none is asked for.
	firstVersion  = "2022-11-28"
	secondVersion = "2026-03-10"
)

// versions are all of them, the newest first.
var versions = []string{secondVersion, firstVersion}

// Version returns which version of the API a request is answered in.
func Version(r *http.Request) string {
	if r.Header.Get("X-GitHub-Api-Version") == secondVersion {
		return secondVersion
	}
	return firstVersion
}

// unsupported is the answer to a request for a version that there is not, false for others.
func unsupported(r *http.Request) (Response, bool) {
	asked := r.Header.Get("X-GitHub-Api-Version")
	if asked == "" || slices.Contains(versions, asked) {
		return Response{}, false
	}
	return Failure(http.StatusBadRequest, fmt.Sprintf("The version you specified in the \"X-GitHub-API-Version\" request header, %q, is not a supported version. "+
		"The following versions are currently supported: %q (most recent), %q.", asked, versions[0], versions[1])), true
}

// takenAway are the fields of answers that the second version does not have any more:
// https://docs.github.com/rest/about-the-rest-api/breaking-changes. Beside each is one by
// which the objects that have it are told from others, such as what a client has sent.
var takenAway = []struct{ field, beside string }{
	{"assignee", "assignees"},
	{"merge_commit_sha", "maintainer_can_modify"},
	{"merge_commit_sha", "requested_reviewers"},
	{"has_downloads", "has_issues"},
	{"master_branch", "default_branch"},
	{"use_squash_pr_title_as_default", "allow_squash_merge"},
	{"rate", "resources"},
	{"authorizations_url", "current_user_url"},
	{"hub_url", "current_user_url"},
	{"forks", "git_pull_url"},
	{"history", "git_pull_url"},
	{"user", "git_pull_url"},
}

// inVersion returns an answer as the version of the request has it.
func (c *call) inVersion(answer []byte) ([]byte, error) {
	if Version(c.Request) == firstVersion {
		return answer, nil
	}
	read := json.NewDecoder(bytes.NewReader(answer))
	read.UseNumber()
	var value any
	if err := read.Decode(&value); err != nil {
		return nil, err
	}
	takeAway(value)
	return encode(value)
}

// takeAway removes what is taken away, at any depth.
func takeAway(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			takeAway(item)
		}
	case map[string]any:
		for _, gone := range takenAway {
			if _, is := value[gone.beside]; is {
				delete(value, gone.field)
			}
		}
		for _, part := range value {
			takeAway(part)
		}
	}
}
