package rest_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestArchives(t *testing.T) {
	w := sandboxtest.New(t,
		gitstore.Change{Path: "src/run.sh", Content: []byte("#!/bin/sh\n"), Mode: filemode.Executable},
		gitstore.Change{Path: "link", Content: []byte("README.md"), Mode: filemode.Symlink})
	w.Change(func(s *model.State, repo *model.Repo) {
		head, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/a/b%c", head))
		repo.Private = true
	})
	reader := w.As("reader")
	sha := reader.Get(base + "/git/ref/heads/main").Text("object.sha")
	folder := "owner-hello-" + sha[:7] + "/"
	want := map[string]string{folder: "", folder + "README.md": "# hello\n", folder + "link": "README.md", folder + "src/": "", folder + "src/run.sh": "#!/bin/sh\n"}
	for _, ref := range []string{"", "/main", "/a%2Fb%25c", "/" + sha} {
		zipped := reader.Get(base + "/zipball" + ref)
		require.Equal(t, http.StatusOK, zipped.Status, ref)
		assert.Equal(t, want, unzipped(t, zipped.Body), ref)
		assert.Equal(t, "attachment; filename="+strings.Trim(folder, "/")+".zip", zipped.Header.Get("Content-Disposition"))
		assert.Equal(t, want, untarred(t, reader.Get(base+"/tarball"+ref).Body), ref)
	}
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/zipball/none").Status)

	to := address(t, w, base+"/zipball/main")
	assert.Equal(t, http.StatusOK, w.As("").Get(strings.TrimPrefix(to, w.URL)).Status, "the address is enough")
	unsigned, _, _ := strings.Cut(strings.TrimPrefix(to, w.URL), "?")
	for login, status := range map[string]int{"": http.StatusNotFound, "stranger": http.StatusNotFound, "reader": http.StatusOK} {
		assert.Equal(t, status, w.As(login).Get(unsigned).Status, "%q without a signature", login)
	}
}

func unzipped(t *testing.T, body string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		file, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(file)
		require.NoError(t, err)
		files[f.Name] = string(content)
		assert.Equal(t, strings.HasSuffix(f.Name, ".sh") || strings.HasSuffix(f.Name, "/"), f.Mode().Perm()&0o100 != 0 && !strings.HasSuffix(f.Name, "link"), f.Name)
	}
	return files
}

func untarred(t *testing.T, body string) map[string]string {
	t.Helper()
	plain, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	archive, files := tar.NewReader(plain), map[string]string{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[header.Name] = string(content) + header.Linkname
	}
}

func TestArchivesByTheirPages(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		head, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/tags/v1.0", head))
	})
	get := func(address string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		w.ServeHTTP(out, httptest.NewRequest(http.MethodGet, address, nil))
		return out
	}
	for page, folder := range map[string]string{
		"refs/heads/main.zip": "hello-main/", "main.tar.gz": "hello-main/", "refs/tags/v1.0.zip": "hello-1.0/", "v1.0.zip": "hello-1.0/",
	} {
		to := get("https://github.com/owner/hello/archive/" + page)
		require.Equal(t, http.StatusFound, to.Code, page)
		archive := get(to.Header().Get("Location"))
		require.Equal(t, http.StatusOK, archive.Code, page)
		want := map[string]string{folder: "", folder + "README.md": "# hello\n"}
		if strings.HasSuffix(page, ".zip") {
			assert.Equal(t, want, unzipped(t, archive.Body.String()), page)
		} else {
			assert.Equal(t, want, untarred(t, archive.Body.String()), page)
		}
	}
	for _, address := range []string{
		"https://github.com/owner/hello/archive/main.rar", "https://github.com/owner/hello/archive/.zip", "https://codeload.github.com/owner/hello/rar/main",
		"https://codeload.github.com/owner/none/zip/main", "https://codeload.github.com/owner/hello/zip/none", "https://codeload.github.com/owner/hello",
	} {
		assert.Equal(t, http.StatusNotFound, get(address).Code, address)
	}
}
