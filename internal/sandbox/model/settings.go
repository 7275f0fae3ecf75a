package model

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

var (
	repoName  = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)
	topicName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,49}$`)
)

// maxTopics is how many topics a repository may have.
const maxTopics = 20

// maxRepoDescription is the longest description of a repository, in
// characters.
const maxRepoDescription = 350

const repoResource = "Repository"

// defaultLabels are those with which every new repository begins.
var defaultLabels = []NewLabel{
	{"bug", "d73a4a", "Something isn't working"},
	{"documentation", "0075ca", "Improvements or additions to documentation"},
	{"duplicate", "cfd3d7", "This issue or pull request already exists"},
	{"enhancement", "a2eeef", "New feature or request"},
	{"good first issue", "7057ff", "Good for newcomers"},
	{"help wanted", "008672", "Extra attention is needed"},
	{"invalid", "e4e669", "This doesn't seem right"},
	{"question", "d876e3", "Further information is requested"},
	{"wontfix", "ffffff", "This will not be worked on"},
}

// CreateRepo makes a repository of an account, with GitHub's labels. With files
// it begins with a commit of those.
func (s *State) CreateRepo(actor ID, in NewRepo, files ...gitstore.Change) (*Repo, error) {
	account := s.Users.Get(in.Owner)
	if account == nil || account.ID != actor && account.Members[actor] == "" {
		return nil, &Problem{Kind: Forbidden, Message: "You need admin access to the organization before adding a repository to it.", Lacking: true}
	}
	err := s.checkRepoName(in.Owner, in.Name)
	if err == nil && len([]rune(in.Description)) > maxRepoDescription {
		err = custom(repoResource, "description", "description cannot be more than %d characters", maxRepoDescription)
	}
	if err != nil {
		err.Message = "Repository creation failed."
		return nil, err
	}
	repo := s.AddRepo(in)
	if account.ID != actor {
		repo.Collaborators[actor] = PermAdmin
	}
	for _, l := range defaultLabels {
		label := s.addLabel(repo, l)
		label.Default = true
		s.follows(label.ID, CauseCreation)
	}
	if len(files) > 0 {
		return repo, s.PushInitial(actor, repo, files, "Initial commit")
	}
	return repo, nil
}

func (s *State) checkRepoName(owner ID, name string) *Problem {
	switch {
	case name == "":
		return invalid(repoResource, "name", "missing_field")
	case !repoName.MatchString(name) || name == "." || name == "..":
		return custom(repoResource, "name", "name can only contain ASCII letters, digits, and the characters ., -, and _.")
	case s.repoNamed(s.Login(owner), name) != nil:
		return custom(repoResource, "name", "name already exists on this account")
	default:
		return nil
	}
}

// RepoEdit changes a repository's settings; nil fields stay.
type RepoEdit struct {
	Name, Description, Homepage, DefaultBranch         *string
	Private, Archived, HasIssues                       *bool
	AllowMerge, AllowSquash, AllowRebase               *bool
	AllowAutoMerge, DeleteBranchOnMerge, AllowUpdating *bool
	HasWiki, HasProjects, IsTemplate, SignedOff        *bool
	HasDiscussions                                     *bool
	MergeTexts                                         MergeTextsEdit
}

// EditRepo changes a repository's settings. Of an archived one only that can
// be changed.
func (s *State) EditRepo(actor ID, repo *Repo, edit RepoEdit) error {
	if err := s.mayAdminister(actor, repo, edit.Archived != nil && !*edit.Archived); err != nil {
		return err
	}
	if edit.Name != nil && *edit.Name != repo.Name && !strings.EqualFold(*edit.Name, repo.Name) {
		if err := s.checkRepoName(repo.OwnerID, *edit.Name); err != nil {
			return err
		}
	}
	if edit.DefaultBranch != nil {
		if _, exists := s.BranchHead(repo, *edit.DefaultBranch); !exists {
			return custom(repoResource, "default_branch", "The branch %s was not found. Please push that ref first or create it via the Git Data API.", *edit.DefaultBranch)
		}
	}
	if !cmp.Or(valueOr(edit.AllowMerge, repo.AllowMerge), valueOr(edit.AllowSquash, repo.AllowSquash), valueOr(edit.AllowRebase, repo.AllowRebase)) {
		return custom(repoResource, "merge_commit_allowed", "Sorry, you need to allow at least one merge strategy.")
	}
	texts, err := repo.MergeTexts.applied(edit.MergeTexts)
	if err != nil {
		return err
	}
	repo.UpdatedAt, repo.MergeTexts = s.Advance(), texts
	if edit.Name != nil && *edit.Name != repo.Name {
		repo.FormerNames = append(repo.FormerNames, repo.Name)
	}
	assign(&repo.Name, edit.Name)
	assign(&repo.Description, edit.Description)
	assign(&repo.Homepage, edit.Homepage)
	if edit.DefaultBranch != nil && *edit.DefaultBranch != repo.DefaultBranch {
		repo.DefaultBranch = *edit.DefaultBranch
		to, _ := s.BranchHead(repo, repo.DefaultBranch)
		s.readWorkflows(repo, to)
		readLanguages(repo, to)
	}
	assign(&repo.Private, edit.Private)
	assign(&repo.Archived, edit.Archived)
	assign(&repo.HasIssues, edit.HasIssues)
	assign(&repo.AllowMerge, edit.AllowMerge)
	assign(&repo.AllowSquash, edit.AllowSquash)
	assign(&repo.AllowRebase, edit.AllowRebase)
	assign(&repo.AllowAutoMerge, edit.AllowAutoMerge)
	assign(&repo.DeleteBranchOnMerge, edit.DeleteBranchOnMerge)
	assign(&repo.AllowUpdating, edit.AllowUpdating)
	assign(&repo.IsTemplate, edit.IsTemplate)
	assign(&repo.SignedOff, edit.SignedOff)
	if edit.HasDiscussions != nil {
		s.OfferDiscussions(repo, *edit.HasDiscussions)
	}
	if edit.HasWiki != nil {
		repo.HasWiki = copyOf(edit.HasWiki)
	}
	if edit.HasProjects != nil {
		repo.HasProjects = copyOf(edit.HasProjects)
	}
	return nil
}

// Offers returns a setting that is on unless it was set.
func Offers(setting *bool) bool { return valueOr(setting, true) }

func valueOr(p *bool, otherwise bool) bool {
	if p == nil {
		return otherwise
	}
	return *p
}

// mayAdminister refuses those who are no administrators, and for archived
// repositories everybody unless archivedToo is true.
func (s *State) mayAdminister(actor ID, repo *Repo, archivedToo bool) error {
	if archivedToo && repo.Archived {
		open := *repo
		open.Archived = false
		repo = &open
	}
	return s.require(actor, repo, PermAdmin)
}

// SetTopics replaces a repository's topics.
func (s *State) SetTopics(actor ID, repo *Repo, topics []string) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	var set []string
	for _, topic := range topics {
		topic = strings.ToLower(topic)
		if !topicName.MatchString(topic) {
			return &Problem{Kind: Invalid, Message: validationFailed, Reasons: []string{
				"Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens."}}
		}
		if !slices.Contains(set, topic) {
			set = append(set, topic)
		}
	}
	if len(set) > maxTopics {
		return custom(repoResource, "topics", "A repository can not have more than %d topics.", maxTopics)
	}
	repo.Topics, repo.UpdatedAt = set, s.Advance()
	return nil
}

// repoNamed returns the repository that has a name now, nil if there is none.
func (s *State) repoNamed(owner, name string) *Repo {
	return s.Repos.First(func(r *Repo) bool {
		return strings.EqualFold(r.Name, name) && strings.EqualFold(s.Login(r.OwnerID), owner)
	})
}

// Renamed returns the repository that once had a name which none has now; nil
// if there is none.
func (s *State) Renamed(owner, name string) *Repo {
	if s.repoNamed(owner, name) != nil {
		return nil
	}
	return s.Repos.First(func(r *Repo) bool {
		return r.wasAt(owner+"/"+name) || strings.EqualFold(s.Login(r.OwnerID), owner) &&
			slices.ContainsFunc(r.FormerNames, func(former string) bool { return strings.EqualFold(former, name) })
	})
}
