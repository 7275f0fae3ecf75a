package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// releaseRoutes are those of releases and their assets, which are uploaded to
// another host, with the same paths.
func releaseRoutes() []route {
	const releases = reposPath + "/releases"
	return []route{
		{"GET " + releases, onRepo(listReleases)},
		{"POST " + releases, onRepo(createRelease)},
		{"POST " + releases + "/generate-notes", onRepo(generateNotes)},
		{"GET " + releases + "/latest", onRepo(latestRelease)},
		{"GET " + releases + "/tags/{tag}", onRepo(releaseByTag)},
		{"GET " + releases + "/tags/{tag}/{rest...}", onRepo(releaseByTag)},
		{"GET " + releases + "/{id}", onRelease(func(c *call, r *model.Release) (reply, error) { return ok(c.release(r)) })},
		{"PATCH " + releases + "/{id}", onRelease(editRelease)},
		{"DELETE " + releases + "/{id}", onRelease(deleteRelease)},
		{"GET " + releases + "/{id}/{below}", onRelease(belowRelease)},
		{"POST " + releases + "/{id}/assets", onRelease(uploadAsset)},
		{"POST " + releases + "/{id}/reactions", onRelease(func(c *call, r *model.Release) (reply, error) { return c.react(c.repository, r.ID) })},
		{"DELETE " + releases + "/{id}/reactions/{reaction}", onRelease(func(c *call, r *model.Release) (reply, error) { return c.unreact(r.ID) })},
		{"GET " + releases + "/assets/{id}", onRepo(getAsset)},
		{"PATCH " + releases + "/assets/{id}", onRepo(updateAsset)},
		{"DELETE " + releases + "/assets/{id}", onRepo(deleteAsset)},
	}
}

// onRelease makes a handler of one that needs the release that the path names.
func onRelease(handle func(c *call, r *model.Release) (reply, error)) func(*call) (reply, error) {
	table := func(s *model.State) *model.Table[model.Release] { return &s.Releases }
	repo := func(r *model.Release) model.ID { return r.RepoID }
	return onRow(table, repo, func(c *call, r *model.Release) (reply, error) {
		if !c.s.SeesRelease(c.actor, r) {
			return reply{}, errNotFound
		}
		return handle(c, r)
	})
}

func listReleases(c *call, repo *model.Repo) (reply, error) {
	return list(c, c.s.ReleasesOf(c.actor, repo), c.release)
}

func latestRelease(c *call, repo *model.Repo) (reply, error) {
	return c.oneRelease(c.s.LatestRelease(repo))
}

func releaseByTag(c *call, repo *model.Repo) (reply, error) {
	tag := c.PathValue("tag")
	if rest := c.PathValue("rest"); rest != "" {
		tag += "/" + rest
	}
	return c.oneRelease(c.s.PublishedRelease(repo, tag))
}

// oneRelease shows a release, or that there is none.
func (c *call) oneRelease(r *model.Release) (reply, error) {
	if r == nil {
		return reply{}, errNotFound
	}
	return ok(c.release(r))
}

// releaseInput is the body of a request that makes or changes a release.
type releaseInput struct {
	TagName       *string `json:"tag_name"`
	Target        *string `json:"target_commitish"`
	Name          *string `json:"name"`
	Body          *string `json:"body"`
	Draft         *bool   `json:"draft"`
	Prerelease    *bool   `json:"prerelease"`
	MakeLatest    string  `json:"make_latest"`
	GenerateNotes bool    `json:"generate_release_notes"`
	// Category is that of the discussion of the release.
	Category string `json:"discussion_category_name"`
}

func (c *call) releaseInput() (in releaseInput, edit model.ReleaseEdit, err error) {
	if err := c.decode(&in); err != nil {
		return in, edit, err
	}
	if !slices.Contains([]string{"", model.LatestYes, model.LatestNo, model.LatestLegacy}, in.MakeLatest) {
		return in, edit, &model.Problem{Kind: model.Invalid, Message: fmt.Sprintf(
			"Invalid request.\n\n%s is not a member of [\"true\", \"false\", \"legacy\"].", in.MakeLatest)}
	}
	return in, model.ReleaseEdit{
		TagName: in.TagName, Target: in.Target, Name: in.Name, Body: in.Body, Draft: in.Draft, Prerelease: in.Prerelease, MakeLatest: in.MakeLatest,
	}, nil
}

func createRelease(c *call, repo *model.Repo) (reply, error) {
	in, edit, err := c.releaseInput()
	if err != nil {
		return reply{}, err
	}
	if in.TagName == nil {
		return reply{}, missing("tag_name")
	}
	if in.Category != "" && in.Draft != nil && *in.Draft {
		return reply{}, c.lacks("discussion_category_name of a draft")
	}
	if in.GenerateNotes {
		if err := c.addNotes(repo, &edit); err != nil {
			return reply{}, err
		}
	}
	r, err := c.s.CreateRelease(c.actor, repo, edit)
	if err == nil {
		err = c.discuss(r, in.Category)
	}
	if err != nil {
		return reply{}, err
	}
	return created(c.release(r))
}

// discuss begins the discussion that is asked for, if one is.
func (c *call) discuss(r *model.Release, category string) error {
	if category == "" {
		return nil
	}
	return c.s.DiscussRelease(c.actor, r, category)
}

// addNotes puts generated notes below a release's text.
func (c *call) addNotes(repo *model.Repo, edit *model.ReleaseEdit) error {
	notes, err := c.notes(repo, *edit.TagName, value(edit.Target), "")
	if err != nil {
		return err
	}
	if edit.Name == nil {
		edit.Name = edit.TagName
	}
	body := strings.TrimSpace(value(edit.Body) + "\n\n" + notes)
	edit.Body = &body
	return nil
}

// value returns a text, "" for nil.
func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func editRelease(c *call, r *model.Release) (reply, error) {
	in, edit, err := c.releaseInput()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditRelease(c.actor, r, edit); err != nil {
		return reply{}, err
	}
	if in.Category != "" && r.Draft {
		return reply{}, c.lacks("discussion_category_name of a draft")
	}
	if err := c.discuss(r, in.Category); err != nil {
		return reply{}, err
	}
	return ok(c.release(r))
}

func deleteRelease(c *call, r *model.Release) (reply, error) {
	if err := c.s.DeleteRelease(c.actor, r); err != nil {
		return reply{}, err
	}
	return noContent()
}

func generateNotes(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		TagName  string `json:"tag_name"`
		Target   string `json:"target_commitish"`
		Previous string `json:"previous_tag_name"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.TagName == "" {
		return reply{}, missing("tag_name")
	}
	notes, err := c.notes(repo, in.TagName, in.Target, in.Previous)
	if err != nil {
		return reply{}, err
	}
	return ok(map[string]string{"name": in.TagName, "body": notes})
}

// notes writes generated notes as GitHub does.
func (c *call) notes(repo *model.Repo, tag, target, previous string) (string, error) {
	notes, err := c.s.GenerateReleaseNotes(c.actor, repo, tag, target, previous)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	page := htmlURL + "/" + c.s.FullName(repo)
	if len(notes.Pulls) > 0 {
		text.WriteString("## What's Changed\n")
	}
	for _, pr := range notes.Pulls {
		fmt.Fprintf(&text, "* %s by @%s in %s/pull/%d\n", pr.Title, c.s.Login(pr.AuthorID), page, pr.Number)
	}
	compare := page + "/commits/" + tag
	if notes.Previous != "" {
		compare = fmt.Sprintf("%s/compare/%s...%s", page, notes.Previous, tag)
	}
	fmt.Fprintf(&text, "\n\n**Full Changelog**: %s", compare)
	return strings.TrimPrefix(text.String(), "\n\n"), nil
}

// belowRelease answers for all that lies below a release: its assets, and
// reactions to it.
func belowRelease(c *call, r *model.Release) (reply, error) {
	switch c.PathValue("below") {
	case "assets":
		return list(c, r.Assets, func(a model.Asset) assetView { return c.asset(r, &a) })
	case "reactions":
		return c.listReactions(r.ID)
	default:
		return reply{}, errNotFound
	}
}

func uploadAsset(c *call, r *model.Release) (reply, error) {
	query := c.URL.Query()
	a, err := c.s.AddAsset(c.actor, r, model.NewAsset{
		Name: query.Get("name"), Label: query.Get("label"), ContentType: c.Request.Header.Get("Content-Type"), Content: c.body,
	})
	if err != nil {
		return reply{}, err
	}
	return created(c.asset(r, a))
}

func getAsset(c *call, repo *model.Repo) (reply, error) {
	r, a, err := c.s.AssetOf(c.actor, repo, idOf(c.PathValue("id")))
	if err != nil {
		return reply{}, err
	}
	if !strings.Contains(c.Request.Header.Get("Accept"), "application/octet-stream") {
		return ok(c.asset(r, a))
	}
	return reply{status: http.StatusOK, raw: append([]byte{}, a.Content...), contentType: a.ContentType}, nil
}

func updateAsset(c *call, repo *model.Repo) (reply, error) {
	var in struct{ Name, Label *string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	r, a, err := c.s.AssetOf(c.actor, repo, idOf(c.PathValue("id")))
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditAsset(c.actor, r, a.ID, model.AssetEdit(in)); err != nil {
		return reply{}, err
	}
	if r, a, err = c.s.AssetOf(c.actor, repo, a.ID); err != nil {
		return reply{}, err
	}
	return ok(c.asset(r, a))
}

func deleteAsset(c *call, repo *model.Repo) (reply, error) {
	r, a, err := c.s.AssetOf(c.actor, repo, idOf(c.PathValue("id")))
	if err != nil {
		return reply{}, err
	}
	if err := c.s.DeleteAsset(c.actor, r, a.ID); err != nil {
		return reply{}, err
	}
	return noContent()
}
