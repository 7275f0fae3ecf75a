package benchcli_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// GitHub is a sandbox, as `bench sandbox serve --json` describes it.
type GitHub struct {
	API         string            `json:"api"`
	Page        string            `json:"page"`
	Environment map[string]string `json:"environment"`
}

// startGitHub starts a GitHub of the test's own. It ends with the test, and
// also if the test is killed, because its standard input ends then.
func startGitHub(t *testing.T, flags ...string) GitHub {
	t.Helper()
	cmd := exec.Command("bench", append([]string{"sandbox", "serve", "--json", "--until-eof"}, flags...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sandbox ended badly: %v", err)
		}
	})
	var github GitHub
	if err := json.NewDecoder(stdout).Decode(&github); err != nil {
		t.Fatal(err)
	}
	return github
}

// call sends a request to the API and decodes the answer.
func (g GitHub) call(t *testing.T, method, path, body string, answer any) {
	t.Helper()
	request, err := http.NewRequest(method, g.API+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+g.Environment["GITHUB_TOKEN"])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		t.Fatal(err)
	}
}

func TestAnIssueIsClosedByThePullRequestThatFixesIt(t *testing.T) {
	github := startGitHub(t)
	repo := "/repos/" + github.Environment["GITHUB_REPOSITORY"]

	// This is where a program of yours would be at work; it finds the sandbox
	// by github.Environment.
	var issue, pull struct {
		Number int
		State  string
	}
	github.call(t, "POST", repo+"/issues", `{"title": "The greeting is missing"}`, &issue)
	github.call(t, "GET", repo+"/pulls/3", "", &pull)
	github.call(t, "PATCH", repo+"/pulls/3", `{"body": "Fixes #21"}`, &pull)
	github.call(t, "PUT", repo+"/pulls/3/merge", `{"merge_method": "squash"}`, &struct{}{})

	github.call(t, "GET", repo+"/issues/21", "", &issue)
	if issue.State != "closed" {
		t.Errorf("issue %d is %s after the merge", issue.Number, issue.State)
	}
}
