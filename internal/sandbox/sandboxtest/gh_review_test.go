package sandboxtest_test

import (
	"testing"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHChangesWhatReviewsAndCommentsSay(t *testing.T) {
	testkit.NeedComplete(t)
	const ids = `api graphql -f 'query={repository(owner:"acme",name:"widgets"){pullRequest(number:7){id participants(first:9){nodes{login}} comments(first:1){nodes{isMinimized minimizedReason
		reactions(first:9){totalCount viewerHasReacted nodes{content user{login} reactable{__typename}}}}}}}}' -q .data.repository.pullRequest`
	runCases(t, []ghCase{
		{name: "a review is dismissed", steps: []step{
			{"pr review 7 --approve --body ok", 0, ""},
			{"pr view 7 --json reviewDecision,reviews", 0, `{"reviewDecision":"APPROVED","reviews":[{"state":"APPROVED"}]}`},
			{"api -X PUT repos/acme/widgets/pulls/7/reviews/{next}/dismissals", refused, "HTTP 422"},
			{"api -X PUT repos/acme/widgets/pulls/7/reviews/{next}/dismissals -f message=outdated", 0, `{"state":"DISMISSED"}`},
			{"api -X PUT repos/acme/widgets/pulls/7/reviews/{next}/dismissals -f message=outdated", refused, "Can not dismiss a dismissed pull request review"},
			{"api repos/acme/widgets/pulls/7/reviews/{next}", 0, `{"state":"DISMISSED","body":"ok"}`},
			{"api repos/acme/widgets/pulls/7/reviews/{next}/comments", 0, `[]`},
			{"api -X PUT repos/acme/widgets/pulls/7/reviews/{next} -f body=better", 0, `{"body":"better"}`},
			{"pr view 7 --json reviewDecision", 0, `{"reviewDecision":""}`},
			{"api repos/acme/widgets/issues/7/events -q .[-1]", 0, `{"event":"review_dismissed","dismissed_review":{"state":"approved","dismissal_message":"outdated"}}`},
			{`api graphql -f 'query={repository(owner:"acme",name:"widgets"){pullRequest(number:7){timelineItems(last:1,itemTypes:[REVIEW_DISMISSED_EVENT]){nodes{...on ReviewDismissedEvent{dismissalMessage previousReviewState url review{state}}}}}}}' -q .data.repository.pullRequest.timelineItems.nodes`, 0,
				`[{"dismissalMessage":"outdated","previousReviewState":"APPROVED","review":{"state":"DISMISSED"}}]`},
		}},
		{name: "a comment is reacted to and minimized", steps: []step{
			{`api graphql -f 'query=mutation{addReaction(input:{subjectId:"{comment}",content:THUMBS_UP}){reaction{content} subject{__typename} reactionGroups{content viewerHasReacted}}}' -q .data.addReaction.reaction`, 0, `{"content":"THUMBS_UP"}`},
			{`api graphql -f 'query=mutation{minimizeComment(input:{subjectId:"{comment}",classifier:OFF_TOPIC}){minimizedComment{isMinimized}}}' -q .data.minimizeComment`, 0, `{"minimizedComment":{"isMinimized":true}}`},
			{ids, 0, `{"participants":{"nodes":[{"login":"octocat"},{"login":"monalisa"}]},"comments":{"nodes":[{"isMinimized":true,"minimizedReason":"off-topic","reactions":{"totalCount":1,"viewerHasReacted":true,"nodes":[{"content":"THUMBS_UP","user":{"login":"monalisa"},"reactable":{"__typename":"IssueComment"}}]}}]}}`},
			{`api graphql -f 'query=mutation{removeReaction(input:{subjectId:"{comment}",content:THUMBS_UP}){reaction{content}} unminimizeComment(input:{subjectId:"{comment}"}){unminimizedComment{isMinimized}}}' -q .data.unminimizeComment`, 0, `{"unminimizedComment":{"isMinimized":false}}`},
			{ids, 0, `{"comments":{"nodes":[{"isMinimized":false,"minimizedReason":null,"reactions":{"totalCount":0}}]}}`},
		}},
	})
}
