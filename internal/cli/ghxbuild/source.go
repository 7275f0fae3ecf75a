package ghxbuild

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/user"
	"path"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// buildUser is who builds in the image.
const buildUser = "bench"

const folderPerm = 0o755

// BuildUser returns the user that builds, nil where we are not root: then it is our
// own. The error, of kind invalid, says that root has nobody to build as.
func BuildUser() (*platform.User, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	return userNamed(buildUser)
}

func userNamed(name string) (*platform.User, error) {
	account, err := user.Lookup(name)
	if err != nil {
		return nil, fault.Invalidf("find the user who builds: %w; as root there has to be a user %q, which our image has: make one with useradd --system %[2]s", err, name)
	}
	uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(errUID, errGID); err != nil {
		return nil, fault.Invalidf("find the user who builds: %w", err)
	}
	return &platform.User{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// Account returns the user that builds, as [BuildUser], and a new folder that is
// theirs.
func Account() (*platform.User, string, error) { return accountOf(BuildUser()) }

func accountOf(builder *platform.User, err error) (*platform.User, string, error) {
	if err != nil {
		return nil, "", err
	}
	home, err := homeOf(builder)
	return builder, home, err
}

// homeOf makes a folder of a user's, of our own if that is nil.
func homeOf(builder *platform.User) (string, error) {
	home, err := os.MkdirTemp("", "bench-build-")
	if err != nil {
		return "", fault.Infraf("make a folder to build in: %w", err)
	}
	if builder == nil {
		return home, nil
	}
	if err := errors.Join(os.Chown(home, int(builder.Uid), int(builder.Gid)), os.Chmod(home, folderPerm)); err != nil {
		return "", fault.Infraf("make a folder for the user who builds: %w", err)
	}
	return home, nil
}

const (
	// maxSource, maxSourceFile and maxFiles bound what a pull request brings,
	// unpacked.
	maxSource     = 2 << 30
	maxSourceFile = 256 << 20
	maxFiles      = 200_000
	maxRedirects  = 5
)

// room is how much more of a proposal is unpacked, and how large a file of it may
// be, in bytes.
type room struct {
	bytes, file int64
	files       int
}

func newRoom() *room { return &room{bytes: maxSource, file: maxSourceFile, files: maxFiles} }

// take takes the room of a file. The error says that there is none.
func (r *room) take(size int64) error {
	r.bytes -= size
	r.files--
	if r.bytes < 0 || r.files < 0 || size > r.file {
		return errors.New("it is larger than this unpacks")
	}
	return nil
}

// Fetch brings the files of a commit into a new folder, which is the caller's to
// remove.
func Fetch(ctx context.Context, client *github.Client, owner, repo, sha string) (folder string, err error) {
	link, answer, err := client.REST.Repositories.GetArchiveLink(ctx, owner, repo, gh.Tarball,
		&gh.RepositoryContentGetOptions{Ref: sha}, maxRedirects)
	if err != nil {
		if answer != nil {
			// The error says no more than the status.
			err = cmp.Or(gh.CheckResponse(answer.Response), err)
		}
		return "", github.Explain("find the files of commit "+sha, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link.String(), nil)
	if err != nil {
		return "", fault.Infraf("download commit %s: %w", sha, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fault.Infraf("download commit %s: the server does not answer", sha)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fault.Infraf("download commit %s: %s", sha, response.Status)
	}
	if folder, err = os.MkdirTemp("", "bench-source-"); err != nil {
		return "", fault.Infraf("make a folder for the source: %w", err)
	}
	if err := Unpack(response.Body, folder); err != nil {
		return "", errors.Join(fault.Infraf("unpack commit %s: %w", sha, err), os.RemoveAll(folder))
	}
	return folder, nil
}

// TreeOf returns the hash of a commit's tree, empty where GitHub does not tell.
func TreeOf(ctx context.Context, client *github.Client, owner, repo, sha string) string {
	commit, _, _ := client.REST.Git.GetCommit(ctx, owner, repo, sha) // none is nil, which has no tree
	return commit.GetTree().GetSHA()
}

// NoLongerGHX returns an error of kind invalid where nothing was built of what is
// proposed, as it is no ghx workspace, though the base commit is one: the installed ghx
// would be measured in its place. Without a base commit, empty, it cannot be told.
func NoLongerGHX(ctx context.Context, client *github.Client, owner, repo, base string, wanted Wanted, built Built) error {
	if base == "" || wanted.Script != Auto || wanted.WithoutGHX || built.Command != "" {
		return nil
	}
	file, _, _, err := client.REST.Repositories.GetContents(ctx, owner, repo, ghxFolder+"/package.json", &gh.RepositoryContentGetOptions{Ref: base})
	if github.NotFound(err) || err == nil && file == nil {
		return nil
	}
	if err != nil {
		return github.Explain("ask whether commit "+base+" is a ghx workspace", err)
	}
	var m manifest
	text, err := file.GetContent()
	if err != nil || json.Unmarshal([]byte(text), &m) != nil || m.Name != Package {
		return nil //nolint:nilerr // whatever it is, it is no ghx
	}
	return fault.Invalidf("the base commit %s is a ghx workspace, and what is proposed is none: %s/package.json has gone or has another name, and the installed ghx would be measured; set build-command and ghx-command", base, ghxFolder)
}

// Unpack unpacks an archive of GitHub's, whose files are in one folder. Nothing
// is written outside of the folder.
func Unpack(archive io.Reader, folder string) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	left := newRoom()
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := left.take(header.Size); err != nil {
			return err
		}
		_, name, found := strings.Cut(path.Clean(header.Name), "/")
		if !found {
			continue
		}
		if err := unpackFile(root, name, header, files); err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, header *tar.Header, content io.Reader) error {
	if err := root.MkdirAll(path.Dir(name), folderPerm); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, folderPerm)
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
		file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, header.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		_, err = io.CopyN(file, content, header.Size)
		return errors.Join(err, file.Close())
	default:
		return nil
	}
}
