package rest

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// searchMoreRoutes find labels of a repository, and topics.
func searchMoreRoutes() []route {
	return []route{{"GET /search/labels", searchLabels}, {"GET /search/topics", searchTopics}}
}

// words are those of a search, in small letters; a search without is refused.
func (c *call) words() ([]string, error) {
	words := strings.Fields(strings.ToLower(c.URL.Query().Get("q")))
	if len(words) == 0 {
		return nil, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{{Resource: "Search", Field: "q", Code: "missing"}}}
	}
	return words, nil
}

// hasWords reports whether a text has each of the words.
func hasWords(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(strings.ToLower(text), word) })
}

func searchLabels(c *call) (reply, error) {
	words, err := c.words()
	if err != nil {
		return reply{}, err
	}
	id, err := strconv.ParseInt(c.URL.Query().Get("repository_id"), 10, 64)
	repo := c.s.Repos.Get(id)
	if err != nil || repo == nil || c.s.Permission(c.actor, repo) < model.PermRead {
		return reply{}, errNotFound
	}
	found := slices.DeleteFunc(c.s.LabelsOf(repo), func(l *model.Label) bool { return !hasWords(l.Name+" "+l.Description, words) })
	sortFound(c, found, map[string]func(a, b *model.Label) int{
		"created": func(a, b *model.Label) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"updated": func(a, b *model.Label) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	})
	type result struct {
		labelView
		score
	}
	return results(c, found, func(l *model.Label) result {
		return result{c.label(l), c.fits(words, func() []searched {
			at := c.byID(repo.ID, "/labels/"+pathEscape(l.Name))
			return []searched{{at, "Label", "name", l.Name}, {at, "Label", "description", l.Description}}
		})}
	})
}

// searchTopics finds the topics of the repositories that the user may read.
func searchTopics(c *call) (reply, error) {
	words, err := c.words()
	if err != nil {
		return reply{}, err
	}
	type topic struct {
		name  string
		first *model.Repo
	}
	var found []topic
	for r := range c.s.Repos.All() {
		if c.s.Permission(c.actor, r) < model.PermRead {
			continue
		}
		for _, name := range r.Topics {
			known := slices.ContainsFunc(found, func(t topic) bool { return t.name == name })
			if !known && hasWords(name, words) {
				found = append(found, topic{name, r})
			}
		}
	}
	slices.SortFunc(found, func(a, b topic) int { return cmp.Compare(a.name, b.name) })
	type result struct {
		Name             string  `json:"name"`
		DisplayName      *string `json:"display_name"`
		ShortDescription *string `json:"short_description"`
		Description      *string `json:"description"`
		CreatedBy        *string `json:"created_by"`
		Released         *string `json:"released"`
		CreatedAt        stamp   `json:"created_at"`
		UpdatedAt        stamp   `json:"updated_at"`
		Featured         bool    `json:"featured"`
		Curated          bool    `json:"curated"`
		score
	}
	return results(c, found, func(t topic) result {
		return result{Name: t.name, CreatedAt: at(t.first.CreatedAt), UpdatedAt: at(t.first.CreatedAt), score: c.fits(words, func() []searched {
			return []searched{{apiURL + "/search/topics?q=" + url.QueryEscape(t.name), "Topic", "name", t.name}}
		})}
	})
}
