package ghxbuild_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
)

func TestTheEndIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		writes []string
		want   string
	}{
		"nothing":                        {nil, ""},
		"all that fits":                  {[]string{"12345", "67890"}, "1234567890"},
		"one too many":                   {[]string{"12345678901"}, "2345678901"},
		"whole lines of what does not":   {[]string{"first\nse", "cond\nend"}, "end"},
		"the end of a line without any":  {[]string{"12345678901", "2"}, "3456789012"},
		"no half of a character":         {[]string{"x€€€€"}, "�€€€"},
		"a line that ends where it cuts": {[]string{"12345\n123456789"}, "123456789"},
	} {
		t.Run(name, func(t *testing.T) {
			kept := &ghxbuild.Tail{Max: 10}
			for _, text := range c.writes {
				n, err := kept.Write([]byte(text))
				assert.NoError(t, err)
				assert.Equal(t, len(text), n)
			}
			assert.Equal(t, c.want, kept.String())
		})
	}
}
