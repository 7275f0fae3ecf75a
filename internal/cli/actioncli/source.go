package actioncli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/user"
	"path"
	"strconv"
	"strings"
	"syscall"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// buildUser is who builds in the image.
const buildUser = "bench"

// build takes the checkout's credentials out of the workspace and builds the
// ghx that is measured.
func (a *action) build(ctx context.Context) (built, error) {
	if err := dropCredentials("."); err != nil {
		return built{}, err
	}
	workspace, err := os.Getwd()
	if err != nil {
		return built{}, fault.Infraf("find the workspace: %w", err)
	}
	if a.source != "" {
		workspace = a.source
	}
	b := &builder{workspace: workspace, account: a.account, path: a.getenv("PATH")}
	var ghx built
	err = a.log.Foreign(func(w io.Writer) error {
		b.output = w
		ghx, err = b.build(ctx, a.inputs)
		return err
	})
	if err == nil {
		a.log.Line("Measured is " + ghx.describe())
	}
	return ghx, err
}

// buildAccount returns the user that builds, and a new folder that is theirs.
func buildAccount() (*syscall.Credential, string, error) {
	home, err := os.MkdirTemp("", "bench-build-")
	if err != nil {
		return nil, "", fault.Infraf("make a folder to build in: %w", err)
	}
	if os.Geteuid() != 0 {
		return nil, home, nil
	}
	account, err := user.Lookup(buildUser)
	if err != nil {
		return nil, "", fault.Infraf("find the user who builds: %w; as root the action needs a user %q, which its image has", err, buildUser)
	}
	uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(errUID, errGID, os.Chown(home, int(uid), int(gid)), os.Chmod(home, folderPerm)); err != nil {
		return nil, "", fault.Infraf("make a folder for the user who builds: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, home, nil
}

// dropCredentials takes out of a checkout's configuration what lets git in: a
// header with the token, or the file that has it. Agents could read it.
func dropCredentials(folder string) error {
	file := path.Join(folder, ".git", "config")
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fault.Infraf("read the checkout's configuration: %w", err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		low := strings.ToLower(line)
		if !strings.Contains(low, "extraheader") && !strings.Contains(low, "git-credentials") {
			kept.WriteString(line)
		}
	}
	if kept.Len() == len(text) {
		return nil
	}
	const ownerOnly = 0o600
	if err := os.WriteFile(file, []byte(kept.String()), ownerOnly); err != nil {
		return fault.Infraf("take the credentials out of the checkout: %w; set persist-credentials: false at actions/checkout", err)
	}
	return nil
}

const (
	// maxSource and maxSourceFile bound what a pull request brings, unpacked.
	maxSource     = 2 << 30
	maxSourceFile = 256 << 20
	maxRedirects  = 5
)

// fetch brings the files of a commit here: where a comment started the
// workflow, the checkout has the default branch.
func (a *action) fetch(ctx context.Context, sha string) (folder string, err error) {
	e := a.event
	link, _, err := a.teller.client.REST.Repositories.GetArchiveLink(ctx, e.Owner, e.Repository, gh.Tarball,
		&gh.RepositoryContentGetOptions{Ref: sha}, maxRedirects)
	if err != nil {
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
	if err := unpack(response.Body, folder); err != nil {
		return "", fault.Infraf("unpack commit %s: %w", sha, err)
	}
	return folder, nil
}

// unpack unpacks an archive of GitHub's, whose files are in one folder. Nothing
// is written outside of the folder.
func unpack(archive io.Reader, folder string) error {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxSource)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if left -= header.Size; left < 0 || header.Size > maxSourceFile {
			return fmt.Errorf("it is larger than this unpacks")
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

// output tells the runner what the step came to.
func (a *action) output(r actions.Result) { a.teller.files.SetOutputs(actions.Values(r)) }
