package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

//go:embed badge.svg
var badgeSVG string

var badgeTemplate = template.Must(template.New("badge").Parse(badgeSVG))

// badge is a picture for a README: how a repository's default branch came out last. What
// is public is shown to everybody, anything else to those alone who see the repository.
// Nobody learns from it whether there is a repository that he does not see: what is asked
// and answered is the same for those as for names that nobody has.
type badge struct {
	*pages
	publics publics
}

const (
	// badgeLife is how long a picture of a public repository may be shown by others.
	badgeLife = 5 * time.Minute
	// publicLife is how long it takes until it is seen that a repository is public no more.
	publicLife = 10 * time.Minute
)

func (d *pages) mountBadge(mux *http.ServeMux) {
	b := &badge{pages: d, publics: publics{is: d.Public, now: d.Now, known: map[string]publicity{}}}
	mux.HandleFunc("GET /repos/{owner}/{name}/badge.svg", b.serve)
}

func (b *badge) serve(w http.ResponseWriter, r *http.Request) {
	repo := r.PathValue("owner") + "/" + r.PathValue("name")
	v, err := b.Login.visitor(r)
	if err != nil && !errors.Is(err, errNoSession) {
		b.Failed(err)
	}
	if err != nil || !v.sees(repo) {
		if !b.publics.isPublic(r.Context(), repo, b.Failed) {
			draw(w, r, http.StatusNotFound, "not found", "quiet")
			return
		}
		w.Header().Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(badgeLife.Seconds())))
	}
	found, err := b.Source.Runs(r.Context(), Filter{Repos: []string{repo}, Kind: Baseline, State: Finished, Limit: 1})
	switch {
	case err != nil:
		b.Failed(err)
		w.Header().Set("Cache-Control", "no-store")
		draw(w, r, http.StatusServiceUnavailable, "not known now", "quiet")
	case len(found) == 0:
		draw(w, r, http.StatusOK, "no verdict", "quiet")
	default:
		word, tone := wordOf(found[0])
		draw(w, r, http.StatusOK, word, tone)
	}
}

// draw answers with a picture, which need not be read again while it is the same.
func draw(w http.ResponseWriter, r *http.Request, status int, word, tone string) {
	// Widths are of Verdana with 11 pixels, about: texts are stretched to fit.
	const letter, margin, label = 7, 12, 48
	text := letter * utf8.RuneCountInString(word)
	colour := map[string]string{"good": "#157a35", "bad": "#c21f2b"}[tone]
	if colour == "" {
		colour = "#59636e"
	}
	var picture bytes.Buffer
	err := badgeTemplate.Execute(&picture, map[string]any{
		"Word": word, "Colour": colour, "Label": label, "Width": label + text + margin, "Box": text + margin, "At": label + (text+margin)/2, "Text": text,
	})
	if err != nil {
		http.Error(w, "", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(picture.Bytes())
	w.Header().Set("Content-Type", "image/svg+xml")
	if status != http.StatusOK {
		w.WriteHeader(status)
		_, _ = w.Write(picture.Bytes()) // who asked may be gone
		return
	}
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	http.ServeContent(w, r, "badge.svg", time.Time{}, bytes.NewReader(picture.Bytes()))
}

// publics remembers for a while which repositories are public.
type publics struct {
	// is asks GitHub; nil has none be public.
	is  func(ctx context.Context, repo string) (bool, error)
	now func() time.Time

	mu    sync.Mutex
	known map[string]publicity
}

type publicity struct {
	public bool
	until  time.Time
}

// isPublic reports whether a repository is public. While GitHub cannot be asked, what was
// seen last counts for another hour.
func (p *publics) isPublic(ctx context.Context, repo string, failed func(error)) bool {
	if p.is == nil {
		return false
	}
	at, now := strings.ToLower(repo), p.now()
	p.mu.Lock()
	known, has := p.known[at]
	p.mu.Unlock()
	if has && now.Before(known.until) {
		return known.public
	}
	public, err := p.is(ctx, repo)
	if err != nil {
		failed(err)
		return has && known.public && now.Before(known.until.Add(awayLife))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxRemembered {
		clear(p.known)
	}
	p.known[at] = publicity{public, now.Add(publicLife)}
	return public
}
