package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// checkedThread is a thread that can be made, with the part of the diff that
// it is about: from its hunk's start to its line.
type checkedThread struct {
	NewThread
	hunk string
}

// checkThread finds the place of a new thread in a pull request's diff. A line
// outside of the diff is refused.
func (s *State) checkThread(i *Issue, in NewThread) (checkedThread, error) {
	const resource, field = "PullRequestReviewComment", "pull_request_review_thread."
	if err := checkThreadBody(in.Body); err != nil {
		return checkedThread{}, err
	}
	if err := s.checkCommit(i, resource, in.CommitSHA); err != nil {
		return checkedThread{}, err
	}
	file, err := s.changedFile(i, in.Path)
	if err != nil {
		return checkedThread{}, err
	}
	switch {
	case file == nil:
		return checkedThread{}, custom(resource, field+"path", "Path could not be resolved")
	case in.FileWide:
		return checkedThread{NewThread: NewThread{Path: in.Path, Body: in.Body, Side: SideRight, FileWide: true}}, nil
	case in.Line == 0 && in.Position > 0:
		in.Side, in.Line = atPosition(file.Hunks, in.Position)
	}
	in = in.withSides()
	for _, side := range []DiffSide{in.Side, in.StartSide} {
		if side != SideLeft && side != SideRight && side != "" {
			return checkedThread{}, invalidValue(resource, field+"side", "invalid", string(side))
		}
	}
	for _, h := range file.Hunks {
		end := lineAt(h, in.Side, in.Line)
		if end < 0 {
			continue
		}
		if start := lineAt(h, in.StartSide, in.StartLine); in.StartLine != 0 && (start < 0 || start >= end) {
			return checkedThread{}, custom(resource, field+"start_line",
				field+"start_line must precede the end line and be part of the same hunk.")
		}
		return checkedThread{in, hunkText(h, end)}, nil
	}
	return checkedThread{}, custom(resource, field+"line", field+"line must be part of the diff")
}

// withSides fills in the sides that are not given.
func (in NewThread) withSides() NewThread {
	if in.Side == "" {
		in.Side = SideRight
	}
	switch {
	case in.StartLine == 0:
		in.StartSide = ""
	case in.StartSide == "":
		in.StartSide = in.Side
	}
	return in
}

// changedFile returns what a pull request does to a file, nil if nothing.
func (s *State) changedFile(i *Issue, path string) (*gitstore.FileDiff, error) {
	files, err := s.PullDiff(i)
	if at := slices.IndexFunc(files, func(f gitstore.FileDiff) bool { return f.Path == path }); at >= 0 {
		return &files[at], err
	}
	return nil, err
}

// lineAt returns the index of a line in a hunk, -1 if it is not in it.
func lineAt(h gitstore.Hunk, side DiffSide, line int) int {
	return slices.IndexFunc(h.Lines, func(l gitstore.Line) bool {
		if side == SideLeft {
			return l.Kind != '+' && l.Old == line
		}
		return l.Kind != '-' && l.New == line
	})
}

// atPosition returns the line that lies so many lines below the first hunk's
// header, 0 if there is none.
func atPosition(hunks []gitstore.Hunk, position int) (DiffSide, int) {
	for _, h := range hunks {
		if position <= len(h.Lines) {
			l := h.Lines[position-1]
			if l.Kind == '-' {
				return SideLeft, l.Old
			}
			return SideRight, l.New
		}
		// The next hunk's header counts too.
		if position -= len(h.Lines) + 1; position == 0 {
			break
		}
	}
	return SideRight, 0
}

// hunkText writes a hunk up to and with the line of an index, as git does.
func hunkText(h gitstore.Hunk, last int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "@@ -%s +%s @@", lineRange(h.OldStart, h.OldLines), lineRange(h.NewStart, h.NewLines))
	if h.Section != "" {
		text.WriteString(" " + h.Section)
	}
	for _, l := range h.Lines[:last+1] {
		text.WriteString("\n" + string(l.Kind) + l.Text)
	}
	return text.String()
}

func lineRange(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// Place is where a thread lies in the pull request's diff as it is now.
type Place struct {
	// Line and StartLine are 0 where there is none.
	Line, StartLine int
	// Outdated is true if the line has changed since, or left the diff; the
	// lines are 0 then.
	Outdated bool
}

// PlaceOf returns where a thread lies now. Its lines move with what is changed
// above them.
func (s *State) PlaceOf(t *Thread) (Place, error) {
	i := s.Issues.Get(t.IssueID)
	if t.CommitSHA == i.Pull.HeadSHA {
		return Place{Line: t.Line, StartLine: t.StartLine}, nil
	}
	file, err := s.changedFile(i, t.Path)
	if err != nil || file == nil {
		return Place{Outdated: true}, err
	}
	if t.FileWide {
		return Place{}, nil
	}
	line, start := t.Line, t.StartLine
	if t.Side == SideRight {
		if line, start, err = s.moved(t, i.Pull.HeadSHA); err != nil {
			return Place{}, err
		}
	}
	said := lastLine(s.CommentsOfThread(t.ID)[0].DiffHunk)
	for _, h := range file.Hunks {
		if at := lineAt(h, t.Side, line); at >= 0 && lastLine(hunkText(h, at)) == said {
			return Place{Line: line, StartLine: start}, nil
		}
	}
	return Place{Outdated: true}, nil
}

// moved returns where the lines of a thread on the right side are in another
// head, 0 for one that is gone.
func (s *State) moved(t *Thread, head string) (line, start int, err error) {
	changes, err := s.Repos.Get(t.RepoID).Git.Diff(plumbing.NewHash(t.CommitSHA), plumbing.NewHash(head))
	if err != nil {
		return 0, 0, err
	}
	line, start = t.Line, t.StartLine
	for _, f := range changes {
		if f.Path == t.Path {
			line, start = movedBy(f.Hunks, line), movedBy(f.Hunks, start)
		}
	}
	return line, start, nil
}

// movedBy returns the new number of an old line, 0 for one that is gone.
func movedBy(hunks []gitstore.Hunk, line int) int {
	shift := 0
	for _, h := range hunks {
		if line < h.OldStart {
			break
		}
		if line < h.OldStart+h.OldLines {
			if at := lineAt(h, SideLeft, line); at >= 0 {
				return h.Lines[at].New
			}
			return 0
		}
		shift += h.NewLines - h.OldLines
	}
	return line + shift
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
