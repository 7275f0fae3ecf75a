package app

import "context"

// Redeliver looks for missed deliveries once.
func Redeliver(ctx context.Context, a *App) (int, error) { return a.redeliver(ctx, a.github.Load()) }
