package live

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

const (
	// maxTokens is how many tokens a document may have, maxFields how many
	// fields are looked at, with those of fragments each time they are spread.
	maxTokens = 20_000
	maxFields = 20_000
)

// query is a request to the GraphQL API.
type query struct {
	document  *ast.QueryDocument
	operation *ast.OperationDefinition
	variables map[string]any
}

// parse reads the fields of a request's body.
func (q *query) parse(fields map[string]json.RawMessage) *denial {
	var text, name string
	for _, field := range []struct {
		key string
		to  any
	}{{"query", &text}, {"operationName", &name}, {"variables", &q.variables}} {
		if value, given := fields[field.key]; given && json.Unmarshal(value, field.to) != nil {
			return failure(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		return graphqlFailure("", "A query attribute must be specified and must be a string of GraphQL: "+err.Error())
	}
	q.document, q.operation = document, document.Operations.ForName(name)
	if q.operation == nil {
		return graphqlFailure("", "An operation name is required")
	}
	return nil
}

// mutates reports whether the operation may change something.
func (q query) mutates() bool { return q.operation != nil && q.operation.Operation == ast.Mutation }

// checkQuery judges a request to the GraphQL API, by what can be seen in it:
// names of repositories, ids, searches, and what is about accounts.
func (s scope) checkQuery(q query) *denial {
	w := &walk{scope: s, query: q, left: maxFields}
	if found := w.strings(q.variables); found != nil {
		return found
	}
	return w.selections(q.operation.SelectionSet, "", nil)
}

// walk goes through an operation.
type walk struct {
	scope scope
	query query
	// left is how many fields may still be looked at.
	left int
}

// selections looks at fields. Account is the login of the account whose they
// are, empty where they are not an account's; within are the fragments that
// they are in.
func (w *walk) selections(set ast.SelectionSet, account string, within []string) *denial {
	for _, one := range set {
		if w.left--; w.left < 0 {
			return graphqlFailure("", "The query is too complex")
		}
		var found *denial
		switch one := one.(type) {
		case *ast.Field:
			found = w.field(one, account, within)
		case *ast.InlineFragment:
			found = w.selections(one.SelectionSet, account, within)
		case *ast.FragmentSpread:
			fragment := w.query.document.Fragments.ForName(one.Name)
			if fragment != nil && !slices.Contains(within, one.Name) {
				found = w.selections(fragment.SelectionSet, account, append(slices.Clone(within), one.Name))
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// anybody is the account of a field that does not name one.
const anybody = "*"

func (w *walk) field(f *ast.Field, account string, within []string) *denial {
	arguments := map[string]any{}
	for _, a := range f.Arguments {
		// A variable that is not given is nil.
		value, err := a.Value.Value(w.variables())
		if err != nil {
			return graphqlFailure("", "The argument "+a.Name+" cannot be read")
		}
		arguments[a.Name] = value
	}
	if found := w.strings(arguments); found != nil {
		return found
	}
	if found := w.names(f, arguments, account); found != nil {
		return found
	}
	inside := account
	switch f.Name {
	case "user", "organization", "repositoryOwner":
		inside, _ = arguments["login"].(string)
	case "viewer", "owner":
		inside = anybody
	case "repository":
		inside = ""
	}
	return w.selections(f.SelectionSet, inside, within)
}

// variables returns those of the request, with the defaults of the others.
func (w *walk) variables() map[string]any {
	all := map[string]any{}
	for _, v := range w.query.operation.VariableDefinitions {
		all[v.Variable] = nil
		if v.DefaultValue != nil {
			// A default has no variables in it.
			all[v.Variable], _ = v.DefaultValue.Value(nil)
		}
		if given, ok := w.query.variables[v.Variable]; ok {
			all[v.Variable] = given
		}
	}
	return all
}

// elsewhere are fields that list what is not one repository's.
var elsewhere = []string{
	"repositories", "topRepositories", "repositoriesContributedTo", "starredRepositories", "watching", "gist", "gists", "contributionsCollection",
	"enterprise", "pinnedItems", "pinnableItems", "savedReplies", "publicKeys", "issueComments", "commitComments", "gistComments",
}

// names looks at what a field names.
func (w *walk) names(f *ast.Field, arguments map[string]any, account string) *denial {
	switch f.Name {
	case "repository":
		name, named := arguments["name"].(string)
		owner, owned := arguments["owner"].(string)
		if !owned {
			owner = account
		}
		if named && !w.scope.is(owner, name) {
			return unresolvedAt(f.Alias, "Repository with the name '"+owner+"/"+name+"'.")
		}
	case "search":
		if text, ok := arguments["query"].(string); ok && !w.scope.searches(text) {
			return graphqlFailure("FORBIDDEN", "The search must be limited to repo:"+w.scope.fullName())
		}
	case "resource":
		if address, ok := arguments["url"].(string); ok && !w.scope.hasPage(address) {
			return graphqlFailure("NOT_FOUND", "Could not resolve to a resource with the URL of '"+address+"'.")
		}
	}
	if slices.Contains(elsewhere, f.Name) {
		return graphqlFailure("FORBIDDEN", "Resource not accessible by personal access token")
	}
	if w.query.mutates() && aboutAccounts(f.Name) {
		return graphqlFailure("FORBIDDEN", "Resource not accessible by personal access token")
	}
	return nil
}

// aboutAccounts reports whether a mutation is about accounts, or about the
// settings of a repository.
func aboutAccounts(mutation string) bool {
	for _, part := range []string{"Enterprise", "Organization", "Sponsor", "Ruleset", "BranchProtection", "UserStatus", "UserList", "IpAllowList", "Saml", "Environment", "VerifiableDomain"} {
		if strings.Contains(mutation, part) {
			return true
		}
	}
	for _, begin := range []string{"addStar", "removeStar", "follow", "unfollow", "transferIssue", "createRepository", "cloneTemplateRepository", "updateRepository", "archiveRepository", "unarchiveRepository", "deleteRepository"} {
		if strings.HasPrefix(mutation, begin) {
			return true
		}
	}
	return false
}

// hasPage reports whether an address is that of a page of the repository.
func (s scope) hasPage(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	segments, ok := pathSegments(u)
	return ok && len(segments) >= 2 && s.is(segments[0], segments[1])
}

// strings looks at the texts in a value, for the ids of what is elsewhere and
// for names of repositories.
func (w *walk) strings(value any) *denial {
	switch value := value.(type) {
	case string:
		if number, ok := repositoryOf(value); ok && w.scope.id != 0 && number != w.scope.id {
			return unresolved("node with the global id of '" + value + "'.")
		}
	case []any:
		for _, one := range value {
			if found := w.strings(one); found != nil {
				return found
			}
		}
	case map[string]any:
		for key, one := range value {
			if name, ok := one.(string); ok && key == "repositoryNameWithOwner" && !strings.EqualFold(name, w.scope.fullName()) {
				return unresolved("Repository with the name '" + name + "'.")
			}
			if found := w.strings(one); found != nil {
				return found
			}
		}
	}
	return nil
}

// unresolvedAt is what GitHub answers where a field of the query, by its
// alias, is all that it does not reach.
func unresolvedAt(alias, what string) *denial {
	problem := map[string]any{"type": "NOT_FOUND", "path": []string{alias}, "message": "Could not resolve to a " + what}
	return &denial{http.StatusOK, map[string]any{"data": map[string]any{alias: nil}, "errors": []any{problem}}}
}

// unresolved is what GitHub answers about what a token does not reach.
func unresolved(what string) *denial {
	return graphqlFailure("NOT_FOUND", "Could not resolve to a "+what)
}
