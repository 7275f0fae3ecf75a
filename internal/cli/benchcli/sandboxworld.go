package benchcli

import (
	"bufio"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// seededFiles are the manifest and the snapshot that `bench fixtures seed`
// makes: seeding anew takes longer than a person who starts a sandbox should
// wait, and comes to the same. A test holds that it does.
//
//go:embed sandboxworld
var seededFiles embed.FS

const (
	seededManifest = "sandboxworld/fixtures.json"
	seededSnapshot = "sandboxworld/fixtures.sandbox"
)

// worldFlags say which world a sandbox has.
type worldFlags struct {
	fileFlags
	empty    bool
	snapshot string
	as       string
	clock    string
}

func (f *worldFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.empty, "empty", false, "begin with accounts and nothing else, instead of the fixtures")
	f.fileFlags.add(flags)
	flags.StringVar(&f.snapshot, "snapshot", "", "begin with the world in this `FILE`, as `bench sandbox save` writes it")
}

// addAs adds the flag for who an agent is.
func (f *worldFlags) addAs(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", "", "whose token the environment has, by `LOGIN` (default "+target.Agent+", or the world's first account)")
}

// localWorld is a world with a token for each account.
type localWorld struct {
	*sandbox.World
	// manifest is nil for a world other than the fixtures.
	manifest *bench.Manifest
	accounts []account
	// usual is who the agent is where nobody says otherwise; empty means
	// [target.Agent].
	usual string
	// agent is the one whose token the environment has.
	agent account
}

// account is somebody in a sandbox.
type account struct {
	Login string `json:"login"`
	Token string `json:"token"`
}

// maxAccounts is how many accounts get tokens.
const maxAccounts = 100

// openWorld makes the world that the flags ask for. needing is as [app.outside]
// has it.
func (a *app) openWorld(ctx context.Context, f worldFlags, needing string) (*localWorld, error) {
	outside, err := a.outside(f.clock, needing)
	if err != nil {
		return nil, err
	}
	w, err := a.worldOf(ctx, f)
	if err != nil {
		return nil, err
	}
	w.Use(outside)
	w.Trace()
	w.Look(func(s *model.State) {
		for u := range s.Users.All() {
			if u.Type == model.TypeUser && len(w.accounts) < maxAccounts {
				w.accounts = append(w.accounts, account{u.Login, target.NewToken()})
			}
		}
	})
	for _, who := range w.accounts {
		w.AddToken(who.Token, sandbox.Token{User: who.Login, Scopes: accountScopes()})
	}
	return w, w.choose(f.as)
}

// accountScopes are those of the tokens of a world's accounts.
func accountScopes() []string { return []string{"gist", "project", "read:org", "repo", "workflow"} }

// choose takes the account of the environment's token.
func (w *localWorld) choose(login string) error {
	if len(w.accounts) == 0 {
		return fault.Invalidf("the world has no account: make one with a user, or leave --snapshot away")
	}
	w.agent = w.accounts[0]
	var logins []string
	for _, who := range w.accounts {
		logins = append(logins, who.Login)
		if strings.EqualFold(who.Login, login) || login == "" && who.Login == cmp.Or(w.usual, target.Agent) {
			w.agent = who
			login = who.Login
		}
	}
	if login != "" && !strings.EqualFold(w.agent.Login, login) {
		return fault.Invalidf("--as %s: there is no such account; there are %s", login, strings.Join(logins, ", "))
	}
	return nil
}

func (a *app) worldOf(ctx context.Context, f worldFlags) (*localWorld, error) {
	switch {
	case f.empty && f.snapshot != "", f.world != "" && (f.empty || f.snapshot != ""):
		return nil, fault.Invalidf("--empty, --snapshot and --world exclude each other: give one of them")
	case f.world != "":
		return a.describedWorld(ctx, f.fileFlags)
	case f.empty:
		return emptyWorld()
	case f.snapshot != "":
		world, err := readWorld(f.snapshot)
		return &localWorld{World: world}, err
	default:
		return seededWorld()
	}
}

// seededWorld is the fixtures.
func seededWorld() (*localWorld, error) {
	snapshot, err := seededFiles.ReadFile(seededSnapshot)
	if err != nil {
		return nil, err
	}
	text, err := seededFiles.ReadFile(seededManifest)
	if err != nil {
		return nil, err
	}
	manifest, err := fixture.Parse(seededManifest, text)
	if err != nil {
		return nil, err
	}
	world, err := sandbox.Load(snapshot)
	if err != nil {
		return nil, fault.Internalf("the fixtures of this program cannot be used: %w", err)
	}
	return &localWorld{World: world, manifest: &manifest}, nil
}

// emptyWorld has the accounts of the fixtures, and no repository.
func emptyWorld() (*localWorld, error) {
	world, err := sandbox.New()
	if err != nil {
		return nil, err
	}
	ground := fixture.Plain("").Ground
	err = world.Setup(func(s *model.State) error {
		owner := s.AddUser(model.NewUser{Login: target.Owner})
		for _, login := range []string{ground.Reviewer, target.Agent} {
			s.AddUser(model.NewUser{Login: login})
		}
		s.SetMember(s.AddUser(model.NewUser{Login: ground.Organization, Type: model.TypeOrganization}), owner.ID, model.OrgOwner)
		return nil
	})
	return &localWorld{World: world}, err
}

// readWorld reads a snapshot.
func readWorld(path string) (*sandbox.World, error) {
	unreadable := func(err error) error {
		return fault.Invalidf("sandbox snapshot cannot be read: %w; make one with `bench sandbox save %s`", err, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer file.Close()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, unreadable(err)
	}
	world, err := sandbox.Read(file, size)
	if err != nil {
		return nil, fault.Invalidf("sandbox snapshot %s cannot be used: %w; make it again with `bench sandbox save`", path, err)
	}
	return world, nil
}

// writeWorld writes a snapshot; a file that is there is replaced as a whole.
func writeWorld(path string, world *sandbox.World) error {
	unfinished, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fault.Invalidf("sandbox snapshot cannot be written: %w", err)
	}
	defer os.Remove(unfinished.Name()) //nolint:errcheck // it is gone if all went well
	out := bufio.NewWriter(unfinished)
	err = errors.Join(world.Save(out), out.Flush(), unfinished.Close())
	if err == nil {
		err = os.Rename(unfinished.Name(), path)
	}
	if err != nil {
		return fault.Infraf("write sandbox snapshot %s: %w", path, err)
	}
	return nil
}

// repository is where the fixtures are, empty in another world.
func (w *localWorld) repository() string {
	if w.manifest == nil {
		return ""
	}
	return w.manifest.Repo.FullName
}

// identity are the variables that say who an agent is.
func (w *localWorld) identity() []string { return identity(w.agent, w.repository()) }

// identity are the variables that say who works, and in which repository unless
// that is empty. git asks a line of shell for the token, and nobody else, so that
// the user's own stays where it is.
func identity(who account, repository string) []string {
	env := []string{
		"GH_TOKEN=" + who.Token, "GITHUB_TOKEN=" + who.Token, "GITHUB_PERSONAL_ACCESS_TOKEN=" + who.Token,
		"GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0",
	}
	if repository != "" {
		env = append(env, "GITHUB_REPOSITORY="+repository)
	}
	settings := [][2]string{
		{"credential.helper", ""},
		{"credential.https://github.com.helper", ""},
		{"credential.https://github.com.helper", `!f() { test "$1" = get && echo username=x-access-token && echo "password=$GH_TOKEN"; }; f`},
		{"url.https://github.com/.insteadOf", "git@github.com:"},
		{"url.https://github.com/.insteadOf", "ssh://git@github.com/"},
		{"user.name", who.Login},
		{"user.email", who.Login + "@users.noreply.github.com"},
	}
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)))
	for n, setting := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, setting[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, setting[1]))
	}
	return env
}
