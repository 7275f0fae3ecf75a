package station

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// noNetwork is what programs say that look for GitHub without the proxy, where there
// is no network but the proxy.
var noNetwork = regexp.MustCompile(`(?i)could ?n[o']t resolve host|ENOTFOUND|EAI_AGAIN|ENETUNREACH|no such host|name or service not known|` +
	`temporary failure in name resolution|nodename nor servname|failed to lookup address|network is unreachable|dial tcp`)

// canaries has the tools of a mode do what the mode file says that asks GitHub, which
// is to be seen here.
func (s *Stations) canaries(ctx context.Context, place *target.Place, mode bench.Mode) error {
	file := s.options.Tools.File(mode)
	if file.Canary != "" && place.GitHub != nil {
		what := fmt.Sprintf("its canary `%s`", file.Canary)
		used, err := s.tried(ctx, place, mode, file.Canary)
		if err != nil {
			err = fault.Infraf("mode %s: %s fails where the agent works: %w", mode, what, err)
		}
		if err := seen(used, mode, what, err); err != nil {
			return err
		}
	}
	if place.GitHub == nil {
		return nil
	}
	for name, server := range file.MCP {
		if server.Canary == nil || server.URL != "" {
			continue
		}
		if err := s.withServer(ctx, mode, name, place.GitHub, func(ctx context.Context, session *mcp.ClientSession, attempt *egress.Attempt) error {
			what := fmt.Sprintf("its canary, tool %s of MCP server %s,", server.Canary.Tool, name)
			said, err := callTool(ctx, session, server.Canary.Tool, server.Canary.Arguments)
			if err == nil && said.failed {
				err = errors.New(markdown.Clean(said.text, maxNote))
			}
			if err != nil {
				err = fault.Infraf("mode %s: %s fails where the agent works: %w", mode, what, err)
			}
			return seen(attempt.Usage(), mode, what, err)
		}); err != nil {
			return err
		}
	}
	return nil
}

// TryServers starts the MCP servers of modes as their agents will, and has them list
// their tools. The error is a [BrokenTool] where those of one mode alone do not work,
// else of kind infrastructure, or invalid for a server that is elsewhere.
func (s *Stations) TryServers(ctx context.Context, modes []bench.Mode) error {
	broken, err := eachMode(modes, func(mode bench.Mode) error {
		for _, name := range slices.Sorted(maps.Keys(s.options.Tools.File(mode).MCP)) {
			if err := s.withServer(ctx, mode, name, nil, func(ctx context.Context, session *mcp.ClientSession, _ *egress.Attempt) error {
				tools, _, err := listTools(ctx, session)
				if err == nil && len(tools) == 0 {
					err = errors.New("it offers no tools")
				}
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && len(broken) == 1 && ctx.Err() == nil && s.worksElsewhere(broken[0], modes, err) {
		return &BrokenTool{broken[0], err}
	}
	return err
}

// withServer has f work with an MCP server that is started as a mode's agent will.
func (s *Stations) withServer(ctx context.Context, mode bench.Mode, name string, github http.Handler,
	f func(context.Context, *mcp.ClientSession, *egress.Attempt) error,
) (err error) {
	st, err := s.station(mode, 0)
	if err != nil {
		return err
	}
	server := s.options.Tools.Setups(toolset.Agent{Token: s.options.Token, Login: s.options.Login, Repo: s.options.Repo})[mode].MCP[name]
	defer func() {
		switch {
		case err == nil || fault.KindOf(err) != fault.Internal:
		case server.URL != "":
			err = fault.Invalidf("mode %s: MCP server %s at %s does not work from where the agent works: %w", mode, name, server.URL, err)
		default:
			err = fault.Infraf("mode %s: MCP server %s does not work where the agent works: %w", mode, name, err)
		}
	}()
	attempt := st.proxy.Begin(github)
	defer attempt.End()
	limited, cancel := context.WithTimeoutCause(ctx, runTime, lateError(runTime))
	defer cancel()
	session, end, err := st.connect(limited, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return f(limited, session, attempt)
}

// seen is the error of what has run to ask GitHub, with err.
func seen(used egress.Usage, mode bench.Mode, what string, err error) error {
	switch {
	case used.REST+used.GraphQL > 0, err != nil && !noNetwork.MatchString(err.Error()):
		return err
	case err != nil:
		return fault.Invalidf("%w: the proxy saw no request, so the program does not keep to HTTPS_PROXY and the proxy's certificate, and nothing else leads to GitHub there", err)
	default:
		return fault.Invalidf("mode %s: %s succeeds where the agent works, and the proxy saw no request to GitHub: it answers without asking, so name another call, or the program does not keep to HTTPS_PROXY and the proxy's certificate, as Node.js before 22.21 does not", mode, what)
	}
}

// worksElsewhere reports whether the other modes, which have no such error, show
// that it is not for want of something on this machine: any of them where a
// program fails, one of the same kind where it works and is not as it must be, or is
// late.
func (s *Stations) worksElsewhere(broken bench.Mode, modes []bench.Mode, err error) bool {
	if late := lateError(0); fault.KindOf(err) == fault.Infrastructure && !errors.As(err, &late) {
		return len(modes) > 1
	}
	file := s.options.Tools.File(broken)
	return slices.ContainsFunc(modes, func(mode bench.Mode) bool {
		other := s.options.Tools.File(mode)
		return mode != broken && other.Canary == file.Canary && slices.Equal(slices.Sorted(maps.Keys(other.MCP)), slices.Sorted(maps.Keys(file.MCP)))
	})
}
