package sandboxtest_test

import (
	"os"
	"strings"
	"testing"
)

// TestPublicationIsThere says loudly if REST answers are not compared.
func TestPublicationIsThere(t *testing.T) {
	if strings.TrimSpace(os.Getenv("BENCH_OPENAPI")) == "" {
		t.Skip("NOT TESTED: REST answers against GitHub's description: run `make clients`, or set BENCH_OPENAPI")
	}
}
