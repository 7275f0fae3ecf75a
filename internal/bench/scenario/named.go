package scenario

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// writtenResource is the resource whose texts agents are given to write.
const writtenResource = "texts"

// named returns the texts and numbers that the input has from resources, but
// for what is to be written, which no way to an error has to send.
func named(s bench.Scenario, g ground) [][]string {
	if s.Fixture == nil {
		return nil
	}
	var names [][]string
	for _, destination := range slices.Sorted(maps.Keys(s.Fixture.Bindings)) {
		name, isResource := resourceOf(s.Fixture.Bindings[destination])
		if !isResource || name == writtenResource {
			continue
		}
		switch value, _ := g.lookup(destination); value := value.(type) {
		case int, int64, float64:
			names = append(names, []string{fmt.Sprint(value)})
		case string:
			names = append(names, append([]string{value}, aliases(value, g.manifest.Resources[name])...))
		}
	}
	return names
}

// aliases returns what else GitHub knows a resource by whose id, address or file
// a text is.
func aliases(text string, resource map[string]any) []string {
	var names []string
	for by, other := range map[string]string{"id": "number", "file": "id"} {
		if number := bench.WholeNumber(resource[other]); text == resource[by] && number != 0 {
			names = append(names, fmt.Sprint(number))
		}
	}
	if strings.HasPrefix(text, "https://") {
		names = append(names, path.Base(text))
	}
	if id := idIn(text); id != 0 {
		names = append(names, fmt.Sprint(id))
	}
	return names
}

// idIn returns the number that ends a node id, which REST knows the object by;
// 0 for other texts.
func idIn(node string) uint64 {
	_, packed, _ := strings.Cut(node, "_")
	data, err := base64.RawURLEncoding.DecodeString(packed)
	switch n := len(data); {
	case err != nil:
		return 0
	case n >= 5 && data[n-5] == 0xce:
		return uint64(binary.BigEndian.Uint32(data[n-4:]))
	case n >= 9 && data[n-9] == 0xcf:
		return binary.BigEndian.Uint64(data[n-8:])
	}
	return 0
}
