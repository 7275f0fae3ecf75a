package githubschema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func TestLicensesAreKnownByTheirTexts(t *testing.T) {
	common := 0
	for _, l := range githubschema.Licenses() {
		filled := strings.NewReplacer("[year]", "2026", "[fullname]", "Ada Lovelace").Replace(l.Body)
		assert.Equal(t, l.Key, githubschema.LicenseOf(filled).Key)
		assert.NotEmpty(t, l.SPDXID, l.Key)
		if l.Common {
			common++
		}
	}
	assert.Equal(t, 13, common, "as many as GitHub lists")
	assert.Equal(t, "NOASSERTION", githubschema.LicenseOf("All rights reserved.").SPDXID)
	assert.Equal(t, "NOASSERTION", githubschema.LicenseOf("").SPDXID)
	mit, known := githubschema.LicenseNamed("MIT")
	assert.True(t, known)
	assert.Equal(t, "mit", mit.Key)
	_, known = githubschema.LicenseNamed("none")
	assert.False(t, known)
}

func TestGitignoresHaveNamesAndTexts(t *testing.T) {
	assert.Contains(t, githubschema.Gitignores(), "Go")
	text, known := githubschema.GitignoreNamed("Go")
	assert.True(t, known)
	assert.Contains(t, text, "*.test")
	_, known = githubschema.GitignoreNamed("go")
	assert.False(t, known, "names are compared with case")
}
