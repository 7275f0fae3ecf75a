package gitstore

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// apply makes the edits that turn old into new.
func apply(old, new []string, edits []edit) []string {
	var made []string
	at := 0
	for _, e := range edits {
		made = append(append(made, old[at:e.oldStart]...), new[e.newStart:e.newEnd()]...)
		at = e.oldEnd()
	}
	return append(made, old[at:]...)
}

func checkEdits(t *testing.T, before, after string) {
	t.Helper()
	old, new := splitLines(before), splitLines(after)
	for name, find := range map[string]algorithm{"myers": myers, "histogram": histogram} {
		for _, indent := range []bool{false, true} {
			edits := compareLines(old, new, find, indent)
			require.Equal(t, after, strings.Join(apply(old, new, edits), ""), name)
			for i := 1; i < len(edits); i++ {
				require.Less(t, edits[i-1].oldEnd(), edits[i].oldStart, "edits have a shared line between them")
			}
		}
	}
}

func checkMerge(t *testing.T, base, ours, theirs string) {
	t.Helper()
	mark := markers{"ours", "theirs", markerSize}
	for _, side := range []string{ours, theirs} {
		merged, clean := merge3(base, side, side, mark)
		require.True(t, clean, "identical sides")
		require.Equal(t, side, merged)
		merged, clean = merge3(base, side, base, mark)
		require.True(t, clean, "only ours changed")
		require.Equal(t, side, merged)
		merged, clean = merge3(base, base, side, mark)
		require.True(t, clean, "only theirs changed")
		require.Equal(t, side, merged)
	}
	merged, clean := merge3(base, ours, theirs, mark)
	mirrored, alsoClean := merge3(base, theirs, ours, mark)
	require.Equal(t, clean, alsoClean, "conflicts do not depend on the order of the sides")
	if clean {
		require.Equal(t, merged, mirrored)
	}
}

// fromBytes makes a text of few different lines, so that lines repeat.
func fromBytes(data []byte) string {
	const letters = "abcde{}"
	var b strings.Builder
	for i, c := range data {
		b.WriteString(strings.Repeat(" ", int(c>>5)))
		if k := int(c & 0x1f); k < len(letters) {
			b.WriteByte(letters[k])
		}
		if i < len(data)-1 || c&1 == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func FuzzMerge3(f *testing.F) {
	f.Add([]byte("abc"), []byte("abd"), []byte("xbc"), false)
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), []byte("a\nb\nc\nd"), true)
	f.Add([]byte{}, []byte{1, 2, 3}, []byte{1, 2, 3, 4}, false)
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte, verbatim bool) {
		text := fromBytes
		if verbatim {
			text = func(b []byte) string { return string(b) }
		}
		checkEdits(t, text(base), text(ours))
		checkEdits(t, text(ours), text(theirs))
		checkMerge(t, text(base), text(ours), text(theirs))
	})
}

func TestMerge3OfRandomTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(length int) string {
		data := make([]byte, random.IntN(length))
		for i := range data {
			data[i] = byte(random.IntN(8))
		}
		return fromBytes(data)
	}
	for range 300 {
		base := text(40)
		checkEdits(t, base, text(40))
		checkMerge(t, base, text(40), text(40))
	}
}

func TestMerge3MarksConflicts(t *testing.T) {
	merged, clean := merge3("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc", markers{"left", "right", 7})
	assert.False(t, clean)
	assert.Equal(t, "a\n<<<<<<< left\nours\nc\n=======\ntheirs\nc\n>>>>>>> right\n", merged)
}
