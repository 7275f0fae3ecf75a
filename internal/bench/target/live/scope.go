package live

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// scope is what an agent may reach: one repository and its projects.
type scope struct {
	owner, name string
	id          int64
	// accounts own the repository and its projects.
	accounts []string
}

func scopeOf(opts Options) scope {
	s := scope{owner: opts.Manifest.Repo.Owner, name: opts.Manifest.Repo.Name, id: opts.RepositoryID}
	s.accounts = []string{s.owner}
	for _, name := range slices.Sorted(maps.Keys(opts.Manifest.Resources)) {
		if owner, ok := opts.Manifest.Resources[name]["owner"].(string); ok {
			s.accounts = append(s.accounts, owner)
		}
	}
	return s
}

func (s scope) fullName() string { return s.owner + "/" + s.name }

// is reports whether a repository is the one. GitHub's names have no case.
func (s scope) is(owner, name string) bool {
	return strings.EqualFold(owner, s.owner) && strings.EqualFold(name, s.name)
}

func (s scope) hasAccount(login string) bool {
	return slices.ContainsFunc(s.accounts, func(known string) bool { return strings.EqualFold(known, login) })
}

// check returns why a request goes nowhere, nil if it may go on.
func (s scope) check(q *question) *denial {
	segments, ok := pathSegments(q.URL)
	if !ok {
		return notFound()
	}
	switch q.part {
	case partAPI:
		if q.graphQL() {
			return s.checkQuery(q.query)
		}
		return s.checkREST(q.Method, segments, q.URL.Query())
	case partRaw, partWeb, partArchive:
		if len(segments) < 2 || !s.is(segments[0], strings.TrimSuffix(segments[1], ".git")) {
			return notFound()
		}
		return nil
	case partGist:
		return notFound()
	default:
		return nil
	}
}

// pathSegments returns the parts of a path. ok is false where servers may
// disagree on what the path is.
func pathSegments(u *url.URL) (segments []string, ok bool) {
	path := strings.TrimPrefix(u.EscapedPath(), "/")
	if path == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(path, "/") {
		segment, err := url.PathUnescape(part)
		if err != nil || slices.ContainsFunc(strings.Split(segment, "/"), func(s string) bool { return s == "." || s == ".." }) {
			return nil, false
		}
		segments = append(segments, segment)
	}
	// The first three say what the path is about.
	return segments, !slices.Contains(segments[:min(3, len(segments))], "")
}

// publicPaths are about nobody.
var publicPaths = []string{"rate_limit", "meta", "versions", "zen", "octocat", "emojis", "licenses", "gitignore", "codes_of_conduct"}

// checkREST judges a request to the REST API.
func (s scope) checkREST(method string, path []string, query url.Values) *denial {
	reads := method == http.MethodGet || method == http.MethodHead
	first, second, third := at(path, 0), at(path, 1), at(path, 2)
	switch {
	case first == "repos" && s.is(second, third):
		return checkSettings(reads, path[3:])
	case first == "repositories" && s.id != 0 && second == strconv.FormatInt(s.id, 10):
		return checkSettings(reads, path[2:])
	case (first == "users" || first == "orgs") && third == "projectsV2" && s.hasAccount(second):
		return nil
	case !reads:
		return notFound()
	case len(path) == 0, slices.Contains(publicPaths, first):
		return nil
	case len(path) == 1 && first == "user":
		// Tools ask who they are.
		return nil
	case len(path) == 2 && first == "users", len(path) == 2 && first == "orgs" && s.hasAccount(second),
		len(path) == 3 && first == "orgs" && third == "issue-types" && s.hasAccount(second):
		return nil
	case first == "search":
		if !s.searches(query.Get("q")) {
			return unsearchable()
		}
		return nil
	default:
		return notFound()
	}
}

// unsearchable is what GitHub answers to a search in what a token does not
// reach.
func unsearchable() *denial {
	return &denial{http.StatusUnprocessableEntity, map[string]any{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/v3/search/",
		"errors": []map[string]string{{
			"resource": "Search", "field": "q", "code": "invalid",
			"message": "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
		}},
	}}
}

func at(path []string, i int) string {
	if i >= len(path) {
		return ""
	}
	return path[i]
}

// settings are the parts of a repository that only its administrators write,
// by the first part of the path below the repository's; those of actions and
// of branches by the second and third.
var (
	settings = []string{
		"", "transfer", "forks", "generate", "hooks", "keys", "collaborators", "invitations", "rulesets", "environments", "pages", "import",
		"interaction-limits", "vulnerability-alerts", "automated-security-fixes", "private-vulnerability-reporting", "autolinks", "properties",
		"dependabot", "codespaces", "topics", "teams", "subscription", "attestations",
	}
	actionsSettings = []string{"secrets", "variables", "runners", "permissions", "oidc", "organization-secrets", "organization-variables"}
)

// checkSettings keeps agents from a repository's settings, for tokens that
// reach them.
func checkSettings(reads bool, below []string) *denial {
	isSetting := slices.Contains(settings, at(below, 0)) ||
		at(below, 0) == "actions" && slices.Contains(actionsSettings, at(below, 1)) ||
		at(below, 0) == "branches" && slices.Contains(below, "protection")
	if reads || !isSetting {
		return nil
	}
	return failure(http.StatusForbidden, "Must have admin rights to Repository.")
}

// searches reports whether a search is limited to the repository.
func (s scope) searches(query string) bool {
	limited := false
	for word := range strings.FieldsSeq(query) {
		word = strings.Trim(word, `"()`)
		qualifier, value, found := strings.Cut(strings.ToLower(word), ":")
		switch {
		case !found:
			if qualifier == "or" {
				// What stands on its other side may be limited to nothing.
				return false
			}
		case qualifier == "repo":
			if strings.Trim(value, `"()`) != strings.ToLower(s.fullName()) {
				return false
			}
			limited = true
		case qualifier == "user" || qualifier == "org" || qualifier == "owner":
			return false
		}
	}
	return limited
}
