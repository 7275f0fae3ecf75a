package dashboard

import (
	"net/http"
	"slices"
	"strings"
)

func accountPath(owner string) string { return "/accounts/" + owner }

func repoPath(repo string) string { return "/repos/" + repo }

// owners returns the accounts that a visitor sees repositories of, in order.
func (v visitor) owners() []string {
	var all []string
	for _, repo := range v.repos {
		owner, _, _ := strings.Cut(repo, "/")
		if !slices.ContainsFunc(all, func(o string) bool { return strings.EqualFold(o, owner) }) {
			all = append(all, owner)
		}
	}
	slices.SortFunc(all, foldCompare)
	return all
}

func foldCompare(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }

// of returns the repositories of an account that a visitor sees, in order.
func (v visitor) of(owner string) []string {
	var all []string
	for _, repo := range v.repos {
		if of, _, _ := strings.Cut(repo, "/"); strings.EqualFold(of, owner) {
			all = append(all, repo)
		}
	}
	slices.SortFunc(all, foldCompare)
	return all
}

// repoLine is a repository with how it is; what there is none of is nil.
type repoLine struct {
	Name, Path                string
	Latest, Verdict, Baseline *line
}

// account shows an account's repositories, and how each is.
func (d *pages) account(w http.ResponseWriter, r *http.Request, v visitor) {
	repos := v.of(r.PathValue("owner"))
	if len(repos) == 0 {
		d.missing(w, v)
		return
	}
	latest, err := d.Source.Latest(r.Context(), repos)
	if err != nil {
		d.fail(w, err)
		return
	}
	owner, _, _ := strings.Cut(repos[0], "/")
	page := view{Title: owner, Visitor: v.login, Crumbs: []crumb{{Text: owner}}}
	for _, repo := range repos {
		page.Repos = append(page.Repos, d.repoLine(repo, latest))
	}
	d.render(w, http.StatusOK, "account", page)
}

// repoLine tells how a repository is by the latest runs, the newest first.
func (d *pages) repoLine(repo string, latest []Run) repoLine {
	_, name, _ := strings.Cut(repo, "/")
	out := repoLine{Name: name, Path: repoPath(repo)}
	first := func(at **line, run Run) {
		if *at == nil {
			l := d.line(run)
			*at = &l
		}
	}
	for _, run := range latest {
		if !strings.EqualFold(run.Repo, repo) {
			continue
		}
		first(&out.Latest, run)
		if run.Verdict != "" {
			first(&out.Verdict, run)
		}
		if run.Kind == Baseline {
			first(&out.Baseline, run)
		}
	}
	return out
}
