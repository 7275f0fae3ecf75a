package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// answerWeb answers a request to github.com: git's, those for archives and for
// the few pages that Apps need, and 404 to those for other pages.
func (w *World) answerWeb(x *exchange) rest.Response {
	if page, isPage := w.answerPage(x); isPage {
		return page
	}
	in, isGit := Parse(x.in)
	if !isGit {
		if strings.Contains(x.in.URL.Path, "/info/lfs/") {
			return noLFS()
		}
		if gist, is := strings.CutSuffix(x.in.URL.Path, ".git/info/refs"); is && strings.Count(gist, "/") == 1 {
			none := text(http.StatusNotImplemented, "This sandbox has no git of gists: the API has their files.")
			none.Lacking = []string{"git of gists"}
			return none
		}
		if parts := linked(x.in.URL.Path); parts != nil && (x.in.Method == http.MethodGet || x.in.Method == http.MethodHead) {
			return w.answerLinked(x, parts)
		}
		return text(http.StatusNotFound, "Not Found")
	}
	if x.refusal != nil {
		return askForLogin("Invalid username or token. Password authentication is not supported for Git operations.")
	}
	switch {
	case in.Service == Push && in.Advertise:
		return w.advertisePush(x, in)
	case in.Service == Push:
		return w.receivePush(x, in)
	}
	body, err := Body(x.in, x.body, maxBody)
	if err != nil {
		return text(http.StatusBadRequest, err.Error())
	}
	return w.answerFetch(x, in, body)
}

// noLFS tells git-lfs that there is none, in its own form.
func noLFS() rest.Response {
	return rest.Response{
		Status: http.StatusNotImplemented, Header: http.Header{"Content-Type": {"application/vnd.git-lfs+json"}},
		Body: []byte(`{"message":"This sandbox has no Git LFS."}`), Lacking: []string{"Git LFS"},
	}
}

func (w *World) answerFetch(x *exchange, in Request, body []byte) rest.Response {
	program, err := exec.LookPath("git")
	if err != nil {
		return text(http.StatusNotImplemented, ErrNoGit.Error())
	}
	ctx, cancel := context.WithTimeout(x.in.Context(), fetchTime)
	defer cancel()
	refusal, err := w.fetch(ctx, x, fetch{program, in, body})
	switch {
	case refusal != nil:
		return *refusal
	case fault.KindOf(err) == fault.Invalid:
		return text(http.StatusBadRequest, err.Error())
	case err != nil:
		return text(http.StatusInternalServerError, "The repository cannot be served.")
	default:
		x.sendFile = true
		return gitAnswer(in, nil)
	}
}

// fetch is a request of git's for what a repository has.
type fetch struct {
	// program is git.
	program string
	in      Request
	body    []byte
}

// fetch has git answer, one client after the other, into the exchange's file.
func (w *World) fetch(ctx context.Context, x *exchange, f fetch) (refusal *rest.Response, err error) {
	w.exports.mu.Lock()
	defer w.exports.mu.Unlock()
	var branch string
	var from *export
	done := func(bool) {}
	defer func() { done(err == nil || fault.KindOf(err) == fault.Invalid) }()
	w.Look(func(s *model.State) {
		s, _ = w.narrowed(s, x.token.Token)
		var repo *model.Repo
		if repo, refusal = gitRepo(s, x, f.in); refusal != nil {
			return
		}
		branch = repo.DefaultBranch
		w.fetched(x, s, repo)
		if from, done, err = w.exports.of(repo.ID); err != nil {
			return
		}
		if state := s.PublishedState(repo); from.git == nil || from.state != state {
			from.git, err = s.Published(repo)
			from.state = state
		}
	})
	if refusal != nil || err != nil {
		return refusal, err
	}
	if err := from.update(from.git, branch); err != nil {
		return nil, err
	}
	run := runner{program: f.program, folder: from.folder, version: f.in.Version}
	if x.file, err = os.CreateTemp("", "sandbox-fetch-"); err != nil {
		return nil, fault.Infraf("make a file for git's answer: %w", err)
	}
	if err := from.answer(ctx, run, f.in, f.body, x.file); err != nil {
		return nil, err
	}
	if x.fileSize, err = x.file.Seek(0, io.SeekCurrent); err == nil {
		_, err = x.file.Seek(0, io.SeekStart)
	}
	return nil, err
}

func (w *World) advertisePush(x *exchange, in Request) rest.Response {
	return w.read(func(s *model.State) rest.Response {
		s, _ = w.narrowed(s, x.token.Token)
		repo, refusal := pushedRepo(s, x, in)
		if refusal != nil {
			return *refusal
		}
		return gitAnswer(in, AdvertisePush(repo.Git.Refs("")))
	})
}

func (w *World) receivePush(x *exchange, in Request) rest.Response {
	push, err := pushOf(x, w.maxPush)
	switch {
	case err != nil:
		return text(http.StatusBadRequest, err.Error())
	case len(push.Updates) == 0 && push.Pack == nil:
		// So git asks, before a long push, whether it may.
		return gitAnswer(in, nil)
	case x.push != nil && x.push.refused != "":
		return gitAnswer(in, push.Report(errUnpacking, x.push.refused+"\n"))
	}
	// Each ref is updated as a whole, or not.
	return w.change(x, func(s *model.State) rest.Response {
		narrow, _ := w.narrowed(s, x.token.Token)
		repo, refusal := pushedRepo(narrow, x, in)
		if refusal != nil {
			return *refusal
		}
		before := repo.Git.Objects()
		err := s.Push(actor(s, x.token), repo, push.Pack, push.Updates)
		x.logged.Write = err == nil && push.Taken()
		return gitAnswer(in, push.Report(err, repo.LargeFileWarning(before)+proposals(s, repo, push)))
	})
}

// pushOf reads what a client pushes, at most so many bytes once it is unpacked.
func pushOf(x *exchange, most int64) (*Pushed, error) {
	var body io.Reader = bytes.NewReader(x.body)
	var err error
	if x.push != nil {
		if body, err = x.push.reader(); err != nil {
			return nil, err
		}
	}
	if body, err = unpack(x.in, body); err != nil {
		return nil, err
	}
	return ReadPush(io.LimitReader(body, most))
}

// proposals invites to open pull requests from new branches, as GitHub does.
func proposals(s *model.State, repo *model.Repo, push *Pushed) string {
	var said strings.Builder
	for _, u := range push.Updates {
		branch, isBranch := strings.CutPrefix(u.Ref, "refs/heads/")
		if now, _ := repo.Git.Ref(u.Ref); isBranch && u.From == (gitstore.Hash{}) && now == u.To && branch != repo.DefaultBranch {
			fmt.Fprintf(&said, "\nCreate a pull request for '%s' on GitHub by visiting:\n     https://%s/%s/pull/new/%s\n\n",
				branch, webHost, s.FullName(repo), branch)
		}
	}
	return said.String()
}

// gitRepo returns the repository that a request is for, or else the answer to
// a client that may not read it.
func gitRepo(s *model.State, x *exchange, in Request) (*model.Repo, *rest.Response) {
	repo, err := s.VisibleRepo(actor(s, x.token), in.Owner, in.Name)
	if err == nil {
		return repo, nil
	}
	refusal := text(http.StatusNotFound, "Repository not found.")
	if x.token.value == "" {
		refusal = askForLogin("Repository not found.")
	}
	return nil, &refusal
}

// pushedRepo is [gitRepo] for those who want to push.
func pushedRepo(s *model.State, x *exchange, in Request) (*model.Repo, *rest.Response) {
	repo, refusal := gitRepo(s, x, in)
	if refusal != nil {
		return nil, refusal
	}
	who := actor(s, x.token)
	answer := rest.Response{}
	switch err := s.MayPush(who, repo); {
	case err == nil && integration(s, x.token).MayPush():
		return repo, nil
	case who == 0:
		answer = askForLogin("No anonymous write access.")
	case repo.Archived:
		answer = text(http.StatusForbidden, "This repository was archived so it is read-only.")
	default:
		answer = text(http.StatusForbidden, fmt.Sprintf("Permission to %s.git denied to %s.", s.FullName(repo), s.Login(who)))
	}
	return nil, &answer
}

// gitAnswer is an answer to git.
func gitAnswer(in Request, body []byte) rest.Response {
	kind := "result"
	if in.Advertise {
		kind = "advertisement"
	}
	return rest.Response{Status: http.StatusOK, Body: body, Header: http.Header{
		"Content-Type":  {fmt.Sprintf("application/x-%s-%s", in.Service, kind)},
		"Cache-Control": {"no-cache, max-age=0, must-revalidate"},
	}}
}

// askForLogin is an answer upon which git asks for a user and password.
func askForLogin(message string) rest.Response {
	answer := text(http.StatusUnauthorized, message)
	answer.Header.Set("WWW-Authenticate", `Basic realm="GitHub"`)
	return answer
}

// text is an answer in plain text, which git shows to its user.
func text(status int, message string) rest.Response {
	return rest.Response{
		Status: status, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(message + "\n"),
	}
}
