package ledger

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzIndentedIsWhatJSONIndents(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `"a"`, `0`, `null`, `{"a":{},"b":[],"c":[{},[[]]],"d":"{\"x\":[1,2],\\\"}"}`, `["\\","\\\\","\"",""]`,
		`{"cells":[{"scenario_id":"a/b:c","mode":"agent@1","iteration":1},{"scenario_id":"é<>","n":-1.5e3,"t":true}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact, want bytes.Buffer
		if json.Compact(&compact, text) != nil {
			return
		}
		require.NoError(t, json.Indent(&want, compact.Bytes(), "", "  "))
		assert.Equal(t, want.String(), string(indented(compact.Bytes())))
	})
}
