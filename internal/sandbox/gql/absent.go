package gql

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// absentTypes returns the types of which a sandbox has no objects. They are in
// the schema because clients select their fields before they know that there
// is nothing to select them from.
func absentTypes() []string {
	return []string{
		"CodeOfConduct", "FundingLink", "GpgSignature", "IssueTemplate",
		"Mannequin", "DisconnectedEvent", "Project", "ProjectCard", "ProjectColumn",
		"PullRequestTemplate", "RepositoryContactLink",
	}
}

// absentField resolves the fields of types without objects; nil for others.
func absentField(typeName string) graphql.Resolver {
	if !slices.Contains(absentTypes(), typeName) {
		return nil
	}
	return constant(nil)
}

// absentFields resolves what leads to objects of such types: to none.
func absentFields() map[string]graphql.Resolver {
	none := connection(func(*query, any, graphql.Args) ([]any, error) { return nil, nil })
	fields := map[string]graphql.Resolver{
		"Repository.codeOfConduct":     constant(nil),
		"Repository.contactLinks":      constant([]any{}),
		"Repository.fundingLinks":      constant([]any{}),
		"Repository.issueTemplates":    constant([]any{}),
		"Repository.mirrorUrl":         constant(nil),
		"Repository.securityPolicyUrl": constant(nil),
		"Repository.projects":          none,
		"Organization.projects":        none,
		"User.projects":                none,

		"Repository.pullRequestTemplates": constant([]any{}),
	}
	for _, name := range []string{"Issue", "PullRequest"} {
		fields[name+".projectCards"] = none
	}
	return fields
}
