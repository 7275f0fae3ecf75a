package rest

// Patterns returns the patterns of all routes.
func Patterns() []string {
	var patterns []string
	for _, rt := range routes() {
		patterns = append(patterns, rt.pattern)
	}
	return patterns
}

// InsideOthers returns the operations that handlers of wider patterns serve.
func InsideOthers() []string { return insideOthers }
