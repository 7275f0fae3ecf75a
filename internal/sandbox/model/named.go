package model

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Setting is a secret or a variable. Of a secret the value is not kept.
type Setting struct {
	Name, Value string
	// Visibility of an organization's is which of its repositories have it: all,
	// private, or selected ones, which are Repos. It is empty for others.
	Visibility           string `json:",omitempty"`
	Repos                []ID   `json:",omitempty"`
	CreatedAt, UpdatedAt time.Time
}

func copySettings(of []Setting) []Setting {
	of = slices.Clone(of)
	for n := range of {
		of[n].Repos = slices.Clone(of[n].Repos)
	}
	return of
}

// SettingKind is what secrets and variables are for.
type SettingKind int

// The kinds: those of Actions, and the secrets of Dependabot and of Codespaces.
const (
	Variables SettingKind = iota
	Secrets
	DependabotSecrets
	CodespacesSecrets
)

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxSettingValue is the longest value of a variable, in bytes.
const maxSettingValue = 48 << 10

// settingsOf returns a list of a repository or, unless that is nil, of one of its
// environments.
func settingsOf(repo *Repo, e *Environment, kind SettingKind) *[]Setting {
	switch {
	case e != nil && kind == Secrets:
		return &e.Secrets
	case e != nil:
		return &e.Variables
	case kind == Secrets:
		return &repo.Secrets
	case kind == DependabotSecrets:
		return &repo.DependabotSecrets
	case kind == CodespacesSecrets:
		return &repo.CodespacesSecrets
	default:
		return &repo.Variables
	}
}

// SettingsOf returns the secrets or variables of a repository or, unless that is
// nil, of one of its environments.
func SettingsOf(repo *Repo, e *Environment, kind SettingKind) []Setting {
	return *settingsOf(repo, e, kind)
}

// orgSettingsOf returns a list of an organization.
func orgSettingsOf(org *User, kind SettingKind) *[]Setting {
	switch kind {
	case Secrets:
		return &org.Secrets
	case DependabotSecrets:
		return &org.DependabotSecrets
	default:
		return &org.Variables
	}
}

// OrgSettingsOf returns the secrets or variables of an organization; it has none of
// Codespaces.
func OrgSettingsOf(org *User, kind SettingKind) []Setting { return *orgSettingsOf(org, kind) }

// SharedSettings returns the secrets or variables of its owner that a repository has.
func (s *State) SharedSettings(repo *Repo, kind SettingKind) []Setting {
	return slices.DeleteFunc(slices.Clone(OrgSettingsOf(s.Users.Get(repo.OwnerID), kind)), func(v Setting) bool {
		return v.Visibility == "private" && !repo.Private || v.Visibility == VisibilitySelected && !slices.Contains(v.Repos, repo.ID)
	})
}

// VisibilitySelected is that of what selected repositories have.
const VisibilitySelected = "selected"

// SetOrgSetting makes or replaces a secret or variable of an organization, which
// owners do, and reports whether it is new.
func (s *State) SetOrgSetting(actor ID, org *User, kind SettingKind, in Setting) (created bool, err error) {
	if !s.MayAdministerOrg(actor, org) {
		return false, notFound()
	}
	switch {
	case !slices.Contains([]string{"all", "private", VisibilitySelected}, in.Visibility):
		return false, unsupplied("visibility")
	case in.Visibility != VisibilitySelected && len(in.Repos) > 0:
		return false, unprocessable("selected_repository_ids can only be set when visibility is selected")
	}
	var had []ID
	if old := NamedSetting(OrgSettingsOf(org, kind), in.Name); old != nil {
		had = old.Repos
	}
	for _, id := range in.Repos {
		if repo := s.Repos.Get(id); (repo == nil || repo.OwnerID != org.ID) && !slices.Contains(had, id) {
			return false, unprocessable("Repository does not belong to the organization.")
		}
	}
	return s.keepSetting(orgSettingsOf(org, kind), kind, in)
}

// unselect takes a repository out of the secrets and variables of its owner.
func (s *State) unselect(repo *Repo) {
	owner := s.Users.Get(repo.OwnerID)
	for _, list := range [][]Setting{owner.Secrets, owner.Variables, owner.DependabotSecrets} {
		for n := range list {
			list[n].Repos = without(list[n].Repos, repo.ID)
		}
	}
}

// DeleteOrgSetting removes a secret or variable of an organization.
func (s *State) DeleteOrgSetting(actor ID, org *User, kind SettingKind, name string) error {
	if !s.MayAdministerOrg(actor, org) {
		return notFound()
	}
	return s.dropSetting(orgSettingsOf(org, kind), name)
}

// SetSetting makes or replaces a secret or variable, and reports whether it is
// new. The environment is nil for one of the whole repository.
func (s *State) SetSetting(actor ID, repo *Repo, e *Environment, kind SettingKind, name, value string) (created bool, err error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return false, err
	}
	return s.keepSetting(settingsOf(repo, e, kind), kind, Setting{Name: name, Value: value})
}

func (s *State) keepSetting(list *[]Setting, kind SettingKind, in Setting) (created bool, err error) {
	switch {
	case !settingName.MatchString(in.Name) || strings.HasPrefix(strings.ToUpper(in.Name), "GITHUB_"):
		return false, unprocessable("Name is invalid. Names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_). Must not start with GITHUB_.")
	case len(in.Value) > maxSettingValue:
		return false, unprocessable("Value is too long")
	}
	in.UpdatedAt = s.Advance()
	if kind != Variables {
		in.Value = ""
	}
	if old := NamedSetting(*list, in.Name); old != nil {
		in.Name, in.CreatedAt = old.Name, old.CreatedAt
		*old = in
		return false, nil
	}
	in.Name, in.CreatedAt = strings.ToUpper(in.Name), in.UpdatedAt
	*list = append(*list, in)
	slices.SortFunc(*list, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return true, nil
}

// DeleteSetting removes a secret or variable. One that is not there is not
// found.
func (s *State) DeleteSetting(actor ID, repo *Repo, e *Environment, kind SettingKind, name string) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	return s.dropSetting(settingsOf(repo, e, kind), name)
}

func (s *State) dropSetting(list *[]Setting, name string) error {
	if NamedSetting(*list, name) == nil {
		return notFound()
	}
	s.Advance()
	*list = slices.DeleteFunc(*list, func(v Setting) bool { return strings.EqualFold(v.Name, name) })
	return nil
}

// NamedSetting returns the entry of a list that has a name, compared without
// case; nil if there is none.
func NamedSetting(list []Setting, name string) *Setting {
	if at := slices.IndexFunc(list, func(v Setting) bool { return strings.EqualFold(v.Name, name) }); at >= 0 {
		return &list[at]
	}
	return nil
}

// MaySeeSettings refuses those who may not write.
func (s *State) MaySeeSettings(actor ID, repo *Repo) error { return s.require(actor, repo, PermWrite) }

// Key is an SSH key of a user, or of a repository from which it can be read.
type Key struct {
	ID ID
	// Title is what its owner calls it, Text the public key.
	Title, Text string
	// ReadOnly is for keys of repositories.
	ReadOnly  bool
	CreatedAt time.Time
}

var publicKey = regexp.MustCompile(`^(ssh-(rsa|dss|ed25519)|ecdsa-sha2-nistp(256|384|521)|sk-[a-z0-9@.-]+) [A-Za-z0-9+/]+=*( .*)?$`)

// newKey makes a key that none of the world has yet.
func (s *State) newKey(title, text string, readOnly bool) (Key, error) {
	const resource = "PublicKey"
	text = strings.TrimSpace(text)
	taken := func(k Key) bool { return k.Text == text }
	switch {
	case !publicKey.MatchString(text):
		return Key{}, custom(resource, "key", "key is invalid. You must supply a key in OpenSSH public key format")
	case s.Users.First(func(u *User) bool { return slices.ContainsFunc(u.Keys, taken) }) != nil,
		s.Repos.First(func(r *Repo) bool { return slices.ContainsFunc(r.Keys, taken) }) != nil:
		return Key{}, custom(resource, "key", "key is already in use")
	}
	now := s.Advance()
	return Key{ID: s.newID(), Title: title, Text: text, ReadOnly: readOnly, CreatedAt: now}, nil
}

// AddUserKey adds a key to the actor's account.
func (s *State) AddUserKey(actor ID, title, text string) (Key, error) {
	k, err := s.newKey(title, text, false)
	if err == nil {
		u := s.Users.Get(actor)
		u.Keys = append(u.Keys, k)
	}
	return k, err
}

// AddSigningKey adds a key of commits to the actor's account. It may be one to sign in
// with, too.
func (s *State) AddSigningKey(actor ID, title, text string) (Key, error) {
	const resource = "SSHSigningKey"
	text = strings.TrimSpace(text)
	switch {
	case !publicKey.MatchString(text):
		return Key{}, custom(resource, "key", "key is invalid. You must supply a key in OpenSSH public key format")
	case s.Users.First(func(u *User) bool {
		return slices.ContainsFunc(u.SigningKeys, func(k Key) bool { return k.Text == text })
	}) != nil:
		return Key{}, custom(resource, "key", "key is already in use")
	}
	u, now := s.Users.Get(actor), s.Advance()
	k := Key{ID: s.newID(), Title: title, Text: text, CreatedAt: now}
	u.SigningKeys = append(u.SigningKeys, k)
	return k, nil
}

// AddDeployKey adds a key to a repository.
func (s *State) AddDeployKey(actor ID, repo *Repo, title, text string, readOnly bool) (Key, error) {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return Key{}, err
	}
	k, err := s.newKey(title, text, readOnly)
	if err == nil {
		repo.Keys = append(repo.Keys, k)
	}
	return k, err
}

// DeleteKey removes a key from a list of keys; one that is not there is not
// found.
func (s *State) DeleteKey(keys *[]Key, id ID) error {
	left := slices.DeleteFunc(slices.Clone(*keys), func(k Key) bool { return k.ID == id })
	if len(left) == len(*keys) {
		return notFound()
	}
	s.Advance()
	*keys = left
	return nil
}
