package benchcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/scenarios"
)

// fileFlags say which world of a file is meant.
type fileFlags struct {
	world  string
	seed   uint64
	number int
}

func (f *fileFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.world, "world", "", "begin with the world that this `FILE` describes, or one that ships with the program by its name")
	flags.Uint64Var(&f.seed, "variation-seed", 1, "with --world: draw it from this `SEED`")
	flags.IntVar(&f.number, "variation", 1, "with --world: draw its variation `N`")
}

// read returns the world that is named.
func (f *fileFlags) read() (*world.World, error) {
	if filepath.Ext(f.world) == "" {
		return world.Load(scenarios.Files, f.world)
	}
	return world.LoadFile(os.DirFS(filepath.Dir(f.world)), filepath.Base(f.world))
}

// describedWorld makes the world of a file.
func (a *app) describedWorld(ctx context.Context, f fileFlags) (*localWorld, error) {
	file, err := f.read()
	if err != nil {
		return nil, err
	}
	made, err := target.MakeWorld(ctx, file, bench.Variation{Seed: f.seed, Number: f.number}, a.runWorldScript)
	if err != nil {
		return nil, err
	}
	return &localWorld{World: made.World, manifest: &made.Manifest, usual: made.Plan.Agent}, nil
}

// The variables by which a world's script learns what is there, and says what
// it makes.
const (
	worldManifestVariable  = "WORLD_MANIFEST"
	worldResourcesVariable = "WORLD_RESOURCES"
	worldSeedVariable      = "WORLD_SEED"
	worldVariationVariable = "WORLD_VARIATION"
	worldTokenVariable     = "WORLD_TOKEN_"
)

// runWorldScript runs the script of a world with gh and git leading there. It is
// the one who may administer the first repository; the others' tokens are in
// variables of their names.
func (a *app) runWorldScript(ctx context.Context, file *world.World, made *target.Made) (err error) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return fault.Invalidf("the script of world %q cannot be run: %w", file.Name, err)
	}
	folder, err := os.MkdirTemp("", "bench-world-")
	if err != nil {
		return fault.Infraf("make a folder for a world's script: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	resources := filepath.Join(folder, "resources")
	job, err := a.worldJob(made, folder, resources)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fault.Infraf("serve the sandbox's proxy on loopback: %w", err)
	}
	door, err := a.openDoor(listener, made.World, nil, inFolder(folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.close()) }()
	text, _ := file.File(made.Plan.Setup.Script)
	cmd := exec.CommandContext(ctx, shell, "-eu", "-c", text, made.Plan.Setup.Script) //nolint:gosec // it is the user's own script
	cmd.Dir = filepath.Join(folder, "home")
	cmd.Env = job.environment(door, atHome(cmd.Dir, filepath.Join(folder, "tmp")), a.usualVariables())
	cmd.WaitDelay = patience
	if told, err := cmd.CombinedOutput(); err != nil {
		return fault.Invalidf("the script %s of world %q failed: %w: %s", made.Plan.Setup.Script, file.Name, err, oneLine(lastWords(told)))
	}
	return readResources(resources, made)
}

// worldJob is a script's work: who does it, and what it is told.
func (a *app) worldJob(made *target.Made, folder, resources string) (*execution, error) {
	w := &localWorld{World: made.World, manifest: &made.Manifest}
	job := &execution{world: w}
	for _, person := range made.Plan.Accounts {
		if person.Organization() {
			continue
		}
		who := person.Login
		token := target.NewToken()
		made.AddToken(token, sandbox.Token{User: who, Scopes: accountScopes()})
		name := worldTokenVariable + strings.ToUpper(strings.ReplaceAll(who, "-", "_"))
		job.variables = append(job.variables, name+"="+token)
		if who == made.Plan.Verifier() {
			w.agent = account{Login: who, Token: token}
		}
	}
	manifest, err := json.Marshal(made.Manifest)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "manifest.json")
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "home"), 0o700), os.Mkdir(filepath.Join(folder, "tmp"), 0o700), os.WriteFile(path, manifest, 0o600)); err != nil {
		return nil, fault.Infraf("write the files of a world's script: %w", err)
	}
	job.variables = append(job.variables,
		worldManifestVariable+"="+path, worldResourcesVariable+"="+resources,
		fmt.Sprintf("%s=%d", worldSeedVariable, made.Plan.Variation.Seed), fmt.Sprintf("%s=%d", worldVariationVariable, made.Plan.Variation.Number),
	)
	return job, nil
}

// maxWords is how much of what a script printed is told, in bytes.
const maxWords = 500

// lastWords is the end of what a script printed.
func lastWords(told []byte) string {
	return strings.TrimSpace(string(told[max(0, len(told)-maxWords):]))
}

// readResources adds what a script has told of to the manifest, and checks that
// it is what the world promises.
func readResources(path string, made *target.Made) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fault.Infraf("read what a world's script tells: %w", err)
	}
	setup := made.Plan.Setup
	teller := world.Teller{Name: "the script " + setup.Script, Promise: "setup.makes", Variable: worldResourcesVariable}
	told, err := teller.Resources(string(data), setup.Makes)
	if err != nil {
		return err
	}
	for name, fields := range told {
		if made.Manifest.Resources[name] == nil {
			made.Manifest.Resources[name] = map[string]any{}
		}
		maps.Copy(made.Manifest.Resources[name], fields)
	}
	return nil
}
