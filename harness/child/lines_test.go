package child_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/harness/child"
)

func TestLineWriter(t *testing.T) {
	type line struct {
		text  string
		whole bool
	}
	tests := []struct {
		name  string
		parts []string
		want  []line
	}{
		{"a line over several writes", []string{"a", "b\nc", "\n"}, []line{{"ab", true}, {"c", true}}},
		{"several lines in one write", []string{"a\n\nb\r\n"}, []line{{"a", true}, {"", true}, {"b", true}}},
		{"a last line without an end", []string{"a"}, []line{{"a", true}}},
		{"a line of just the limit", []string{"12345678\nx\n"}, []line{{"12345678", true}, {"x", true}}},
		{"a longer line comes in parts, none of which is whole", []string{"123456789\nx\n"}, []line{{"12345678", false}, {"9", false}, {"x", true}}},
		{"also over several writes", []string{"12345678", "9", "\nx\n"}, []line{{"12345678", false}, {"9", false}, {"x", true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []line
			const limit = 8
			w := child.LineWriter{Limit: limit, Emit: func(text []byte, whole bool) { got = append(got, line{string(text), whole}) }}
			for _, part := range tt.parts {
				n, err := w.Write([]byte(part))
				assert.NoError(t, err)
				assert.Equal(t, len(part), n)
			}
			w.Flush()
			assert.Equal(t, tt.want, got)
		})
	}
}
