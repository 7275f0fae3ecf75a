package model

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// recommendedFileSize is from how many bytes on GitHub warns of files.
const recommendedFileSize = 50 << 20

// refuseLargeFiles refuses a push for its files, as a hook of GitHub's does.
func refuseLargeFiles(files []gitstore.LargeFile, updates []RefUpdate) {
	for n := range updates {
		updates[n].Refused = "pre-receive hook declined"
	}
	var detail strings.Builder
	detail.WriteString("error: See https://gh.io/lfs for more information.\n")
	for _, f := range files {
		fmt.Fprintf(&detail, "error: File %s is %s; this exceeds GitHub's file size limit of %s\n", f.Path, megabytes(f.Size), megabytes(gitstore.MaxObjectSize))
	}
	detail.WriteString("error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.\n")
	updates[0].Detail = detail.String()
}

// LargeFileWarning says in GitHub's words which files that were pushed are
// larger than it recommends, nothing if none is.
func (r *Repo) LargeFileWarning(before gitstore.Objects) string {
	files := r.Git.LargeFiles(before, recommendedFileSize+1)
	if len(files) == 0 {
		return ""
	}
	var said strings.Builder
	said.WriteString("warning: See https://gh.io/lfs for more information.\n")
	for _, f := range files {
		fmt.Fprintf(&said, "warning: File %s is %s; this is larger than GitHub's recommended maximum file size of %s\n", f.Path, megabytes(f.Size), megabytes(recommendedFileSize))
	}
	said.WriteString("warning: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.\n")
	return said.String()
}

func megabytes(bytes int64) string {
	const mega = 1 << 20
	return fmt.Sprintf("%.2f MB", float64(bytes)/mega)
}
