package target

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
)

// releases plans the releases.
func (r *repository) releases() {
	for i := range r.plan.Releases {
		p := &r.plan.Releases[i]
		r.then(p.Place, p.When.Time, quoted("make release", p.Tag), func(ctx context.Context) error { return r.release(ctx, p) })
	}
}

func (r *repository) release(ctx context.Context, p *world.Release) error {
	at, err := r.tipOf(ctx, cmp.Or(p.Target, r.plan.Branch()))
	if err != nil {
		return err
	}
	client := r.rest(r.writer(p.By))
	var made *gh.RepositoryRelease
	err = r.write(ctx, func() (err error) {
		made, _, err = client.Repositories.CreateRelease(ctx, r.owner, r.name, &gh.RepositoryRelease{
			TagName: gh.String(p.Tag), TargetCommitish: gh.String(at.commit), Name: gh.String(cmp.Or(p.Name, p.Tag)), Body: gh.String(p.Body),
			Draft: gh.Bool(p.Draft), Prerelease: gh.Bool(p.Prerelease),
		})
		return err
	})
	if err != nil {
		return err
	}
	r.export(p.As, map[string]any{"id": made.GetID(), "tag_name": p.Tag, "name": made.GetName(), "url": made.GetHTMLURL()})
	for _, a := range p.Assets {
		if err := r.asset(ctx, client, made.GetID(), a); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) asset(ctx context.Context, client *gh.Client, release int64, a world.Asset) error {
	content := strings.Repeat(a.Text, max(1, int(a.Times)))
	path := fmt.Sprintf("repos/%s/%s/releases/%d/assets?name=%s", r.owner, r.name, release, url.QueryEscape(a.Name))
	made := &gh.ReleaseAsset{}
	err := r.write(ctx, func() error {
		request, err := client.NewUploadRequest(path, strings.NewReader(content), int64(len(content)), cmp.Or(a.Type, "application/octet-stream"))
		if err != nil {
			return err
		}
		_, err = client.Do(ctx, request, made)
		return err
	})
	if err == nil {
		r.export(a.As, map[string]any{"id": made.GetID(), "name": a.Name, "size": made.GetSize()})
	}
	return err
}
