package settings

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// ConsentPath is where a repository says whose fixtures it takes.
const ConsentPath = ".github/bench-fixtures.yml"

//go:embed consent.schema.json
var consentFile []byte

var consentSchema = compiled("consent.schema.json", consentFile)

// Clients returns a client for one repository of an installation.
type Clients func(ctx context.Context, installation int64, owner, name string) (*github.Client, error)

// CheckConsent returns nil if the file at [ConsentPath] on the default branch of target
// names repo, both "owner/name". What a repository's settings name as their target is
// seeded, written to by agents and cleaned up with the rights of the App, which may be
// more than those of whoever writes the settings: so the target has a say of its own.
// The error is of kind invalid if there is no such file, if it has a mistake or if it
// does not name repo; the kind of others is that of [github.Explain].
func CheckConsent(ctx context.Context, clients Clients, installation int64, target, repo string) error {
	owner, name, _ := strings.Cut(target, "/")
	client, err := clients(ctx, installation, owner, name)
	if err != nil {
		return err
	}
	file, _, _, err := client.REST.Repositories.GetContents(ctx, owner, name, ConsentPath, nil)
	if github.NotFound(err) {
		return noConsent(target, repo, "has no such file")
	}
	if err != nil {
		return github.Explain(fmt.Sprintf("read %s of %s", ConsentPath, target), err)
	}
	if file.GetType() != "file" {
		return noConsent(target, repo, "has something else there")
	}
	text, err := file.GetContent()
	if err != nil {
		return noConsent(target, repo, "has one that cannot be read")
	}
	named, problems := parseConsent([]byte(text))
	switch {
	case len(problems) > 0:
		return noConsent(target, repo, "has a mistake there: "+problems.Sorted()[0].String())
	case !slices.ContainsFunc(named, func(one string) bool { return strings.EqualFold(one, repo) }):
		// Whom it names is not for everybody who reads this.
		return noConsent(target, repo, "does not name it")
	default:
		return nil
	}
}

// noConsent says what is to be put where. Why goes on from the target's name.
func noConsent(target, repo, why string) error {
	return fault.Invalidf(`Fixtures of %s are made in %s once "repositories: [%s]" is in %s on the default branch of %s, which %s`, repo, target, repo, ConsentPath, target, why)
}

// parseConsent returns the repositories that a file names. Where there are problems,
// which name its lines, it names none.
func parseConsent(data []byte) ([]string, jsondoc.Problems) {
	doc, problems := jsondoc.ParseYAML(ConsentPath, data)
	if len(problems) > 0 {
		return nil, problems
	}
	if problems := consentSchema().Validate(doc); len(problems) > 0 {
		return nil, problems
	}
	var said struct {
		Repositories []string `json:"repositories"`
	}
	if err := doc.Decode(&said); err != nil {
		return nil, jsondoc.Problems{doc.Problem(nil, "cannot be read: %v", err)}
	}
	return said.Repositories, nil
}
