package gql

import (
	"cmp"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// settingsMutations make and change repositories.
func settingsMutations() map[string]mutator {
	byID := typed[*model.Repo]
	archive := func(archived bool) func(q *query, r *model.Repo, in graphql.Args) error {
		return func(q *query, r *model.Repo, _ graphql.Args) error {
			return q.s.EditRepo(q.actor, r, model.RepoEdit{Archived: &archived})
		}
	}
	return map[string]mutator{
		"createRepository":        createRepository,
		"cloneTemplateRepository": cloneTemplate,
		"updateRepository": change("repositoryId", "repository", byID, func(q *query, r *model.Repo, in graphql.Args) error {
			return q.s.EditRepo(q.actor, r, model.RepoEdit{
				Name: text(in, "name"), Description: text(in, "description"), Homepage: text(in, "homepageUrl"), HasIssues: flag(in, "hasIssuesEnabled"),
				HasDiscussions: flag(in, "hasDiscussionsEnabled"), HasWiki: flag(in, "hasWikiEnabled"), HasProjects: flag(in, "hasProjectsEnabled"), IsTemplate: flag(in, "template"),
			})
		}),
		"archiveRepository":   change("repositoryId", "repository", byID, archive(true)),
		"unarchiveRepository": change("repositoryId", "repository", byID, archive(false)),
	}
}

func createRepository(q *query, in graphql.Args) (payload, error) {
	owner := q.actor
	if in.Has("ownerId") {
		account, err := typed[*model.User](q, in.String("ownerId"))
		if err != nil {
			return nil, err
		}
		owner = account.ID
	}
	r, err := q.s.CreateRepo(q.actor, model.NewRepo{
		Owner: owner, Name: in.String("name"), Description: in.String("description"), Private: in.Enum("visibility") != "PUBLIC",
	})
	if err != nil {
		return nil, err
	}
	r.Homepage, r.HasIssues, r.HasWiki, r.IsTemplate = in.String("homepageUrl"), in.Bool("hasIssuesEnabled"), flag(in, "hasWikiEnabled"), in.Bool("template")
	return payload{"repository": r}, nil
}

func cloneTemplate(q *query, in graphql.Args) (payload, error) {
	template, err1 := typed[*model.Repo](q, in.String("repositoryId"))
	owner, err2 := typed[*model.User](q, in.String("ownerId"))
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	r, err := q.s.GenerateRepo(q.actor, template, model.NewRepo{
		Owner: owner.ID, Name: in.String("name"), Description: in.String("description"), Private: in.Enum("visibility") != "PUBLIC",
	}, in.Bool("includeAllBranches"))
	return payload{"repository": r}, err
}

// topic is a topic of repositories, repositoryTopic that of one.
type (
	topic           struct{ name string }
	repositoryTopic struct {
		repo *model.Repo
		topic
	}
)

func topicFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Repository.repositoryTopics": connection(func(_ *query, r *model.Repo, _ graphql.Args) ([]repositoryTopic, error) {
			var topics []repositoryTopic
			for _, name := range r.Topics {
				topics = append(topics, repositoryTopic{r, topic{name}})
			}
			return topics, nil
		}),
		"RepositoryTopic.topic": prop(func(_ *query, t repositoryTopic) any { return t.topic }),
		"Topic.name":            prop(func(_ *query, t topic) any { return t.name }),
	}
}

// templateMutations copy projects and make them templates.
func templateMutations() map[string]mutator {
	mark := func(template bool) mutator {
		return change("projectId", "projectV2", typed[*model.Project], func(q *query, p *model.Project, _ graphql.Args) error {
			return q.s.SetTemplate(q.actor, p, template)
		})
	}
	return map[string]mutator{
		"copyProjectV2":             copyProject,
		"markProjectV2AsTemplate":   mark(true),
		"unmarkProjectV2AsTemplate": mark(false),
	}
}

func copyProject(q *query, in graphql.Args) (payload, error) {
	from, err1 := typed[*model.Project](q, in.String("projectId"))
	owner, err2 := typed[*model.User](q, in.String("ownerId"))
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	p, err := q.s.CopyProject(q.actor, from, owner, in.String("title"), in.Bool("includeDraftIssues"))
	return payload{"projectV2": p}, err
}
