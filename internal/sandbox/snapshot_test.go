package sandbox_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func save(t *testing.T, w *sandbox.World) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, w.Save(&out))
	return out.Bytes()
}

func TestSnapshotsComeBackAsTheyWere(t *testing.T) {
	w, _ := play(t)
	saved := save(t, w.World)
	loaded, err := sandbox.Load(saved)
	require.NoError(t, err)
	assert.Equal(t, saved, save(t, loaded))
	assert.Empty(t, loaded.Tokens(), "tokens are not saved")
	assert.NotContains(t, string(saved), sandboxtest.Token("writer"))

	served := sandboxtest.Serve(t, loaded)
	for _, path := range []string{"", "/issues?state=all", "/pulls/2", "/pulls/2/files", "/commits", "/contents/"} {
		assert.Equal(t, w.As("reader").Get(sandboxtest.Path+path).Body, served.As("reader").Get(sandboxtest.Path+path).Body, path)
	}
	before, after := w.As("writer").Do("POST", sandboxtest.Path+"/issues", `{"title":"next"}`), served.As("writer").Do("POST", sandboxtest.Path+"/issues", `{"title":"next"}`)
	assert.Equal(t, http.StatusCreated, after.Status)
	assert.Equal(t, before.Body, after.Body, "ids and times go on where they were")
}

// parts unpacks a snapshot.
func parts(t *testing.T, snapshot []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(snapshot), int64(len(snapshot)))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, f := range archive.File {
		part, err := f.Open()
		require.NoError(t, err)
		all[f.Name], err = io.ReadAll(part)
		require.NoError(t, err)
	}
	return all
}

// pack makes a snapshot of parts.
func pack(t *testing.T, all map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, content := range all {
		part, err := archive.Create(name)
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return out.Bytes()
}

func TestSnapshotsThatCannotBeLoaded(t *testing.T) {
	w, _ := play(t)
	saved := save(t, w.World)
	with := func(change func(all map[string][]byte)) []byte {
		all := parts(t, saved)
		change(all)
		return pack(t, all)
	}
	world := func(from, to string) []byte {
		return with(func(all map[string][]byte) {
			require.Contains(t, string(all["world.json"]), from)
			all["world.json"] = bytes.Replace(all["world.json"], []byte(from), []byte(to), 1)
		})
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "it is not a sandbox snapshot"},
		{"another file", []byte("# README\n"), "it is not a sandbox snapshot"},
		{"a truncated one", saved[:len(saved)/2], "it is not a sandbox snapshot"},
		{"an empty archive", pack(t, nil), `it has no part "world.json"`},
		{"another version", world(`"version":1`, `"version":2`), "it is a snapshot of version 2; this program reads version 1"},
		{"another version of another shape", pack(t, map[string][]byte{"world.json": []byte(`{"version":7,"state":5}`)}), "version 7"},
		{"no state", pack(t, map[string][]byte{"world.json": []byte(`{"version":1}`)}), "its world.json has no state"},
		{"no JSON", pack(t, map[string][]byte{"world.json": []byte(`{`)}), "its world.json is not as saved"},
		{"numbers where texts are", world(`"Login":"owner"`, `"Login":5`), "its world.json is not as saved"},
		{"a row that is null", pack(t, map[string][]byte{"world.json": []byte(`{"version":1,"state":{"Users":[{"id":1,"row":null}]}}`)}), "row 1 is empty or there twice"},
		{"a row that is there twice", pack(t, map[string][]byte{"world.json": []byte(`{"version":1,"state":{"Users":[{"id":1,"row":{}},{"id":1,"row":{}}]}}`)}), "row 1 is empty or there twice"},
		{"an owner who is nobody", world(`"OwnerID":`, `"OwnerID":7`), "its owner is missing"},
		{"ids that were not given yet", world(`"LastID":1`, `"LastID":0`), "its world.json is not as saved"},
		{"a repository without objects", with(func(all map[string][]byte) { delete(all, gitPart(all)) }), "it has no part \"git/"},
		{"a repository with other objects", with(func(all map[string][]byte) { all[gitPart(all)] = []byte("x") }), "is not as saved"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sandbox.Load(c.data)
			assert.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestSnapshotsAreBounded(t *testing.T) {
	w, _ := play(t)
	all := parts(t, save(t, w.World))
	bomb := func(name string, says uint64) []byte {
		var out, packed bytes.Buffer
		squeeze, err := flate.NewWriter(&packed, flate.BestCompression)
		require.NoError(t, err)
		_, err = squeeze.Write(bytes.Repeat([]byte(" "), 1<<20))
		require.NoError(t, err)
		require.NoError(t, squeeze.Close())
		archive := zip.NewWriter(&out)
		part, err := archive.CreateRaw(&zip.FileHeader{
			Name: name, Method: zip.Deflate, CompressedSize64: uint64(packed.Len()), UncompressedSize64: says,
		})
		require.NoError(t, err)
		_, err = part.Write(packed.Bytes())
		require.NoError(t, err)
		if name != "world.json" {
			part, err = archive.Create("world.json")
			require.NoError(t, err)
			_, err = part.Write(all["world.json"])
			require.NoError(t, err)
		}
		require.NoError(t, archive.Close())
		return out.Bytes()
	}
	for _, c := range []struct {
		part string
		says uint64
		want string
	}{
		{"world.json", 128<<20 + 1, "it is larger than 134217728 bytes when it is unpacked"},
		{"world.json", 1 << 63, "it is larger than 134217728 bytes when it is unpacked"},
		{"world.json", 10, `its part "world.json" cannot be read`},
		{gitPart(all), 1 << 30, "is not as saved"},
		{gitPart(all), 4<<30 + 1, "it is larger than 4294967296 bytes when it is unpacked"},
		{gitPart(all), 1 << 63, "it is larger than 4294967296 bytes when it is unpacked"},
		{gitPart(all), 10, "is not as saved"},
	} {
		_, err := sandbox.Load(bomb(c.part, c.says))
		assert.ErrorContains(t, err, c.want, "%s that says it has %d bytes", c.part, c.says)
	}
}

// Of a snapshot in a file no more is in memory than the world, and to save one takes
// next to nothing: a copy of a single file would go beyond either limit.
func TestMemoryOfSnapshots(t *testing.T) {
	const size = 8 << 20
	w := sandboxtest.New(t)
	random := rand.NewChaCha8([32]byte{1})
	require.NoError(t, w.Setup(func(s *model.State) error {
		content := make([]byte, size)
		_, _ = random.Read(content) // never fails
		_, err := s.Repo("owner", "hello").Git.WriteBlob(content)
		return err
	}))
	allocated := func(act func()) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		act()
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "world.sandbox"))
	require.NoError(t, err)
	defer file.Close()
	saved := allocated(func() { require.NoError(t, w.Save(file)) })
	assert.Less(t, saved, size)
	length, err := file.Seek(0, io.SeekEnd)
	require.NoError(t, err)
	var loaded *sandbox.World
	read := allocated(func() { loaded, err = sandbox.Read(file, length) })
	require.NoError(t, err)
	assert.Less(t, read, 2*size)
	t.Logf("%d bytes to save, %d beside the file to load", saved, read-size)
	assert.Len(t, save(t, loaded), int(length))
}

// What a snapshot that loads has lost must not bring the world down: every
// request gets an answer, and none says that something broke.
func TestLostRowsBreakNothing(t *testing.T) {
	w, _ := play(t)
	all := parts(t, save(t, w.World))
	var saved struct {
		Version int
		State   map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(all["world.json"], &saved))
	loaded := 0
	for table, text := range saved.State {
		var rows []json.RawMessage
		if json.Unmarshal(text, &rows) != nil {
			continue
		}
		for n := range rows {
			changed := append(append([]json.RawMessage{}, rows[:n]...), rows[n+1:]...)
			encoded, err := json.Marshal(changed)
			require.NoError(t, err)
			saved.State[table] = encoded
			state, err := json.Marshal(map[string]any{"version": saved.Version, "state": saved.State})
			require.NoError(t, err)
			lost, err := sandbox.Load(pack(t, map[string][]byte{
				"world.json": state, gitPart(all): all[gitPart(all)],
			}))
			if err != nil {
				continue
			}
			loaded++
			exercise(t, lost, table)
		}
		saved.State[table] = text
	}
	assert.Positive(t, loaded, "nothing was tested")
}

func gitPart(all map[string][]byte) string {
	for name := range all {
		if strings.HasPrefix(name, "git/") {
			return name
		}
	}
	return ""
}

func exercise(t *testing.T, lost *sandbox.World, table string) {
	t.Helper()
	w := sandboxtest.Serve(t, lost)
	who := "owner"
	for _, path := range []string{
		"", "/issues?state=all", "/issues/1", "/pulls?state=all", "/pulls/2", "/pulls/2/files", "/pulls/2/reviews", "/labels",
		"/pulls/2/comments", "/issues/1/comments", "/assignees", "/commits", "/branches", "/actions/runs", "/actions/workflows",
	} {
		reply := w.As(who).Get(sandboxtest.Path + path)
		assert.Less(t, reply.Status, http.StatusInternalServerError, "%s without a row of %s: %s", path, table, reply.Body)
	}
	reply := w.As(who).GraphQL(everything)
	assert.NotContains(t, reply.Body, "Something went wrong", "without a row of %s", table)
}

const everything = `{ repository(owner: "owner", name: "hello") {
  owner { login } labels(first: 9) { nodes { name } }
  issues(first: 9) { nodes { author { login } labels(first: 9) { nodes { name } } assignees(first: 9) { nodes { login } } milestone { title } } }
  pullRequests(first: 9) { nodes {
    author { login } mergedBy { login } mergeStateStatus reviewDecision
    reviewThreads(first: 9) { nodes { line isOutdated comments(first: 9) { nodes { author { login } replyTo { id } } } } }
    reviews(first: 9) { nodes { author { login } state comments(first: 9) { nodes { body } } } }
    statusCheckRollup { state contexts(first: 9) { nodes { ... on CheckRun { name checkSuite { workflowRun { workflow { name } } } } } } }
  } }
} }`
