package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

// maxOpened keeps the texts of the fuzzer below the depth to which objects are
// read; beyond it an envelope in them is rightly not found.
const maxOpened = 256

func FuzzExtract(f *testing.F) {
	f.Add("Use {owner}/{name}: ", " Done.", "x")
	f.Add("```json\n", "\n```", `"}\{`)
	f.Add(`{"a":`, "}", "")
	f.Add(`{"a {`, `"`, "\n")
	f.Add(`{"x":["`, `]`, "\xff")
	f.Add(complete, incomplete, "\u2028")
	f.Fuzz(func(t *testing.T, before, after, title string) {
		object := encode(t, title)

		for _, answer := range []string{before, after, before + after, before + object + after} {
			env, found := envelope.Extract(answer)
			if found {
				requireEnvelope(t, answer, env)
			}
			envelope.Judge(answer, bench.Assertions{RequiredDataFields: []string{"title"}}, 1)
		}
		if strings.Count(before, "{")+strings.Count(before, "[") > maxOpened {
			return
		}

		// Whatever stands before an envelope does not hide it, as long as what
		// comes behind does not make it a part of something.
		env, found := envelope.Extract(before + object + strings.ReplaceAll(after, "}", ""))
		require.True(t, found)
		assert.Equal(t, object, string(env.Raw))

		// Whatever comes behind an envelope does not hide it, but may be a
		// later one.
		_, found = envelope.Extract(strings.ReplaceAll(before, "{", "") + object + after)
		require.True(t, found)
	})
}

func encode(t *testing.T, title string) string {
	t.Helper()
	object, err := json.Marshal(struct {
		OK    bool              `json:"ok"`
		Data  map[string]string `json:"data"`
		Error any               `json:"error"`
		Meta  struct{}          `json:"meta"`
	}{OK: true, Data: map[string]string{"title": title}})
	require.NoError(t, err)
	return string(object)
}

func requireEnvelope(t *testing.T, answer string, env envelope.Envelope) {
	t.Helper()
	require.True(t, json.Valid(env.Raw), "%q", env.Raw)
	require.True(t, utf8.Valid(env.Raw), "%q", env.Raw)
	if utf8.ValidString(answer) {
		require.Contains(t, answer, string(env.Raw), "the envelope is a part of the answer")
	}
	require.IsType(t, true, env.Value("ok"))
	require.Less(t, len(env.Missing()), 3, "ok alone is no envelope")
}
