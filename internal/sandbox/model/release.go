package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Release is a release of a repository, or the draft of one.
type Release struct {
	ID       ID
	RepoID   ID
	AuthorID ID
	// TagName is the tag's; that of a draft need not exist yet.
	TagName string
	// Target is the branch or commit that the tag is made at when there is
	// none.
	Target     string
	Name       string
	Body       string
	Draft      bool
	Prerelease bool
	// LatestAt is when it was made the latest release, nil if it never was.
	LatestAt  *time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
	// PublishedAt is nil for drafts.
	PublishedAt *time.Time
	Assets      []Asset
	// DiscussionID is what was begun with it, 0 for nothing.
	DiscussionID ID `json:",omitempty"`
}

func (r *Release) clone() *Release {
	c := *r
	c.LatestAt, c.PublishedAt = copyOf(r.LatestAt), copyOf(r.PublishedAt)
	c.Assets = slices.Clone(r.Assets)
	for i := range c.Assets {
		c.Assets[i].Content = slices.Clone(c.Assets[i].Content)
	}
	return &c
}

// The settings of [ReleaseEdit.MakeLatest].
const (
	LatestYes    = "true"
	LatestNo     = "false"
	LatestLegacy = "legacy"
)

// maxReleaseBody is the longest text of a release, in characters.
const maxReleaseBody = 125000

// ReleaseEdit is a change of a release, or what a new one is to be; nil fields
// stay as they are.
type ReleaseEdit struct {
	TagName, Target, Name, Body *string
	Draft, Prerelease           *bool
	// MakeLatest says whether the release becomes the latest one when it is
	// published: [LatestYes] if it is empty.
	MakeLatest string
}

const releaseResource = "Release"

// ReleasesOf returns a repository's releases, newest first. Drafts are for
// those who may write.
func (s *State) ReleasesOf(viewer ID, repo *Repo) []*Release {
	found := s.Releases.whereOf(releaseByRepo, key{of: repo.ID}, func(r *Release) bool { return s.SeesRelease(viewer, r) })
	slices.Reverse(found)
	return found
}

// SeesRelease reports whether a user sees a release of a repository that he
// may read.
func (s *State) SeesRelease(viewer ID, r *Release) bool {
	return !r.Draft || s.Permission(viewer, s.Repos.Get(r.RepoID)) >= PermWrite
}

// PublishedRelease returns the release of a tag that is no draft, nil if there
// is none.
func (s *State) PublishedRelease(repo *Repo, tag string) *Release {
	return s.Releases.firstOf(releaseByRepo, key{of: repo.ID}, func(r *Release) bool { return !r.Draft && r.TagName == tag })
}

// ReleasePage returns the path of a release's page. That of a draft has a name
// of its own, because its tag may not exist.
func (s *State) ReleasePage(r *Release) string {
	tag := r.TagName
	if r.Draft {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(r.ID)))
		tag = "untagged-" + hex.EncodeToString(sum[:10])
	}
	return "/" + s.FullName(s.Repos.Get(r.RepoID)) + "/releases/tag/" + (&url.URL{Path: tag}).EscapedPath()
}

// LatestRelease returns the release that was last made the latest one, or else
// the one that was published last; nil if there is none. Drafts and
// prereleases are never the latest.
func (s *State) LatestRelease(repo *Repo) *Release {
	var latest *Release
	for _, r := range s.Releases.find(releaseByRepo, key{of: repo.ID}) {
		if !r.Draft && !r.Prerelease && (latest == nil || latest.before(r)) {
			latest = r
		}
	}
	return latest
}

// before reports whether another release is rather the latest one.
func (r *Release) before(other *Release) bool {
	switch {
	case r.LatestAt != nil && other.LatestAt != nil:
		return r.LatestAt.Before(*other.LatestAt)
	case r.LatestAt == nil && other.LatestAt == nil:
		return r.PublishedAt.Before(*other.PublishedAt)
	default:
		return other.LatestAt != nil
	}
}

// CreateRelease makes a release or a draft of one. A release whose tag does
// not exist makes it.
func (s *State) CreateRelease(actor ID, repo *Repo, in ReleaseEdit) (*Release, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	if repo.Empty() {
		return nil, custom(releaseResource, "", "Repository is empty.")
	}
	r := &Release{RepoID: repo.ID, AuthorID: actor, Target: repo.DefaultBranch, Draft: true}
	if in.Draft == nil {
		in.Draft = new(bool)
	}
	changed, err := s.changedRelease(repo, r, in)
	if err != nil {
		return nil, err
	}
	now := s.Advance()
	changed.ID, changed.CreatedAt = s.newID(), now
	return s.Releases.Add(changed.ID, changed), s.settleRelease(actor, repo, r, changed, in.MakeLatest)
}

// EditRelease changes a release; a draft that is to be none is published.
func (s *State) EditRelease(actor ID, r *Release, edit ReleaseEdit) error {
	repo := s.Repos.Get(r.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	changed, err := s.changedRelease(repo, r, edit)
	if err != nil {
		return err
	}
	s.Advance()
	before := *r
	*r = *changed
	return s.settleRelease(actor, repo, &before, r, edit.MakeLatest)
}

// DiscussRelease begins the discussion of a release that is published, in a category of
// its repository. One that is discussed already stays as it is.
func (s *State) DiscussRelease(actor ID, r *Release, category string) error {
	repo := s.Repos.Get(r.RepoID)
	at := slices.IndexFunc(repo.DiscussionCategories, func(c DiscussionCategory) bool { return strings.EqualFold(c.Name, category) })
	switch {
	case r.DiscussionID != 0:
		return nil
	case !repo.HasDiscussions || at < 0:
		return invalid(releaseResource, "discussion_category_name", "invalid")
	}
	d, err := s.CreateDiscussion(actor, repo, NewDiscussion{Title: orElse(r.Name, r.TagName), Body: orElse(r.Body, r.TagName), CategoryID: repo.DiscussionCategories[at].ID})
	if err == nil {
		r.DiscussionID = d.ID
	}
	return err
}

// settleRelease does what follows from a change: it makes the tag, and notes
// when the release was published.
func (s *State) settleRelease(actor ID, repo *Repo, before, after *Release, latest string) error {
	now := s.Now
	after.UpdatedAt = now
	if after.Draft {
		after.PublishedAt, after.LatestAt = nil, nil
		return nil
	}
	if after.PublishedAt == nil {
		after.PublishedAt = &now
		s.tellWatchers(actor, repo.ID, after.ID)
	}
	if !after.Prerelease && (latest == LatestYes || latest == "" && before.Draft) {
		after.LatestAt = &now
	}
	if latest == LatestNo {
		after.LatestAt = nil
	}
	ref := tagsPrefix + after.TagName
	if _, exists := repo.Git.Ref(ref); exists {
		return nil
	}
	at, err := repo.Git.Resolve(after.Target)
	if err != nil {
		return err
	}
	s.because(CauseRelease, func() { err = s.moveRef(actor, repo, ref, at, byRefs) })
	return err
}

// changedRelease returns a release as it is to be, or why it cannot be so.
func (s *State) changedRelease(repo *Repo, r *Release, edit ReleaseEdit) (*Release, error) {
	c := r.clone()
	assign(&c.TagName, edit.TagName)
	assign(&c.Target, edit.Target)
	assign(&c.Name, edit.Name)
	assign(&c.Body, edit.Body)
	assign(&c.Draft, edit.Draft)
	assign(&c.Prerelease, edit.Prerelease)
	c.Target = orElse(c.Target, repo.DefaultBranch)
	switch other := s.PublishedRelease(repo, c.TagName); {
	case strings.TrimSpace(c.TagName) == "":
		return nil, invalid(releaseResource, "tag_name", "missing_field")
	case gitstore.ValidRefName(tagsPrefix+c.TagName) != nil:
		return nil, custom(releaseResource, "", "tag_name is not well-formed")
	case !c.Draft && other != nil && other != r:
		return nil, invalid(releaseResource, "tag_name", "already_exists")
	case utf8.RuneCountInString(c.Body) > maxReleaseBody:
		return nil, custom(releaseResource, "body", "body is too long (maximum is %d characters)", maxReleaseBody)
	case edit.MakeLatest == LatestYes && (c.Draft || c.Prerelease):
		return nil, custom(releaseResource, "", "Latest release cannot be draft or prerelease")
	}
	return c, checkReleaseTarget(repo, c)
}

// checkReleaseTarget refuses a tag that neither exists nor can be made.
func checkReleaseTarget(repo *Repo, r *Release) error {
	if _, exists := repo.Git.Ref(tagsPrefix + r.TagName); exists {
		return nil
	}
	at, err := repo.Git.Resolve(r.Target)
	if err == nil {
		_, err = repo.Git.Commit(at)
	}
	if err == nil {
		return nil
	}
	bad := invalid(releaseResource, "target_commitish", "invalid")
	if !r.Draft {
		bad.Errors = slices.Concat(custom(releaseResource, "", "tag_name is not a valid tag").Errors,
			custom(releaseResource, "", "Published releases must have a valid tag").Errors, bad.Errors)
	}
	return bad
}

// DeleteRelease removes a release; its tag stays.
func (s *State) DeleteRelease(actor ID, r *Release) error {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		s.dropNotifications(r.ID)
		s.dropReactions(r.ID)
	})
	s.Releases.Delete(r.ID)
	return nil
}

// ReleaseNotes are notes that are made from what was merged.
type ReleaseNotes struct {
	// Pulls are the pull requests that were merged since the earlier tag, the
	// first one first.
	Pulls []*Issue
	// Previous is the earlier tag, empty for the first release.
	Previous string
}

// GenerateReleaseNotes returns what a release of a tag is about: what was
// merged since another tag, that of the latest release if none is named.
func (s *State) GenerateReleaseNotes(actor ID, repo *Repo, tag, target, previous string) (ReleaseNotes, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return ReleaseNotes{}, err
	}
	to, err := repo.Git.Resolve(tagsPrefix + tag)
	if err != nil {
		to, err = repo.Git.Resolve(orElse(target, repo.DefaultBranch))
	}
	if err != nil {
		return ReleaseNotes{}, unprocessable("Invalid target_commitish parameter")
	}
	notes := ReleaseNotes{Previous: previous}
	if latest := s.LatestRelease(repo); previous == "" && latest != nil && latest.TagName != tag {
		notes.Previous = latest.TagName
	}
	known := map[string]bool{}
	if notes.Previous != "" {
		from, err := repo.Git.Resolve(tagsPrefix + notes.Previous)
		if err != nil {
			return ReleaseNotes{}, unprocessable("Invalid previous_tag parameter")
		}
		since, err := repo.Git.Between(from, to)
		if err != nil {
			return ReleaseNotes{}, err
		}
		for _, c := range since {
			known[c.Hash.String()] = true
		}
	}
	notes.Pulls = s.Issues.whereOf(pullByRepo, key{of: repo.ID}, func(i *Issue) bool {
		return i.Pull.Merged() && (notes.Previous == "" || known[i.Pull.MergeCommitSHA])
	})
	return notes, nil
}

// releases checks the releases of a world that was read from a file.
func (v *validation) releases() {
	each(v, "release", &v.s.Releases, func(r *Release) ID { return r.ID }, func(r *Release, must demand) {
		must(v.repo(r.RepoID), lacksRepo)
		must(r.Draft == (r.PublishedAt == nil), "is a draft that was published, or neither")
	})
}
