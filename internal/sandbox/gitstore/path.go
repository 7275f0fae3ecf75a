package gitstore

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// ValidPath returns an [fault.Invalid] error unless path names a file or
// directory that a repository may hold: relative, segments separated by single
// slashes, none of them empty, ".", ".." or a spelling of ".git".
func ValidPath(path string) error {
	if len(path) > MaxPathLength {
		return fault.Invalidf("a path of %d bytes is over the limit of %d bytes", len(path), MaxPathLength)
	}
	depth := 0
	for segment := range strings.SplitSeq(path, "/") {
		if err := validName(segment); err != nil {
			return fault.Invalidf("path %q: %w", path, err)
		}
		if depth++; depth > MaxPathDepth {
			return fault.Invalidf("path %q has more than %d segments", path, MaxPathDepth)
		}
	}
	return nil
}

// validName checks one segment of a path.
func validName(name string) error {
	switch {
	case name == "":
		return fault.Invalidf("a segment is empty")
	case name == "." || name == "..":
		return fault.Invalidf("the segment %q is not allowed", name)
	case isDotGit(name):
		return fault.Invalidf("the segment %q is reserved for git", name)
	case strings.IndexByte(name, 0) >= 0:
		return fault.Invalidf("it has a NUL byte")
	}
	return nil
}

// isDotGit reports whether some file system takes name for ".git": any case,
// NTFS's short name, and NTFS's trailing dots, spaces and streams.
func isDotGit(name string) bool {
	stem, _, _ := strings.Cut(name, ":")
	stem = strings.TrimRight(stem, ". ")
	return strings.EqualFold(stem, ".git") || strings.EqualFold(stem, "git~1")
}
