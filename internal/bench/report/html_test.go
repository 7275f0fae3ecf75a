package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
)

// allowedElements and allowedAttributes are those that the page is made of.
// None of them can load or run anything.
var (
	allowedElements = strings.Fields(`html head meta title style body main header section div p span b small
		h1 h2 dl dt dd ul li code table thead tbody tr th td svg path rect circle line`)
	allowedAttributes = strings.Fields(`lang charset http-equiv content name class id role scope tabindex
		aria-label aria-labelledby aria-hidden viewbox d x y width height rx cx cy r x1 y1 x2 y2 transform`)
)

func TestThePageNeedsNothingElse(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			open := []string{}
			tokens := html.NewTokenizer(strings.NewReader(written(t, report.HTML, e.summary)))
			for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
				token := tokens.Token()
				switch kind {
				case html.StartTagToken, html.SelfClosingTagToken:
					assert.Contains(t, allowedElements, token.Data)
					for _, a := range token.Attr {
						assert.Contains(t, allowedAttributes, a.Key)
					}
					if kind == html.StartTagToken && token.Data != "meta" {
						open = append(open, token.Data)
					}
				case html.EndTagToken:
					require.NotEmpty(t, open)
					require.Equal(t, open[len(open)-1], token.Data, "elements are closed in order")
					open = open[:len(open)-1]
				default: // text
				}
			}
			assert.Empty(t, open)
		})
	}
}

func TestThePagesPolicyAllowsItsOwnStyleAlone(t *testing.T) {
	page := written(t, report.HTML, hostile())
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, policy)
	assert.Equal(t, fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:])), html.UnescapeString(policy[1]))
	assert.NotContains(t, style, "url(")
	assert.NotContains(t, style, "@import")
}

// leastContrast is what WCAG 2.2 asks of text (success criterion 1.4.3).
const leastContrast = 4.5

func TestThePageIsReadableInLightAndDark(t *testing.T) {
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, blocks, 2, "light and dark")
	for i, theme := range []string{"light", "dark"} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(blocks[i][1], -1) {
			colours[m[1]] = m[2]
		}
		for text, grounds := range map[string][]string{
			"text":  {"page", "card", "pass-soft", "fail-soft", "none-soft", "doubt-soft"},
			"soft":  {"card", "pass-soft", "fail-soft", "none-soft"},
			"pass":  {"card", "pass-soft"},
			"fail":  {"card", "fail-soft"},
			"doubt": {"card", "doubt-soft"},
		} {
			for _, ground := range grounds {
				got := contrast(t, colours[text], colours[ground])
				assert.GreaterOrEqual(t, got, leastContrast, "%s on %s, %s", text, ground, theme)
			}
		}
	}
}

// contrast is the ratio that WCAG 2.2 defines.
func contrast(t *testing.T, a, b string) float64 {
	light := []float64{luminance(t, a), luminance(t, b)}
	slices.Sort(light)
	return (light[1] + 0.05) / (light[0] + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	require.Len(t, colour, 7)
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Who reads the banner finds the check in the table by the same name.
func TestThePagesReasonNamesChecksAsItsTable(t *testing.T) {
	s := failing()
	s.Gate.Reason = "2 of 10 checks failed: reliability_success_rate_non_inferior, efficiency_tool_call_reduction"
	var page strings.Builder
	require.NoError(t, report.HTML(&page, s))
	assert.Contains(t, page.String(), "2 of 10 checks failed: success rate, tool calls.")
	assert.NotContains(t, page.String(), "reliability_success")
}

func TestAnAgentThatRanAloneIsAgainstNobody(t *testing.T) {
	s := passing()
	alone := s.Modes[bench.GHX]
	alone.MeanReward = ref(1.0)
	s.Modes, s.Delta, s.Gate.Checks = map[bench.Mode]bench.ModeSummary{bench.GHX: alone}, nil, nil
	page := written(t, formats()["html"], s)
	assert.NotContains(t, page, "</b> against <b>")
	assert.NotContains(t, page, " against agent_direct</title>")
	assert.NotContains(t, page, "<dt>Thresholds</dt>")
	assert.Contains(t, written(t, formats()["html"], passing()), "</b> against <b>")
	assert.Contains(t, written(t, formats()["html"], passing()), "<dt>Thresholds</dt>")
}
