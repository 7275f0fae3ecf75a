package actioncli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// attack is what somebody does to get a check that lets his change through, and what he
// gets: the conclusion of the check named bench, empty if there is none. The action is
// started as the runner does it.
type attack struct {
	name string
	does func(t *testing.T) (*runner, ended)
	gets string
	// says is in the log, in the summary or in an answer.
	says string
}

func TestWhoCheatsGetsNothing(t *testing.T) {
	t.Parallel()
	for _, attacks := range [][]attack{attacksOnArtifacts(), attacksOnOrigins(), attacksWithComments(), attacksWithEvents()} {
		for _, a := range attacks {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				r, ended := a.does(t)
				conclusion, title := (&elsewhere{runner: r}).bench()
				assert.Equal(t, a.gets, conclusion, "%s: %s", title, ended.log)
				said := ended.log + ended.summary + strings.Join(r.comments(), "\n")
				assert.Contains(t, said, a.says)
				if a.gets == "" && !strings.Contains(a.says, "(partial)") {
					assert.NotContains(t, ended.log, "$ bench ", "nothing is run")
				}
			})
		}
	}
}

// published is a run of a branch of the repository that is published after something was
// done to it.
func published(does func(e *elsewhere)) func(*testing.T) (*runner, ended) {
	return publishedOf(false, does)
}

func publishedOf(fork bool, does func(e *elsewhere)) func(*testing.T) (*runner, ended) {
	return func(t *testing.T) (*runner, ended) {
		e := ranIn(t, fork)
		does(e)
		e.uploaded()
		return e.runner, e.publish()
	}
}

// sealed edits a run, and has its manifest fit.
func sealed(by edits) func(*testing.T) (*runner, ended) {
	return published(func(e *elsewhere) { e.edit(e.made, by) })
}

// unsealed edits a file of a run, and leaves the manifest as it was.
func unsealed(name string, change func(map[string]any)) func(*testing.T) (*runner, ended) {
	return published(func(e *elsewhere) {
		files, err := filepath.Glob(filepath.Join(e.folderOf(e.made), name))
		require.NoError(e.t, err)
		require.NotEmpty(e.t, files)
		rewrite(e.t, files[0], change)
	})
}

// measuredWith has the first workflow measure with other inputs than the other one has.
func measuredWith(by edits, inputs ...string) func(*testing.T) (*runner, ended) {
	return published(func(e *elsewhere) {
		usual := maps.Clone(e.inputs)
		for i := 0; i < len(inputs); i += 2 {
			e.inputs[inputs[i]] = inputs[i+1]
		}
		require.NoError(e.t, os.RemoveAll(filepath.Join(e.workspace, e.made)))
		e.measureIn(e.made, e.id, 1)
		e.edit(e.made, by)
		e.inputs = usual
	})
}

// as sets settings of a manifest.
func as(settings ...string) func(map[string]any) {
	return func(m map[string]any) {
		for i := 0; i < len(settings); i += 2 {
			m["settings"].(map[string]any)[settings[i]] = settings[i+1]
		}
	}
}

const refused = "action_required"

func attacksOnArtifacts() []attack {
	worse := func(row map[string]any) {
		if row["mode"] == "ghx" {
			row["success"], row["error"] = false, map[string]any{"type": "assertion_failed", "message": "wrong"}
		}
	}
	set := func(key string, value any) func(map[string]any) { return func(o map[string]any) { o[key] = value } }
	return []attack{
		{"nothing", published(func(*elsewhere) {}), "success", allPassed},
		{"makes up rows of a fork, and all that describes them", publishedOf(true, func(*elsewhere) {}), refused, "so they may be invented"},
		{"changes a row", unsealed("*-ghx-suite.jsonl", set("cost", 0)), refused, "is not what the run has left"},
		{"changes the plan", unsealed("run.json", set("repetitions", 1)), refused, "run.json is not what the run has left"},
		{"leaves the manifest away", published(func(e *elsewhere) {
			require.NoError(e.t, os.Remove(filepath.Join(e.folderOf(e.made), "bench-manifest.json")))
		}), refused, "has rows, but no bench-manifest.json"},
		{"has a summary that says that bad rows are good", sealed(edits{rows: worse}), "failure", "FAIL"},
		{"leaves a mode's bad rows away", published(func(e *elsewhere) {
			files, err := filepath.Glob(filepath.Join(e.folderOf(e.made), "*-ghx-suite.jsonl"))
			require.NoError(e.t, err)
			text, err := os.ReadFile(files[0])
			require.NoError(e.t, err)
			first, _, _ := strings.Cut(string(text), "\n")
			require.NoError(e.t, os.WriteFile(files[0], []byte(first+"\n"), 0o600))
			e.edit(e.made, edits{})
		}), refused, "incomplete"},
		{"leaves bad cells out of the plan", sealed(edits{run: func(run map[string]any) {
			run["cells"] = run["cells"].([]any)[:2]
			delete(run, "all_cells")
			delete(run, "shard")
		}}), refused, "the number of cells is 2, and 6 was asked for"},
		{"measures once", measuredWith(edits{}, "repetitions", "1"), refused, `input repetitions was "1" where the rows were made, and is "3" here`},
		{"measures once, and says that it was thrice", measuredWith(edits{manifest: as("repetitions", "3"), run: set("repetitions", 3)}, "repetitions", "1"), refused, "the number of cells is 2, and 6"},
		{"measures something easy", measuredWith(edits{}, "scenarios", "pr-view-001"), refused, "input scenarios was"},
		{"measures something easy, and does not say so", measuredWith(edits{manifest: as("scenarios", "pr-merge-001")}, "scenarios", "pr-view-001"), refused, "scenario pr-merge-001 is another one there, or is missing"},
		{"makes a scenario easy", sealed(edits{
			run: func(run map[string]any) { run["scenarios"].([]any)[0].(map[string]any)["hash"] = "easy" }, rows: set("scenario_hash", "easy"),
		}), refused, "scenario pr-merge-001 is another one there"},
		{"asks for another profile", measuredWith(edits{}, "gate-profile", "verify_release"), refused, "input gate-profile was"},
		{"builds something else", sealed(edits{manifest: as("build-command", "git checkout main && make")}), refused, "input build-command was"},
		{"lets agents out", sealed(edits{manifest: as("allow-hosts", "evil.example")}), refused, "input allow-hosts was"},
		{"is held by nothing", sealed(edits{manifest: as("isolation", "none")}), refused, "input isolation was"},
		{"measures another commit", sealed(edits{rows: set("git", map[string]any{"commit": strings.Repeat("0d", 20)})}), refused, "the commit of cell pr-merge-001"},
		{"does not say which commit was measured", sealed(edits{rows: set("git", map[string]any{}), run: set("git", map[string]any{})}), refused, "the commit is none"},
		{"has a cheaper model work", sealed(edits{rows: set("model", map[string]any{"provider_id": "openai", "model_id": "cheap"})}), refused, "openai/cheap"},
		{"has no model work", sealed(edits{rows: set("simulated", true)}), refused, "whether a model was involved"},
		{"has us read another file", sealed(edits{run: set("output_jsonl", "/etc/passwd")}), refused, `its rows are in "/etc/passwd"`},
		{"has us show another folder", sealed(edits{run: set("transcripts", "/root")}), refused, `its transcripts are in "/root"`},
		{"adds rows of its own", published(func(e *elsewhere) {
			require.NoError(e.t, os.WriteFile(filepath.Join(e.folderOf(e.made), "z-ghx-suite.jsonl"), nil, 0o600))
		}), refused, "is not among the files of its manifest"},
	}
}

// packed uploads an archive as it is.
func packed(write func(archive *zip.Writer)) func(*testing.T) (*runner, ended) {
	return published(func(e *elsewhere) {
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		write(archive)
		require.NoError(e.t, archive.Close())
		e.uploads = []model.Upload{{Name: "bench-rows", Archive: out.String()}}
	})
}

// told has what GitHub says of artifacts be other, by the keys of its answer.
func told(change map[string]any) func(*testing.T) (*runner, ended) {
	return published(func(e *elsewhere) {
		e.through(func(w http.ResponseWriter, req *http.Request) bool {
			if !strings.HasSuffix(req.URL.Path, "/artifacts") {
				return false
			}
			answer := e.world.As("owner").Get(req.URL.Path)
			var list struct {
				Artifacts []map[string]any `json:"artifacts"`
			}
			assert.NoError(e.t, json.Unmarshal([]byte(answer.Body), &list))
			for _, one := range list.Artifacts {
				maps.Copy(one, change)
			}
			assert.NoError(e.t, json.NewEncoder(w).Encode(list))
			return true
		})
	})
}

func attacksOnOrigins() []attack {
	file := func(archive *zip.Writer, name string, mode fs.FileMode) {
		header := &zip.FileHeader{Name: name}
		header.SetMode(mode | 0o644)
		_, _ = archive.CreateHeader(header)
	}
	other := func(change func(run map[string]any)) func(*testing.T) (*runner, ended) {
		return published(func(e *elsewhere) { e.event = change })
	}
	return []attack{
		{"uploads a file that climbs", packed(func(a *zip.Writer) { file(a, "../../../../etc/run.json", 0) }), refused, "would be outside of it"},
		{"uploads a link", packed(func(a *zip.Writer) { file(a, "x/run.json", fs.ModeSymlink) }), refused, "is no file"},
		{"uploads two files of one name", packed(func(a *zip.Writer) { file(a, "run.json", 0); file(a, "run.json", 0) }), refused, "two files"},
		{"uploads ten thousand files", packed(func(a *zip.Writer) {
			for i := range 10_001 {
				file(a, fmt.Sprint(i), 0)
			}
		}), refused, "it has 10001 files"},
		{"uploads nothing that is a run", packed(func(a *zip.Writer) { file(a, "summary.json", 0) }), refused, "there is no run below"},
		{"uploads what is no archive", published(func(e *elsewhere) { e.uploads = []model.Upload{{Name: "bench-rows", Archive: "no"}} }), refused, "it is no zip archive"},
		{"uploads a huge artifact", told(map[string]any{"size_in_bytes": 1 << 40}), refused, "is larger than 64 MiB"},
		{"changes an artifact on its way", told(map[string]any{"digest": "sha256:" + strings.Repeat("0d", 32)}), refused, "is not the one that was uploaded"},
		{"waits until an artifact has expired", told(map[string]any{"expired": true}), refused, "has expired"},
		{"has an artifact of another run", told(map[string]any{"workflow_run": map[string]any{"id": 1, "head_sha": strings.Repeat("0d", 20)}}), refused, "is of run 1"},
		{"uploads two artifacts of one name", published(func(e *elsewhere) {
			e.uploads = []model.Upload{e.artifactOf("bench-rows", e.made), e.artifactOf("bench-rows", e.made)}
		}), refused, "there are two artifacts"},
		{"uploads further rows of the same cells", published(func(e *elsewhere) {
			e.uploads = []model.Upload{e.artifactOf("bench-rows", e.made)}
			e.edit(e.made, edits{rows: func(row map[string]any) { row["cost"] = 0 }})
			e.uploads = append(e.uploads, e.artifactOf("bench-better", e.made))
		}), refused, "pr-merge-001"},
		{"uploads nothing", published(func(e *elsewhere) { e.uploads = []model.Upload{{Name: "other", File: "x"}} }), refused, "has uploaded no artifact bench-*"},
		{"has rows of an earlier run of the workflow", published(func(e *elsewhere) {
			require.NoError(e.t, os.RemoveAll(filepath.Join(e.workspace, e.made)))
			e.measureIn(e.made, e.id-1, 1)
		}), refused, "the rows are of run"},
		{"has rows of another workflow", sealed(edits{manifest: func(m map[string]any) {
			m["workflow"] = sandboxtest.Owner + "/" + sandboxtest.Name + "/.github/workflows/easy.yml@refs/heads/x"
		}}), refused, "the rows are of workflow"},
		{"has rows of another repository", sealed(edits{manifest: func(m map[string]any) { m["repository"] = "mallory/tool" }}), refused, `the rows are of repository "mallory/tool"`},
		{"has rows of the commit before the last push", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.uploaded()
			e.world.As("owner").Do("PUT", sandboxtest.Path+"/contents/e", map[string]string{"message": "pushed", "content": "eA==", "branch": "measured"})
			return e.runner, e.publish()
		}, refused, "no open pull request has its head at commit"},
		{"has rows of a pull request that was closed", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.uploaded()
			e.world.As("owner").Do("PATCH", fmt.Sprint(sandboxtest.Path, "/pulls/", e.pull), `{"state":"closed"}`)
			return e.runner, e.publish()
		}, refused, "no open pull request has its head"},
		{"runs again until it passes, and publishes an earlier attempt", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.uploaded()
			e.world.Change(func(s *model.State, _ *model.Repo) { s.Scripts = nil })
			again := e.world.As("owner").Do("POST", fmt.Sprintf("%s/actions/runs/%d/rerun", sandboxtest.Path, e.id), nil)
			require.Equal(t, 201, again.Status, again.Body)
			return e.runner, e.publish()
		}, refused, "has uploaded no artifact bench-* in its attempt 2"},
		{"has the rows of an attempt told when another one has begun", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.uploaded()
			again := e.world.As("owner").Do("POST", fmt.Sprintf("%s/actions/runs/%d/rerun", sandboxtest.Path, e.id), nil)
			require.Equal(t, 201, again.Status, again.Body)
			e.event = func(run map[string]any) { run["run_attempt"] = 1 }
			return e.runner, e.publish()
		}, refused, "was started again: its attempt 2"},
		{"has an event tell of another commit", other(func(run map[string]any) { run["event"] = "push" }), refused, "is not what the event says"},
		{"compares with a commit that is bad", func(t *testing.T) (*runner, ended) {
			return comparedWith(t, func(e *elsewhere) string {
				commits := e.list("/commits?sha=main", "")
				return commits[len(commits)-1]["sha"].(string)
			}, nil)
		}, refused, "is no change to"},
		{"compares with a commit of nobody's", func(t *testing.T) (*runner, ended) {
			return comparedWith(t, func(e *elsewhere) string { return e.head }, nil)
		}, refused, "is no change to"},
		{"has the base changed when it was compared", func(t *testing.T) (*runner, ended) {
			return comparedWith(t, mainOf, func(e *elsewhere) {
				e.world.Change(func(s *model.State, repo *model.Repo) {
					first, _ := s.BranchHead(repo, "change")
					require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/v1", first))
				})
				moved := e.world.As("owner").Do("PATCH", fmt.Sprint(sandboxtest.Path, "/pulls/", e.pull), `{"base":"v1"}`)
				require.Equal(t, 200, moved.Status, moved.Body)
			})
		}, refused, "is no change to"},
		{"brings rows of another run in the folder of parts", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.inputs["results"], e.env["GITHUB_RUN_ID"] = e.made, "7"
			e.inputs["provider"], e.inputs["model"] = claimedProvider, "openai/"+claimedModel
			return e.runner, e.run()
		}, refused, "the rows are of run"},
		{"names rows alone, without what describes them", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			files, err := filepath.Glob(filepath.Join(e.folderOf(e.made), "*.jsonl"))
			require.NoError(t, err)
			e.inputs["results"], err = filepath.Rel(e.workspace, files[0])
			require.NoError(t, err)
			e.inputs["provider"], e.inputs["model"] = claimedProvider, "openai/"+claimedModel
			return e.runner, e.run()
		}, refused, "name the folder that the parts were brought to"},
		{"puts a link in the place of rows", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			files, err := filepath.Glob(filepath.Join(e.folderOf(e.made), "*-ghx-suite.jsonl"))
			require.NoError(t, err)
			elsewhere := filepath.Join(t.TempDir(), "rows")
			require.NoError(t, os.Rename(files[0], elsewhere))
			require.NoError(t, os.Symlink(elsewhere, files[0]))
			e.inputs["results"], e.env["GITHUB_RUN_ID"] = e.made, fmt.Sprint(e.id)
			e.inputs["provider"], e.inputs["model"] = claimedProvider, "openai/"+claimedModel
			return e.runner, e.run()
		}, refused, "it is no file"},
		{"downloads rows himself, whosever they are", func(t *testing.T) (*runner, ended) {
			e := ranIn(t, false)
			e.inputs["results"] = e.made
			e.uploaded()
			e.ranElsewhere(nil)
			return e.runner, e.run()
		}, refused, "What is in a folder may come from anywhere"},
	}
}

// mainOf returns the tip of the base branch.
func mainOf(e *elsewhere) string {
	return e.world.As("owner").Get(sandboxtest.Path + "/branches/main").Text("commit.sha")
}

// comparedWith has a run compare with a base commit, and then something be done.
func comparedWith(t *testing.T, base func(e *elsewhere) string, then func(e *elsewhere)) (*runner, ended) {
	e := ranIn(t, false)
	for name, value := range map[string]string{
		"baseline-mode": "ghx@base", "modes": "ghx@base,ghx", "base-commit": base(e), "base-ghx-command": "sh",
	} {
		e.inputs[name] = value
	}
	require.NoError(t, os.RemoveAll(filepath.Join(e.workspace, e.made)))
	e.measureIn(e.made, e.id, 1)
	delete(e.inputs, "base-commit")
	e.edit(e.made, edits{manifest: func(m map[string]any) { delete(m["settings"].(map[string]any), "base-commit") }})
	e.uploaded()
	if then != nil {
		then(e)
	}
	return e.runner, e.publish()
}

// A run that compares with the base that the pull request has is not refused.
func TestTheBaseOfAnotherRunIsTheBranchs(t *testing.T) {
	t.Parallel()
	r, ended := comparedWith(t, mainOf, nil)
	assert.NotContains(t, ended.log, "is no change to")
	conclusion, title := (&elsewhere{runner: r}).bench()
	assert.Equal(t, "failure", conclusion, "the scripted base is no worse: %s", title)
}
