package markdown_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/markdown"
)

func TestWhatIsNotSeenIsShownByItsNumber(t *testing.T) {
	for in, want := range map[string]string{
		"two\nlines\tand a tab":      "two\nlines\tand a tab",
		"of Windows\r\n":             "of Windows\n",
		"over\rwritten \x1b[31mred":  "over⟨U+000D⟩written ⟨U+001B⟩[31mred",
		"turned \u202earound":        "turned ⟨U+202E⟩around",
		"nothing\u200b\U000e0041":    "nothing⟨U+200B⟩⟨U+E0041⟩",
		"Ünïcödé <b> & emoji 🙂 stay": "Ünïcödé <b> & emoji 🙂 stay",
	} {
		assert.Equal(t, want, markdown.Visible(in))
	}
}
