package model

import (
	"regexp"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

var licenseName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([-.].*)?$`)

// LicenseFile finds the file at the root of a commit that has its license.
func LicenseFile(git *gitstore.Store, commit gitstore.Hash) (gitstore.TreeEntry, bool) {
	root, err := git.Entry(commit, "")
	if err != nil {
		return gitstore.TreeEntry{}, false
	}
	entries, err := git.Tree(root.Hash, false)
	if err != nil {
		return gitstore.TreeEntry{}, false
	}
	for _, e := range entries {
		if e.Type == "blob" && licenseName.MatchString(e.Name) {
			return e, true
		}
	}
	return gitstore.TreeEntry{}, false
}
