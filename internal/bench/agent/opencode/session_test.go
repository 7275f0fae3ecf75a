package opencode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

// eventNames makes events readable.
var eventNames = map[agent.Event]string{
	agent.EventProgress: "progress", agent.EventAnswer: "answer", agent.EventToolStart: "tool start", agent.EventToolEnd: "tool end",
}

// heard prompts an agent and returns what was heard of it.
func heard(t *testing.T, session agent.Session, text string) (events []string, turn agent.Turn, err error) {
	t.Helper()
	turn, err = session.Prompt(t.Context(), agent.Prompt{Text: text, OnEvent: func(e agent.Event) { events = append(events, eventNames[e]) }})
	return events, turn, err
}

func TestN6EventsTellWhatTheModelSaysAndToolsDo(t *testing.T) {
	cases := []struct {
		name string
		play func(turn *fakeTurn)
		want []string
	}{
		{"N6: the first piece of text is the answer", func(turn *fakeTurn) {
			turn.begin()
			id := turn.message(brokenInfo, `{"id":"p0","type":"step-start"}`, `{"id":"p1","type":"text","text":""}`)
			turn.tell("message.part.delta", fmt.Sprintf(`"messageID":%q,"partID":"p1","field":"text","delta":"hi"`, id))
			turn.idle()
		}, []string{"progress", "progress", "progress", "progress", "answer", "progress"}},
		{"N6: reasoning is an answer", func(turn *fakeTurn) {
			turn.begin()
			turn.message(brokenInfo, `{"id":"p1","type":"reasoning","text":"hm"}`)
			turn.idle()
		}, []string{"progress", "progress", "progress", "answer"}},
		{"N6: a tool call is an answer, and runs from its start to its end", func(turn *fakeTurn) {
			turn.begin()
			id := turn.message(toolInfo, `{"id":"p1","type":"tool","tool":"bash","state":{"status":"pending"}}`)
			for _, status := range []string{"running", "running", "completed", "completed"} {
				turn.part(id, fmt.Sprintf(`{"id":"p1","type":"tool","tool":"bash","state":{"status":%q}}`, status))
			}
			turn.idle()
		}, []string{"progress", "progress", "progress", "answer", "progress", "progress", "tool start", "progress", "progress", "tool end", "progress"}},
		{"N6: a tool call that is told of when it has failed has run", func(turn *fakeTurn) {
			turn.begin()
			turn.message(toolInfo, `{"id":"p1","type":"tool","tool":"bash","state":{"status":"error"}}`)
			turn.idle()
		}, []string{"progress", "progress", "progress", "answer", "tool start", "tool end", "progress"}},
		{"N6: a session that asks a failing provider again shows no sign of life", func(turn *fakeTurn) {
			turn.begin()
			for range 3 {
				turn.tell("session.status", `"status":{"type":"busy"}`)
				turn.tell("session.status", `"status":{"type":"retry","attempt":1,"message":"too many requests"}`)
				turn.tell("session.updated", `"info":{}`)
			}
			turn.idle()
		}, []string{"progress", "progress"}},
		{"N6: neither do other sessions, nor the server's heart", func(turn *fakeTurn) {
			turn.begin()
			turn.server.tell("server.heartbeat", "")
			turn.server.tell("message.part.updated", `"sessionID":"ses_99","part":{"id":"p","messageID":"m","type":"text","text":"x"}`)
			turn.server.tellRaw("{}")
			turn.server.tellRaw(`{"type":"message.updated","properties":[]}`)
			turn.server.tellRaw(`not JSON`)
			turn.idle()
		}, []string{"progress", "progress"}},
		{"N6: what an agent of the agent does is progress", func(turn *fakeTurn) {
			turn.begin()
			turn.server.tell("session.created", fmt.Sprintf(`"sessionID":"ses_98","info":{"id":"ses_98","parentID":%q}`, turn.id))
			turn.server.tell("message.updated", `"sessionID":"ses_98","info":{"id":"m","role":"assistant"}`)
			turn.server.tell("message.part.updated", `"sessionID":"ses_98","part":{"id":"p","messageID":"m","type":"text","text":"x"}`)
			turn.idle()
		}, []string{"progress", "progress", "progress"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(s *fakeServer) { s.OnPrompt = c.play }, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
				events, _, err := heard(t, start(t, p), "go")
				require.NoError(t, err)
				assert.Equal(t, c.want, events)
			})
		})
	}
}

func TestATurnEndsWhenTheSessionIsIdleAgain(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.idle() // of the turn before
			turn.begin()
			turn.message(toolInfo, `{"id":"p1","type":"text","text":"I look."}`)
			turn.message(assistantInfo, `{"id":"p2","type":"reasoning","text":"hm"}`, `{"id":"p3","type":"text","text":"one"}`, `{"id":"p4","type":"text","text":"two"}`)
			turn.idle()
			turn.tell("session.status", `"status":{"type":"busy"}`)
		}
	}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
		session := start(t, p)
		for range 2 {
			_, turn, err := heard(t, session, "go")
			require.NoError(t, err)
			assert.Equal(t, "one\ntwo", turn.Text)
		}
	})
}

func TestPromptsAreSentAsTheyAre(t *testing.T) {
	mode := "high"
	var got []fakePrompt
	synctest.Test(t, func(t *testing.T) {
		host := newFakeHost(t, func(s *fakeServer) {
			s.OnPrompt = func(turn *fakeTurn) {
				got = append(got, turn.prompt)
				turn.say("done")
			}
		})
		p := newFake(t, host, func(o *opencode.Options) { o.Model.Mode = &mode })
		session := start(t, p)
		for _, text := range []string{"do it", "now"} {
			_, _, err := heard(t, session, text)
			require.NoError(t, err)
		}
		require.NoError(t, p.Close())
	})
	require.Len(t, got, 2)
	for i, text := range []string{"do it", "now"} {
		assert.Equal(t, text, got[i].Parts[0].Text)
		assert.Equal(t, "Work with the gh command.", got[i].System)
		assert.Equal(t, "m", got[i].Model.ModelID)
		assert.Equal(t, "high", got[i].Variant)
		assert.Nil(t, got[i].Format, "a session that was asked for a format cannot be read")
	}
}

func TestErrorsOfTheModelEndTheTurn(t *testing.T) {
	const refused = "the provider of model stub/m refuses the API key: check that the key is right and may use the model: the suite cannot go on"
	const unknown = "the provider has no model stub/m: check its name: the suite cannot go on"
	cases := []struct {
		name  string
		error string
		want  string
		stop  bool
	}{
		{"a key that is wrong stops the suite", `{"name":"APIError","data":{"message":"no","statusCode":401}}`, refused, true},
		{"a key that may not stops the suite", `{"name":"APIError","data":{"message":"no","statusCode":403}}`, refused, true},
		{"a key that a gateway refuses in its own way stops the suite",
			`{"name":"APIError","data":{"message":"no","statusCode":400,"responseBody":"{\"error\":{\"code\":\"invalid_api_key\"}}"}}`, refused, true},
		{"a key that is missing stops the suite", `{"name":"ProviderAuthError","data":{"message":"no key"}}`, refused, true},
		{"a provider that wants to be paid first stops the suite", `{"name":"APIError","data":{"message":"no credit","statusCode":402}}`,
			"the provider of model stub/m answers no more: no credit (402): the suite cannot go on", true},
		{"a model that the provider has not stops the suite",
			`{"name":"APIError","data":{"message":"no","statusCode":404,"responseBody":"{\"error\":{\"code\":\"model_not_found\"}}"}}`, unknown, true},
		{"a provider that is busy does not", `{"name":"APIError","data":{"message":"slow down","statusCode":429}}`, "the agent's turn failed: slow down (429)", false},
		{"nor does an error without a text", `{"name":"UnknownError"}`, "the agent's turn failed: UnknownError", false},
		{"nor does one without anything", `null`, "the agent's turn failed: unknown error", false},
		{"a text is not repeated at length", fmt.Sprintf(`{"data":{"message":%q}}`, strings.Repeat("x", 5000)),
			"the agent's turn failed: " + strings.Repeat("x", 1000) + "…", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(s *fakeServer) {
				s.OnPrompt = func(turn *fakeTurn) {
					turn.begin()
					turn.fail(c.error)
				}
			}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
				_, _, err := heard(t, start(t, p), "go")
				require.EqualError(t, err, c.want)
				assert.Equal(t, c.stop, errorsIsStop(err))
				if c.stop {
					assert.Equal(t, fault.Invalid, fault.KindOf(err))
				}
			})
		})
	}
}

func errorsIsStop(err error) bool { return strings.HasSuffix(err.Error(), agent.ErrStopSuite.Error()) }

func TestAnErrorThatASessionRecoversFromDoesNotEndTheTurn(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			turn.tell("session.error", `"error":{"name":"ContextOverflowError","data":{"message":"too long"}}`)
			turn.message(assistantInfo, `{"id":"p1","type":"text","text":"done"}`)
			turn.idle()
		}
	}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
		_, turn, err := heard(t, start(t, p), "go")
		require.NoError(t, err)
		assert.Equal(t, "done", turn.Text)
	})
}

func TestAPromptThatTheSessionRefusesEndsTheTurn(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.tell("session.error", `"error":{"name":"UnknownError","data":{"message":"Agent not found"}}`)
		}
	}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
		_, _, err := heard(t, start(t, p), "go")
		require.EqualError(t, err, "the agent's turn failed: Agent not found")
	})
}

func TestNobodyIsThereToBeAsked(t *testing.T) {
	for _, asked := range []string{"permission.asked", "question.asked"} {
		inBubble(t, func(s *fakeServer) {
			s.OnPrompt = func(turn *fakeTurn) {
				turn.begin()
				turn.tell(asked, `"id":"1"`)
			}
		}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
			_, _, err := heard(t, start(t, p), "go")
			require.EqualError(t, err, "the agent asked a person, and there is none")
			assert.False(t, host.last().alive(), "it would wait for ever")
			requireWorks(t, p, host)
		})
	}
}

func TestATurnEndsWithItsSession(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			turn.tell("session.deleted", fmt.Sprintf(`"info":{"id":%q}`, turn.id))
		}
	}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		_, _, err := heard(t, start(t, p), "go")
		require.EqualError(t, err, "the agent has removed its session")
		assert.False(t, host.last().alive(), "it may work on")
	})
}

func TestAModelThatNeverFinishesIsNotAskedForEver(t *testing.T) {
	broken := strings.Replace(assistantInfo, `"stop"`, `"unknown"`, 1)
	t.Run("three answers that broke off are enough", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) {
			s.OnPrompt = func(turn *fakeTurn) {
				turn.begin()
				for range 3 {
					turn.message(broken, `{"id":"p","type":"text","text":"half of"}`)
				}
			}
		}, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
			_, _, err := heard(t, start(t, p), "go")
			require.EqualError(t, err, "3 answers of the model in a row broke off")
			assert.False(t, host.last().alive())
		})
	})
	t.Run("answers with tool calls between them do not count", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) {
			s.OnPrompt = func(turn *fakeTurn) {
				turn.begin()
				for range 2 {
					turn.message(broken, `{"id":"p","type":"text","text":"half of"}`)
					turn.message(broken, `{"id":"p","type":"text","text":"half of"}`)
					turn.message(toolInfo, `{"id":"t","type":"tool","tool":"bash","state":{"status":"completed"}}`)
				}
				turn.message(assistantInfo, `{"id":"p","type":"text","text":"done"}`)
				turn.idle()
			}
		}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
			_, turn, err := heard(t, start(t, p), "go")
			require.NoError(t, err)
			assert.Equal(t, "done", turn.Text)
		})
	})
}

func TestWhatAProviderWasAskedAgainForIsTold(t *testing.T) {
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			turn.message(strings.Replace(brokenInfo, `"tokens"`, `"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}},"tokens"`, 1))
			turn.tell("session.status", `"status":{"type":"retry","attempt":2,"message":"quota exceeded"}`)
		}
	}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
		session := start(t, p)
		_, err := promptUntil(t, session, time.Minute)
		require.ErrorContains(t, err, "(its model was at retry 2, because quota exceeded)")
		assert.Contains(t, texts(t, session), "Aborted; its model was at retry 2, because quota exceeded")
	})
}

func TestATranscriptHasWhatWasSaidAndDone(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(1700000000000 + ms).UTC() }
	inBubble(t, func(s *fakeServer) {
		s.OnPrompt = func(turn *fakeTurn) {
			turn.begin()
			turn.message(toolInfo,
				`{"id":"p1","type":"step-start"}`,
				`{"id":"p2","type":"reasoning","text":"hm","time":{"start":1700000000600,"end":1700000000700}}`,
				`{"id":"p3","type":"tool","tool":"bash","state":{"status":"completed","input":{"command":"false"},"output":"(no output)","metadata":{"exit":1},"time":{"start":1700000000700,"end":1700000000800}}}`,
				`{"id":"p4","type":"tool","tool":"bash","state":{"status":"completed","input":{"command":"true"},"output":"fine","metadata":{"exit":0}}}`,
				`{"id":"p5","type":"tool","tool":"github_get_me","state":{"status":"error","input":{},"error":"refused"}}`,
				`{"id":"p6","type":"tool","tool":"invalid","state":{"status":"completed","input":{"tool":"edit","error":"there is no such tool"},"output":"…"}}`,
				`{"id":"p7","type":"tool","tool":"read","state":{"status":"running","input":{}}}`,
				`{"id":"p8","type":"step-finish","reason":"stop"}`)
			turn.message(assistantInfo, `{"id":"p9","type":"text","text":"done","time":{"start":1700000002000,"end":1700000003000}}`)
			turn.idle()
		}
	}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
		session := start(t, p)
		_, _, err := heard(t, session, "go")
		require.NoError(t, err)
		got, err := session.Transcript(t.Context())
		require.NoError(t, err)
		tool := func(name, input, output, problem string) agent.Part {
			return agent.Part{Type: agent.PartTool, Tool: &agent.ToolCall{Name: name, Input: json.RawMessage(input), Output: output, Error: problem}}
		}
		failed := tool("bash", `{"command":"false"}`, "(no output)", "exit status 1")
		failed.Start, failed.End = at(700), at(800)
		assert.Equal(t, agent.Transcript{
			SchemaVersion: agent.TranscriptSchemaVersion, Provider: opencode.Name, SessionID: "ses_2", Model: testModel,
			Messages: []agent.Message{
				{Role: agent.User, Start: at(0), End: at(0), Parts: []agent.Part{{Type: agent.PartText, Text: "go"}}},
				{Role: agent.Assistant, Start: at(500), End: at(900), Tokens: bench.Tokens{Input: 10, Output: 1, Total: 11}, Parts: []agent.Part{
					{Type: agent.PartReasoning, Text: "hm", Start: at(600), End: at(700)},
					failed,
					tool("bash", `{"command":"true"}`, "fine", ""),
					tool("github_get_me", `{}`, "", "refused"),
					tool("edit", `{"tool":"edit","error":"there is no such tool"}`, "…", "there is no such tool"),
					tool("read", `{}`, "", "the call did not end"),
				}},
				{Role: agent.Assistant, Start: at(1000), End: at(3000), Cost: 0.25,
					Tokens: bench.Tokens{Input: 60, Output: 7, Reasoning: 3, CacheRead: 40, Total: 110},
					Parts:  []agent.Part{{Type: agent.PartText, Text: "done", Start: at(2000), End: at(3000)}}},
			},
		}, got)
	})
}

func TestWhatWasDoneStaysInTheTranscriptOfAnAgentThatRemovesIt(t *testing.T) {
	const call = `{"id":"p1","type":"tool","tool":"bash","state":{"status":"completed","input":{},"output":"fine"}}`
	removals := map[string]func(turn *fakeTurn, message string){
		"its call": func(turn *fakeTurn, message string) {
			turn.tell("message.part.removed", fmt.Sprintf(`"messageID":%q,"partID":"p1"`, message))
		},
		"its message": func(turn *fakeTurn, message string) {
			turn.tell("message.removed", fmt.Sprintf(`"messageID":%q`, message))
		},
		"what it was": func(turn *fakeTurn, message string) {
			turn.part(message, strings.ReplaceAll(call, `"bash"`, `"read"`))
		},
	}
	for name, remove := range removals {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(s *fakeServer) {
				s.OnPrompt = func(turn *fakeTurn) {
					turn.begin()
					remove(turn, turn.message(toolInfo, call))
					s.mu.Lock()
					s.messages[turn.id] = nil
					s.mu.Unlock()
					turn.message(assistantInfo, `{"id":"p9","type":"text","text":"done"}`)
					turn.idle()
				}
			}, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
				session := start(t, p)
				_, _, err := heard(t, session, "go")
				require.NoError(t, err)
				got, err := session.Transcript(t.Context())
				require.NoError(t, err)
				measures := agent.Measure(got)
				assert.Equal(t, 1, measures.ToolCalls)
				assert.EqualValues(t, 11+110, measures.Tokens.Total)
				require.Len(t, got.Messages, 3)
				assert.Equal(t, "bash", got.Messages[1].Parts[0].Tool.Name)
			})
		})
	}
}

func TestASessionThatAnAgentHasBegunIsPartOfTheTranscript(t *testing.T) {
	play := func(turn *fakeTurn) {
		turn.begin()
		turn.message(toolInfo, `{"id":"p1","type":"tool","tool":"task","state":{"status":"completed"}}`)
		turn.server.tell("session.created", fmt.Sprintf(`"sessionID":"ses_98","info":{"id":"ses_98","parentID":%q}`, turn.id))
		child := &fakeTurn{server: turn.server, id: "ses_98"}
		child.message(strings.Replace(toolInfo, "1700000000500", "1700000000600", 1), `{"id":"p1","type":"text","text":"found"}`)
		turn.message(assistantInfo, `{"id":"p2","type":"text","text":"done"}`)
		turn.idle()
	}
	inBubble(t, func(s *fakeServer) { s.OnPrompt = play }, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		session := start(t, p)
		_, _, err := heard(t, session, "go")
		require.NoError(t, err)
		for range 2 {
			transcript, err := session.Transcript(t.Context())
			require.NoError(t, err)
			assert.Equal(t, int64(11+11+110), agent.Measure(transcript).Tokens.Total)
			assert.Equal(t, "done", transcript.Answer())
			host.last().die()
		}
	})
}

func TestAServerIsKeptWhileItsEnvironmentStays(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		for range 3 {
			require.NoError(t, start(t, p).Close())
		}
		assert.Equal(t, 1, host.starts())
		assert.Equal(t, 3, host.last().swept-1, "after each session, and the warm-up")
		assert.Equal(t, []string{"ses_1", "ses_2", "ses_3", "ses_4"}, host.last().deleted)

		other := fakeSetup
		other.Env = append([]string{"NEW=1"}, fakeSetup.Env...)
		_, err := p.Start(t.Context(), other)
		require.NoError(t, err)
		assert.Equal(t, 2, host.starts())
		assert.Contains(t, host.last().command.Env, "NEW=1")
	})
}

func TestSessionsBeginInEmptyFolders(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		outside := filepath.Join(t.TempDir(), "outside")
		require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
		require.NoError(t, start(t, p).Close())
		for _, folder := range []string{host.folders.Home, host.folders.Work, host.folders.Temp} {
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "a/.b/c"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "a/.b/c/file"), nil, 0o400))
			require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(folder, "link")))
			require.NoError(t, os.Chmod(filepath.Join(folder, "a/.b"), 0o100))
			require.NoError(t, os.Chmod(filepath.Join(folder, "a"), 0))
		}
		require.NoError(t, os.RemoveAll(filepath.Join(host.folders.Home, ".config")))
		require.NoError(t, os.Symlink(filepath.Dir(outside), filepath.Join(host.folders.Home, ".config")))

		start(t, p)
		assert.Equal(t, 1, host.starts())
		assert.Empty(t, list(t, host.folders.Work))
		assert.Empty(t, list(t, host.folders.Temp))
		assert.Equal(t, []string{".config"}, list(t, host.folders.Home))
		assert.Equal(t, []string{"models.json", "node_modules", "package-lock.json"}, list(t, filepath.Join(host.folders.Home, ".config/opencode")))
		assert.Equal(t, []string{"outside"}, list(t, filepath.Dir(outside)), "links were not followed")
	})
}

func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestPrepareTellsVersionAndPrice(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, p *opencode.Provider, host *fakeHost) {
		assert.Equal(t, agent.Info{Name: "opencode", Model: testModel}, p.Describe())
		require.NoError(t, p.Prepare(t.Context(), fakeSetup))
		assert.Equal(t, agent.Info{
			Name: "opencode", Model: testModel, Version: opencode.Version,
			Price: &bench.Price{Input: 1.75, Output: 14, CacheRead: 0.175},
		}, p.Describe())
		start(t, p)
		assert.Equal(t, 1, host.starts(), "the session is on the server that was prepared")
	})
	t.Run("a model without a price has none", func(t *testing.T) {
		inBubble(t, func(s *fakeServer) { s.Providers = `{"providers":[{"id":"stub","models":{"m":{}}}]}` }, func(t *testing.T, p *opencode.Provider, _ *fakeHost) {
			require.NoError(t, p.Prepare(t.Context(), fakeSetup))
			assert.Nil(t, p.Describe().Price)
		})
	})
}

func TestAModelThatOpenCodeDoesNotKnowStopsTheSuite(t *testing.T) {
	mode := "extreme"
	cases := []struct {
		name   string
		change func(*opencode.Options)
		want   string
	}{
		{"another model", func(o *opencode.Options) { o.Model.ModelID = "n" }, "knows no model stub/n"},
		{"another provider", func(o *opencode.Options) { o.Model.ProviderID = "other" }, "knows no model other/m"},
		{"another variant", func(o *opencode.Options) { o.Model.Mode = &mode }, `has no variant "extreme" in OpenCode ` + opencode.Version + ` (it has ["high"])`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newFake(t, newFakeHost(t, nil), c.change)
				err := p.Prepare(t.Context(), fakeSetup)
				require.ErrorIs(t, err, agent.ErrStopSuite)
				require.ErrorContains(t, err, c.want)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				require.NoError(t, p.Close())
			})
		})
	}
}

func TestMCPServersAreAwaited(t *testing.T) {
	cases := []struct {
		name, says, want string
	}{
		{"one that is connected will do", `{"github":{"status":"connected"}}`, ""},
		{"one that has failed is told of", `{"github":{"status":"failed","error":"no such file"}}`, `MCP server "github" is not connected: its status is "failed" no such file`},
		{"one that is missing is told of", `{}`, `MCP server "github" is not connected`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := newFakeHost(t, func(s *fakeServer) { s.MCP = c.says })
				p := newFake(t, host)
				err := p.Prepare(t.Context(), agent.Setup{MCP: map[string]agent.MCPServer{"github": {Command: []string{"x"}}}})
				if c.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.want)
				}
				require.NoError(t, p.Close())
				assert.Zero(t, host.last().swept, "an agent without a shell leaves nothing behind but its MCP servers")
			})
		})
	}
}
