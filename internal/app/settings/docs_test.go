package settings_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const docsFile = "../../../docs/app.md"

// property is one of the schema.
type property struct {
	Description string              `json:"description"`
	Enum        []string            `json:"enum"`
	Default     json.RawMessage     `json:"default"`
	Properties  map[string]property `json:"properties"`
}

// The part between the markers is written with -update.
func TestTheDocumentationHasTheSettings(t *testing.T) {
	var schema property
	require.NoError(t, json.Unmarshal(settings.Schema(), &schema))
	var table strings.Builder
	table.WriteString("| setting | default | what it is |\n|---|---|---|\n")
	describe(&table, "", schema)
	docs, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	const begin, end = "<!-- begin settings -->\n", "<!-- end settings -->\n"
	before, rest, found := strings.Cut(string(docs), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	testkit.CheckGolden(t, "what the documentation says is what the schema takes", docsFile, []byte(before+begin+table.String()+end+after))
}

// describe writes a row for each property, and for those of objects.
func describe(table *strings.Builder, prefix string, of property) {
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		p := of.Properties[name]
		if name == "$schema" {
			continue
		}
		if p.Properties != nil {
			describe(table, prefix+name+".", p)
			continue
		}
		value := ""
		switch {
		case prefix+name == "model":
			value = "required"
		case len(p.Default) > 0:
			value = "`" + strings.ReplaceAll(string(p.Default), `"`, "") + "`"
		}
		help := cmp.Or(p.Description, of.Description)
		if len(p.Enum) > 0 && !strings.Contains(help, p.Enum[0]) {
			help = strings.TrimSpace(help + " One of " + strings.Join(p.Enum, ", ") + ".")
		}
		fmt.Fprintf(table, "| `%s%s` | %s | %s |\n", prefix, name, value, help)
	}
}
