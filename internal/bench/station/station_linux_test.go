package station_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const askGitHub = "curl -sS https://api.github.com/zen 2>&1; true"

func TestAnAgentReachesThePlaceOfItsAttempt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	assert.Contains(t, r.does(t, bench.AgentDirect, 0, askGitHub), "No attempt is under way.", "before the first attempt")
	first := r.prepare(t, bench.AgentDirect, 0)
	assert.Equal(t, "place 1 of "+token+"\n", r.does(t, bench.AgentDirect, 0, askGitHub))
	assert.Equal(t, 1, first.Usage().Requests.REST)
	require.NoError(t, first.Close())
	assert.Contains(t, r.does(t, bench.AgentDirect, 0, askGitHub), "No attempt is under way.", "between attempts")

	second := r.prepare(t, bench.AgentDirect, 0)
	assert.Equal(t, "place 2 of "+token+"\n", r.does(t, bench.AgentDirect, 0, askGitHub))
	require.NoError(t, first.Close(), "which ended long ago")
	assert.Equal(t, "place 2 of "+token+"\n", r.does(t, bench.AgentDirect, 0, askGitHub))
	assert.Equal(t, 2, second.Usage().Requests.REST)
	assert.Equal(t, 1, first.Usage().Requests.REST)
	assert.Equal(t, first.Env, second.Env, "so that a server of one attempt serves the next")
	require.NoError(t, second.Close())
	assert.Len(t, r.requests(), 3)
}

func TestAPlaceOfNoModeIsLedToByNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.prepare(t, "", 0)
	assert.Contains(t, r.does(t, bench.AgentDirect, 0, askGitHub), "No attempt is under way.")
	assert.Empty(t, r.requests())
}

func TestOtherHostsAreRefusedAndTold(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 10)
	r := newRig(t, func(o *station.Options) { o.OnRefused = func(host string) { heard <- host } })
	place := r.prepare(t, bench.AgentDirect, 0)
	said := r.does(t, bench.AgentDirect, 0, "curl -sS https://example.com/ 2>&1; curl -sS http://example.org/ 2>&1; curl -sS https://example.com/ 2>&1; true")
	assert.Contains(t, said, "403")
	assert.Equal(t, []string{"example.com", "example.org"}, place.Usage().RefusedHosts)
	require.NoError(t, place.Close())
	assert.Equal(t, "example.com", <-heard)
	assert.Equal(t, "example.org", <-heard)
	assert.Empty(t, heard)
}

func TestAnAgentCannotGoAroundTheProxy(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	held, err := r.Isolation(bench.AgentDirect)
	require.NoError(t, err)
	if held.Network != confine.Namespace {
		t.Skipf("NOT TESTED: agents are not in a network of their own here: %s", held.NetworkWhy)
	}
	r.prepare(t, bench.AgentDirect, 0)
	said := r.does(t, bench.AgentDirect, 0, "unset https_proxy HTTPS_PROXY; curl -sS -m 5 https://1.1.1.1/ 2>&1; curl -sS -m 5 https://api.github.com/ 2>&1; true")
	assert.Contains(t, said, "Failed to connect to 1.1.1.1")
	assert.Contains(t, said, "Could not resolve host")
	assert.Empty(t, r.requests())
}

func TestAModeHasItsProgramsOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cases := map[bench.Mode]map[string]string{
		bench.AgentDirect: {"gh a 'b c'": "gh a b c\n", "ghx --version": "ghx: command not found\n", "github-mcp-server": "not found"},
		bench.GHX:         {"gh a": "gh a\n", "ghx --version": "0.9.1\n", "github-mcp-server": "not found"},
		bench.MCP:         {"github-mcp-server --version": "Version: 0.20.0", "ghx --version": "ghx: command not found\n"},
	}
	for mode, commands := range cases {
		for command, want := range commands {
			assert.Contains(t, r.does(t, mode, 0, command+" 2>&1"), want, "%s: %s", mode, command)
		}
	}
}

func TestTheEnvironmentHasNothingOfOurs(t *testing.T) {
	const secret = "sk-a-secret-of-ours"
	t.Setenv("BENCH_TEST_SECRET", secret)
	t.Setenv("GH_CONFIG_DIR", "/root/of/evil")
	r := newRig(t, func(o *station.Options) {
		o.Model = &egress.Model{BaseURL: "https://api.example.com/v1", Key: secret}
	})
	said := r.does(t, bench.AgentDirect, 0, fmt.Sprintf("env; cat /proc/%d/environ 2>&1; ls -l /proc/self/fd", os.Getpid()))
	assert.NotContains(t, said, secret)
	assert.NotContains(t, said, "evil")
	assert.Contains(t, said, "GH_TOKEN="+token)
	assert.Contains(t, said, "GITHUB_REPOSITORY=o/r")
	assert.NotContains(t, said, " 4 -> ", "no file of ours is open")

	mcp := r.does(t, bench.MCP, 0, "env")
	assert.Contains(t, mcp, "GITHUB_PERSONAL_ACCESS_TOKEN="+token)
	assert.NotContains(t, mcp, "GH_TOKEN=")
	for _, name := range []string{"HTTPS_PROXY=", "SSL_CERT_FILE=", "GIT_SSL_CAINFO=", "NODE_EXTRA_CA_CERTS="} {
		assert.Contains(t, said, name)
		assert.Contains(t, mcp, name)
	}
	url, err := r.ModelURL(bench.AgentDirect)
	require.NoError(t, err)
	assert.Equal(t, "https://api.example.com/v1", url)
}

func TestRunEndsWhatItStartsAndNothingElse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server, printed := r.start(t, bench.AgentDirect, 0, "echo up; exec sleep 5003")
	require.Eventually(t, func() bool { return printed.String() == "up\n" }, 10*time.Second, time.Millisecond)
	said, err := r.Run(bench.AgentDirect)(t.Context(), "sh", "-c", "(setsid sleep 5004 >/dev/null 2>&1 &); echo $1; cat", "sh", "a 'b' $c")
	require.NoError(t, err)
	assert.Equal(t, "a 'b' $c\n", said)
	select {
	case <-server.Done():
		assert.Fail(t, "what was running before was ended")
	default:
	}
	assert.Zero(t, running(t, "sleep\x005004"))

	_, err = r.Run(bench.AgentDirect)(t.Context(), "sh", "-c", "echo why >&2; exit 3")
	require.EqualError(t, err, "exit status 3: why")
	_, err = r.Run(bench.AgentDirect)(t.Context(), "gh", "auth", "status")
	require.ErrorContains(t, err, "403", "there is no attempt")

	require.NoError(t, server.Sweep())
	assert.Equal(t, 1, running(t, "sleep\x005003"))
	require.NoError(t, server.End())
	assert.Zero(t, running(t, "sleep\x005003"))
}

func TestStationsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, second := r.prepare(t, bench.AgentDirect, 0), r.prepare(t, bench.AgentDirect, 1)
	other, err := r.Host(bench.AgentDirect, 1)
	require.NoError(t, err)
	assert.Equal(t, "place 1 of "+token+"\n", r.does(t, bench.AgentDirect, 0, askGitHub))
	assert.Equal(t, "place 2 of "+token+"\n", r.does(t, bench.AgentDirect, 1, askGitHub))
	assert.Equal(t, 1, first.Usage().Requests.REST)
	assert.Equal(t, 1, second.Usage().Requests.REST)
	env, err := r.Env(bench.AgentDirect, 1)
	require.NoError(t, err)
	assert.NotEqual(t, first.Env, env, "a proxy of its own")

	held, err := r.Isolation(bench.AgentDirect)
	require.NoError(t, err)
	if held.User != confine.OwnUser {
		t.Skipf("NOT TESTED: agents have no users of their own here: %s", held.UserWhy)
	}
	require.NoError(t, os.WriteFile(other.Folders().Work+"/note", []byte("private"), 0o644))
	proxy := ""
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, "HTTPS_PROXY="); ok {
			proxy = value
		}
	}
	said := r.does(t, bench.AgentDirect, 0, fmt.Sprintf("cat %[1]s/note 2>&1; ls %[2]s 2>&1; curl -sS -x %[3]s https://api.github.com/ 2>&1; true",
		other.Folders().Work, other.Folders().Home, proxy))
	assert.NotContains(t, said, "private")
	assert.Equal(t, 2, strings.Count(said, "Permission denied"), said)
	if held.Network == confine.Namespace {
		assert.Contains(t, said, "Failed to connect")
	}
	assert.Equal(t, 1, second.Usage().Requests.REST)
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var all []string
	for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX, bench.MCP} {
		r.prepare(t, mode, 0)
		r.does(t, mode, 0, "(setsid sleep 5005 >/dev/null 2>&1 &); mkdir -p ~/a/b && touch ~/a/b/c && chmod 0 ~/a")
		all = append(all, string(mode))
	}
	assert.GreaterOrEqual(t, running(t, r.base), len(all), "daemons of %s", all)
	require.NoError(t, r.Stations.Close())
	require.NoError(t, r.Stations.Close(), "a second time")
	assert.Zero(t, running(t, r.base))
	left, err := os.ReadDir(r.base)
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = r.Env(bench.AgentDirect, 0)
	require.Error(t, err)
	_, err = r.Prepare(t.Context(), target.Needs{Mode: bench.GHX})
	require.Error(t, err, "and no new station is made")
}

func TestN2ThePreflightAsksOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	modes := []bench.Mode{bench.AgentDirect, bench.GHX, bench.MCP}
	place := r.prepare(t, "", 0)
	preflight := func(modes []bench.Mode, capabilities ...string) error {
		_, err := r.Preflight(t.Context(), place, modes, capabilities)
		return err
	}
	require.NoError(t, preflight(modes, "pr.view", "pr.merge"))
	assert.Equal(t, []string{"GET api.github.com/user token " + token, "GET api.github.com/rate_limit ", "GET api.github.com/rate_limit "}, r.requests(),
		"N2: one gh auth status, N9: one request of ghx itself, and one of the MCP server")

	err := preflight(modes, "pr.view", "pr.fly", "pr.swim")
	require.ErrorContains(t, err, "pr.fly, pr.swim")
	require.ErrorContains(t, err, "mode ghx")
	require.NoError(t, preflight([]bench.Mode{bench.AgentDirect}, "pr.fly"), "only ghx needs them")
	before := len(r.requests())
	require.NoError(t, preflight([]bench.Mode{bench.MCP}))
	assert.Equal(t, []string{"GET api.github.com/rate_limit "}, r.requests()[before:], "N2: the MCP server has no gh")
	assert.Contains(t, r.does(t, bench.AgentDirect, 0, askGitHub), "No attempt is under way.", "the attempt of the preflight is over")
}

func TestN9ABrokenToolIsToldFromABrokenMachine(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	asks := `exec curl -sS -f https://api.github.com/rate_limit`
	for name, c := range map[string]struct {
		head, base string
		modes      []bench.Mode
		broken     bench.Mode
		kind       fault.Kind
		says       string
	}{
		"the head's ghx dies":                      {"echo no module >&2; exit 1", asks, []bench.Mode{bench.GHXBase, bench.GHX}, bench.GHX, fault.Infrastructure, "no module"},
		"and gh is what it is compared with":       {"echo no module >&2; exit 1", asks, []bench.Mode{bench.AgentDirect, bench.GHX}, bench.GHX, fault.Infrastructure, "no module"},
		"the base's ghx dies":                      {asks, "exit 1", []bench.Mode{bench.GHXBase, bench.GHX}, bench.GHXBase, fault.Infrastructure, "mode ghx@base"},
		"both die":                                 {"exit 1", "exit 1", []bench.Mode{bench.GHXBase, bench.GHX}, "", fault.Infrastructure, "mode ghx@base"},
		"it is alone":                              {"exit 1", asks, []bench.Mode{bench.GHX}, "", fault.Infrastructure, "mode ghx"},
		"the head's ghx makes its answers up":      {"echo ok", asks, []bench.Mode{bench.GHXBase, bench.GHX}, bench.GHX, fault.Invalid, "the proxy saw no request"},
		"no ghx gets through, as with an old Node": {"echo ok", "echo ok", []bench.Mode{bench.GHXBase, bench.GHX}, "", fault.Invalid, "HTTPS_PROXY"},
		"nor is there another":                     {"echo ok", asks, []bench.Mode{bench.AgentDirect, bench.GHX}, "", fault.Invalid, "HTTPS_PROXY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, withGHX(t, c.head, c.base))
			_, err := r.Preflight(t.Context(), r.prepare(t, "", 0), c.modes, []string{"pr.view"})
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err), err)
			var broken *station.BrokenTool
			if c.broken == "" {
				require.False(t, errors.As(err, &broken), err)
				return
			}
			require.ErrorAs(t, err, &broken)
			assert.Equal(t, c.broken, broken.Mode)
		})
	}
}

func TestN9ABrokenBuildDoesNotTellItsVersion(t *testing.T) {
	t.Parallel()
	r := newRig(t, withGHX(t, "", "", "--version) echo Cannot find module >&2; exit 1 ;;"))
	var broken *station.BrokenTool
	_, err := r.Versions(t.Context(), []bench.Mode{bench.GHXBase, bench.GHX})
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, bench.GHX, broken.Mode)
	require.ErrorContains(t, err, "Cannot find module")
}

func TestVersionsAreThoseOfTheProgramsWhereAgentsAre(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	versions, err := r.Versions(t.Context(), []bench.Mode{bench.AgentDirect, bench.GHX, bench.MCP})
	require.NoError(t, err)
	assert.Equal(t, "2.62.0", versions["gh"])
	assert.Equal(t, "0.9.1", versions["ghx"])
	assert.Equal(t, "0.20.0", versions["github-mcp-server"])
	assert.Empty(t, r.requests())
}

func TestAStationThatCannotBeHadIsAnError(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *station.Options) { o.Model = &egress.Model{BaseURL: "ftp://nowhere"} })
	_, err := r.Env(bench.AgentDirect, 0)
	require.ErrorContains(t, err, "ftp://nowhere")
	_, err = r.Prepare(t.Context(), target.Needs{Mode: bench.AgentDirect})
	require.Error(t, err)
	assert.Zero(t, running(t, r.base))
	_, err = station.New(station.Options{Base: "/no/such/folder"})
	require.True(t, errors.Is(err, os.ErrNotExist), err)
}

func TestN9AnMCPServerThatDoesNotWorkIsNamed(t *testing.T) {
	t.Parallel()
	const asks, dies = answers, "echo panic: nil map >&2; exit 1"
	for name, c := range map[string]struct {
		scripts []string
		broken  bench.Mode
		says    string
	}{
		"they work":                {[]string{asks, asks}, "", ""},
		"the first dies":           {[]string{dies, asks}, "m0", "it ends, or closes its output, before it answers: panic: nil map"},
		"it dies of what is asked": {[]string{"read -r asked; " + dies, asks}, "m0", "it ends, or closes its output, before it answers: panic: nil map"},
		"it hears nothing":         {[]string{"echo mine; exec <&-; exec sleep 1000", asks}, "m0", `it prints something else than MCP: "mine"`},
		"the second dies":          {[]string{asks, dies}, "m1", "mode m1: MCP server s does not work where the agent works"},
		"both die":                 {[]string{dies, dies}, "", "mode m0"},
		"it is alone":              {[]string{dies}, "", "panic: nil map"},
		"it offers nothing":        {[]string{asks, "TOOLS=\n" + asks}, "m1", "it offers no tools"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var files []string
			var modes []bench.Mode
			for i, script := range c.scripts {
				program, file := fmt.Sprintf("program%d", i), filepath.Join(folder, fmt.Sprintf("m%d.yml", i))
				require.NoError(t, os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // it is run
				require.NoError(t, os.WriteFile(file, []byte(fmt.Sprintf("name: m%d\n", i)+strings.ReplaceAll(serverFile(readTool), "./program", "./"+program)), 0o600))
				files, modes = append(files, file), append(modes, bench.Mode(fmt.Sprintf("m%d", i)))
			}
			library, err := toolset.LoadLibrary(files)
			require.NoError(t, err)
			r := newRig(t, func(o *station.Options) { o.Tools = toolset.Find(toolset.Options{Library: library}) })
			err = r.TryServers(t.Context(), modes)
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			var broken *station.BrokenTool
			if assert.Equal(t, c.broken != "", errors.As(err, &broken)) && broken != nil {
				assert.Equal(t, c.broken, broken.Mode)
			}
		})
	}
}
