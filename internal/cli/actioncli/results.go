package actioncli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
)

// origin says what the rows are to come from that are judged: this run of the workflow, or
// the one that has ended.
func (a *action) origin() ledger.Origin {
	e, place := a.event, a.event.Place
	from := ledger.Origin{
		Repository: e.Repo.FullName(), Workflow: place.Workflow, Event: e.Name, Run: place.RunID, Attempt: place.Attempt, Commit: e.HeadSHA,
	}
	if e.Name == ghevent.WorkflowRun {
		// Its ref is not known, which is that of a pull request's merge.
		file, _, _ := strings.Cut(e.Run.Path, "@")
		from.Workflow, from.Event = e.Repo.FullName()+"/"+file, e.Run.Event
		from.Run, from.Attempt = strconv.FormatInt(e.Run.ID, 10), e.Run.Attempt
	}
	return from
}

// describe writes beside the rows of a run where they come from. A run that cannot be
// described has its verdict all the same: its rows are of no use to other jobs alone.
// Settings are those of the inputs as the workflow gives them.
func (a *action) describe(result benchcli.Result, settings map[string]string) {
	folder := a.folderOf(result)
	if folder == "" {
		return
	}
	if err := ledger.WriteManifest(folder, a.origin(), settings); err != nil {
		a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
	}
}

// delivered looks whether the results of other jobs are of the run that they are to be
// of, of the same commit and inputs, and as those jobs have left them. Those of another
// run of a workflow it fetches.
func (a *action) delivered(ctx context.Context) error {
	if len(a.inputs.Artifacts) > 0 {
		if err := a.fetchResults(ctx); err != nil {
			return err
		}
	}
	for _, path := range a.inputs.Results {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return fault.Invalidf("input results: %s is a file: name the folder that the parts were brought to, with all that their jobs have uploaded", path)
		}
	}
	source, err := verify.SourceBelow(a.inputs.Results...)
	if err != nil {
		return err
	}
	for i, folder := range source.Folders() {
		if err := hasItsOwnFiles(folder, source.Runs[i]); err != nil {
			return err
		}
		m, err := ledger.ReadManifest(folder)
		if err != nil {
			return err
		}
		if err := m.Check(folder, a.origin(), a.inputs.Settings()); err != nil {
			return err
		}
	}
	return a.checkBases(ctx, source.Runs)
}

// hasItsOwnFiles refuses a run whose description leads to files elsewhere: others have
// written it, and we may read more than they.
func hasItsOwnFiles(folder string, run ledger.RunInfo) error {
	if run.OutputJSONL != "" {
		return fault.Invalidf("%s says that its rows are in %.100q: those of another folder are not judged", folder, run.OutputJSONL)
	}
	if run.Transcripts != "" {
		return fault.Invalidf("%s says that its transcripts are in %.100q: those of another folder are not shown", folder, run.Transcripts)
	}
	return nil
}

// What is fetched of another run.
const (
	maxArchive     = 64 << 20
	maxUnpacked    = 512 << 20
	maxFiles       = 10_000
	maxArtifacts   = 100
	downloadWithin = 10 * time.Minute
)

// fetchResults brings the rows that another run has uploaded to a folder of ours. Nobody
// but GitHub says which these are.
func (a *action) fetchResults(ctx context.Context) error {
	e := a.event
	if err := a.checkRun(ctx); err != nil {
		return err
	}
	source := github.ArtifactSource{
		Client: a.teller.client, Owner: e.Repo.Owner, Name: e.Repo.Name, Run: e.Run.ID, HTTP: &http.Client{Timeout: downloadWithin},
	}
	all, err := source.List(ctx)
	if err != nil {
		return err
	}
	chosen, err := a.chosen(all)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "bench-results-")
	if err != nil {
		return fault.Infraf("make a folder for the results: %w", err)
	}
	a.temporary = append(a.temporary, folder)
	for i, one := range chosen {
		archive, err := source.Download(ctx, one, maxArchive)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, strconv.Itoa(i+1))
		if plainName.MatchString(one.Name) {
			to = filepath.Join(folder, one.Name) // errors name it
		}
		const perm = 0o700
		if err := os.Mkdir(to, perm); err != nil {
			return fault.Infraf("make a folder for the results: %w", err)
		}
		if err := github.UnpackArchive(archive, to, github.ArchiveLimits{Files: maxFiles, Bytes: maxUnpacked}, isResult); err != nil {
			return fault.Because(fault.KindOf(err), err, fmt.Sprintf("artifact %.100q cannot be used: %s", one.Name, fault.Public(err)))
		}
	}
	a.inputs.Results = []string{folder}
	return nil
}

// plainName is the form of names that are folders, too.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,99}$`)

// isResult reports whether a file of an artifact is read: ledgers, and what describes
// them. Figures that somebody has written down already are not.
func isResult(name string) bool {
	base := path.Base(name)
	return base == ledger.RunFile || base == ledger.ManifestFile || ledger.IsFile(base)
}

// checkRun asks GitHub whether the run is still what the event says: it may have been
// started again since, and then its end comes with another event.
func (a *action) checkRun(ctx context.Context) error {
	e := a.event
	run, _, err := a.teller.client.REST.Actions.GetWorkflowRunByID(ctx, e.Repo.Owner, e.Repo.Name, e.Run.ID)
	if err != nil {
		return github.Explain("look up the run of the other workflow", err)
	}
	a.began = run.GetRunStartedAt().Time
	switch {
	case run.GetRunAttempt() != e.Run.Attempt:
		return fault.Invalidf("run %d was started again: its attempt %d is told when that ends", e.Run.ID, run.GetRunAttempt())
	case run.GetHeadSHA() != e.HeadSHA || run.GetEvent() != e.Run.Event:
		return fault.Invalidf("run %d is not what the event says: GitHub knows it for commit %s and event %s", e.Run.ID, run.GetHeadSHA(), run.GetEvent())
	default:
		return nil
	}
}

// chosen returns the artifacts that the inputs name and that the run's last attempt has
// uploaded.
func (a *action) chosen(all []github.Artifact) ([]github.Artifact, error) {
	e, patterns := a.event, a.inputs.Artifacts
	var chosen []github.Artifact
	for _, one := range all {
		named := slices.ContainsFunc(patterns, func(pattern string) bool {
			is, _ := path.Match(pattern, one.Name) // what is no pattern was refused
			return is
		})
		switch {
		case !named || one.CreatedAt.Before(a.began):
			// Others are not for us, and those of an earlier attempt were told of.
		case one.Run.ID != e.Run.ID || one.Run.HeadSHA != e.HeadSHA:
			return nil, fault.Invalidf("artifact %.100q is of run %d and commit %.40s, and those of run %d and commit %s are to be judged", one.Name, one.Run.ID, one.Run.HeadSHA, e.Run.ID, e.HeadSHA)
		case one.Expired:
			return nil, fault.Invalidf("artifact %.100q has expired: run the other workflow again", one.Name)
		case slices.ContainsFunc(chosen, func(other github.Artifact) bool { return strings.EqualFold(one.Name, other.Name) }):
			return nil, fault.Invalidf("there are two artifacts %.100q of the run, and nobody knows whose which is: upload each name once", one.Name)
		default:
			chosen = append(chosen, one)
		}
	}
	switch {
	case len(chosen) == 0:
		return nil, fault.Invalidf("run %d has uploaded no artifact %s in its attempt %d: see its log, and run all of its jobs again", e.Run.ID, strings.Join(patterns, ", "), e.Run.Attempt)
	case len(chosen) > maxArtifacts:
		return nil, fault.Invalidf("run %d has %d artifacts of these names, and %d are the most", e.Run.ID, len(chosen), maxArtifacts)
	}
	return chosen, nil
}

// checkBases looks whether what another run has compared with is what the pull request is
// a change to: a commit of its base branch that is not older than where it branches off.
// Rows of a fork's run prove nothing, and are not asked.
func (a *action) checkBases(ctx context.Context, runs []ledger.RunInfo) error {
	e := a.event
	if e.Name != ghevent.WorkflowRun || e.Fork || e.PullNumber == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, run := range runs {
		if run.BaseCommit == nil || seen[*run.BaseCommit] {
			continue
		}
		seen[*run.BaseCommit] = true
		if err := a.checkBase(ctx, *run.BaseCommit); err != nil {
			return err
		}
	}
	return nil
}

func (a *action) checkBase(ctx context.Context, base string) error {
	if !commitName.MatchString(base) {
		return fault.Invalidf("the rows compare with %.100q, which is no commit", base)
	}
	tip, err := a.compare(ctx, a.event.Pull.BaseRef, base)
	if err != nil {
		return err
	}
	forked, err := a.compare(ctx, a.event.Pull.BaseRef, a.event.HeadSHA)
	if err != nil {
		return err
	}
	since, err := a.compare(ctx, base, a.event.HeadSHA)
	if err != nil {
		return err
	}
	onBranch := tip.GetStatus() == "behind" || tip.GetStatus() == "identical"
	if !onBranch || since.GetMergeBaseCommit().GetSHA() != forked.GetMergeBaseCommit().GetSHA() {
		return fault.Invalidf("the rows compare with commit %.40s, which pull request %d, into %s, is no change to: its base was changed, or another one was named; run the other workflow again", base, a.event.PullNumber, a.event.Pull.BaseRef)
	}
	return nil
}

var commitName = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (a *action) compare(ctx context.Context, base, head string) (*gh.CommitsComparison, error) {
	compared, _, err := a.teller.client.REST.Repositories.CompareCommits(ctx, a.event.Repo.Owner, a.event.Repo.Name, base, head, &gh.ListOptions{PerPage: 1})
	if err != nil {
		return nil, github.Explain("compare the base of the rows", err)
	}
	return compared, nil
}
