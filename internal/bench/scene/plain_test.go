package scene_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/scene"
)

func TestNamesOfWhatDoesNotVaryTellWhoseTheyAre(t *testing.T) {
	s := scene.Plain("mine")
	assert.Nil(t, s.Variation)
	assert.Equal(t, []string{"bench-fixture", "bench-seed:mine", "bug", "enhancement"}, s.LabelNames())
	for _, name := range s.Branches() {
		assert.Regexp(t, `^bench-fixture/mine/[a-z-]+$`, name)
	}
	for _, tag := range s.Tags() {
		assert.Regexp(t, `^bench-mine\.v1\.[0-2]\.0$`, tag)
	}
	for _, i := range s.Issues {
		assert.Regexp(t, `^\[bench:mine\] \S`, i.Title)
	}
	for _, p := range s.Pulls {
		assert.Regexp(t, `^\[bench:mine\] \S`, p.Title)
		assert.NotEmpty(t, p.File)
	}
	p, known := s.Pull("pr_behind")
	assert.True(t, known)
	assert.Equal(t, s.BehindBase, p.Base)
	_, known = s.Issue("none")
	assert.False(t, known)
}
