package github

// Use is what a token of an App is for.
type Use string

// UseService is the work of the App's server in a repository that has installed
// it: it reads settings and files, tells in check runs and comments, and starts
// workflows.
const UseService Use = "the App's server"

// The uses of a repository with fixtures.
const (
	// UseSeeding makes, resets and removes fixtures.
	UseSeeding Use = "seeding"
	// UseAgent is what the measured agent works with.
	UseAgent Use = "the agent"
	// UseVerifier reads back what agents did, and changes nothing.
	UseVerifier Use = "checkpoints"
)

// The levels of permissions.
const (
	levelRead  = "read"
	levelWrite = "write"
	levelAdmin = "admin"
)

// permission is what a token is asked for. Without an optional one some
// scenarios cannot run, and the rest can.
type permission struct {
	name, level string
	optional    bool
}

// permissionsOf is the table of what each use needs. Nothing in it reaches the
// settings, the secrets or the workflow files of a repository. The names are
// those of https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app.
func permissionsOf(use Use) []permission {
	if use == UseService {
		return []permission{
			{name: "metadata", level: levelRead},
			{name: "contents", level: levelRead},
			{name: "checks", level: levelWrite},
			{name: "pull_requests", level: levelWrite},
			{name: "issues", level: levelWrite, optional: true},
			// Without it there is no executor dispatch.
			{name: "actions", level: levelWrite, optional: true},
		}
	}
	level := levelWrite
	if use == UseVerifier {
		level = levelRead
	}
	return []permission{
		{name: "metadata", level: levelRead},
		{name: "contents", level: level},
		{name: "issues", level: level},
		{name: "pull_requests", level: level},
		{name: "actions", level: level},
		{name: "checks", level: levelRead},
		{name: "statuses", level: levelRead, optional: true},
		{name: "organization_projects", level: level, optional: true},
	}
}
