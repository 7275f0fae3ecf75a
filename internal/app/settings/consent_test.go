package settings_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const (
	target       = sandboxtest.Owner + "/" + sandboxtest.Name
	measured     = "owner/measured"
	installation = 7
)

// check asks the repository of a world, with a token of the user.
func check(t *testing.T, w *sandboxtest.World, login string) error {
	t.Helper()
	w.As(login) // the world knows the token now
	clients := func(_ context.Context, in int64, owner, name string) (*github.Client, error) {
		assert.Equal(t, []any{int64(installation), target}, []any{in, owner + "/" + name})
		return github.New(github.Options{RESTURL: w.URL, Token: sandboxtest.Token(login)})
	}
	return settings.CheckConsent(t.Context(), clients, installation, target, measured)
}

// file is the one that is asked.
func file(text string) gitstore.Change {
	return gitstore.Change{Path: settings.ConsentPath, Content: []byte(text)}
}

func TestARepositoryNamesWhoseFixturesItTakes(t *testing.T) {
	for name, text := range map[string]string{
		"alone":                "repositories: [owner/measured]\n",
		"among others":         "# ours\nrepositories:\n  - owner/other\n  - owner/measured\n",
		"in other letters":     "repositories: [Owner/MEASURED]\n",
		"as JSON, with schema": `{"$schema": "https://example.com/s.json", "repositories": ["owner/measured"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, check(t, sandboxtest.New(t, file(text)), "reader"))
		})
	}
}

func TestWithoutConsentItIsSaidWhatToPutWhere(t *testing.T) {
	const says = `Fixtures of owner/measured are made in owner/hello once "repositories: [owner/measured]" is in .github/bench-fixtures.yml on the default branch of owner/hello, which `
	for name, c := range map[string]struct{ text, why string }{
		"nobody":                  {"repositories: []\n", "does not name it"},
		"another one":             {"repositories: [owner/other]\n", "does not name it"},
		"one of another account":  {"repositories: [other/measured]\n", "does not name it"},
		"one that begins like it": {"repositories: [owner/measured-2]\n", "does not name it"},
		"an empty file":           {"", "has a mistake there: .github/bench-fixtures.yml:1:1: repositories: is missing"},
		"an unknown key":          {"repositories: [owner/measured]\nrepository: owner/measured\n", "has a mistake there: .github/bench-fixtures.yml:2:1: repository: "},
		"a key twice":             {"repositories: []\nrepositories: [owner/measured]\n", "has a mistake there: .github/bench-fixtures.yml:2:"},
		"one that is no list":     {"repositories: owner/measured\n", "has a mistake there: .github/bench-fixtures.yml:1:"},
		"a pattern":               {"repositories:\n  - owner/*\n", "has a mistake there: .github/bench-fixtures.yml:2:"},
		"null":                    {"repositories:\n", "has a mistake there: .github/bench-fixtures.yml:1:"},
		"no YAML":                 {"repositories: [owner/measured\n", "has a mistake there: .github/bench-fixtures.yml:"},
		"several documents":       {"repositories: [owner/measured]\n---\nrepositories: []\n", "has a mistake there: "},
		"an alias":                {"repositories: &a [owner/measured]\n", "has a mistake there: "},
		"a file without end":      {"repositories: [owner/measured]\n#" + strings.Repeat("x", 1<<16), "has a mistake there: "},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(t, sandboxtest.New(t, file(c.text)), "reader")
			require.Equal(t, fault.Invalid, fault.KindOf(err), err)
			assert.Contains(t, fault.Public(err), says+c.why)
			assert.NotContains(t, fault.Public(err), "\n")
			assert.NotContains(t, fault.Public(err), "owner/other", "whom else it names is not for everybody")
		})
	}
	t.Run("no file", func(t *testing.T) {
		err := check(t, sandboxtest.New(t), "reader")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.EqualError(t, err, says+"has no such file")
	})
	t.Run("a folder in its place", func(t *testing.T) {
		err := check(t, sandboxtest.New(t, gitstore.Change{Path: settings.ConsentPath + "/x", Content: []byte("repositories: [owner/measured]\n")}), "reader")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.EqualError(t, err, says+"has something else there")
	})
}

// Who may push to a branch is not the one who decides.
func TestOnlyTheDefaultBranchCounts(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/change", main))
	})
	pushed := w.As("writer").Do("PUT", sandboxtest.Path+"/contents/"+settings.ConsentPath,
		map[string]any{"message": "mine", "branch": "change", "content": []byte("repositories: [owner/measured]\n")})
	require.Equal(t, 201, pushed.Status, pushed.Body)
	assert.ErrorContains(t, check(t, w, "writer"), "has no such file")
}

func TestWithoutAnAnswerThereIsNoConsent(t *testing.T) {
	clients := func(context.Context, int64, string, string) (*github.Client, error) {
		return github.New(github.Options{RESTURL: "http://127.0.0.1:1"})
	}
	err := settings.CheckConsent(t.Context(), clients, installation, target, measured)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err), "it may be given later")

	err = settings.CheckConsent(t.Context(), func(context.Context, int64, string, string) (*github.Client, error) {
		return nil, fault.Infraf("the App is not set up")
	}, installation, target, measured)
	assert.EqualError(t, err, "the App is not set up")
}

// GitHub sends no content of a file of more than 1 MB.
func TestAFileThatIsNotSentIsNoConsent(t *testing.T) {
	large := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"type": "file", "encoding": "base64", "content": null, "size": 2000000}`)
	}))
	defer large.Close()
	err := settings.CheckConsent(t.Context(), func(context.Context, int64, string, string) (*github.Client, error) {
		return github.New(github.Options{RESTURL: large.URL})
	}, installation, target, measured)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "has one that cannot be read")
}
