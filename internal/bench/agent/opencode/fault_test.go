package opencode_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// inBubble runs a test on a clock of its own, with a provider on a host of
// fake servers.
func inBubble(t *testing.T, change func(*fakeServer), test func(t *testing.T, p *opencode.Provider, host *fakeHost)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		host := newFakeHost(t, change)
		provider := newFake(t, host)
		test(t, provider, host)
		require.NoError(t, provider.Close())
		assert.True(t, host.starts() == 0 || host.closed)
		for _, s := range host.servers {
			assert.False(t, s.alive(), "a server is left")
		}
	})
}

func start(t *testing.T, p *opencode.Provider) agent.Session {
	t.Helper()
	session, err := p.Start(t.Context(), fakeSetup)
	require.NoError(t, err)
	return session
}

// requireWorks fails if a provider does not have a normal session.
func requireWorks(t *testing.T, p *opencode.Provider, host *fakeHost) {
	t.Helper()
	host.change = nil
	if host.starts() > 0 {
		host.last().OnPrompt = func(turn *fakeTurn) { turn.say("done") }
	}
	session := start(t, p)
	turn, err := session.Prompt(t.Context(), agent.Prompt{Text: "again"})
	require.NoError(t, err)
	assert.Equal(t, "done", turn.Text)
	require.NoError(t, session.Close())
}

func texts(t *testing.T, session agent.Session) string {
	t.Helper()
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	var said []string
	for _, m := range transcript.Messages {
		for _, p := range m.Parts {
			said = append(said, string(m.Role)+" "+string(p.Type)+": "+p.Text)
		}
		if m.Error != "" {
			said = append(said, string(m.Role)+" broke off: "+m.Error)
		}
	}
	return strings.Join(said, "\n")
}

func TestAServerThatDiesInATurnIsNoticedAtOnce(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			id := turn.message(brokenInfo, `{"id":"prt_a","type":"text","text":""}`)
			turn.tell("message.part.delta", fmt.Sprintf(`"messageID":%q,"partID":"prt_a","field":"text","delta":"I am thi"`, id))
			synctest.Wait()
			_, _ = s.command.Output.Write([]byte("panic: out of cheese\n"))
			s.die()
		}
	}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		session := start(t, p)
		began := time.Now()
		_, err := session.Prompt(t.Context(), agent.Prompt{Text: "go"})
		require.ErrorContains(t, err, "has ended")
		require.ErrorContains(t, err, "out of cheese")
		require.NotErrorIs(t, err, agent.ErrStopSuite)
		assert.Zero(t, time.Since(began))
		assert.Equal(t, "user text: go\nassistant text: I am thi", texts(t, session))
		require.NoError(t, session.Close())
		requireWorks(t, p, host)
	})
}

func TestAServerThatIsNotHeardOfIsReplaced(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			synctest.Wait()
			s.silence()
		}
	}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		session := start(t, p)
		_, err := session.Prompt(t.Context(), agent.Prompt{Text: "go"})
		require.ErrorContains(t, err, "events of OpenCode have ended")
		require.NoError(t, session.Close())
		requireWorks(t, p, host)
	})
}

// broken are the ways in which an endpoint fails, and the error that follows.
func broken() map[string]struct {
	handler http.HandlerFunc
	want    string
} {
	return map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"answers 500":   {failing, "status 500: it broke"},
		"says garbage":  {saying("{]"), "read the answer"},
		"never answers": {hanging, "no answer within 10s"},
		"says too much": {func(w http.ResponseWriter, _ *http.Request) {
			for spaces := []byte(strings.Repeat(" ", 1<<20)); ; {
				if _, err := w.Write(spaces); err != nil {
					return
				}
			}
		}, "longer than"},
	}
}

func TestAServerThatFailsWhileItStartsIsToldOf(t *testing.T) {
	for _, endpoint := range []string{
		"GET /global/health", "GET /config/providers", "POST /session", "GET /session/ID/message", "GET /config", "GET /experimental/session",
	} {
		for name, c := range broken() {
			t.Run(endpoint+" "+name, func(t *testing.T) {
				inBubble(t, func(s *fakeServer) { s.Override[endpoint] = c.handler }, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
					_, err := p.Start(t.Context(), fakeSetup)
					require.ErrorContains(t, err, c.want)
					require.NotErrorIs(t, err, agent.ErrStopSuite, "the next start may succeed")
					assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
					requireWorks(t, p, host)
				})
			})
		}
	}
}

func TestAPromptThatIsNotTakenEndsTheServer(t *testing.T) {
	for name, c := range broken() {
		if name == "says garbage" {
			continue // The answer to a prompt is not read.
		}
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
				session := start(t, p)
				host.last().Override["POST /session/ID/prompt_async"] = c.handler
				_, err := session.Prompt(t.Context(), agent.Prompt{Text: "go"})
				require.ErrorContains(t, err, c.want)
				assert.False(t, host.last().alive())
				require.NoError(t, session.Close())
				requireWorks(t, p, host)
			})
		})
	}
}

func TestATranscriptThatCannotBeReadIsWhatWasHeard(t *testing.T) {
	for name, c := range broken() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
				session := start(t, p)
				turn, err := session.Prompt(t.Context(), agent.Prompt{Text: "go"})
				require.NoError(t, err)
				whole, err := session.Transcript(t.Context())
				require.NoError(t, err)
				host.last().Override["GET /session/ID/message"] = c.handler
				heard, err := session.Transcript(t.Context())
				require.NoError(t, err)
				assert.Equal(t, whole, heard)
				assert.Equal(t, turn.Text, heard.Answer())
				require.NoError(t, session.Close())
			})
		})
	}
}

var errDeadline = errors.New("the deadline")

// promptUntil prompts an agent that has to be stopped, and returns how long
// that took.
func promptUntil(t *testing.T, session agent.Session, deadline time.Duration) (late time.Duration, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline, errDeadline)
	defer cancel()
	began := time.Now()
	_, err = session.Prompt(ctx, agent.Prompt{Text: "go"})
	require.ErrorIs(t, err, errDeadline)
	return time.Since(began) - deadline, err
}

func stalling(s *fakeServer) {
	s.OnPrompt = func(turn *fakeTurn) {
		turn.begin()
		turn.message(brokenInfo, `{"id":"prt_a","type":"text","text":"I am thi"}`)
	}
}

func TestAStalledSessionIsAborted(t *testing.T) {
	inBubble(t, stalling, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		session := start(t, p)
		late, _ := promptUntil(t, session, time.Minute)
		assert.Zero(t, late)
		assert.Equal(t, 2, host.last().aborts, "one of the warm-up, one of the session")
		assert.Equal(t, "user text: go\nassistant text: I am thi", texts(t, session))
		require.NoError(t, session.Close())
		requireWorks(t, p, host)
		assert.Equal(t, 1, host.starts(), "a server that obeys is kept")
	})
}

func TestAServerThatDoesNotObeyIsEnded(t *testing.T) {
	cases := []struct {
		name    string
		handler http.HandlerFunc
		late    time.Duration
	}{
		{"it says that it has stopped, and runs on", saying("true"), opencode.DefaultAbortTimeout},
		{"it never answers", hanging, opencode.DefaultAbortTimeout},
		{"it answers 500", failing, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, stalling, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
				session := start(t, p)
				host.last().Override["POST /session/ID/abort"] = c.handler
				late, _ := promptUntil(t, session, time.Minute)
				assert.Equal(t, c.late, late)
				assert.False(t, host.last().alive())
				assert.Equal(t, "user text: go\nassistant text: I am thi", texts(t, session))
				require.NoError(t, session.Close())
				requireWorks(t, p, host)
			})
		})
	}
}

func TestASessionThatHasNotBegunIsEndedWithItsServer(t *testing.T) {
	// An abort would come before the beginning of what it is to stop.
	inBubble(t, func(s *fakeServer) { s.OnPrompt = func(*fakeTurn) {} }, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		session := start(t, p)
		late, _ := promptUntil(t, session, time.Minute)
		assert.Zero(t, late)
		assert.False(t, host.last().alive())
		require.NoError(t, session.Close())
		requireWorks(t, p, host)
	})
}

func TestAServerThatAnAgentHasChangedIsReplaced(t *testing.T) {
	changes := map[string]func(*fakeServer){
		"its configuration":     func(s *fakeServer) { s.Config = `{"instructions":["obey"]}` },
		"its sessions":          func(s *fakeServer) { s.Others = `[{"id":"ses_of_the_agent"}]` },
		"how it answers":        func(s *fakeServer) { s.Override["GET /config"] = failing },
		"how it lists sessions": func(s *fakeServer) { s.Override["GET /experimental/session"] = page },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
				session := start(t, p)
				change(host.last())
				require.NoError(t, session.Close())
				assert.False(t, host.last().alive())
				requireWorks(t, p, host)
				assert.Equal(t, 2, host.starts())
			})
		})
	}
}

func TestAMissingEndpointIsNamedOnce(t *testing.T) {
	for _, endpoint := range []string{
		"GET /config/providers", "GET /event", "POST /session", "POST /session/ID/prompt_async",
		"GET /session/ID/message", "POST /session/ID/abort", "GET /config", "GET /experimental/session",
	} {
		t.Run(endpoint, func(t *testing.T) {
			inBubble(t, func(s *fakeServer) { s.Override[endpoint] = page }, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
				_, err := p.Start(t.Context(), fakeSetup)
				require.ErrorIs(t, err, agent.ErrStopSuite)
				require.ErrorContains(t, err, "OpenCode "+opencode.Version+" cannot be used")
				require.ErrorContains(t, err, strings.ReplaceAll(endpoint, "ID", "ses_1"))
				require.ErrorContains(t, err, "npm install -g opencode-ai@"+opencode.Version)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
			})
		})
	}
}

func TestAnotherVersionIsRefused(t *testing.T) {
	for name, change := range map[string]func(*fakeServer){
		"0.4.2": func(s *fakeServer) { s.Version = "0.4.2" },
		"of an unknown version": func(s *fakeServer) {
			s.Override["GET /global/health"] = page
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, change, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
				_, err := p.Start(t.Context(), fakeSetup)
				require.ErrorIs(t, err, agent.ErrStopSuite)
				require.ErrorContains(t, err, "OpenCode "+name+" cannot be used")
				require.ErrorContains(t, err, "npm install -g opencode-ai@"+opencode.Version)
			})
		})
	}
	t.Run("one that is allowed may run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			host := newFakeHost(t, func(s *fakeServer) { s.Version = "0.4.2" })
			p := newFake(t, host, func(o *opencode.Options) { o.Versions = []string{"0.4.2"} })
			require.NoError(t, p.Prepare(t.Context(), fakeSetup))
			assert.Equal(t, "0.4.2", p.Describe().Version)
			require.NoError(t, p.Close())
		})
	})
}

func TestAProgramThatDoesNotServeIsToldOf(t *testing.T) {
	t.Run("it ends at once", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) {
			s.Prints = "Error: listen EADDRINUSE: address already in use\n"
			s.die()
		}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
			_, err := p.Start(t.Context(), fakeSetup)
			require.ErrorContains(t, err, "has ended")
			require.ErrorContains(t, err, "address already in use")
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			requireWorks(t, p, host)
		})
	})
	t.Run("it never listens", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) { s.Prints = "one moment" }, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
			began := time.Now()
			_, err := p.Start(t.Context(), fakeSetup)
			require.ErrorContains(t, err, "it took longer than 1m0s")
			require.ErrorContains(t, err, "one moment")
			assert.Equal(t, opencode.DefaultStartTimeout, time.Since(began))
			requireWorks(t, p, host)
		})
	})
	t.Run("its host fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newFake(t, nil, func(o *opencode.Options) {
				o.Hosts = func(bench.Mode, int) (agent.Host, error) { return nil, errors.New("no room") }
			})
			_, err := p.Start(t.Context(), fakeSetup)
			require.ErrorContains(t, err, "no room")
			require.NoError(t, p.Close())
		})
	})
}

func TestClosingEndsWhatIsUnderWay(t *testing.T) {
	t.Run("a prompt", func(t *testing.T) {
		inBubble(t, stalling, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
			session := start(t, p)
			go func() {
				synctest.Wait()
				_ = p.Close()
			}()
			_, err := session.Prompt(t.Context(), agent.Prompt{Text: "go"})
			require.EqualError(t, err, "OpenCode was ended")
			_, err = p.Start(t.Context(), fakeSetup)
			require.Error(t, err, "a closed provider starts nothing")
		})
	})
	t.Run("a start", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) { s.Prints = "" }, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
			go func() {
				synctest.Wait()
				_ = p.Close()
			}()
			began := time.Now()
			_, err := p.Start(t.Context(), fakeSetup)
			require.ErrorContains(t, err, "the provider of agents is closed")
			assert.Zero(t, time.Since(began))
		})
	})
}
