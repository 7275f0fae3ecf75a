package rest

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type link struct {
	Href string `json:"href"`
}

type branchEnd struct {
	Label string    `json:"label"`
	Ref   string    `json:"ref"`
	SHA   string    `json:"sha"`
	User  *userView `json:"user"`
	Repo  *repoView `json:"repo"`
}

type pullView struct {
	URL                string          `json:"url"`
	ID                 int64           `json:"id"`
	NodeID             string          `json:"node_id"`
	HTMLURL            string          `json:"html_url"`
	DiffURL            string          `json:"diff_url"`
	PatchURL           string          `json:"patch_url"`
	IssueURL           string          `json:"issue_url"`
	Number             int             `json:"number"`
	State              string          `json:"state"`
	Locked             bool            `json:"locked"`
	Title              string          `json:"title"`
	User               *userView       `json:"user"`
	Body               *string         `json:"body"`
	CreatedAt          stamp           `json:"created_at"`
	UpdatedAt          stamp           `json:"updated_at"`
	ClosedAt           stamp           `json:"closed_at"`
	MergedAt           stamp           `json:"merged_at"`
	MergeCommitSHA     *string         `json:"merge_commit_sha"`
	Assignee           *userView       `json:"assignee"`
	Assignees          []*userView     `json:"assignees"`
	RequestedReviewers []*userView     `json:"requested_reviewers"`
	RequestedTeams     []teamView      `json:"requested_teams"`
	Labels             []labelView     `json:"labels"`
	Milestone          *milestoneView  `json:"milestone"`
	Draft              bool            `json:"draft"`
	CommitsURL         string          `json:"commits_url"`
	ReviewCommentsURL  string          `json:"review_comments_url"`
	ReviewCommentURL   string          `json:"review_comment_url"`
	CommentsURL        string          `json:"comments_url"`
	StatusesURL        string          `json:"statuses_url"`
	Head               branchEnd       `json:"head"`
	Base               branchEnd       `json:"base"`
	Links              map[string]link `json:"_links"`
	AuthorAssociation  string          `json:"author_association"`
	AutoMerge          *autoMergeView  `json:"auto_merge"`
	ActiveLockReason   *string         `json:"active_lock_reason"`
	*pullDetails
}

// pullDetails is what only a pull request's own page shows.
type pullDetails struct {
	Merged              bool      `json:"merged"`
	Mergeable           *bool     `json:"mergeable"`
	Rebaseable          *bool     `json:"rebaseable"`
	MergeableState      string    `json:"mergeable_state"`
	MergedBy            *userView `json:"merged_by"`
	Comments            int       `json:"comments"`
	ReviewComments      int       `json:"review_comments"`
	MaintainerCanModify bool      `json:"maintainer_can_modify"`
	Commits             int       `json:"commits"`
	Additions           int       `json:"additions"`
	Deletions           int       `json:"deletions"`
	ChangedFiles        int       `json:"changed_files"`
}

// pull is the pull request as lists show it.
func (v *view) pull(i *model.Issue) pullView {
	repo := v.s.Repos.Get(i.RepoID)
	api := fmt.Sprintf("%s/pulls/%d", v.repoURL(i.RepoID), i.Number)
	issueAPI := fmt.Sprintf("%s/issues/%d", v.repoURL(i.RepoID), i.Number)
	html := v.issueHTML(i)
	statuses := v.repoURL(i.RepoID) + "/statuses/" + i.Pull.HeadSHA
	shared := v.issue(i)
	base := branchEnd{
		Label: v.s.Login(repo.OwnerID) + ":" + i.Pull.BaseRef, Ref: i.Pull.BaseRef, SHA: i.Pull.BaseSHA, User: v.user(repo.OwnerID), Repo: v.repo(repo),
	}
	head := branchEnd{Label: "unknown:" + i.Pull.HeadRef, Ref: i.Pull.HeadRef, SHA: i.Pull.HeadSHA}
	if from := v.s.HeadRepo(i); from != nil {
		head.Label, head.User, head.Repo = v.s.Login(from.OwnerID)+":"+i.Pull.HeadRef, v.user(from.OwnerID), base.Repo
		if from != repo {
			head.Repo = v.repo(from)
		}
	}
	return pullView{
		URL: api, ID: i.Pull.ID, NodeID: shared.NodeID, HTMLURL: html, DiffURL: html + ".diff", PatchURL: html + ".patch",
		IssueURL: issueAPI, Number: i.Number, State: shared.State, Locked: i.Locked, Title: i.Title, User: shared.User,
		Body: shared.Body, CreatedAt: shared.CreatedAt, UpdatedAt: shared.UpdatedAt, ClosedAt: shared.ClosedAt,
		MergedAt: maybe(i.Pull.MergedAt), MergeCommitSHA: optional(i.Pull.MergeCommitSHA), Assignee: shared.Assignee,
		Assignees: shared.Assignees, RequestedReviewers: v.users(i.Pull.RequestedReviewers), RequestedTeams: v.teams(i.Pull.RequestedTeams),
		AutoMerge: v.autoMerge(i), ActiveLockReason: shared.ActiveLockReason,
		Labels: shared.Labels, Milestone: shared.Milestone, Draft: i.Pull.Draft, CommitsURL: api + "/commits",
		ReviewCommentsURL: api + "/comments", ReviewCommentURL: v.repoURL(i.RepoID) + "/pulls/comments{/number}",
		CommentsURL: issueAPI + "/comments", StatusesURL: statuses, Head: head,
		Base: base, AuthorAssociation: shared.AuthorAssociation,
		Links: map[string]link{
			"self": {api}, "html": {html}, "issue": {issueAPI}, "comments": {issueAPI + "/comments"},
			"review_comments": {api + "/comments"}, "review_comment": {v.repoURL(i.RepoID) + "/pulls/comments{/number}"},
			"commits": {api + "/commits"}, "statuses": {statuses},
		},
	}
}

type autoMergeView struct {
	EnabledBy     *userView `json:"enabled_by"`
	MergeMethod   string    `json:"merge_method"`
	CommitTitle   *string   `json:"commit_title"`
	CommitMessage *string   `json:"commit_message"`
}

func (v *view) autoMerge(i *model.Issue) *autoMergeView {
	a := i.Pull.AutoMerge
	if a == nil {
		return nil
	}
	return &autoMergeView{v.user(a.ByID), string(a.Merge.Method), optional(a.Merge.Title), optional(a.Merge.Message)}
}

// fullPull is the pull request's own page.
func (v *view) fullPull(i *model.Issue) (pullView, error) {
	view := v.pull(i)
	files, err := v.s.PullDiff(i)
	if err != nil {
		return view, err
	}
	commits, err := v.s.PullCommits(i)
	if err != nil {
		return view, err
	}
	d := &pullDetails{
		Merged: i.Pull.Merged(), MergedBy: v.user(i.Pull.MergedBy), Comments: v.s.CommentCount(i),
		ReviewComments: len(v.s.SubmittedComments(i)), MaintainerCanModify: i.Pull.MaintainerCanModify,
		Commits: len(commits), ChangedFiles: len(files),
	}
	for _, f := range files {
		d.Additions += f.Additions
		d.Deletions += f.Deletions
	}
	view.pullDetails = d
	return view, v.mergeability(i, d)
}

// mergeability fills in whether a pull request can be merged; null where that
// is not known.
func (v *view) mergeability(i *model.Issue, d *pullDetails) error {
	state, err := v.s.MergeState(i)
	d.MergeableState = strings.ToLower(string(state))
	if err != nil || state == model.MergeUnknown {
		return err
	}
	mergeable := state != model.MergeDirty
	rebaseable, err := v.s.Rebaseable(i)
	d.Mergeable, d.Rebaseable = &mergeable, &rebaseable
	return err
}

type reviewView struct {
	ID                int64           `json:"id"`
	NodeID            string          `json:"node_id"`
	User              *userView       `json:"user"`
	Body              string          `json:"body"`
	State             string          `json:"state"`
	HTMLURL           string          `json:"html_url"`
	PullRequestURL    string          `json:"pull_request_url"`
	AuthorAssociation string          `json:"author_association"`
	Links             map[string]link `json:"_links"`
	SubmittedAt       *stamp          `json:"submitted_at,omitempty"`
	CommitID          string          `json:"commit_id"`
}

func (v *view) review(r *model.Review) reviewView {
	i := v.s.Issues.Get(r.IssueID)
	html := fmt.Sprintf("%s#pullrequestreview-%d", v.issueHTML(i), r.ID)
	pull := fmt.Sprintf("%s/pulls/%d", v.repoURL(r.RepoID), i.Number)
	view := reviewView{
		ID: r.ID, NodeID: model.NodeID(model.NodeReview, r.RepoID, r.ID), User: v.user(r.AuthorID), Body: r.Body,
		State: string(r.State), HTMLURL: html, PullRequestURL: pull,
		AuthorAssociation: v.s.Association(r.AuthorID, v.s.Repos.Get(r.RepoID)),
		Links:             map[string]link{"html": {html}, "pull_request": {pull}}, CommitID: r.CommitSHA,
	}
	if r.SubmittedAt != nil {
		submitted := at(*r.SubmittedAt)
		view.SubmittedAt = &submitted
	}
	return view
}

type reviewCommentView struct {
	URL                 string          `json:"url"`
	PullRequestReviewID int64           `json:"pull_request_review_id"`
	ID                  int64           `json:"id"`
	NodeID              string          `json:"node_id"`
	DiffHunk            string          `json:"diff_hunk"`
	Path                string          `json:"path"`
	CommitID            string          `json:"commit_id"`
	OriginalCommitID    string          `json:"original_commit_id"`
	InReplyToID         int64           `json:"in_reply_to_id,omitempty"`
	User                *userView       `json:"user"`
	Body                string          `json:"body"`
	CreatedAt           stamp           `json:"created_at"`
	UpdatedAt           stamp           `json:"updated_at"`
	HTMLURL             string          `json:"html_url"`
	PullRequestURL      string          `json:"pull_request_url"`
	AuthorAssociation   string          `json:"author_association"`
	Links               map[string]link `json:"_links"`
	StartLine           *int            `json:"start_line"`
	OriginalStartLine   *int            `json:"original_start_line"`
	StartSide           *string         `json:"start_side"`
	Line                *int            `json:"line"`
	OriginalLine        *int            `json:"original_line"`
	Side                string          `json:"side"`
	SubjectType         string          `json:"subject_type"`
	// Position is how far below the header of its hunk a comment is, as older clients
	// know its place; nil where that is no more, OriginalPosition how far it was.
	Position         *int           `json:"position"`
	OriginalPosition int            `json:"original_position"`
	Reactions        map[string]any `json:"reactions"`
}

func (v *view) reviewComments(comments []*model.ReviewComment) ([]reviewCommentView, error) {
	views := make([]reviewCommentView, 0, len(comments))
	for _, c := range comments {
		view, err := v.reviewComment(c)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

func (v *view) reviewComment(c *model.ReviewComment) (reviewCommentView, error) {
	return v.commentInThread(c, v.s.Threads.Get(c.ThreadID))
}

// commentInThread shows a comment of a thread, which may be gone.
func (v *view) commentInThread(c *model.ReviewComment, t *model.Thread) (reviewCommentView, error) {
	i := v.s.Issues.Get(t.IssueID)
	api := fmt.Sprintf("%s/pulls/comments/%d", v.repoURL(c.RepoID), c.ID)
	html := fmt.Sprintf("%s#discussion_r%d", v.issueHTML(i), c.ID)
	pull := fmt.Sprintf("%s/pulls/%d", v.repoURL(c.RepoID), i.Number)
	view := reviewCommentView{
		URL: api, PullRequestReviewID: c.ReviewID, ID: c.ID, NodeID: model.NodeID(model.NodeReviewComment, c.RepoID, c.ID),
		DiffHunk: c.DiffHunk, Path: t.Path, CommitID: i.Pull.HeadSHA, OriginalCommitID: c.CommitSHA,
		InReplyToID: c.InReplyTo, User: v.user(c.AuthorID), Body: c.Body, CreatedAt: at(c.CreatedAt),
		UpdatedAt: at(c.UpdatedAt), HTMLURL: html, PullRequestURL: pull,
		AuthorAssociation: v.s.Association(c.AuthorID, v.s.Repos.Get(c.RepoID)),
		Links:             map[string]link{"self": {api}, "html": {html}, "pull_request": {pull}},
		OriginalLine:      number(t.Line), OriginalStartLine: number(t.StartLine), StartSide: optional(t.StartSide),
		Side: string(t.Side), SubjectType: "line", OriginalPosition: max(1, strings.Count(c.DiffHunk, "\n")), Reactions: v.reactions(api, c.ID),
	}
	if t.FileWide {
		view.SubjectType = "file"
	}
	place, err := v.s.PlaceOf(t)
	view.Line, view.StartLine = number(place.Line), number(place.StartLine)
	if view.Line != nil || t.FileWide {
		view.Position = &view.OriginalPosition
	}
	return view, err
}

// number returns a pointer to n, nil for 0.
func number(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

type fileView struct {
	SHA              string  `json:"sha"`
	Filename         string  `json:"filename"`
	Status           string  `json:"status"`
	Additions        int     `json:"additions"`
	Deletions        int     `json:"deletions"`
	Changes          int     `json:"changes"`
	BlobURL          string  `json:"blob_url"`
	RawURL           string  `json:"raw_url"`
	ContentsURL      string  `json:"contents_url"`
	Patch            *string `json:"patch,omitempty"`
	PreviousFilename string  `json:"previous_filename,omitempty"`
}

func (v *view) file(repo *model.Repo, commit string, f gitstore.FileDiff) fileView {
	blob := f.NewBlob
	if blob.IsZero() {
		blob = f.OldBlob
	}
	html, name := v.repoHTML(repo.ID), pathEscape(f.Path)
	return fileView{
		SHA: blob.String(), Filename: f.Path, Status: f.Status, Additions: f.Additions, Deletions: f.Deletions,
		Changes: f.Additions + f.Deletions, BlobURL: html + "/blob/" + commit + "/" + name,
		RawURL: html + "/raw/" + commit + "/" + name, ContentsURL: v.repoURL(repo.ID) + "/contents/" + name + "?ref=" + commit,
		Patch: optional(f.Patch), PreviousFilename: f.PreviousPath,
	}
}
