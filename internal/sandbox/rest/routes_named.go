package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// namedRoutes are those of secrets, variables, caches and keys.
func namedRoutes() []route {
	const (
		secrets   = reposPath + "/actions/secrets"
		variables = reposPath + "/actions/variables"
	)
	routes := []route{
		{"GET " + reposPath + "/actions/caches", onRepo(listCaches)},
		{"DELETE " + reposPath + "/actions/caches", onRepo(noCache)},
		{"DELETE " + reposPath + "/actions/caches/{cache}", onRepo(noCache)},
		{"GET " + reposPath + "/keys", onRepo(listDeployKeys)},
		{"POST " + reposPath + "/keys", onRepo(addDeployKey)},
		{"GET " + reposPath + "/keys/{key}", onRepo(getDeployKey)},
		{"DELETE " + reposPath + "/keys/{key}", onRepo(deleteDeployKey)},
		{"GET /user/keys", listUserKeys},
		{"POST /user/keys", addUserKey},
		{"DELETE /user/keys/{key}", deleteUserKey},
		{"GET /user/ssh_signing_keys", onSelf(func(c *call, u *model.User) (reply, error) { return list(c, u.SigningKeys, signingKey) })},
		{"POST /user/ssh_signing_keys", onSelf(addSigningKey)},
		{"GET /user/ssh_signing_keys/{key}", onSelf(func(c *call, u *model.User) (reply, error) {
			id, _ := c.idOf("key") // what is no number is nobody's id
			for _, k := range u.SigningKeys {
				if k.ID == id {
					return ok(signingKey(k))
				}
			}
			return reply{}, errNotFound
		})},
		{"DELETE /user/ssh_signing_keys/{key}", onSelf(func(c *call, u *model.User) (reply, error) { return c.deleteKey(&u.SigningKeys) })},
		{"GET /user/gpg_keys", noKeys},
	}
	return slices.Concat(routes,
		secretRoutes(secrets, model.Secrets, ofRepo), variableRoutes(variables, ofRepo),
		secretRoutes(environmentPath+"/secrets", model.Secrets, ofEnvironment), variableRoutes(environmentPath+"/variables", ofEnvironment),
		secretRoutes(reposPath+"/dependabot/secrets", model.DependabotSecrets, ofRepo), secretRoutes(reposPath+"/codespaces/secrets", model.CodespacesSecrets, ofRepo))
}

// secretRoutes are those of the secrets of a repository or of an environment.
func secretRoutes(path string, kind model.SettingKind, of func(handle listHandler) func(*call, *model.Repo) (reply, error)) []route {
	return []route{
		{"GET " + path, onSettings(of(listSecrets(kind)))},
		{"GET " + path + "/public-key", onSettings(of(secretsKey(kind)))},
		{"GET " + path + "/{name}", onSettings(of(getSecret(kind)))},
		{"PUT " + path + "/{name}", onRepo(of(putSecret(kind)))},
		{"DELETE " + path + "/{name}", onRepo(of(deleteSetting(kind)))},
	}
}

// variableRoutes are those of the variables of a repository or of an environment.
func variableRoutes(path string, of func(handle listHandler) func(*call, *model.Repo) (reply, error)) []route {
	return []route{
		{"GET " + path, onSettings(of(listVariables))},
		{"POST " + path, onRepo(of(createVariable))},
		{"GET " + path + "/{name}", onSettings(of(getVariable))},
		{"PATCH " + path + "/{name}", onRepo(of(editVariable))},
		{"DELETE " + path + "/{name}", onRepo(of(deleteSetting(model.Variables)))},
	}
}

// listHandler answers about the secrets or variables of an environment, nil for
// those of the whole repository.
type listHandler func(c *call, repo *model.Repo, e *model.Environment) (reply, error)

func ofRepo(handle listHandler) func(*call, *model.Repo) (reply, error) {
	return func(c *call, repo *model.Repo) (reply, error) { return handle(c, repo, nil) }
}

// onSettings is [onRepo] for what only those see who may write.
func onSettings(handle func(c *call, repo *model.Repo) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		if err := c.s.MaySeeSettings(c.actor, repo); err != nil {
			return reply{}, err
		}
		return handle(c, repo)
	})
}

type secretView struct {
	Name      string `json:"name"`
	CreatedAt stamp  `json:"created_at"`
	UpdatedAt stamp  `json:"updated_at"`
}

func secret(s model.Setting) secretView { return secretView{s.Name, at(s.CreatedAt), at(s.UpdatedAt)} }

type variableView struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	CreatedAt stamp  `json:"created_at"`
	UpdatedAt stamp  `json:"updated_at"`
}

func variable(s model.Setting) variableView {
	return variableView{s.Name, s.Value, at(s.CreatedAt), at(s.UpdatedAt)}
}

func listSecrets(kind model.SettingKind) listHandler {
	return func(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
		return wrapped(c, "secrets", model.SettingsOf(repo, e, kind), secret)
	}
}

func getSecret(kind model.SettingKind) listHandler {
	return func(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
		if s := model.NamedSetting(model.SettingsOf(repo, e, kind), c.PathValue("name")); s != nil {
			return ok(secret(*s))
		}
		return reply{}, errNotFound
	}
}

func secretsKey(kind model.SettingKind) listHandler {
	return func(_ *call, repo *model.Repo, e *model.Environment) (reply, error) {
		return ok(sealingKeyOf(kind, repo, e))
	}
}

// sealingKey is the key with which clients seal secrets: any 32 bytes are a
// public key, and nobody here opens what is sealed.
type sealingKey struct {
	ID  string `json:"key_id"`
	Key string `json:"key"`
}

// newSealingKey is the key of one kind of secrets of an owner.
func newSealingKey(kind model.SettingKind, owner string, id model.ID) sealingKey {
	sum := sha256.Sum256(fmt.Appendf(nil, "secrets %d of %s %d", kind, owner, id))
	return sealingKey{strconv.FormatUint(binary.BigEndian.Uint64(sum[:])>>1, 10), base64.StdEncoding.EncodeToString(sum[:])}
}

// sealingKeyOf is the key of a repository, or of one of its environments, which have keys
// of their own.
func sealingKeyOf(kind model.SettingKind, repo *model.Repo, e *model.Environment) sealingKey {
	if e != nil {
		return newSealingKey(kind, "environment", e.ID)
	}
	return newSealingKey(kind, "repository", repo.ID)
}

// unsealed refuses a secret that was sealed with another key, which GitHub cannot open.
func (k sealingKey) unsealed(with string) error {
	if with == "" || with == k.ID {
		return nil
	}
	return &model.Problem{Kind: model.Invalid, Message: "Bad request - validation failed due to an improperly encrypted secret"}
}

func putSecret(kind model.SettingKind) listHandler {
	return func(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
		var in struct {
			EncryptedValue string `json:"encrypted_value"`
			KeyID          string `json:"key_id"`
		}
		if err := c.decode(&in); err != nil {
			return reply{}, err
		}
		if in.EncryptedValue == "" {
			return reply{}, missing("encrypted_value")
		}
		isNew, err := c.s.SetSetting(c.actor, repo, e, kind, c.PathValue("name"), in.EncryptedValue)
		if err == nil { // who may not is told so first; what is refused is not kept
			err = sealingKeyOf(kind, repo, e).unsealed(in.KeyID)
		}
		return createdOrChanged(isNew, err)
	}
}

// createdOrChanged answers what has made or replaced something.
func createdOrChanged(isNew bool, err error) (reply, error) {
	switch {
	case err != nil:
		return reply{}, err
	case isNew:
		return created(struct{}{})
	default:
		return noContent()
	}
}

func deleteSetting(kind model.SettingKind) listHandler {
	return func(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
		if err := c.s.DeleteSetting(c.actor, repo, e, kind, c.PathValue("name")); err != nil {
			return reply{}, err
		}
		return noContent()
	}
}

func listVariables(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
	return wrapped(c, "variables", model.SettingsOf(repo, e, model.Variables), variable)
}

func getVariable(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
	if s := model.NamedSetting(model.SettingsOf(repo, e, model.Variables), c.PathValue("name")); s != nil {
		return ok(variable(*s))
	}
	return reply{}, errNotFound
}

type variableInput struct{ Name, Value *string }

func createVariable(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
	var in variableInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case in.Name == nil:
		return reply{}, missing("name")
	case in.Value == nil:
		return reply{}, missing("value")
	case model.NamedSetting(model.SettingsOf(repo, e, model.Variables), *in.Name) != nil:
		return reply{}, &model.Problem{Kind: model.Conflict, Message: "Already exists - Variable already exists"}
	}
	if _, err := c.s.SetSetting(c.actor, repo, e, model.Variables, *in.Name, *in.Value); err != nil {
		return reply{}, err
	}
	return created(struct{}{})
}

func editVariable(c *call, repo *model.Repo, e *model.Environment) (reply, error) {
	var in variableInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	old := model.NamedSetting(model.SettingsOf(repo, e, model.Variables), c.PathValue("name"))
	switch {
	case old == nil:
		return reply{}, errNotFound
	case in.Name != nil && !strings.EqualFold(*in.Name, old.Name):
		return reply{}, c.lacks("name")
	}
	value := old.Value
	if in.Value != nil {
		value = *in.Value
	}
	if _, err := c.s.SetSetting(c.actor, repo, e, model.Variables, old.Name, value); err != nil {
		return reply{}, err
	}
	return noContent()
}

// listCaches lists the caches of Actions: none, since no job of the sandbox
// runs.
func listCaches(c *call, _ *model.Repo) (reply, error) {
	return wrapped(c, "actions_caches", []struct{}{}, same)
}

func noCache(*call, *model.Repo) (reply, error) { return reply{}, errNotFound }

type keyView struct {
	ID        int64  `json:"id"`
	Key       string `json:"key"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Verified  bool   `json:"verified"`
	CreatedAt stamp  `json:"created_at"`
	ReadOnly  bool   `json:"read_only"`
}

func key(base string) func(model.Key) keyView {
	return func(k model.Key) keyView {
		return keyView{k.ID, k.Text, base + "/keys/" + strconv.FormatInt(k.ID, 10), k.Title, true, at(k.CreatedAt), k.ReadOnly}
	}
}

type keyInput struct {
	Title, Key string
	ReadOnly   bool `json:"read_only"`
}

// mayAdminister hides what only administrators see.
func mayAdminister(c *call, repo *model.Repo) error {
	if !c.s.MayAdminister(c.actor, repo) {
		return errNotFound
	}
	return nil
}

func listDeployKeys(c *call, repo *model.Repo) (reply, error) {
	if err := mayAdminister(c, repo); err != nil {
		return reply{}, err
	}
	return list(c, repo.Keys, key(c.repoURL(repo.ID)))
}

func addDeployKey(c *call, repo *model.Repo) (reply, error) {
	var in keyInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	k, err := c.s.AddDeployKey(c.actor, repo, in.Title, in.Key, in.ReadOnly)
	if err != nil {
		return reply{}, err
	}
	return created(key(c.repoURL(repo.ID))(k))
}

func getDeployKey(c *call, repo *model.Repo) (reply, error) {
	if err := mayAdminister(c, repo); err != nil {
		return reply{}, err
	}
	for _, k := range repo.Keys {
		if strconv.FormatInt(k.ID, 10) == c.PathValue("key") {
			return ok(key(c.repoURL(repo.ID))(k))
		}
	}
	return reply{}, errNotFound
}

func deleteDeployKey(c *call, repo *model.Repo) (reply, error) {
	if err := mayAdminister(c, repo); err != nil {
		return reply{}, err
	}
	return c.deleteKey(&repo.Keys)
}

func (c *call) deleteKey(keys *[]model.Key) (reply, error) {
	id, err := strconv.ParseInt(c.PathValue("key"), 10, 64)
	if err != nil {
		return reply{}, errNotFound
	}
	if err := c.s.DeleteKey(keys, id); err != nil {
		return reply{}, err
	}
	return noContent()
}

func listUserKeys(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return list(c, c.s.Users.Get(c.actor).Keys, key(apiURL+"/user"))
}

func addUserKey(c *call) (reply, error) {
	var in keyInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	k, err := c.s.AddUserKey(c.actor, in.Title, in.Key)
	if err != nil {
		return reply{}, err
	}
	return created(key(apiURL + "/user")(k))
}

func deleteUserKey(c *call) (reply, error) { return c.deleteKey(&c.s.Users.Get(c.actor).Keys) }

type signingKeyView struct {
	ID        int64  `json:"id"`
	Key       string `json:"key"`
	Title     string `json:"title"`
	CreatedAt stamp  `json:"created_at"`
}

func signingKey(k model.Key) signingKeyView {
	return signingKeyView{k.ID, k.Text, k.Title, at(k.CreatedAt)}
}

func addSigningKey(c *call, _ *model.User) (reply, error) {
	var in struct{ Title, Key string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	k, err := c.s.AddSigningKey(c.actor, in.Title, in.Key)
	if err != nil {
		return reply{}, err
	}
	return created(signingKey(k))
}

// noKeys lists keys of a kind that nobody can add here.
func noKeys(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return reply{status: http.StatusOK, body: []struct{}{}}, nil
}
