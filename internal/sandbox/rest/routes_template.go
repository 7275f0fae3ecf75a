package rest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// templateRoutes are those of what new repositories begin with: licenses,
// .gitignore files and codes of conduct.
func templateRoutes() []route {
	return []route{
		{"GET /licenses", listLicenses},
		{"GET /licenses/{license}", getLicense},
		{"GET /gitignore/templates", func(*call) (reply, error) { return ok(githubschema.Gitignores()) }},
		{"GET /gitignore/templates/{name}", getGitignore},
		{"GET /codes_of_conduct", func(*call) (reply, error) { return ok(codesOfConduct()) }},
		{"GET /codes_of_conduct/{key}", getCodeOfConduct},
		{"GET " + reposPath + "/license", onRepo(getRepoLicense)},
	}
}

// licenseView is a license as others show it.
type licenseView struct {
	Key    string  `json:"key"`
	Name   string  `json:"name"`
	SPDXID string  `json:"spdx_id"`
	URL    *string `json:"url"`
	NodeID string  `json:"node_id"`
}

func license(l githubschema.License) *licenseView {
	view := &licenseView{Key: l.Key, Name: l.Name, SPDXID: l.SPDXID, NodeID: nodeOfName("LI", 0, l.Key)}
	if l.Key != githubschema.OtherLicense.Key {
		view.URL = optional(apiURL + "/licenses/" + l.Key)
	}
	return view
}

func listLicenses(c *call) (reply, error) {
	featured := c.URL.Query().Get("featured") == "true"
	shown := slices.DeleteFunc(slices.Clone(githubschema.Licenses()), func(l githubschema.License) bool { return !l.Common || featured && !l.Featured })
	return list(c, shown, license)
}

func getLicense(c *call) (reply, error) {
	l, known := githubschema.LicenseNamed(c.PathValue("license"))
	if !known {
		return reply{}, errNotFound
	}
	return ok(struct {
		*licenseView
		HTMLURL        string   `json:"html_url"`
		Description    string   `json:"description"`
		Implementation string   `json:"implementation"`
		Permissions    []string `json:"permissions"`
		Conditions     []string `json:"conditions"`
		Limitations    []string `json:"limitations"`
		Body           string   `json:"body"`
		Featured       bool     `json:"featured"`
	}{license(l), "http://choosealicense.com/licenses/" + l.Key + "/", l.Description, l.Implementation, l.Permissions, l.Conditions, l.Limitations, l.Body, l.Featured})
}

func getGitignore(c *call) (reply, error) {
	source, known := githubschema.GitignoreNamed(c.PathValue("name"))
	switch {
	case !known:
		return reply{}, errNotFound
	case c.accepts("raw"):
		return plain("raw", []byte(source))
	default:
		return ok(map[string]string{"name": c.PathValue("name"), "source": source})
	}
}

type conductView struct {
	Key     string  `json:"key"`
	Name    string  `json:"name"`
	URL     string  `json:"url"`
	HTMLURL *string `json:"html_url"`
}

func codesOfConduct() []conductView {
	var all []conductView
	for _, c := range [][2]string{{"citizen_code_of_conduct", "Citizen Code of Conduct"}, {"contributor_covenant", "Contributor Covenant"}} {
		all = append(all, conductView{Key: c[0], Name: c[1], URL: apiURL + "/codes_of_conduct/" + c[0]})
	}
	return all
}

func getCodeOfConduct(c *call) (reply, error) {
	all := codesOfConduct()
	at := slices.IndexFunc(all, func(v conductView) bool { return v.Key == c.PathValue("key") })
	if at < 0 {
		return reply{}, errNotFound
	}
	return ok(all[at])
}

// licenseIn finds the file of a commit that is its license.
func licenseIn(git *gitstore.Store, commit gitstore.Hash) (gitstore.TreeEntry, githubschema.License, bool) {
	entry, found := model.LicenseFile(git, commit)
	if !found {
		return entry, githubschema.License{}, false
	}
	text, err := git.Blob(entry.Hash)
	return entry, githubschema.LicenseOf(string(text)), err == nil
}

func getRepoLicense(c *call, repo *model.Repo) (reply, error) {
	ref := orDefault(c.URL.Query().Get("ref"), repo.DefaultBranch)
	commit, err := repo.Git.Resolve(ref)
	if err != nil {
		return reply{}, errNotFound
	}
	entry, l, found := licenseIn(repo.Git, commit)
	switch {
	case !found:
		return reply{}, errNotFound
	case c.accepts("raw"):
		return fileContent(c, repo, ref, entry)
	}
	file, err := c.file64(repo, ref, entry)
	if err != nil {
		return reply{}, err
	}
	file.License = license(l)
	return ok(file)
}

// beginning returns the files with which a new repository begins.
func (c *call) beginning(in newRepo) ([]gitstore.Change, error) {
	var files []gitstore.Change
	add := func(path, text string) { files = append(files, gitstore.Change{Path: path, Content: []byte(text)}) }
	if in.AutoInit {
		readme := "# " + in.Name
		if in.Description != "" {
			readme += "\n" + in.Description + "\n"
		}
		add("README.md", readme)
	}
	if in.Gitignore != "" {
		text, known := githubschema.GitignoreNamed(in.Gitignore)
		if !known {
			return nil, &model.Problem{Kind: model.Invalid, Message: "Repository creation failed.", Errors: []model.FieldError{
				{Resource: "Repository", Field: "gitignore_template", Code: "custom", Message: in.Gitignore + " is an unknown gitignore template."},
			}}
		}
		add(".gitignore", text)
	}
	if in.License != "" {
		l, known := githubschema.LicenseNamed(in.License)
		if !known {
			return nil, &model.Problem{Kind: model.Invalid, Message: "Repository creation failed.", Errors: []model.FieldError{
				{Resource: "Repository", Field: "license_template", Code: "custom", Message: in.License + " is an unknown license template."},
			}}
		}
		author := c.s.Signature(c.actor)
		add("LICENSE", strings.NewReplacer("[year]", strconv.Itoa(c.s.Now.Year()), "[fullname]", author.Name, "[email]", author.Email, "[project]", in.Name).Replace(l.Body))
	}
	return files, nil
}
