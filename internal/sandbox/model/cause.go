package model

// The causes of what GitHub does by rules of its own, in consequence of what
// was asked for or of what followed from that.
const (
	// CauseMerge moves the base of a pull request that is merged, and
	// CauseMergedBranch deletes its head where the repository wants that.
	CauseMerge        = "merge"
	CauseMergedBranch = "branch of a merge"
	// CauseKeyword closes issues that a merged pull request or a commit of the
	// default branch says it closes.
	CauseKeyword = "closing keyword"
	// CausePush is what follows from a branch that moves: runs start, pull
	// requests get the new head or are merged by it, workflows and languages are
	// read.
	CausePush = "push"
	// CausePull starts runs for an event of a pull request.
	CausePull = "pull request"
	// CauseLinkedBranch puts a pull request in the place of the branch that was
	// linked to an issue.
	CauseLinkedBranch = "linked branch"
	// CauseAutoMerge merges what was to be merged as soon as that is allowed.
	CauseAutoMerge = "auto-merge"
	// CauseQueue is what a merge queue does with what is in it: merge groups, and
	// merges.
	CauseQueue = "merge queue"
	// CauseDeletion is what goes, or is closed, with something that is deleted.
	CauseDeletion = "deletion"
	// CauseReview takes a reviewer off those that are asked for a review, and
	// makes the review that a comment on a line is part of.
	CauseReview = "review"
	// CauseStale dismisses the approvals of what a pull request does not change any
	// more, where a rule wants that.
	CauseStale = "stale review"
	// CauseLabel makes a label that an issue is to have.
	CauseLabel = "label"
	// CauseRelease makes the tag of a release.
	CauseRelease = "release"
	// CauseDeployment makes the environment that is deployed to, and replaces what
	// was deployed there before.
	CauseDeployment = "deployment"
	// CauseRun is what the jobs of a run leave: artifacts.
	CauseRun = "workflow run"
	// CauseTransfer is what goes with a repository's former owner, CauseRename what
	// follows the new name of a branch.
	CauseTransfer = "transfer"
	CauseRename   = "branch rename"
	// CauseCreation is what something new begins with: the labels of a
	// repository, the fields of a project, the branches of a fork.
	CauseCreation = "creation"
)
