package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

const source = `import { a } from "./a"

export function first(): number {
  const x = 1

  return x
}

export function second(): number {
  return 2
}

export class Third {
}
`

func TestAHistoryGrowsToTheWholeOfItsFiles(t *testing.T) {
	files := map[string]string{"src/one.ts": source, "src/lib/two.ts": source, "src/three.md": "short\n", "other/four.ts": source, "src/README.md": "left out"}
	w, err := load(t, head+repo+`  history:
  - grow:
      folder: src
      commits: 7
      pushes: 3
      from: 1d
      to: 60d
      authors: [ana, noor]
      messages:
      - {paths: "lib/**", first: ["{folder}: begin {file}"], then: ["{folder}: add {name}"]}
      - {paths: "*.ts", first: ["Add {file}"], then: ["{file}: {name}"]}
`, files)
	require.NoError(t, err)
	plan, err := w.Draw(bench.Variation{Seed: 5})
	require.NoError(t, err)
	history := plan.Repositories[0].History
	require.Len(t, history, 7)
	texts := map[string]string{}
	authors, pushes, messages := map[string]bool{}, 0, ""
	last := plan.Start
	for _, c := range history {
		require.NotEmpty(t, c.Changes)
		for _, change := range c.Changes {
			assert.Greater(t, len(*change.Text), len(texts[change.Path]), "every commit adds something to %s", change.Path)
			assert.True(t, strings.HasPrefix(*change.Text, texts[change.Path]), "and keeps what is there")
			assert.False(t, !strings.HasSuffix(*change.Text, "}\n") && strings.HasSuffix(change.Path, ".ts"), "functions are whole: %q", *change.Text)
			texts[change.Path] = *change.Text
		}
		assert.False(t, c.When.Time.Before(last))
		assert.NotContains(t, []time.Weekday{time.Saturday, time.Sunday}, c.When.Time.Weekday())
		last = c.When.Time
		authors[c.By] = true
		if c.Push {
			pushes++
		}
		messages += c.Message + "\n"
	}
	assert.Equal(t, map[string]string{"one.ts": source, "lib/two.ts": source, "three.md": "short\n"}, texts)
	assert.Len(t, authors, 2)
	assert.Equal(t, 3, pushes)
	assert.True(t, history[6].Push)
	for _, want := range []string{"Add one\n", "lib: begin two\n", "Add three.md\n"} {
		assert.Contains(t, messages, want)
	}
	assert.Regexp(t, `(?m)^(lib: add|one:) (first|second|Third)$`, messages)
}
