package gql

import (
	"maps"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// typeOf returns the name of an object's type in the schema.
func typeOf(obj any) string {
	switch obj := obj.(type) {
	case *model.User:
		return string(obj.Type)
	case *model.Repo:
		return "Repository"
	case *model.Issue:
		if obj.Pull != nil {
			return "PullRequest"
		}
		return "Issue"
	case *model.Comment:
		return "IssueComment"
	case *model.Review:
		return "PullRequestReview"
	case *model.Thread:
		return "PullRequestReviewThread"
	case *model.ReviewComment:
		return "PullRequestReviewComment"
	case *model.Label:
		return "Label"
	case *model.Milestone:
		return "Milestone"
	case *model.CheckRun:
		return "CheckRun"
	case *model.CommitStatus:
		return "StatusContext"
	case *model.Reaction:
		return "Reaction"
	case commitStatus:
		return "Status"
	case *model.CheckSuite:
		return "CheckSuite"
	case *model.Run:
		return "WorkflowRun"
	case *model.Workflow:
		return "Workflow"
	case *model.App:
		return "App"
	case *model.Release:
		return "Release"
	case releaseAsset:
		return "ReleaseAsset"
	case *model.Event:
		return timelineType(obj)
	case commit:
		return "Commit"
	case pullCommit:
		return "PullRequestCommit"
	case ref:
		return "Ref"
	case tree:
		return "Tree"
	case blob:
		return "Blob"
	case treeEntry:
		return "TreeEntry"
	case pinnedIssue:
		return "PinnedIssue"
	case githubschema.License:
		return "License"
	case branchRule:
		return "BranchProtectionRule"
	case ruleset:
		return "RepositoryRuleset"
	case rulesetRule:
		return "RepositoryRule"
	case *model.Team:
		return "Team"
	case *model.IssueType:
		return "IssueType"
	case *model.Gist:
		return "Gist"
	case linkedBranch:
		return "LinkedBranch"
	case repositoryTopic:
		return "RepositoryTopic"
	case topic:
		return "Topic"
	case *model.Discussion:
		return "Discussion"
	case *model.DiscussionComment:
		return "DiscussionComment"
	case category:
		return "DiscussionCategory"
	default:
		return typeOfProjects(obj)
	}
}

// sharedFields resolves what objects of many types have.
func sharedFields() map[string]graphql.Resolver {
	fact := func(get func(q *query, f facts) any) graphql.Resolver {
		return prop(func(q *query, obj any) any { return get(q, q.facts(obj)) })
	}
	fields := map[string]graphql.Resolver{
		"Node.id":                 fact(func(_ *query, f facts) any { return f.node }),
		"Comment.author":          fact(func(q *query, f facts) any { return present(q.s.Users.Get(f.author)) }),
		"Comment.body":            fact(func(_ *query, f facts) any { return f.body }),
		"Comment.bodyText":        fact(func(_ *query, f facts) any { return f.body }),
		"Comment.createdAt":       fact(func(_ *query, f facts) any { return f.created }),
		"Comment.updatedAt":       fact(func(_ *query, f facts) any { return f.updated }),
		"Comment.viewerDidAuthor": fact(func(q *query, f facts) any { return f.author == q.actor }),
		"Comment.authorAssociation": fact(func(q *query, f facts) any {
			return q.s.Association(f.author, q.s.Repos.Get(f.repo))
		}),
		"Comment.includesCreatedEdit": constant(false),
		"Minimizable.isMinimized":     prop(func(_ *query, obj any) any { return minimized(obj) != "" }),
		"Minimizable.minimizedReason": prop(func(_ *query, obj any) any { return orNil(minimized(obj)) }),
	}
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return f.id }), "databaseId",
		"Reaction", "User", "Organization", "Bot", "App", "Repository", "Issue", "PullRequest", "IssueComment", "PullRequestReview",
		"PullRequestReviewComment", "CheckRun", "CheckSuite", "WorkflowRun", "Workflow", "Release", "Team", "Discussion", "DiscussionComment",
		"ProjectV2", "ProjectV2FieldCommon", "ProjectV2Item", "ProjectV2ItemFieldValueCommon"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return f.id }), "fullDatabaseId",
		"Issue", "PullRequest", "IssueComment", "PullRequestReview", "PullRequestReviewComment", "ProjectV2", "ProjectV2Item"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return f.created }), "createdAt",
		"Reaction", "User", "Organization", "Bot", "App", "Repository", "Label", "Milestone", "CheckSuite", "WorkflowRun", "Workflow", "Release", "ReleaseAsset", "Team", "Gist", "DiscussionCategory",
		"ProjectV2", "ProjectV2FieldCommon", "ProjectV2Item", "ProjectV2ItemFieldValueCommon", "DraftIssue"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return f.updated }), "updatedAt",
		"Repository", "Label", "Milestone", "CheckSuite", "WorkflowRun", "Workflow", "Release", "ReleaseAsset", "Team", "Gist", "DiscussionCategory",
		"ProjectV2", "ProjectV2FieldCommon", "ProjectV2Item", "ProjectV2ItemFieldValueCommon", "DraftIssue"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return webURL + f.path }), "url",
		"Actor", "RepositoryOwner", "UniformResourceLocatable", "IssueComment", "PullRequestReview",
		"PullRequestReviewComment", "Label", "CheckSuite", "App", "ProjectV2", "Team", "Discussion", "DiscussionComment"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return webURL + f.path }), "permalink", "PullRequest", "CheckRun"))
	maps.Copy(fields, onTypes(fact(func(_ *query, f facts) any { return f.path }), "resourcePath",
		"Actor", "RepositoryOwner", "UniformResourceLocatable", "IssueComment", "PullRequestReview",
		"PullRequestReviewComment", "Label", "CheckSuite", "ProjectV2", "Team", "Discussion", "DiscussionComment"))
	maps.Copy(fields, onTypes(fact(func(q *query, f facts) any { return present(q.s.Repos.Get(f.repo)) }), "repository",
		"RepositoryNode", "PullRequestReviewThread", "Label", "Milestone", "CheckRun", "CheckSuite", "GitObject", "Ref", "Release"))
	return fields
}

// onTypes gives a field of several types one resolver.
func onTypes(resolver graphql.Resolver, field string, types ...string) map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{}
	for _, name := range types {
		fields[name+"."+field] = resolver
	}
	return fields
}

// minimized is why something that was said is hidden, empty if it is not.
func minimized(obj any) string {
	switch o := obj.(type) {
	case *model.Comment:
		return o.Minimized
	case *model.Review:
		return o.Minimized
	case *model.ReviewComment:
		return o.Minimized
	case *model.DiscussionComment:
		return o.Minimized
	default:
		return ""
	}
}
