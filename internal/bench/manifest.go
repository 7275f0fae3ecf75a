package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// ManifestVersion is the version of the fixture manifest that is written and
// read, the original harness's.
const ManifestVersion = 1

// MetadataResource is the resource under which a manifest keeps seed id, time
// and run id.
const MetadataResource = "metadata"

// Manifest says which seeded objects a target has, so that scenarios can bind
// to them.
type Manifest struct {
	Version   int                       `json:"version"`
	Repo      ManifestRepo              `json:"repo"`
	Resources map[string]map[string]any `json:"resources"`
}

// Variation returns which variation the seeded objects are, nil where they do
// not vary.
func (m Manifest) Variation() *Variation {
	fields, varies := m.Resources[MetadataResource]["variation"].(map[string]any)
	if !varies {
		return nil
	}
	return &Variation{Seed: uint64(WholeNumber(fields["seed"])), Number: int(WholeNumber(fields["number"]))}
}

// WholeNumber reads a number of a manifest, which is an int where it was just
// seeded and a float where it was read from a file; 0 for what is none.
func WholeNumber(value any) int64 {
	switch n := value.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case float64:
		return int64(n)
	default:
		return 0
	}
}

// ManifestRepo names the fixtures repository.
type ManifestRepo struct {
	Owner         string `json:"owner"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

// Lookup returns the value at a dotted path such as "repo.owner" or
// "resources.pr.number". The error names the part of the path that is
// missing.
func (m Manifest) Lookup(path string) (any, error) {
	parts := strings.Split(path, ".")
	var at any
	switch {
	case len(parts) == 2 && parts[0] == "repo":
		value, known := map[string]any{
			"owner": m.Repo.Owner, "name": m.Repo.Name,
			"full_name": m.Repo.FullName, "default_branch": m.Repo.DefaultBranch,
		}[parts[1]]
		if !known {
			return nil, fmt.Errorf("the manifest's repo has no %q: use owner, name, full_name or default_branch", parts[1])
		}
		return value, nil
	case len(parts) >= 2 && parts[0] == "resources":
		resource, known := m.Resources[parts[1]]
		if !known {
			return nil, fmt.Errorf("the manifest has no resource %q", parts[1])
		}
		at = resource
	default:
		return nil, fmt.Errorf("manifest path %q: want repo.<field> or resources.<name>.<field>", path)
	}
	for i, part := range parts[2:] {
		next, err := step(at, part)
		if err != nil {
			return nil, fmt.Errorf("manifest path %q: %s %w", path, strings.Join(parts[:i+2], "."), err)
		}
		at = next
	}
	return at, nil
}

func step(at any, part string) (any, error) {
	switch at := at.(type) {
	case map[string]any:
		if value, known := at[part]; known {
			return value, nil
		}
		return nil, fmt.Errorf("has no %q", part)
	case []any:
		i, err := strconv.Atoi(part)
		if err != nil || i < 0 || i >= len(at) {
			return nil, fmt.Errorf("has no element %q", part)
		}
		return at[i], nil
	default:
		return nil, fmt.Errorf("is not an object, so it has no %q", part)
	}
}
