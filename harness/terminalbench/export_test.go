package terminalbench

import (
	"testing"
	"time"

	"github.com/ghx-dev/bench-action/harness"
)

// TimeToRead returns how long it takes to read a job's folder, and what is in
// it.
func TimeToRead(t *testing.T, o Options, dir string, ids []string) (time.Duration, harness.Results) {
	t.Helper()
	ended := make(chan struct{})
	close(ended)
	begun := time.Now()
	j := &job{host: o.Host, dir: dir, wanted: ids}
	j.follow(ended, time.Hour)
	results, err := j.results(nil)
	took := time.Since(begun)
	if err != nil {
		t.Fatal(err)
	}
	return took, results
}
