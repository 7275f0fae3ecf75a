package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Versions are those of what took part in rows, by the names of [Row.Tools]: one,
// or all that there were, sorted.
type Versions map[string][]string

// MaxVersions is how many versions of one thing are kept, the first in their order.
const MaxVersions = 8

// Add adds the versions of a row, as copies.
func (v *Versions) Add(tools map[string]string) {
	if *v == nil && len(tools) > 0 {
		*v = Versions{}
	}
	for name, version := range tools {
		all := (*v)[name]
		at, known := slices.BinarySearch(all, version)
		if !known {
			all = slices.Insert(all, at, strings.Clone(version))
			(*v)[strings.Clone(name)] = all[:min(len(all), MaxVersions)]
		}
	}
}

// Text writes all versions in one line, names of the same one together; empty if
// there are none.
func (v Versions) Text() string {
	var versions []string
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		version := strings.Join(v[name], " and ")
		if names[version] == nil {
			versions = append(versions, version)
		}
		names[version] = append(names[version], name)
	}
	for i, version := range versions {
		versions[i] = strings.Join(names[version], ", ") + " " + version
	}
	return strings.Join(versions, "; ")
}

// Warnings says of what there are several versions, a sentence for each.
func (v Versions) Warnings() (warnings []string) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if all := v[name]; len(all) > 1 {
			warnings = append(warnings, fmt.Sprintf("The rows are not of one version of %s: they have %s", name, strings.Join(all, ", ")))
		}
	}
	return warnings
}
