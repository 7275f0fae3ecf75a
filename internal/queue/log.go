package queue

import (
	"context"
	"log/slog"
)

// quiet passes on what River warns of, and the rest where details are wanted.
type quiet struct{ slog.Handler }

// Enabled reports whether to log something of a level.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.Handler.Enabled(ctx, level) && (level >= slog.LevelWarn || q.Handler.Enabled(ctx, slog.LevelDebug))
}

// WithAttrs returns the handler with attributes.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup returns the handler with a group.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
