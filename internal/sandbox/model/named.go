package model

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Setting is a secret or a variable of a repository's Actions. Of a secret the
// value is not kept.
type Setting struct {
	Name, Value          string
	CreatedAt, UpdatedAt time.Time
}

var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxSettingValue is the longest value of a variable, in bytes.
const maxSettingValue = 48 << 10

// settingsOf returns the list of secrets or variables of a repository or, unless
// that is nil, of one of its environments.
func settingsOf(repo *Repo, e *Environment, secret bool) *[]Setting {
	switch {
	case e != nil && secret:
		return &e.Secrets
	case e != nil:
		return &e.Variables
	case secret:
		return &repo.Secrets
	default:
		return &repo.Variables
	}
}

// SettingsOf returns the secrets or variables of a repository or, unless that is
// nil, of one of its environments.
func SettingsOf(repo *Repo, e *Environment, secret bool) []Setting {
	return *settingsOf(repo, e, secret)
}

// SetSetting makes or replaces a secret or variable, and reports whether it is
// new. The environment is nil for one of the whole repository.
func (s *State) SetSetting(actor ID, repo *Repo, e *Environment, secret bool, name, value string) (created bool, err error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return false, err
	}
	switch {
	case !settingName.MatchString(name) || strings.HasPrefix(strings.ToUpper(name), "GITHUB_"):
		return false, unprocessable("Name is invalid. Names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_). Must not start with GITHUB_.")
	case len(value) > maxSettingValue:
		return false, unprocessable("Value is too long")
	}
	now := s.Advance()
	if secret {
		value = ""
	}
	list := settingsOf(repo, e, secret)
	if old := NamedSetting(*list, name); old != nil {
		old.Value, old.UpdatedAt = value, now
		return false, nil
	}
	*list = append(*list, Setting{Name: strings.ToUpper(name), Value: value, CreatedAt: now, UpdatedAt: now})
	slices.SortFunc(*list, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return true, nil
}

// DeleteSetting removes a secret or variable. One that is not there is not
// found.
func (s *State) DeleteSetting(actor ID, repo *Repo, e *Environment, secret bool, name string) error {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	list := settingsOf(repo, e, secret)
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
