package station

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// station is where the agent of one worker works in one mode.
type station struct {
	space *confine.Space
	proxy *egress.Proxy
	// env is the whole environment of its programs, but for the home folder.
	env []string
	// running is held while a command of ours runs.
	running sync.Mutex
	// served gets the error that the proxy ended with.
	served chan error
}

// open makes a station.
func (s *Stations) open(mode bench.Mode, worker int) (*station, error) {
	space, err := confine.Open(confine.Options{
		Name: spaceName(mode, worker), Base: s.base, User: s.options.User, Network: s.options.Network, View: s.options.View,
	})
	if err != nil {
		return nil, err
	}
	st := &station{space: space, served: make(chan error, 1)}
	if err := st.furnish(mode, s.options); err != nil {
		return nil, errors.Join(err, st.close())
	}
	return st, nil
}

// furnish gives a station its proxy, its programs and its environment.
func (st *station) furnish(mode bench.Mode, options Options) error {
	proxy, err := egress.New(egress.Options{
		Model: options.Model, Allow: options.Allow, Now: options.Now, OnRefused: options.OnRefused,
	})
	if err != nil {
		return err
	}
	listener, err := st.space.Listen()
	if err != nil {
		return errors.Join(err, proxy.Close())
	}
	st.proxy = proxy
	go func() { st.served <- proxy.Serve(listener) }()
	if err := st.install(options.Tools, mode); err != nil {
		return err
	}
	st.env, err = st.environment(options.Tools.File(mode), listener.Addr(), options)
	return err
}

// spaceName is a name for a space: small letters, digits and hyphens. Two modes
// may have the same.
func spaceName(mode bench.Mode, worker int) string {
	return fmt.Sprintf("%s-%d", strings.NewReplacer("_", "-", "@", "-").Replace(strings.ToLower(string(mode))), worker)
}

// install puts the mode's programs on the agent's PATH, and keeps off it what
// belongs to other modes and is installed on this machine.
func (st *station) install(tools *toolset.Set, mode bench.Mode) error {
	for _, p := range tools.Programs(mode) {
		words := append([]string{}, p.Words...)
		for _, need := range p.Needs {
			staged, err := st.stage(need)
			if err != nil {
				return fmt.Errorf("make %s ready for the agent: %w", p.Name, err)
			}
			for i := range words {
				words[i] = moved(words[i], need, staged)
			}
		}
		if err := st.script(p.Name, "exec "+shellquote.Join(words...)+` "$@"`); err != nil {
			return err
		}
	}
	for _, name := range tools.Hidden(mode) {
		if err := st.script(name, "echo '"+name+": command not found' >&2; exit 127"); err != nil {
			return err
		}
	}
	return nil
}

func (st *station) script(name, line string) error {
	_, err := st.space.ProvideProgram(name, []byte("#!/bin/sh\n"+line+"\n"))
	return err
}

// stage has the agent's user reach a file or a folder.
func (st *station) stage(path string) (string, error) {
	if isFolder(path) {
		return st.space.StageTree(path)
	}
	return st.space.Stage(path)
}

// moved returns where a path is after what it is in, or is, went elsewhere.
func moved(path, from, to string) string {
	if rest, inside := strings.CutPrefix(path, from); inside && (rest == "" || rest[0] == '/') {
		return to + rest
	}
	return path
}

// systemPath is where the programs of the system are.
const systemPath = "/usr/local/bin:/usr/bin:/bin"

// environment returns the environment of the agent's programs: where GitHub
// is, who they are there, and nothing of ours.
func (st *station) environment(mode *toolset.ModeFile, proxy net.Addr, options Options) ([]string, error) {
	bundle, err := st.proxy.Bundle("")
	if err != nil {
		return nil, fault.Infraf("read the system's certificate authorities: %w", err)
	}
	authorities, err := st.space.Provide("ca.pem", st.proxy.CACert())
	if err != nil {
		return nil, err
	}
	all, err := st.space.Provide("bundle.pem", bundle)
	if err != nil {
		return nil, err
	}
	// What the mode adds comes first, so that it changes nothing of ours.
	env := append(mode.Environment(toolset.Agent{Token: options.Token, Login: options.Login, Repo: options.Repo}), st.proxy.Env(proxy, authorities, all)...)
	// Node.js 22 would warn of the proxy in the output of every tool.
	env = append(env, "NODE_NO_WARNINGS=1",
		"PATH="+st.space.Programs()+":"+systemPath,
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GH_PAGER=cat",
		"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1",
		"GITHUB_REPOSITORY="+options.Repo,
	)
	if !mode.Shell {
		return env, nil
	}
	// git asks gh who it is, as `gh auth setup-git` sets it up.
	return append(env,
		"GH_TOKEN="+options.Token, "GITHUB_TOKEN="+options.Token,
		"GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=credential.https://github.com.helper", "GIT_CONFIG_VALUE_0=!gh auth git-credential",
		"GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1="+options.Login,
		"GIT_CONFIG_KEY_2=user.email", "GIT_CONFIG_VALUE_2="+options.Login+"@users.noreply.github.com",
	), nil
}

// runTime bounds the commands that are tried before agents work.
const runTime = 15 * time.Second

// lateError is why something was ended that took longer than that.
type lateError time.Duration

func (l lateError) Error() string { return "it takes longer than " + time.Duration(l).String() }

// maxOutput is how much of a command's output is kept, in bytes.
const maxOutput = 1 << 20

// run runs a command as the agent would, and ends what that leaves running.
func (st *station) run(ctx context.Context, words ...string) (string, error) {
	st.running.Lock()
	defer st.running.Unlock()
	others, err := st.space.Processes()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, runTime, lateError(runTime))
	defer cancel()
	var stdout, stderr bytes.Buffer
	p, err := st.space.Start(ctx, confine.Command{
		Path: "/bin/sh", Args: []string{"-c", shellquote.Join(words...)},
		Env:    append(st.env, "HOME="+st.space.Home(), "TMPDIR="+st.space.Temp()),
		Stdout: &limited{&stdout}, Stderr: &limited{&stderr},
	})
	if err != nil {
		return "", err
	}
	err = p.Wait()
	if killed := endAll(st.space, others...); err == nil {
		err = killed
	}
	if err != nil {
		if late := lateError(0); errors.As(err, &late) {
			err = late
		}
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return "", err
	}
	return stdout.String(), nil
}

// limited keeps the beginning of what is written.
type limited struct{ *bytes.Buffer }

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:min(len(p), max(0, maxOutput-l.Len()))])
	return len(p), nil
}

// close ends the agent's processes, and gives up what the station holds.
//
// The proxy goes first: the space closes the listener that it serves on.
func (st *station) close() error {
	var problems []error
	if st.proxy != nil {
		problems = append(problems, st.proxy.Close(), <-st.served)
	}
	return errors.Join(append(problems, st.space.Close())...)
}
