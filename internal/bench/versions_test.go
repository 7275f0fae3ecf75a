package bench_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestVersionsAreThoseOfAllRowsInAnyOrder(t *testing.T) {
	rows := []map[string]string{
		{"agent": "one 1", "harness": "v2", "sandbox": "v2", "gh": "2.80.0"}, {"gh": "2.9.0"}, nil, {"gh": "2.80.0", "proxy": "v2"},
	}
	var forward, backward bench.Versions
	for i := range rows {
		forward.Add(rows[i])
		backward.Add(rows[len(rows)-1-i])
	}
	assert.Equal(t, bench.Versions{"agent": {"one 1"}, "gh": {"2.80.0", "2.9.0"}, "harness": {"v2"}, "proxy": {"v2"}, "sandbox": {"v2"}}, forward)
	assert.Equal(t, forward, backward)
	assert.Equal(t, "agent one 1; gh 2.80.0 and 2.9.0; harness, proxy, sandbox v2", forward.Text())
	assert.Equal(t, []string{"The rows are not of one version of gh: they have 2.80.0, 2.9.0"}, forward.Warnings())
}

func TestRowsThatTellNoVersionsHaveNone(t *testing.T) {
	var v bench.Versions
	v.Add(nil)
	assert.Nil(t, v, "so that no list is written")
	assert.Empty(t, v.Text())
	assert.Empty(t, v.Warnings())
}

func TestTheFirstVersionsAreKeptWhateverTheOrder(t *testing.T) {
	var up, down bench.Versions
	const all = 20
	for i := range all {
		up.Add(map[string]string{"gh": fmt.Sprintf("%02d", i)})
		down.Add(map[string]string{"gh": fmt.Sprintf("%02d", all-1-i)})
	}
	assert.Equal(t, []string{"00", "01", "02", "03", "04", "05", "06", "07"}, up["gh"])
	assert.Equal(t, up, down)
}
