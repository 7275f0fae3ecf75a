package dashboard

import "net/http"

func (d *pages) runs(w http.ResponseWriter, r *http.Request, v visitor) {
	page, err := d.list(r, "Runs", v, newFilter(r.URL.Query(), v.repos))
	if err != nil {
		d.fail(w, err)
		return
	}
	page.Filter.About = "Repository, #pull request, commit or run"
	for _, owner := range v.owners() {
		page.Accounts = append(page.Accounts, crumb{owner, accountPath(owner)})
	}
	d.render(w, http.StatusOK, "runs", page)
}

// list is the view of a page of runs; one more than fits says that there are
// older ones.
func (d *pages) list(r *http.Request, title string, v visitor, f Filter) (view, error) {
	out := view{Title: title, Visitor: v.login}
	runs, err := d.Source.Runs(r.Context(), f)
	if err != nil {
		return out, err
	}
	models, err := d.Source.Models(r.Context(), f.Repos)
	if err != nil {
		return out, err
	}
	out.Filter, out.Paged = newForm(f, models), f.Before != ""
	if len(runs) > pageLimit {
		runs = runs[:pageLimit]
		out.Older = runs[pageLimit-1].ID
	}
	for _, run := range runs {
		out.Runs = append(out.Runs, d.line(run))
		if run.State == Queued || run.State == Running {
			d.goesOn(&out, r)
		}
	}
	if out.Older != "" {
		query := f.values()
		query.Set("before", out.Older)
		if series := r.FormValue("series"); series != "" {
			query.Set("series", series)
		}
		out.Older = "?" + query.Encode()
	}
	return out, nil
}

func (d *pages) repo(w http.ResponseWriter, r *http.Request, v visitor) {
	repo := r.PathValue("owner") + "/" + r.PathValue("name")
	if !v.sees(repo) {
		d.missing(w, v)
		return
	}
	series, err := d.Source.Series(r.Context(), repo)
	if err != nil {
		d.fail(w, err)
		return
	}
	chosen := r.FormValue("series")
	if chosen == "" && len(series) > 0 {
		chosen = series[0].Name
	}
	course, err := d.Source.Course(r.Context(), repo, chosen, courseLimit)
	if err != nil {
		d.fail(w, err)
		return
	}
	page, err := d.list(r, repo, v, newRepoFilter(r.URL.Query(), repo))
	if err != nil {
		d.fail(w, err)
		return
	}
	page.Filter.About, page.Filter.Series = "#pull request, commit or run", r.FormValue("series")
	page.Crumbs = repoCrumbs(repo)
	page.Crumbs[len(page.Crumbs)-1].URL = ""
	page.Charts, page.Series, page.Chosen = charts(course), series, chosen
	page.Heads, page.Course = table(course)
	if page.Shifts, err = d.shifts(r.Context(), repo, course, page.Charts); err != nil {
		d.fail(w, err)
		return
	}
	d.render(w, http.StatusOK, "repo", page)
}
