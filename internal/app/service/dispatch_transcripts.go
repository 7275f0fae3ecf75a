package service

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"path"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The limits of an artifact with transcripts.
const (
	// maxTranscript is how long one may be, in bytes; longer ones are left.
	maxTranscript = 8 << 20
	// maxTranscriptFiles is more than the attempts of the largest plans.
	maxTranscriptFiles = 20_000
)

// transcriptsName is that of a run's artifact with transcripts, which is another one than
// that with the rows: whatever is in it, the rows count.
func transcriptsName(r runs.Run) string { return artifactName(r) + "-transcripts" }

// transcripts keeps those that a workflow run has of the sessions that rows tell of. Old
// workflows leave none.
func (e *Dispatcher) transcripts(ctx context.Context, w Work, run *gh.WorkflowRun, rows []row) error {
	archive, err := e.download(ctx, w, run, transcriptsName(w.Run))
	if archive == nil {
		return err
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(files.File) > maxTranscriptFiles {
		return fault.Invalidf("the artifact %s is no zip archive, or has more than %d files", transcriptsName(w.Run), maxTranscriptFiles)
	}
	attempts := map[bench.Cell]int{}
	for _, one := range rows {
		attempts[one.cell] = one.attempts
	}
	left := int64(maxRows)
	for _, file := range files.File {
		data, err := readBounded(file, min(left, maxTranscript))
		if left -= int64(len(data)); left <= 0 {
			return fault.Invalidf("they are larger than %d MiB together", maxRows>>20)
		}
		if err != nil {
			continue // nobody has to have a transcript
		}
		kept, err := verify.ParseTranscript(path.Base(file.Name), data)
		if err == nil && kept.Attempt > 0 && kept.Attempt == attempts[kept.Cell] {
			w.KeepTranscript(kept.Cell, kept.Transcript)
		}
	}
	return nil
}

// readBounded reads a file of an archive; of one that is longer than a limit it returns
// that much, with an error.
func readBounded(file *zip.File, most int64) ([]byte, error) {
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	if err == nil && int64(len(data)) > most {
		err = fault.Invalidf("%s is longer than %d bytes", file.Name, most)
	}
	return data, err
}
