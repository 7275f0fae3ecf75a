// Package conformance runs the real clients, unmodified, through the sandbox
// and compares what they print and leave with what GitHub does. It holds tests
// alone.
package conformance
