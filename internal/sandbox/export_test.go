package sandbox

// LimitPushes has the world take pushes of no more than so many bytes.
func (w *World) LimitPushes(most int64) { w.maxPush = most }
