package model

import (
	"net/url"
	"slices"
)

// ProfileEdit changes what a user tells of himself; nil fields stay.
type ProfileEdit struct {
	Name, Email, Blog, Twitter, Company, Location, Bio *string
	Hireable                                           *bool
}

// EditProfile changes what the actor tells of himself.
func (s *State) EditProfile(actor ID, edit ProfileEdit) {
	u := s.Users.Get(actor)
	u.UpdatedAt = s.Advance()
	assign(&u.Name, edit.Name)
	assign(&u.Email, edit.Email)
	assign(&u.Blog, edit.Blog)
	assign(&u.Twitter, edit.Twitter)
	assign(&u.Company, edit.Company)
	assign(&u.Location, edit.Location)
	assign(&u.Bio, edit.Bio)
	if edit.Hireable != nil {
		u.Hireable = copyOf(edit.Hireable)
	}
}

// FollowUser has the actor follow a user, or follow him no more.
func (s *State) FollowUser(actor ID, user *User, on bool) error {
	if user.Type != TypeUser {
		return notFound()
	}
	if user.ID == actor {
		return unprocessable("You cannot follow yourself.")
	}
	s.Advance()
	u := s.Users.Get(actor)
	if on != slices.Contains(u.Following, user.ID) {
		u.Following = without(u.Following, user.ID)
		if on {
			u.Following = append(u.Following, user.ID)
		}
	}
	return nil
}

// Followers returns who follows a user, in the order in which accounts were made.
func (s *State) Followers(user ID) []ID {
	var ids []ID
	for u := range s.Users.All() {
		if slices.Contains(u.Following, user) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// ChangeSocialAccounts adds addresses of profiles elsewhere to an account, or removes them.
func (s *State) ChangeSocialAccounts(u *User, addresses []string, add bool) error {
	const most = 4
	accounts := slices.DeleteFunc(slices.Clone(u.SocialAccounts), func(has string) bool { return slices.Contains(addresses, has) })
	if add {
		accounts = slices.Concat(accounts, addresses)
	}
	for _, address := range addresses {
		if at, err := url.Parse(address); err != nil || at.Host == "" {
			return custom("SocialAccount", "url", "Url is not a valid URL")
		}
	}
	if len(accounts) > most {
		return custom("SocialAccount", "", "You cannot have more than %d social accounts", most)
	}
	u.UpdatedAt, u.SocialAccounts = s.Advance(), accounts
	return nil
}
