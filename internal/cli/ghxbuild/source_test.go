package ghxbuild_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// gitHub is one whose archives are elsewhere, with a status and a body.
func gitHub(t *testing.T, status int, archive []byte) *github.Client {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /repos/acme/tool/tarball/abc", func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer hunter2", r.Header.Get("Authorization"))
		http.Redirect(w, r, server.URL+"/codeload", http.StatusFound)
	})
	mux.HandleFunc("GET /codeload", func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"), "the address is what lets one in")
		w.WriteHeader(status)
		_, _ = w.Write(archive)
	})
	mux.HandleFunc("GET /repos/acme/tool/tarball/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	})
	asked := 0
	mux.HandleFunc("GET /repos/acme/tool/tarball/circle", func(w http.ResponseWriter, r *http.Request) {
		asked++
		assert.LessOrEqual(t, asked, 1+5, "who has moved is followed five times")
		http.Redirect(w, r, r.URL.Path, http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /repos/acme/tool/git/commits/abc", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"sha": "abc", "tree": {"sha": "def"}}`)
	})
	mux.HandleFunc("GET /repos/acme/tool/contents/packages/core/package.json", func(w http.ResponseWriter, r *http.Request) {
		// Without a ref it is the default branch that is asked for.
		manifest, is := map[string]string{"ghx": `{"name": "@ghx-dev/core"}`, "": `{"name": "@ghx-dev/core"}`, "other": `{"name": "core"}`, "broken": `{`}[r.FormValue("ref")]
		switch {
		case r.FormValue("ref") == "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.FormValue("ref") == "folder":
			_, _ = io.WriteString(w, `[]`)
		case !is:
			http.NotFound(w, r)
		default:
			_, _ = fmt.Fprintf(w, `{"type": "file", "encoding": "base64", "content": %q}`, base64.StdEncoding.EncodeToString([]byte(manifest)))
		}
	})
	client, err := github.New(github.Options{RESTURL: server.URL, Token: "hunter2"})
	require.NoError(t, err)
	return client
}

// Who renames the package of ghx, or removes it, does not have the installed one judged.
func TestAWorkspaceThatIsNoLongerOneOfGHXIsNotMeasuredByTheInstalledOne(t *testing.T) {
	client := gitHub(t, http.StatusOK, nil)
	auto := ghxbuild.Wanted{Script: ghxbuild.Auto}
	for name, c := range map[string]struct {
		base   string
		wanted ghxbuild.Wanted
		built  ghxbuild.Built
		kind   *fault.Kind
	}{
		"the base is ghx":                {"ghx", auto, ghxbuild.Built{}, new(fault.Invalid)},
		"it was built":                   {"ghx", auto, ghxbuild.Built{Command: "node ghx"}, nil},
		"no mode has a ghx":              {"ghx", ghxbuild.Wanted{Script: ghxbuild.Auto, WithoutGHX: true}, ghxbuild.Built{}, nil},
		"the installed one is asked for": {"ghx", ghxbuild.Wanted{Script: ghxbuild.None}, ghxbuild.Built{}, nil},
		"the base is another package":    {"other", auto, ghxbuild.Built{}, nil},
		"the base has none":              {"none", auto, ghxbuild.Built{}, nil},
		"the base has a broken one":      {"broken", auto, ghxbuild.Built{}, nil},
		"the base has a folder":          {"folder", auto, ghxbuild.Built{}, nil},
		"no base is known":               {"", auto, ghxbuild.Built{}, nil},
		"GitHub is down":                 {"down", auto, ghxbuild.Built{}, new(fault.Infrastructure)},
	} {
		t.Run(name, func(t *testing.T) {
			err := ghxbuild.NoLongerGHX(t.Context(), client, "acme", "tool", c.base, c.wanted, c.built)
			if c.kind == nil {
				require.NoError(t, err)
				return
			}
			assert.Equal(t, *c.kind, fault.KindOf(err))
			if *c.kind == fault.Invalid {
				assert.ErrorContains(t, err, "set build-command and ghx-command")
			}
		})
	}
}

func TestTheFilesOfACommitAreFetched(t *testing.T) {
	packed, err := io.ReadAll(archive(t, tar.Header{Name: "acme-tool-abc/a/b", Typeflag: tar.TypeReg}))
	require.NoError(t, err)
	client := gitHub(t, http.StatusOK, packed)
	folder, err := ghxbuild.Fetch(t.Context(), client, "acme", "tool", "abc")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	assert.FileExists(t, filepath.Join(folder, "a/b"))

	assert.Equal(t, "def", ghxbuild.TreeOf(t.Context(), client, "acme", "tool", "abc"))
	assert.Empty(t, ghxbuild.TreeOf(t.Context(), client, "acme", "tool", "other"))
}

func TestACommitThatCannotBeFetchedSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		sha    string
		status int
		kind   fault.Kind
		says   string
	}{
		"GitHub does not have it": {"other", 0, fault.Invalid, "find the files of commit other: "},
		"it moves without end":    {"circle", 0, fault.Infrastructure, "find the files of commit circle: "},
		"nobody answers":          {"away", 0, fault.Infrastructure, "download commit away: the server does not answer"},
		"it is refused":           {"abc", http.StatusForbidden, fault.Infrastructure, "download commit abc: 403 Forbidden"},
		"it is no archive":        {"abc", http.StatusOK, fault.Infrastructure, "unpack commit abc: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			_, err := ghxbuild.Fetch(t.Context(), gitHub(t, max(c.status, http.StatusOK), []byte("no archive")), "acme", "tool", c.sha)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err), err)
			assert.NotContains(t, err.Error(), "127.0.0.1:1", "an address may have a token")
			assert.NotContains(t, err.Error(), "codeload")
			assert.Empty(t, sourceFolders(t), "what is of no use is removed")
		})
	}
	nobody, err := github.New(github.Options{RESTURL: "http://127.0.0.1:1"})
	require.NoError(t, err)
	_, err = ghxbuild.Fetch(t.Context(), nobody, "acme", "tool", "abc")
	require.ErrorContains(t, err, "GitHub cannot be reached")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))

	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	_, err = ghxbuild.Fetch(t.Context(), gitHub(t, http.StatusOK, nil), "acme", "tool", "abc")
	require.ErrorContains(t, err, "make a folder for the source")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestAnArchiveIsAllUnpackedOrRefused(t *testing.T) {
	for name, entries := range map[string][]tar.Header{
		"a file in the place of a folder": {{Name: "top/a", Typeflag: tar.TypeReg}, {Name: "top/a/b", Typeflag: tar.TypeReg}},
		"a folder in the place of a file": {{Name: "top/a", Typeflag: tar.TypeReg}, {Name: "top/a", Typeflag: tar.TypeDir}},
		"a file twice":                    {{Name: "top/a", Typeflag: tar.TypeReg}, {Name: "top/a", Typeflag: tar.TypeReg}},
		"a link twice":                    {{Name: "top/a", Typeflag: tar.TypeSymlink, Linkname: "b"}, {Name: "top/a", Typeflag: tar.TypeSymlink, Linkname: "c"}},
	} {
		assert.Error(t, ghxbuild.Unpack(archive(t, entries...), t.TempDir()), name)
	}
	folder := t.TempDir()
	packed := func() io.Reader {
		return archive(t, tar.Header{Name: "top/empty", Typeflag: tar.TypeDir}, tar.Header{Name: "top/pipe", Typeflag: tar.TypeFifo}, tar.Header{Name: "top/deep/run", Typeflag: tar.TypeReg})
	}
	require.NoError(t, ghxbuild.Unpack(packed(), folder))
	assert.DirExists(t, filepath.Join(folder, "empty"))
	assert.NoFileExists(t, filepath.Join(folder, "pipe"))
	info, err := os.Stat(filepath.Join(folder, "deep/run"))
	require.NoError(t, err)
	assert.EqualValues(t, 0o755, info.Mode().Perm(), "a script stays one")
	text, err := os.ReadFile(filepath.Join(folder, "deep/run"))
	require.NoError(t, err)
	assert.Equal(t, "x", string(text))
	assert.Error(t, ghxbuild.Unpack(packed(), filepath.Join(folder, "gone")))
}

// A file may be 256 MiB. Of those here there is only the beginning.
func TestAnArchiveWithAFileThatIsTooLargeIsRefused(t *testing.T) {
	beginning := func(size int64) io.Reader {
		var out bytes.Buffer
		zipped := gzip.NewWriter(&out)
		require.NoError(t, tar.NewWriter(zipped).WriteHeader(&tar.Header{Name: "top/a", Typeflag: tar.TypeReg, Size: size}))
		require.NoError(t, zipped.Close())
		return &out
	}
	const most = 256 << 20
	assert.ErrorContains(t, ghxbuild.Unpack(beginning(most+1), t.TempDir()), "larger than this unpacks")
	assert.ErrorIs(t, ghxbuild.Unpack(beginning(most), t.TempDir()), io.ErrUnexpectedEOF)
}
