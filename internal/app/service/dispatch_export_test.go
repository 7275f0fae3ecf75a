package service

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/runs"
)

// Inputs are what a workflow is given.
var Inputs = inputs

// Read reads an archive for a run, and returns how many rows it has and
// whether it has a summary.
func Read(archive []byte, r runs.Run) (rows int, judged bool, err error) {
	out, err := readArtifact(archive, r)
	return len(out.rows), out.summary != nil, err
}

// Left sets how many bytes rows may still have.
func (m *Measured) Left(bytes int) { m.left = int64(bytes) }

// ReadLedger reads a ledger that may have so many bytes, and returns how many are left.
func ReadLedger(text string, most int, r runs.Run) (left int64, err error) {
	left = int64(most)
	_, err = readLedger("a-suite.jsonl", strings.NewReader(text), &left, r)
	return left, err
}
