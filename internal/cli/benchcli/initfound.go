package benchcli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
)

// found is what a repository is, as far as a workflow depends on it.
type found struct {
	isGHX bool
	// manager is the package manager of a ghx workspace, such as "pnpm@10.34.9", empty if
	// it is not known.
	manager string
	// forks are others than the owner whose pull requests were merged.
	forks []string
	// branch is the default one.
	branch string
}

// mostCommits is how much of a history is looked at.
const mostCommits = 2000

func lookAt(folder string) found {
	is := found{branch: "main"}
	is.manager, is.isGHX = ghxbuild.PackageManager(folder)
	if is.isGHX && is.manager == "" {
		is.manager = lockedBy(folder)
	}
	checkout, err := ghxbuild.OpenCheckout(folder)
	if err != nil {
		return is
	}
	is.branch = cmp.Or(checkout.DefaultBranch(), is.branch)
	if owner, _ := checkout.Origin(); owner != "" {
		is.forks = slices.DeleteFunc(checkout.MergedFrom(mostCommits), func(login string) bool { return strings.EqualFold(login, owner) })
	}
	return is
}

// lockedBy returns the package manager whose lock file is there.
func lockedBy(folder string) string {
	for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"package-lock.json", npm}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if _, err := os.Stat(filepath.Join(folder, lock[0])); err == nil {
			return lock[1]
		}
	}
	return ""
}

const npm = "npm"

// name is the package manager's, without its version.
func (is found) name() string {
	name, _, _ := strings.Cut(is.manager, "@")
	return name
}

// builds returns the command that builds a ghx workspace, empty where the action knows
// it, and where nobody does.
func (is found) builds() string {
	if is.name() == npm {
		return "npm ci && npm run build --workspace " + ghxbuild.Package
	}
	return ""
}

// notice says in a sentence what a repository is, where the workflow may not fit it;
// empty where it does. Named is true where a mode file says what is measured.
func (is found) notice(named bool) string {
	switch {
	case named:
		return ""
	case !is.isGHX:
		return "this is no ghx workspace, so that nothing would be built and regression has nothing to compare: name your tool with --mode-file (docs/own-tool.md says how), or run this in ghx's repository"
	case !slices.Contains([]string{"", "pnpm", npm}, is.name()):
		return fmt.Sprintf("this ghx workspace is built with %s, and the action builds with pnpm: add build-command with what builds it", is.manager)
	default:
		return ""
	}
}

// What the workflow of pull requests has for comments, and for none.
const (
	onComments   = "  issue_comment:\n    types: [created]\n"
	ifComments   = "    # On a comment, only where it may begin with /bench, after spaces or in capitals:\n    # other comments start no job.\n    if: >-\n      github.event_name == 'pull_request' && (github.event.action != 'edited' || github.event.changes.base) ||\n      github.event.issue.pull_request && (startsWith(github.event.comment.body, '/bench') || startsWith(github.event.comment.body, ' '))\n"
	ifPull       = "    if: github.event.action != 'edited' || github.event.changes.base\n"
	ofComments   = "; a comment waits for neither."
	actionStep   = "      - id: bench\n        uses: " + latestAction + "\n        with:\n"
	checkAppStep = `      # A fork's job can be named bench, too: require the check of an App of your own.
      - id: app
        if: vars.BENCH_CHECK_APP_ID && github.event.pull_request.head.repo.full_name == github.repository && github.actor != 'dependabot[bot]'
        uses: actions/create-github-app-token@v2
        with:
          app-id: ${{ vars.BENCH_CHECK_APP_ID }}
          private-key: ${{ secrets.BENCH_CHECK_APP_KEY }}
          # No more than the check and the comment need, whatever the App may do.
          permission-checks: write
          permission-pull-requests: write
`
	withCheckApp = "          github-token: ${{ steps.app.outputs.token || github.token }}\n"
)

// withoutComments is the workflow of pull requests where another one has the comments.
func withoutComments(text string) string {
	return strings.NewReplacer(onComments, "", ifComments, ifPull, ofComments, ".", actionStep, checkAppStep+actionStep+withCheckApp).Replace(text)
}

// withHistory has a workflow compare with the history of the default branch, and the
// first one keep that.
func withHistory(text, branch string, keeps bool) string {
	const cached = `        with:
          path: .bench/history.jsonl
          key: bench-history-${{ github.run_id }}-${{ github.run_attempt }}
          restore-keys: bench-history-
`
	steps := "      # What pull requests are compared with: the history of the default branch.\n      - uses: actions/cache/restore@v4\n"
	if keeps {
		text = strings.Replace(text, "on:\n", "on:\n  push:\n    branches: ["+quotedName(branch)+"]\n", 1)
		text = strings.Replace(text, "    if: >-\n", "    if: >-\n      github.event_name == 'push' ||\n", 1)
		steps += "        if: github.event_name != 'push'\n" + cached + "      - uses: actions/cache@v4\n        if: github.event_name == 'push'\n"
	}
	return strings.Replace(text, actionStep, steps+cached+actionStep, 1)
}

// quotedName writes a name into a list in YAML.
func quotedName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)
