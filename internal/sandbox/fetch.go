package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

const (
	// fetchTime bounds how long git may take for one request.
	fetchTime = 2 * time.Minute
	// killTime is how long git may still hold its output after its end.
	killTime = time.Second
)

// repoConfig is the whole configuration of a repository that is served, with
// what GitHub allows clients: parts of a repository, and any object by name.
const repoConfig = `[core]
	repositoryformatversion = 0
	bare = true
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`

// ErrNoGit is in the chain of the error of a fetch where there is no git
// program.
var ErrNoGit = errors.New("fetching from the sandbox needs the program git on PATH")

// Fetcher answers fetches from one repository.
type Fetcher struct {
	// Git is the repository. It is not written to.
	Git *gitstore.Store
	// DefaultBranch is the short name of what HEAD names.
	DefaultBranch string
}

// Answer answers a request for the service [Fetch] with the given body. What a
// client asks for and cannot have is in the answer, as git tells it. An error
// has [ErrNoGit] in its chain, or is of kind invalid if the request is no
// request of git's, or of kind infrastructure.
func (f Fetcher) Answer(ctx context.Context, in Request, body []byte) ([]byte, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	folder, err := os.MkdirTemp("", "sandbox-git-")
	if err != nil {
		return nil, fault.Infraf("make a folder for git: %w", err)
	}
	// If it cannot be removed there is nobody to tell, and nothing secret in
	// it.
	defer func() { _ = os.RemoveAll(folder) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	run := runner{program: program, folder: folder, version: in.Version}
	if err := f.export(ctx, run); err != nil {
		return nil, err
	}
	args := []string{"upload-pack", "--strict", "--stateless-rpc"}
	if !in.Advertise {
		answer, err := run.git(ctx, body, append(args, ".")...)
		if _, refused := errors.AsType[*exec.ExitError](err); refused && ctx.Err() == nil {
			return nil, fault.Invalidf("git does not understand the request")
		}
		return answer, err
	}
	answer, err := run.git(ctx, nil, append(args, "--advertise-refs", ".")...)
	if err != nil || in.Version == 2 {
		return answer, err
	}
	var out lines
	out.printf("# service=%s\n", Fetch)
	out.flush()
	return append(out.Bytes(), answer...), nil
}

// export writes the repository to the runner's folder.
func (f Fetcher) export(ctx context.Context, run runner) error {
	var refs strings.Builder
	for _, ref := range f.Git.Refs("") {
		fmt.Fprintf(&refs, "%s %s\n", ref.Hash, ref.Name)
	}
	var pack bytes.Buffer
	if err := f.Git.WritePack(&pack); err != nil {
		return err
	}
	const packName = "objects/pack/pack-all.pack"
	for _, sub := range []string{"objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(run.folder, sub), 0o700); err != nil {
			return fault.Infraf("write repository for git: %w", err)
		}
	}
	for name, content := range map[string][]byte{
		"HEAD":        []byte("ref: refs/heads/" + f.DefaultBranch + "\n"),
		"config":      []byte(repoConfig),
		"packed-refs": []byte(refs.String()),
		packName:      pack.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(run.folder, name), content, 0o600); err != nil {
			return fault.Infraf("write repository for git: %w", err)
		}
	}
	_, err := run.git(ctx, nil, "index-pack", packName)
	return err
}

// runner runs git in a folder that is its repository and its home.
type runner struct {
	program, folder string
	version         int
}

// git runs a command of git's and returns its output. Git goes by nobody's
// configuration but the repository's.
func (r runner) git(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, r.program, args...) //nolint:gosec // it is git, with arguments of ours
	cmd.Dir, cmd.WaitDelay = r.folder, killTime
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &said
	cmd.Env = []string{
		"HOME=" + r.folder, "PATH=" + filepath.Dir(r.program), "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
	if r.version > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_PROTOCOL=version=%d", r.version))
	}
	err := cmd.Run()
	if _, refused := errors.AsType[*exec.ExitError](err); refused && ctx.Err() == nil && out.Len() > 0 {
		// It has told the client what it does not like.
		return out.Bytes(), nil
	}
	if err != nil {
		return nil, fault.Infraf("run git %s: %w: %.500s", args[0], err, &said)
	}
	return out.Bytes(), nil
}
