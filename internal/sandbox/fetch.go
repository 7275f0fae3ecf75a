package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

const (
	// fetchTime bounds how long git may take for one request.
	fetchTime = 2 * time.Minute
	// killTime is how long git may still hold its output after its end.
	killTime = time.Second
)

// repoConfig is the whole configuration of a repository that is served, with
// what GitHub allows clients: parts of a repository, and any object by name. Git holds
// neither a large file nor all of a large pack in memory.
const repoConfig = `[core]
	repositoryformatversion = 0
	bare = true
	bigFileThreshold = 1m
	packedGitWindowSize = 16m
	packedGitLimit = 128m
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`

// ErrNoGit is in the chain of the error of a fetch where there is no git
// program.
var ErrNoGit = errors.New("fetching from the sandbox needs the program git on PATH")

// exports are the repositories of a world that git has as folders, to serve
// them to clients. While the world is listened to they are kept, so that a fetch
// writes only what has come since the last one.
type exports struct {
	// mu is held while git answers.
	mu sync.Mutex
	// listeners are how many servers of the world are open.
	listeners int
	kept      map[model.ID]*export
}

// maxExports is how many folders are kept.
const maxExports = 8

// export is a repository as a folder.
type export struct {
	folder string
	// has are the objects in its packs, which are so many.
	has   gitstore.Objects
	packs int
	// state tells what was published last, and git is that.
	state string
	git   *gitstore.Store
}

// Listened notes that clients reach the world for a while, until what it returns
// is called: folders for git are kept meanwhile.
func (w *World) Listened() (end func()) {
	e := &w.exports
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listeners++
	return sync.OnceFunc(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.listeners--; e.listeners == 0 {
			e.removeAll()
		}
	})
}

func (e *exports) removeAll() {
	for id := range e.kept {
		e.remove(id)
	}
}

func (e *exports) remove(id model.ID) {
	// If it cannot be removed there is nobody to tell, and nothing secret in
	// it.
	_ = os.RemoveAll(e.kept[id].folder)
	delete(e.kept, id)
}

// of returns the export of a repository, empty if there is none yet. done is
// called once it has been used, with whether it is as it should be.
func (e *exports) of(id model.ID) (kept *export, done func(good bool), err error) {
	if kept = e.kept[id]; kept == nil {
		folder, err := os.MkdirTemp("", "sandbox-git-")
		if err != nil {
			return nil, nil, fault.Infraf("make a folder for git: %w", err)
		}
		if len(e.kept) >= maxExports {
			e.removeAll()
		}
		if e.kept == nil {
			e.kept = map[model.ID]*export{}
		}
		kept = &export{folder: folder}
		e.kept[id] = kept
	}
	return kept, func(good bool) {
		if e.listeners == 0 || !good {
			e.remove(id)
		}
	}, nil
}

// maxPacks is how many packs a folder has before all is written anew into one.
const maxPacks = 50

// update has the folder be the repository as it is now. What git may be given is
// all that is in the folder, so it is written anew once something is gone.
func (e *export) update(now *gitstore.Store, defaultBranch string) error {
	added, grown := now.Since(e.has)
	if e.packs == 0 || !grown || e.packs >= maxPacks {
		if err := e.begin(); err != nil {
			return err
		}
		added = 1 // even of nothing there is a pack
	}
	if added > 0 {
		if err := e.addPack(now); err != nil {
			return err
		}
	}
	var refs strings.Builder
	for _, ref := range now.Refs("") {
		fmt.Fprintf(&refs, "%s %s\n", ref.Hash, ref.Name)
	}
	return errors.Join(e.write("HEAD", "ref: refs/heads/"+defaultBranch+"\n"), e.write("packed-refs", refs.String()))
}

// begin makes the folder one of an empty repository.
func (e *export) begin() error {
	e.has, e.packs = gitstore.Objects{}, 0
	if err := os.RemoveAll(filepath.Join(e.folder, "objects")); err != nil {
		return fault.Infraf("write repository for git: %w", err)
	}
	for _, sub := range []string{"objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(e.folder, sub), 0o700); err != nil {
			return fault.Infraf("write repository for git: %w", err)
		}
	}
	return e.write("config", repoConfig)
}

func (e *export) write(name, content string) error {
	if err := os.WriteFile(filepath.Join(e.folder, name), []byte(content), 0o600); err != nil {
		return fault.Infraf("write repository for git: %w", err)
	}
	return nil
}

// addPack writes what has come since the packs before.
func (e *export) addPack(now *gitstore.Store) error {
	name := filepath.Join(e.folder, fmt.Sprintf("objects/pack/pack-%d", e.packs+1))
	index, err := createFile(name + ".idx")
	if err != nil {
		return err
	}
	pack, err := createFile(name + ".pack")
	if err != nil {
		return errors.Join(err, index.Close())
	}
	if err := errors.Join(now.WritePackSince(pack, index, e.has), pack.Close(), index.Close()); err != nil {
		return err
	}
	e.has = now.Objects()
	e.packs++
	return nil
}

func createFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fault.Infraf("write repository for git: %w", err)
	}
	return file, nil
}

// answer has git answer a request for the service [Fetch] with the given body.
// What a client asks for and cannot have is in the answer, as git tells it. An
// error is of kind invalid if the request is no request of git's, or of kind
// infrastructure.
func (e *export) answer(ctx context.Context, run runner, in Request, body []byte, out io.Writer) error {
	args := []string{"upload-pack", "--strict", "--stateless-rpc"}
	if in.Advertise {
		if in.Version != 2 {
			var head lines
			head.printf("# service=%s\n", Fetch)
			head.flush()
			if _, err := out.Write(head.Bytes()); err != nil {
				return fault.Infraf("answer a fetch: %w", err)
			}
		}
		return run.git(ctx, nil, out, append(args, "--advertise-refs", ".")...)
	}
	err := run.git(ctx, body, out, append(args, ".")...)
	if _, refused := errors.AsType[*exec.ExitError](err); refused && ctx.Err() == nil {
		return fault.Invalidf("git does not understand the request")
	}
	return err
}

// runner runs git in a folder that is its repository and its home.
type runner struct {
	program, folder string
	version         int
}

// git runs a command of git's, whose output goes to out. Git goes by nobody's
// configuration but the repository's.
func (r runner) git(ctx context.Context, input []byte, out io.Writer, args ...string) error {
	var said bytes.Buffer
	wrote := counter{to: out}
	cmd := exec.CommandContext(ctx, r.program, args...) //nolint:gosec // it is git, with arguments of ours
	cmd.Dir, cmd.WaitDelay = r.folder, killTime
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &wrote, &said
	cmd.Env = []string{
		"HOME=" + r.folder, "PATH=" + filepath.Dir(r.program), "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
	if r.version > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_PROTOCOL=version=%d", r.version))
	}
	err := cmd.Run()
	if _, refused := errors.AsType[*exec.ExitError](err); refused && ctx.Err() == nil && wrote.bytes > 0 {
		// It has told the client what it does not like.
		return nil
	}
	if err != nil {
		return fault.Infraf("run git %s: %w: %.500s", args[0], err, &said)
	}
	return nil
}

// counter counts the bytes that go to a writer.
type counter struct {
	to    io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

// length returns how many bytes the body of an answer has.
func (x *exchange) length(response rest.Response) int64 {
	if x.sendFile {
		return x.fileSize
	}
	return int64(len(response.Body))
}

// removeFiles removes what git sent and answered.
func (x *exchange) removeFiles() {
	x.push.remove()
	if x.file != nil {
		// If it cannot be removed there is nobody to tell.
		_ = x.file.Close()
		_ = os.Remove(x.file.Name())
	}
}
