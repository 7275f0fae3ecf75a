package gitstore

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// mailDate is the layout of dates in mail headers (RFC 2822).
const mailDate = "Mon, 2 Jan 2006 15:04:05 -0700"

// WritePatch writes the commits of [Store.Between] base and head as mails, the
// way git format-patch --stdout --no-signature does: without merges and without
// commits that change nothing. git am applies them.
func (s *Store) WritePatch(w io.Writer, base, head Hash) error {
	all, err := s.Between(base, head)
	if err != nil {
		return err
	}
	var commits []Commit
	for _, c := range all {
		if len(c.Parents) <= 1 {
			commits = append(commits, c)
		}
	}
	var mails [][]byte
	for i, c := range commits {
		text, err := s.mail(c, i+1, len(commits))
		if err != nil {
			return err
		}
		if len(text) > 0 {
			mails = append(mails, text)
		}
	}
	if _, err := w.Write(bytes.Join(mails, []byte("\n"))); err != nil {
		return fault.Infraf("write patch: %w", err)
	}
	return nil
}

// mail returns a commit as the n-th of total mails, nothing if it changes
// nothing.
func (s *Store) mail(c Commit, n, total int) ([]byte, error) {
	var parent Hash
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	files, err := s.Diff(parent, c.Hash)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	subject, body := splitMessage(c.Message)
	var b bytes.Buffer
	// The date is a mark of git's format, the same in every patch.
	fmt.Fprintf(&b, "From %s Mon Sep 17 00:00:00 2001\n", c.Hash)
	fmt.Fprintf(&b, "%s\nDate: %s\n", fromHeader(c.Author), c.Author.When.Format(mailDate))
	fmt.Fprintf(&b, "%s\n", subjectHeader(patchNumber(n, total), subject))
	if !isASCII(c.Message) {
		b.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n")
	}
	b.WriteString("\n" + body + "---\n")
	s.writeStat(&b, files)
	b.WriteByte('\n')
	for _, f := range files {
		if err := s.writeMailDiff(&b, f); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// patchNumber returns the mark before the subject.
func patchNumber(n, total int) string {
	if total == 1 {
		return "[PATCH] "
	}
	return fmt.Sprintf("[PATCH %0*d/%d] ", len(fmt.Sprint(total)), n, total)
}

// splitMessage returns a message's first paragraph as one line, and the rest
// without space around it, ending with a newline unless it is empty.
func splitMessage(message string) (subject, body string) {
	var title, rest []string
	ended := false
	for line := range strings.SplitSeq(message, "\n") {
		line = trimSpaceRight(line)
		switch {
		case ended:
			rest = append(rest, line)
		case line != "":
			title = append(title, line)
		default:
			ended = len(title) > 0
		}
	}
	if body = strings.Trim(strings.Join(rest, "\n"), "\n"); body != "" {
		body += "\n"
	}
	return strings.Join(title, " "), body
}

// writeMailDiff is writeFileDiff with the content of binary files.
func (s *Store) writeMailDiff(b *bytes.Buffer, f FileDiff) error {
	if !f.Binary {
		writeFileDiff(b, f)
		return nil
	}
	f.writeHeader(b, 2*len(Hash{}))
	b.WriteString("GIT binary patch\n")
	if err := writeLiteral(b, s.blobText(f.NewBlob)); err != nil {
		return err
	}
	return writeLiteral(b, s.blobText(f.OldBlob))
}
