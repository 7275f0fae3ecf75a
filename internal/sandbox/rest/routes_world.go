package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// worldRoutes are those of no repository: lists of all there is, and what
// GitHub tells of itself.
func worldRoutes() []route {
	return []route{
		{"GET /users", since(func(s *model.State) *model.Table[model.User] { return &s.Users },
			func(_ *call, u *model.User) bool { return u.Type != model.TypeBot }, func(c *call, u *model.User) (model.ID, any) { return u.ID, c.user(u.ID) })},
		{"GET /organizations", since(func(s *model.State) *model.Table[model.User] { return &s.Users },
			func(_ *call, u *model.User) bool { return u.Type == model.TypeOrganization }, func(c *call, u *model.User) (model.ID, any) { return u.ID, c.org(u) })},
		{"GET /repositories", since(func(s *model.State) *model.Table[model.Repo] { return &s.Repos },
			func(_ *call, r *model.Repo) bool { return !r.Private }, func(c *call, r *model.Repo) (model.ID, any) { return r.ID, c.minimalRepo(r) })},
		{"GET /user/{account_id}", accountByID},
		{"GET /gists/public", publicGists},
		{"GET /emojis", func(*call) (reply, error) { return ok(emojis()) }},
		{"GET /zen", func(*call) (reply, error) { return sentence(zen) }},
		{"GET /octocat", octocat},
		{"GET /versions", func(*call) (reply, error) { return ok(versions) }},
		{"GET /meta", meta},
		{"GET /feeds", feeds},
		{"POST /markdown", renderMarkdown},
		{"POST /markdown/raw", func(c *call) (reply, error) { return htmlText(string(c.body)) }},
		// A sandbox knows of no weakness.
		{"GET /advisories", func(c *call) (reply, error) { return listNone(c, nil) }},
		{"GET /advisories/{ghsa_id}", func(*call) (reply, error) { return reply{}, errNotFound }},
	}
}

// since lists the rows of a table whose ids follow one that the query names. Its pages have
// no numbers: each links to what follows its last row.
func since[T any](table func(*model.State) *model.Table[T], keep func(*call, *T) bool, show func(*call, *T) (model.ID, any)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		after, err := strconv.ParseInt(orDefault(c.URL.Query().Get("since"), "0"), 10, 64)
		if err != nil {
			after = 0
		}
		size, _ := c.pageAsked()
		found, header, last := []any{}, http.Header{}, after
		for row := range table(c.s).All() {
			id, view := show(c, row)
			if !keep(c, row) || id <= after {
				continue
			}
			if len(found) == size {
				header.Set("Link", fmt.Sprintf("<%s>; rel=\"next\"", c.elsewhere("since", strconv.FormatInt(last, 10))))
				break
			}
			found, last = append(found, view), id
		}
		return reply{status: http.StatusOK, body: found, header: header}, nil
	}
}

func accountByID(c *call) (reply, error) {
	id, err := strconv.ParseInt(c.PathValue("account_id"), 10, 64)
	u := c.s.Users.Get(id)
	if err != nil || u == nil {
		return reply{}, errNotFound
	}
	return ok(c.account(u, false))
}

func publicGists(c *call) (reply, error) {
	return c.listGists(func(g *model.Gist) bool { return g.Public })
}

// zen is one of GitHub's sentences; a sandbox says the same every time.
const zen = "Keep it logically awesome."

// sentence answers with plain text.
func sentence(text string) (reply, error) {
	return reply{status: http.StatusOK, raw: []byte(text), contentType: "text/plain;charset=utf-8"}, nil
}

func octocat(c *call) (reply, error) {
	says := orDefault(c.URL.Query().Get("s"), zen)
	return reply{status: http.StatusOK, contentType: "application/octocat-stream; charset=utf-8", raw: []byte(`
               MMM.           .MMM
               MMMMMMMMMMMMMMMMMMM
               MMMMMMMMMMMMMMMMMMM      ` + strings.Repeat("_", len(says)+2) + `
              MMMMMMMMMMMMMMMMMMMMM    | ` + says + ` |
`)}, nil
}

// emojis are some of GitHub's, by their names.
func emojis() map[string]string {
	all := map[string]string{}
	for name, code := range map[string]string{
		"+1": "1f44d", "-1": "1f44e", "laughing": "1f606", "tada": "1f389", "confused": "1f615", "heart": "2764", "rocket": "1f680", "eyes": "1f440",
		"bug": "1f41b", "white_check_mark": "2705", "x": "274c", "warning": "26a0", "sparkles": "2728", "memo": "1f4dd", "fire": "1f525", "wave": "1f44b",
	} {
		all[name] = "https://github.githubassets.com/images/icons/emoji/unicode/" + code + ".png?v8"
	}
	return all
}

// meta tells the addresses from which GitHub comes: a sandbox is on this
// machine alone.
func meta(*call) (reply, error) {
	here := []string{"127.0.0.0/8"}
	return ok(map[string]any{
		"verifiable_password_authentication": false, "ssh_key_fingerprints": map[string]string{}, "ssh_keys": []string{},
		"hooks": here, "web": here, "api": here, "git": here, "packages": here, "pages": here, "importer": here, "actions": here, "dependabot": here,
	})
}

func feeds(c *call) (reply, error) {
	links := map[string]string{"timeline": htmlURL + "/timeline", "user": htmlURL + "/{user}", "security_advisories": htmlURL + "/security-advisories",
		"repository_discussions": htmlURL + "/{user}/{repo}/discussions", "repository_discussions_category": htmlURL + "/{user}/{repo}/discussions/categories/{category}"}
	if u := c.s.Users.Get(c.actor); u != nil {
		links["current_user_public"] = htmlURL + "/" + u.Login
	}
	body, shown := map[string]any{}, map[string]any{}
	for name, address := range links {
		body[name+"_url"] = address
		shown[name] = map[string]string{"href": address, "type": "application/atom+xml"}
	}
	body["_links"] = shown
	return ok(body)
}
