// Package scenarios carries the files of this folder: the scenarios that ship
// with the benchmark, their sets and worlds, the JSON Schemas of these, and the
// gate's expectations.
package scenarios

import "embed"

// Files is this folder without its Go files.
//
//go:embed *.json */*.json all:worlds
var Files embed.FS
