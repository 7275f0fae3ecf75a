package settings

import (
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// serverSetting is one of the settings.
type serverSetting struct {
	// Variable is its name in the environment, Key that in a file.
	Variable, Key string
	Help          string
	// set stores a value that is not empty. Its error goes on after the name:
	// "is no number …". It does not repeat the values of secrets.
	set func(c *Server, value string) error
}

// settings is the table of all settings. A later one goes before an earlier
// one that sets the same.
func serverSettings() []serverSetting {
	return []serverSetting{
		{"PORT", "port", "port to listen on; hosts of containers set it", func(c *Server, v string) error {
			port, err := number(v, 1, 65535)
			c.Address = fmt.Sprintf(":%d", port)
			return err
		}},
		{"BENCH_APP_ADDR", "addr", "address to listen on, instead of PORT (" + DefaultAddress + ")", setAddress},
		{"BENCH_APP_PUBLIC_URL", "public-url", "where GitHub and browsers reach the server", func(c *Server, v string) (err error) {
			c.PublicURL, err = baseURL(v, "https://bench.example.com")
			return err
		}},
		{"BENCH_APP_DATA_DIR", "data-dir", "folder for the database and for credentials (" + DefaultDataDir + ")", func(c *Server, v string) error {
			c.DataDir = v
			return nil
		}},
		{"DATABASE_URL", "database-url", "postgres://… for several machines; without it a SQLite file in the data folder", func(c *Server, v string) error {
			c.Database = v
			if err := queue.CheckAddress(v); err != nil {
				return fault.Invalidf("is of no use: %s", fault.Public(err))
			}
			return nil
		}},
		{"BENCH_APP_ID", "app-id", "id of the GitHub App", func(c *Server, v string) error {
			id, err := number(v, 1, 1<<53)
			if err != nil {
				id = -1 // it was given, which is what the other checks ask
			}
			c.Credentials.AppID = id
			return err
		}},
		{"BENCH_APP_PRIVATE_KEY_PATH", "private-key-path", "file with the App's private key", setKeyPath},
		{"BENCH_APP_PRIVATE_KEY", "private-key", "the App's private key itself, instead of its file", func(c *Server, v string) error {
			c.Credentials.PrivateKey = strings.ReplaceAll(v, `\n`, "\n")
			return nil
		}},
		{"BENCH_APP_WEBHOOK_SECRET", "webhook-secret", "secret that GitHub signs deliveries with", func(c *Server, v string) error {
			c.Credentials.WebhookSecret = v
			return nil
		}},
		{"BENCH_APP_CLIENT_ID", "client-id", "the App's client id, for the login to the dashboard", func(c *Server, v string) error {
			c.Credentials.ClientID = v
			return nil
		}},
		{"BENCH_APP_CLIENT_SECRET", "client-secret", "the App's client secret, for the login to the dashboard", func(c *Server, v string) error {
			c.Credentials.ClientSecret = v
			return nil
		}},
		{"BENCH_APP_WORKERS", "workers", "benchmark runs at a time on this machine (" + strconv.Itoa(DefaultWorkers) + ")", func(c *Server, v string) error {
			n, err := number(v, 1, mostWorkers)
			c.Workers = int(n)
			return err
		}},
		{"BENCH_APP_PARALLEL", "parallel", "benchmark runs at a time of one installation, on all machines and in workflows (" + strconv.Itoa(DefaultParallel) + ")", func(c *Server, v string) error {
			n, err := number(v, 1, mostWorkers)
			c.Parallel = int(n)
			return err
		}},
		{"BENCH_APP_MAX_RUN_USD", "max-run-usd", "the most that a run may spend, in USD, whatever a repository's settings say (no bound)", func(c *Server, v string) (err error) {
			c.MaxRunUSD, err = dollars(v)
			return err
		}},
		{"BENCH_APP_MAX_DAY_USD", "max-day-usd", "the most that a repository's runs of a day may spend, in USD, whatever its settings say (no bound)", func(c *Server, v string) (err error) {
			c.MaxDayUSD, err = dollars(v)
			return err
		}},
		{"BENCH_APP_KEEP", "keep", "how long deliveries are kept (" + DefaultKeep.String() + ")", func(c *Server, v string) (err error) {
			c.Keep, err = duration(v, shortestKeep, longestKeep)
			return err
		}},
		{"BENCH_APP_KEEP_RUNS", "keep-runs", "how long runs and their rows are kept after their end (" + DefaultKeepRuns.String() + ")", func(c *Server, v string) (err error) {
			c.KeepRuns, err = duration(v, shortestKeepRuns, longestKeepRuns)
			return err
		}},
		{"BENCH_APP_STOP_TIMEOUT", "stop-timeout", "how long jobs may go on when the server is told to stop (" + DefaultStopTimeout.String() + ")", func(c *Server, v string) (err error) {
			c.StopTimeout, err = duration(v, 0, longestStop)
			return err
		}},
		{"BENCH_APP_METRICS_TOKEN", "metrics-token", "bearer token of who reads /metrics; without one only this machine and its private network may", func(c *Server, v string) error {
			c.MetricsToken = v
			if len(v) < shortestSecret {
				return fault.Invalidf("is short: write at least %d characters", shortestSecret)
			}
			return nil
		}},
		{"GITHUB_API_URL", "github-api-url", "GitHub's API (" + DefaultAPIURL + ")", func(c *Server, v string) (err error) {
			c.APIURL, err = baseURL(v, DefaultAPIURL)
			return err
		}},
		{"GITHUB_URL", "github-url", "GitHub's site (" + DefaultGitHubURL + ")", func(c *Server, v string) (err error) {
			c.GitHubURL, err = baseURL(v, DefaultGitHubURL)
			return err
		}},
		{"BENCH_APP_LOCAL_OWNERS", "local-owners", "accounts, separated by commas, whose repositories may run on this machine (all)", func(c *Server, v string) error {
			c.Local.Owners = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
			return nil
		}},
		{"BENCH_MODEL_API_KEY", "model-api-key", "key of the models' APIs for runs on this machine, instead of variables such as OPENAI_API_KEY", func(c *Server, v string) error {
			c.Local.ModelKey = v
			return nil
		}},
		{"BENCH_APP_MODEL_BASE_URL", "model-base-url", "OpenAI-compatible API that has the models, for runs on this machine", func(c *Server, v string) (err error) {
			c.Local.ModelBaseURL, err = baseURL(v, "https://api.openai.com/v1")
			return err
		}},
		{"BENCH_APP_BUILD_COMMAND", "build-command", "how the proposed ghx is built on this machine: auto, none, or a script (" + DefaultBuild + ")", func(c *Server, v string) error {
			c.Local.Build = v
			return nil
		}},
		{"BENCH_APP_GHX_COMMAND", "ghx-command", "command of the ghx that is measured on this machine, where the build does not tell it", func(c *Server, v string) error {
			c.Local.GHXCommand = v
			return nil
		}},
		{"BENCH_APP_GHX_SKILL", "ghx-skill", "file with its skill text, where it does not lie beside it", func(c *Server, v string) error {
			c.Local.GHXSkill = v
			return nil
		}},
		{"BENCH_APP_EXPECTATIONS", "expectations", "file with thresholds and prices for runs on this machine", setExpectations},
		{reachVariable, "local-reach", "addresses, host:port separated by commas, that other benchmarks reach on this machine beside their model (none)", func(c *Server, v string) (err error) {
			c.Local.Reach, err = reach(v)
			return err
		}},
		{"BENCH_APP_LOCAL_PG_PASSWORD", "local-pg-password", "password of a PostgreSQL server among them, which benchmarks find as PG_PASSWORD", func(c *Server, v string) error {
			c.Local.PGPassword = v
			return nil
		}},
		{"BENCH_APP_LOG_LEVEL", "log-level", "debug, info, warn or error (info)", func(c *Server, v string) error {
			if c.LogLevel.UnmarshalText([]byte(v)) != nil {
				return fault.Invalidf("is %q: write debug, info, warn or error", v)
			}
			return nil
		}},
	}
}

// ServerHelp describes the settings, one on a line.
func ServerHelp() string {
	var text strings.Builder
	for _, s := range serverSettings() {
		fmt.Fprintf(&text, "  %-28s %-18s %s\n", s.Variable, s.Key, s.Help)
	}
	return text.String()
}

func setAddress(c *Server, v string) error {
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = number(port, 0, 65535)
	}
	if err != nil {
		return fault.Invalidf("is %q: write a host and a port, such as 127.0.0.1:8080, or a port alone, such as :8080", v)
	}
	c.Address = v
	return nil
}

func setKeyPath(c *Server, v string) error {
	c.Credentials.PrivateKey = unreadKey // it was given, which is what the other checks ask
	key, err := os.ReadFile(v)
	if err != nil {
		return fault.Invalidf("names a file that cannot be read: %w", err)
	}
	if !isKey(string(key)) {
		return fault.Invalidf("names %s, which holds %s", v, noKey)
	}
	c.Credentials.PrivateKey = string(key)
	return nil
}

func setExpectations(c *Server, v string) error {
	data, err := os.ReadFile(v)
	if err != nil {
		return fault.Invalidf("names a file that cannot be read: %w", err)
	}
	if _, err := gate.ParseExpectations(v, data); err != nil {
		return fault.Invalidf("names a file that cannot be used:\n    %s", strings.ReplaceAll(err.Error(), "\n", "\n    "))
	}
	c.Local.Expectations = v
	return nil
}

func number(value string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fault.Invalidf("is %q: write a number from %d to %d", value, least, most)
	}
	return n, nil
}

// dollars reads an amount in USD that is more than 0.
func dollars(value string) (float64, error) {
	usd, err := strconv.ParseFloat(value, 64)
	if err != nil || !(usd > 0) || math.IsInf(usd, 0) {
		return 0, fault.Invalidf("is %q: write an amount in USD above 0, such as 5 or 2.50", value)
	}
	return usd, nil
}

func duration(value string, least, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		return 0, fault.Invalidf("is %q: write a duration from %s to %s, such as %s", value, least, most, most/2)
	}
	return d, nil
}

// plain writes a value that YAML has read as text, if it is no list or table.
func plain(value any) (string, bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		return value, true
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(value), true
	default:
		return "", false
	}
}
