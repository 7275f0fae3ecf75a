package settings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Server is the settings of a server.
type Server struct {
	// Address is where it listens, such as ":8080".
	Address string
	// PublicURL is where browsers and GitHub reach it, without a slash at the
	// end; empty if it was not said.
	PublicURL string
	// DataDir has the database, unless Database is PostgreSQL, and the
	// credentials that the set-up in the browser writes.
	DataDir string
	// Database is the address of the database: see package queue.
	Database string
	// Workers is how many benchmark runs this machine works on at a time, and
	// Parallel how many runs of one installation all machines work on.
	Workers, Parallel int
	// MaxRunUSD and MaxDayUSD bound the budgets of repositories, in USD: what a run
	// may spend, and what those of a repository may in a day. 0 is no bound.
	MaxRunUSD, MaxDayUSD float64
	// Keep is how long deliveries, and files of local runs, are kept.
	Keep time.Duration
	// KeepRuns is how long runs and their rows are kept after their end.
	KeepRuns time.Duration
	// StopTimeout is how long a server that is told to end waits for its jobs.
	StopTimeout time.Duration
	// MetricsToken is what who reads the metrics must show; empty means that
	// those near by may read them without.
	MetricsToken string
	// APIURL and GitHubURL are GitHub's API and its site.
	APIURL, GitHubURL string
	LogLevel          slog.Level
	// Credentials are those of the App, empty if it is not set up.
	Credentials Credentials
	Local       LocalRuns
}

// LocalRuns is how the executor local runs benchmarks on this machine.
type LocalRuns struct {
	// Owners are the accounts whose repositories may run here; none means all
	// in which the App is installed.
	Owners []string
	// ModelKey is the key of the models' APIs. Empty means that each provider's
	// own variable has it, such as OPENAI_API_KEY.
	ModelKey string
	// ModelBaseURL is that of an OpenAI-compatible API which has the models;
	// empty means the provider's own.
	ModelBaseURL string
	// Build is how the proposed ghx is built: auto, none, or a script of sh.
	Build string
	// GHXCommand is the command of the ghx that is measured, where the build
	// does not tell it; empty means the one on PATH.
	GHXCommand string
	// GHXSkill is the path of its skill text; empty means the one beside it.
	GHXSkill string
	// Expectations is the path of a file with thresholds and prices; empty
	// means the built-in ones.
	Expectations string
	// Reach are addresses, host:port, that a benchmark with tasks of its own reaches
	// beside its model; none means none.
	Reach []string
	// PGPassword is that of a PostgreSQL server among them; empty if there is none.
	PGPassword string
}

// The defaults.
const (
	DefaultAddress     = ":8080"
	DefaultDataDir     = "data"
	DefaultWorkers     = 2
	DefaultParallel    = 4
	DefaultKeep        = 7 * 24 * time.Hour
	DefaultKeepRuns    = 90 * 24 * time.Hour
	DefaultStopTimeout = 25 * time.Second
	DefaultAPIURL      = "https://api.github.com"
	DefaultGitHubURL   = "https://github.com"
	DefaultBuild       = "auto"
)

// The limits.
const (
	mostWorkers  = 256
	shortestKeep = 3 * 24 * time.Hour // GitHub delivers again for that long
	longestKeep  = 365 * 24 * time.Hour
	// What comes again must find the run that it began, and the budget of a day
	// the runs of that day.
	shortestKeepRuns = 7 * 24 * time.Hour
	longestKeepRuns  = 10 * 365 * 24 * time.Hour
	longestStop      = time.Hour
	databaseFile     = "bench.db"
)

// ReadServer reads the settings. File is the path of a YAML file with some of them,
// empty if there is none; what the environment says goes before. The error is
// of kind invalid and names every problem, each on a line.
func ReadServer(getenv func(string) string, file string) (Server, error) {
	c := Server{
		Address: DefaultAddress, DataDir: DefaultDataDir, Workers: DefaultWorkers, Parallel: DefaultParallel,
		Keep: DefaultKeep, KeepRuns: DefaultKeepRuns, StopTimeout: DefaultStopTimeout, APIURL: DefaultAPIURL, GitHubURL: DefaultGitHubURL,
		Local: LocalRuns{Build: DefaultBuild},
	}
	values, problems := readFile(file)
	for _, s := range serverSettings() {
		name, value := s.Variable, strings.TrimSpace(getenv(s.Variable))
		if value == "" {
			name, value = s.Key+" in "+file, strings.TrimSpace(values[s.Key])
		}
		if value == "" {
			continue
		}
		if err := s.set(&c, value); err != nil {
			problems = append(problems, name+" "+fault.Public(err))
		}
	}
	if c.Database == "" {
		c.Database = "sqlite:" + filepath.Join(c.DataDir, databaseFile)
	}
	if err := c.checkReach(); err != nil {
		problems = append(problems, reachVariable+" "+fault.Public(err))
	}
	saved, err := c.credentials()
	if err != nil {
		problems = append(problems, fault.Public(err))
	}
	c.Credentials = saved
	return c, together(problems)
}

// credentials returns those that were set, or else those that the set-up in the
// browser left.
func (c *Server) credentials() (Credentials, error) {
	if !c.Credentials.Empty() {
		return c.Credentials, c.Credentials.Check()
	}
	return LoadCredentials(c.DataDir)
}

// Secrets returns the values that must not be shown.
func (c Server) Secrets() []string {
	return append(append(c.Credentials.Secrets(), c.Local.ModelKey, c.Local.PGPassword, c.MetricsToken), queue.AddressSecrets(c.Database)...)
}

func together(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return fault.Invalidf("the settings cannot be used:\n  %s", strings.Join(problems, "\n  "))
}

// readFile reads the keys of a file.
func readFile(file string) (values map[string]string, problems []string) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, []string{"--config or BENCH_APP_CONFIG names a file that cannot be read: " + err.Error()}
	}
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		// What the parser says repeats the line, which may hold a secret.
		return nil, []string{file + lineOf(err) + " is no YAML with a name of its own and a value on each line, such as workers: 2"}
	}
	var known []string
	for _, s := range serverSettings() {
		known = append(known, s.Key)
	}
	values = map[string]string{}
	for key, value := range raw {
		text, isPlain := plain(value)
		switch {
		case !slices.Contains(known, key):
			problems = append(problems, file+" sets "+key+", which is no setting"+cmp.Or(jsondoc.DidYouMean(key, known), helpLists))
		case !isPlain:
			problems = append(problems, key+" in "+file+" is not a plain value")
		default:
			values[key] = text
		}
	}
	return values, problems
}

// helpLists goes on after what is no setting.
const helpLists = ": `bench-app serve --help` lists them"

// prefix is what the names of the settings begin with that are ours alone.
const prefix = "BENCH_APP_"

// UnknownVariables returns a sentence about each variable of an environment, as
// [os.Environ] returns it, that has the name of a setting but is none. Others
// are names that are known besides. Values are not repeated.
func UnknownVariables(environ []string, others ...string) []string {
	known := slices.Clone(others)
	for _, s := range serverSettings() {
		known = append(known, s.Variable)
	}
	var all []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, prefix) && value != "" && !slices.Contains(known, name) {
			all = append(all, name+" is no setting and has no effect"+cmp.Or(meant(name, known), helpLists))
		}
	}
	return all
}

// meant asks whether a known name was meant by one that is none.
func meant(name string, known []string) string {
	own := strings.TrimPrefix(name, prefix)
	var rest []string
	for _, k := range known {
		// Some settings have names that other programs know too.
		if k == own || k == "BENCH_"+own {
			return fmt.Sprintf(": did you mean %q?", k)
		}
		if after, is := strings.CutPrefix(k, prefix); is {
			rest = append(rest, after)
		}
	}
	// The prefix would make any two names alike.
	return strings.Replace(jsondoc.DidYouMean(own, rest), `"`, `"`+prefix, 1)
}

// lineOf says where in a file YAML went wrong, where the parser knows it.
func lineOf(err error) string {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil || at.GetToken().Position == nil {
		return ""
	}
	return fmt.Sprintf(", line %d,", at.GetToken().Position.Line)
}

// baseURL checks an address of HTTP and cuts the slash at its end off. What is
// wrong is not repeated, as it may hold a password.
func baseURL(value, example string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.Invalidf("is no address: write one with https:// and no more than a path, such as %s", example)
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}
