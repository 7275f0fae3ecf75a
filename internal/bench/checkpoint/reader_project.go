package checkpoint

import "context"

const projectItemsQuery = `query($owner: String!, $number: Int!, $first: Int!, $after: String) {
  repositoryOwner(login: $owner) { ... on ProjectV2Owner { projectV2(number: $number) { items(first: $first, after: $after) {
    nodes {
      id
      type
      content {
        ... on Issue { number title url }
        ... on PullRequest { number title url }
        ... on DraftIssue { title }
      }
      fieldValues(first: 50) { nodes {
        ... on ProjectV2ItemFieldTextValue { text field { ...name } }
        ... on ProjectV2ItemFieldNumberValue { number field { ...name } }
        ... on ProjectV2ItemFieldDateValue { date field { ...name } }
        ... on ProjectV2ItemFieldSingleSelectValue { name field { ...name } }
        ... on ProjectV2ItemFieldIterationValue { title field { ...name } }
      } }
    }
    pageInfo { hasNextPage endCursor }
  } } } }
}
fragment name on ProjectV2FieldConfiguration { ... on ProjectV2FieldCommon { name } }`

// projectItem is an item of a project as GitHub describes it.
type projectItem struct {
	ID, Type string
	// Content is nil for what the reader may not see.
	Content *struct {
		Title  string
		Number *int
		URL    *string
	}
	FieldValues struct{ Nodes []projectValue }
}

// projectValue is the value of a field; which one it has depends on the field.
type projectValue struct {
	Text, Date, Name, Title *string
	Number                  *float64
	// Field is nil for values that are not read.
	Field *struct{ Name string }
}

// projectItemAnswer is an item of a project. Fields are the values that were
// set, by the field's name.
type projectItemAnswer struct {
	ID            string         `json:"id"`
	ContentType   string         `json:"contentType"`
	ContentNumber *int           `json:"contentNumber"`
	ContentTitle  *string        `json:"contentTitle"`
	ContentURL    *string        `json:"contentUrl"`
	Fields        map[string]any `json:"fields"`
}

func (i projectItem) answer() projectItemAnswer {
	answer := projectItemAnswer{ID: i.ID, ContentType: i.Type, Fields: map[string]any{}}
	if c := i.Content; c != nil {
		answer.ContentNumber, answer.ContentTitle, answer.ContentURL = c.Number, &c.Title, c.URL
	}
	for _, v := range i.FieldValues.Nodes {
		if v.Field == nil {
			continue
		}
		for _, text := range []*string{v.Text, v.Date, v.Name, v.Title} {
			if text != nil {
				answer.Fields[v.Field.Name] = *text
			}
		}
		if v.Number != nil {
			answer.Fields[v.Field.Name] = *v.Number
		}
	}
	return answer
}

// projectItems reads the items of a user's or an organization's project.
func projectItems(ctx context.Context, r *GitHubReader, in input) (any, error) {
	vars, err := in.listVariables("projectNumber")
	if err != nil {
		return nil, err
	}
	delete(vars, "name")
	var reply struct {
		RepositoryOwner struct {
			ProjectV2 struct{ Items nodes[projectItem] }
		}
	}
	if err := r.client.GraphQL(ctx, projectItemsQuery, vars, &reply); err != nil {
		return nil, err
	}
	return listed(reply.RepositoryOwner.ProjectV2.Items, projectItem.answer), nil
}
