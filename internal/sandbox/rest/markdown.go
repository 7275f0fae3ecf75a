package rest

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"
	token "golang.org/x/net/html"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The ways in which Markdown is read, as GitHub does but that HTML in the text is left out:
// that of documents, and that of comments, in which each line stays one.
var (
	readsMarkdown = goldmark.New(goldmark.WithExtensions(extension.GFM))
	readsComments = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithHardWraps()))
)

func renderMarkdown(c *call) (reply, error) {
	var in struct {
		Text    *string
		Mode    string
		Context string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Text == nil {
		return reply{}, missing("text")
	}
	if in.Mode != "gfm" {
		return htmlText(*in.Text)
	}
	rendered, err := c.commentHTML(*in.Text, in.Context)
	return htmlReply(rendered, err)
}

// htmlText answers with Markdown as HTML.
func htmlText(text string) (reply, error) {
	return htmlReply(fromMarkdown(readsMarkdown, text))
}

func htmlReply(text []byte, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusOK, raw: text, contentType: "text/html;charset=utf-8"}, nil
}

// fromMarkdown renders Markdown as HTML; it is never nil.
func fromMarkdown(reads goldmark.Markdown, text string) ([]byte, error) {
	var out bytes.Buffer
	err := reads.Convert([]byte(text), &out)
	return append([]byte{}, out.Bytes()...), err
}

// commentHTML renders what is written about a repository, which is named in full or is
// empty for none. Users, issues and commits that the reader sees are linked.
func (c *call) commentHTML(text, fullName string) ([]byte, error) {
	source, err := fromMarkdown(readsComments, text)
	if err != nil {
		return nil, err
	}
	repo := c.visibleRepo(fullName)
	out, inside := []byte{}, 0
	for tokens := token.NewTokenizer(bytes.NewReader(source)); ; {
		kind := tokens.Next()
		raw := bytes.Clone(tokens.Raw())
		name, _ := tokens.TagName()
		switch kind {
		case token.ErrorToken:
			return out, nil
		case token.StartTagToken, token.EndTagToken:
			if tag := string(name); tag == "a" || tag == "code" || tag == "pre" {
				inside += map[token.TokenType]int{token.StartTagToken: 1, token.EndTagToken: -1}[kind]
			}
		case token.TextToken:
			if inside == 0 {
				raw = c.linked(raw, repo)
			}
		default:
		}
		out = append(out, raw...)
	}
}

// visibleRepo returns the repository of a full name, nil if the reader sees none.
func (c *call) visibleRepo(fullName string) *model.Repo {
	owner, name, _ := strings.Cut(fullName, "/")
	repo, err := c.s.VisibleRepo(c.actor, owner, name)
	if err != nil {
		return nil
	}
	return repo
}

// referring is what GitHub links in text: users, issues and commits, the latter two with
// the repository before them or, in that of the text, without.
var referring = regexp.MustCompile(`(^|[\s(\[{:;,.!?*"'])(?:@([A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)|(?:([\w-]+/[\w.-]+)?#|GH-)(\d+)|(?:([\w-]+/[\w.-]+)@)?([0-9a-f]{7,40}))\b`)

// linked puts links into a text of HTML.
func (c *call) linked(text []byte, repo *model.Repo) []byte {
	return referring.ReplaceAllFunc(text, func(found []byte) []byte {
		m := referring.FindSubmatch(found)
		before, shown := string(m[1]), string(found[len(m[1]):])
		link := ""
		switch {
		case len(m[2]) > 0:
			link = c.userLink(string(m[2]), shown)
		case len(m[4]) > 0:
			link = c.issueLink(c.repoOr(string(m[3]), repo), string(m[4]), shown)
		default:
			link = c.commitLink(c.repoOr(string(m[5]), repo), string(m[5]), string(m[6]))
		}
		if link == "" {
			return found
		}
		return []byte(before + link)
	})
}

// repoOr is [call.visibleRepo], or another repository for the empty name.
func (c *call) repoOr(fullName string, other *model.Repo) *model.Repo {
	if fullName == "" {
		return other
	}
	return c.visibleRepo(fullName)
}

func (c *call) userLink(login, shown string) string {
	u := c.s.User(login)
	if u == nil {
		return ""
	}
	kind, at := "user", "/users/"+u.Login
	if u.Type == model.TypeOrganization {
		kind, at = "organization", "/orgs/"+u.Login
	}
	return fmt.Sprintf(`<a class="user-mention notranslate" data-hovercard-type="%s" data-hovercard-url="%s/hovercard" data-octo-click="hovercard-link-click" data-octo-dimensions="link_type:self" href="%s">%s</a>`,
		kind, at, htmlURL+"/"+u.Login, shown)
}

func (c *call) issueLink(repo *model.Repo, digits, shown string) string {
	number, err := strconv.Atoi(digits)
	if repo == nil || err != nil {
		return ""
	}
	i := c.s.Issue(repo, number)
	if i == nil {
		return ""
	}
	kind, part := "issue", "issues"
	if i.Pull != nil {
		kind, part = "pull_request", "pull"
	}
	at := fmt.Sprintf("/%s/%s/%d", c.s.FullName(repo), part, number)
	return fmt.Sprintf(`<a class="issue-link js-issue-link" data-error-text="Failed to load title" data-id="%d" data-permission-text="Title is private" data-url="%s" data-hovercard-type="%s" data-hovercard-url="%s/hovercard" href="%s">%s</a>`,
		i.ID, htmlURL+at, kind, at, htmlURL+at, html.EscapeString(shown))
}

func (c *call) commitLink(repo *model.Repo, named, sha string) string {
	if repo == nil {
		return ""
	}
	commit, err := repo.Git.Resolve(sha)
	if err != nil {
		return ""
	}
	at := fmt.Sprintf("/%s/commit/%s", c.s.FullName(repo), commit)
	shown := "<tt>" + sha[:7] + "</tt>"
	if named != "" {
		shown = named + "@" + shown
	}
	return fmt.Sprintf(`<a class="commit-link" data-hovercard-type="commit" data-hovercard-url="%s/hovercard" href="%s">%s</a>`, htmlURL+at, htmlURL+at, shown)
}

// fileHTML shows a file of a repository as its page does: Markdown as what it means, other
// text as it is.
func fileHTML(name string, content []byte) ([]byte, error) {
	kind := strings.TrimPrefix(strings.ToLower(path.Ext(name)), ".")
	shown := []byte("<div class=\"plain\"><pre style=\"white-space: pre-wrap\">" + html.EscapeString(string(content)) + "</pre></div>")
	if kind == "md" || kind == "markdown" {
		text, err := fromMarkdown(readsMarkdown, string(content))
		if err != nil {
			return nil, err
		}
		shown = slices.Concat([]byte("<article class=\"markdown-body entry-content container-lg\" itemprop=\"text\">"), text, []byte("</article>"))
	}
	return slices.Concat(fmt.Appendf(nil, "<div id=\"file\" class=%q data-path=%q>", kind, html.EscapeString(name)), shown, []byte("</div>")), nil
}
