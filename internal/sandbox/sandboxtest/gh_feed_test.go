package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// gh turns discussions on, makes autolinks, and reads feeds through the API.
func TestGHFeedsDiscussionsAndAutolinks(t *testing.T) {
	runCases(t, []ghCase{
		{name: "feeds", steps: []step{
			{"api repos/acme/widgets/events", 0, "[]"},
			{"issue create -R acme/widgets --title T --body B", 0, ""},
			{"api repos/acme/widgets/events -q '.[0].type + .[0].payload.action + .[0].payload.issue.title'", 0, "IssuesEventopenedT"},
			{"api users/monalisa/events --paginate -q length", 0, "1"},
		}},
		{name: "discussions", steps: []step{
			{"repo edit acme/widgets --enable-discussions", 0, ""},
			{"repo view acme/widgets --json hasDiscussionsEnabled", 0, `{"hasDiscussionsEnabled":true}`},
			{"api graphql -f query='{repository(owner:\"acme\",name:\"widgets\"){discussionCategories(first:9){nodes{slug}}}}' -q .data.repository.discussionCategories.nodes[4].slug", 0, "q-a"},
		}, after: func(t *testing.T, _ *model.State, repo *model.Repo) { assert.Len(t, repo.DiscussionCategories, 6) }},
		{name: "autolinks", steps: []step{
			{"api repos/acme/widgets/autolinks -f key_prefix=T- -f url_template=https://example.com/<num>", 0, `{"key_prefix":"T-","is_alphanumeric":true}`},
			{"api repos/acme/widgets/autolinks -q .[].key_prefix", 0, "T-"},
		}},
	})
}
