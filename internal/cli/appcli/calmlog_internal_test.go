package appcli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestALogIsCalmInAnOutage(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	plain := slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(newCalm(plain, func() time.Time { return now }))
	lines := func() []string {
		defer out.Reset()
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	for range 500 {
		log.Warn("no database", "job", 1)
		log.With("run", "x").Error("a row is not kept")
		log.Info("delivery")
	}
	all := lines()
	assert.Len(t, all, 502)
	assert.Contains(t, all, `level=WARN msg="no database" job=1`)
	assert.Contains(t, all, `level=ERROR msg="a row is not kept" run=x`)
	log.Error("no database")
	assert.Equal(t, []string{`level=ERROR msg="no database"`}, lines(), "an error is more than a warning")

	now = now.Add(999 * time.Millisecond)
	log.Warn("no database")
	assert.Equal(t, []string{""}, lines())
	now = now.Add(time.Millisecond)
	log.Warn("no database")
	assert.Equal(t, []string{`level=WARN msg="no database" left_out=500`}, lines())
	now = now.Add(-time.Hour)
	log.Warn("no database")
	assert.Equal(t, []string{`level=WARN msg="no database"`}, lines(), "the clock was set back")
}
