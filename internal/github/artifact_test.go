package github_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// entry is a file of an archive, in whatever mode.
type entry struct {
	name, text string
	mode       fs.FileMode
}

func archive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(e.mode | 0o644)
		file, err := writer.CreateHeader(header)
		require.NoError(t, err)
		_, err = file.Write([]byte(e.text))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}

func wanted(name string) bool { return strings.HasSuffix(name, ".txt") }

func TestOnlyWantedFilesAreUnpacked(t *testing.T) {
	folder := t.TempDir()
	packed := archive(t, entry{name: "a/"}, entry{name: "a/b.txt", text: "b"}, entry{name: "c.txt", text: "c"}, entry{name: "a/report.html", text: "no"}, entry{name: "./d/../e.txt", text: "e"})
	require.NoError(t, github.UnpackArchive(packed, folder, github.ArchiveLimits{Files: 5, Bytes: 3}, wanted))
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			name, err := filepath.Rel(folder, path)
			require.NoError(t, err)
			found[name] = string(text)
		}
		return err
	}))
	assert.Equal(t, map[string]string{"a/b.txt": "b", "c.txt": "c", "e.txt": "e"}, found)
}

func TestAHostileArchiveIsRefused(t *testing.T) {
	damaged := archive(t, entry{name: "a.txt", text: strings.Repeat("text ", 100)})
	damaged[len("PK34")+40] ^= 0xff
	for name, c := range map[string]struct {
		archive []byte
		says    string
	}{
		"what is none":                     {[]byte("no archive"), "no zip archive"},
		"a name that climbs":               {archive(t, entry{name: "../../etc/cron.d/x.txt"}), "would be outside of it"},
		"a name that climbs, unwanted":     {archive(t, entry{name: "../x"}), "would be outside of it"},
		"a name that climbs later":         {archive(t, entry{name: "a/../../x.txt"}), "would be outside of it"},
		"an absolute name":                 {archive(t, entry{name: "/etc/x.txt"}), "would be outside of it"},
		"a name of another system":         {archive(t, entry{name: `..\x.txt`}), "would be outside of it"},
		"a drive of another system":        {archive(t, entry{name: "C:x.txt"}), "would be outside of it"},
		"a name with an end in it":         {archive(t, entry{name: "a.txt\x00.html"}), "would be outside of it"},
		"a link":                           {archive(t, entry{"a.txt", "/etc/passwd", fs.ModeSymlink}), "is no file"},
		"a pipe":                           {archive(t, entry{"a.txt", "", fs.ModeNamedPipe}), "is no file"},
		"a device, unwanted":               {archive(t, entry{"a", "", fs.ModeDevice}), "is no file"},
		"a name twice":                     {archive(t, entry{name: "a.txt", text: "1"}, entry{name: "a.txt", text: "2"}), "two files"},
		"a name twice, written otherwise":  {archive(t, entry{name: "a.txt"}, entry{name: "./A.TXT"}), "two files"},
		"a file that is a folder":          {archive(t, entry{name: "a.txt/b.txt"}, entry{name: "a.txt"}), "is a folder, too"},
		"a folder that is a file":          {archive(t, entry{name: "a.txt"}, entry{name: "a.txt/b.txt"}), "is below a file"},
		"more than it says, as it unpacks": {archive(t, entry{name: "a.txt", text: strings.Repeat("0", 1<<20)}), "more than may be unpacked"},
		"more in many files":               {archive(t, entry{name: "a.txt", text: "01234"}, entry{name: "b.txt", text: "01234567"}), "more than may be unpacked"},
		"many files":                       {archive(t, make([]entry, 11)...), "it has 11 files"},
		"bits that have been turned":       {damaged, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "in", "it")
			require.NoError(t, os.MkdirAll(folder, 0o700))
			most := int64(12)
			if name == "bits that have been turned" {
				most = 1 << 20
			}
			err := github.UnpackArchive(c.archive, folder, github.ArchiveLimits{Files: 10, Bytes: most}, wanted)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			outside, err := os.ReadDir(filepath.Dir(folder))
			require.NoError(t, err)
			assert.Len(t, outside, 1, "nothing is beside it")
		})
	}
}

const token = "ghs_of-the-job"

// uploaded is a world with a run that has two artifacts.
func uploaded(t *testing.T) (github.ArtifactSource, *sandboxtest.World) {
	t.Helper()
	w := sandboxtest.New(t)
	w.As("owner").Do("PUT", sandboxtest.Path+"/contents/.github/workflows/ci.yml", map[string]string{
		"message": "ci", "content": "b246IHdvcmtmbG93X2Rpc3BhdGNoCmpvYnM6CiAgdGVzdDoKICAgIHJ1bnMtb246IHgKICAgIHN0ZXBzOiBbe3J1bjogdHJ1ZX1dCg==", "branch": "main",
	})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "ci.yml", Uploads: []model.Upload{{Name: "rows", File: "a.txt", Text: "rows"}, {Name: "other", File: "b.txt"}}}}
	})
	require.Equal(t, 204, w.As("writer").Do("POST", sandboxtest.Path+"/actions/workflows/ci.yml/dispatches", `{"ref":"main"}`).Status)
	w.AddToken(token, sandbox.Token{App: "github-actions", Permissions: map[string]string{"actions": "read"}})
	client, err := github.New(github.Options{RESTURL: w.URL, Token: token})
	require.NoError(t, err)
	run := w.As("reader").Get(sandboxtest.Path + "/actions/runs").Int("workflow_runs.0.id")
	return github.ArtifactSource{Client: client, Owner: sandboxtest.Owner, Name: sandboxtest.Name, Run: int64(run), HTTP: http.DefaultClient}, w
}

func TestAnArtifactIsTheOneThatWasUploaded(t *testing.T) {
	source, _ := uploaded(t)
	all, err := source.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	rows := all[1]
	assert.Equal(t, []any{"rows", source.Run, false}, []any{rows.Name, rows.Run.ID, rows.Expired})
	assert.NotZero(t, rows.CreatedAt)
	assert.Len(t, rows.Run.HeadSHA, 40)
	content, err := source.Download(t.Context(), rows, 1<<20)
	require.NoError(t, err)
	require.NoError(t, github.UnpackArchive(content, t.TempDir(), github.ArchiveLimits{Files: 1, Bytes: 4}, wanted))

	_, err = source.Download(t.Context(), rows, 10)
	assert.ErrorContains(t, err, "artifact rows is larger than")
	lies := rows
	lies.Size = 1
	_, err = source.Download(t.Context(), lies, 10)
	assert.ErrorContains(t, err, "artifact rows is larger than", "whatever the list says")
	other := rows
	other.ID = all[0].ID
	_, err = source.Download(t.Context(), other, 1<<20)
	require.ErrorContains(t, err, "is not the one that was uploaded")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	older := other
	older.Digest = ""
	_, err = source.Download(t.Context(), older, 1<<20)
	assert.NoError(t, err, "GitHub knows no digest of older ones")
}

func TestADownloadTellsNeitherItsTokenNorItsAddress(t *testing.T) {
	source, _ := uploaded(t)
	all, err := source.List(t.Context())
	require.NoError(t, err)
	const secret = "sig=0123456789"
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusGone)
	}))
	defer store.Close()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, store.URL+"/x?"+secret, http.StatusFound)
	}))
	defer api.Close()
	source.Client, err = github.New(github.Options{RESTURL: api.URL, Token: token})
	require.NoError(t, err)
	for range 2 {
		_, err = source.Download(t.Context(), all[0], 1<<20)
		require.Error(t, err)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		assert.NotContains(t, fmt.Sprint(err), secret)
		store.Close()
	}
}

func TestWhatIsTooLargeIsNotAskedFor(t *testing.T) {
	source, _ := uploaded(t)
	source.HTTP, source.Client = nil, nil // nobody is to be asked
	_, err := source.Download(t.Context(), github.Artifact{Name: "rows", Size: 3 << 20}, 2<<20)
	assert.EqualError(t, err, "artifact rows is larger than 2 MiB: upload the rows of the run alone")
}

func TestErrorsOfGitHubAreToldOf(t *testing.T) {
	source, _ := uploaded(t)
	gone := source
	gone.Run = 1
	_, err := gone.List(t.Context())
	require.ErrorContains(t, err, "list the artifacts")
	assert.Equal(t, http.StatusNotFound, github.StatusOf(err))
	_, err = source.Download(t.Context(), github.Artifact{ID: 1, Name: "rows"}, 1<<20)
	require.ErrorContains(t, err, "find the archive of artifact rows")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(github.UnpackArchive(archive(t), filepath.Join(t.TempDir(), "nowhere"), github.ArchiveLimits{}, wanted)))
}

func TestAllPagesAreRead(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page") == "1" {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=2>; rel="next"`, r.Host, r.URL.Path))
		}
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{"artifacts": []map[string]any{{"name": "page " + r.URL.Query().Get("page")}}}))
	}))
	defer api.Close()
	client, err := github.New(github.Options{RESTURL: api.URL, Token: token})
	require.NoError(t, err)
	all, err := github.ArtifactSource{Client: client, Owner: "o", Name: "r", Run: 1}.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 2)
}
