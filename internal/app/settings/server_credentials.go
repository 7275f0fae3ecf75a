package settings

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Credentials are those of a GitHub App. All but AppID and Slug are secrets.
type Credentials struct {
	AppID int64 `json:"app_id"`
	// Slug is the App's name in addresses; empty if it is not known.
	Slug string `json:"slug,omitempty"`
	// PrivateKey is a key of RSA in PEM.
	PrivateKey    string `json:"private_key"`
	WebhookSecret string `json:"webhook_secret"`
	ClientID      string `json:"client_id,omitempty"`
	ClientSecret  string `json:"client_secret,omitempty"`
}

// Empty reports whether none is set.
func (c Credentials) Empty() bool { return c == Credentials{} }

// App returns the App as clients of GitHub know it.
func (c Credentials) App() github.AppSettings {
	return github.AppSettings{AppID: c.AppID, PrivateKey: []byte(c.PrivateKey)}
}

// Secrets returns what must not be shown.
func (c Credentials) Secrets() []string {
	return []string{c.PrivateKey, c.WebhookSecret, c.ClientSecret}
}

// shortestSecret is the least length of a webhook secret: whoever guesses it
// can start runs.
const shortestSecret = 16

// unreadKey stands for a key whose file is of no use, which has been said.
const unreadKey = "-"

// noKey is said of what is no key, and how to mend it.
const noKey = "no private key of RSA in PEM: give the whole of the .pem file that GitHub made for the App, from BEGIN to END"

// Check says what is wrong with credentials, all at once.
func (c Credentials) Check() error {
	var problems []string
	if c.AppID == 0 {
		problems = append(problems, "BENCH_APP_ID is missing: it is on the App's settings page at GitHub, such as 123456")
	}
	if c.PrivateKey == "" {
		problems = append(problems, "BENCH_APP_PRIVATE_KEY or BENCH_APP_PRIVATE_KEY_PATH is missing: make a private key on the App's settings page")
	} else if c.PrivateKey != unreadKey && !isKey(c.PrivateKey) {
		problems = append(problems, "BENCH_APP_PRIVATE_KEY is "+noKey)
	}
	switch length := len(c.WebhookSecret); {
	case length == 0:
		problems = append(problems, "BENCH_APP_WEBHOOK_SECRET is missing: set the same secret here and on the App's settings page")
	case length < shortestSecret:
		problems = append(problems, "BENCH_APP_WEBHOOK_SECRET is short: take 16 characters or more, such as those of `openssl rand -hex 32`")
	}
	if (c.ClientID == "") != (c.ClientSecret == "") {
		problems = append(problems, "one of BENCH_APP_CLIENT_ID and BENCH_APP_CLIENT_SECRET is missing: set both, or neither to have no login")
	}
	if len(problems) == 0 {
		return nil
	}
	return fault.Invalidf("%s", strings.Join(problems, "\n  "))
}

func isKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return true
	}
	_, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	return err == nil
}

const (
	// credentialsFile is in the data folder.
	credentialsFile = "credentials.json"
	ownerOnly       = 0o600
)

// LoadCredentials reads those that [SaveCredentials] wrote; they are empty if
// it did not. What is wrong with the file is an error of kind invalid.
func LoadCredentials(dataDir string) (Credentials, error) {
	path := filepath.Join(dataDir, credentialsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Credentials{}, nil
	}
	if err != nil {
		return Credentials{}, fault.Invalidf("BENCH_APP_DATA_DIR cannot be used, as the App's credentials in it cannot be read: %w", err)
	}
	var c Credentials
	if json.Unmarshal(data, &c) != nil || c.Check() != nil {
		return Credentials{}, fault.Invalidf("%s does not hold an App's credentials: remove it and set the App up again, or set BENCH_APP_ID and the others", path)
	}
	return c, nil
}

// SaveCredentials writes credentials where only the server's user can read
// them. The file is whole or not there.
func SaveCredentials(dataDir string, c Credentials) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fault.Internalf("write the App's credentials: %w", err)
	}
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return fault.Infraf("make the data folder: %w", err)
	}
	// CreateTemp gives the file to its owner alone.
	file, err := os.CreateTemp(dataDir, credentialsFile+".*")
	if err != nil {
		return fault.Infraf("write the App's credentials: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // after the renaming it is not there
	_, err = file.Write(append(data, '\n'))
	if err := errors.Join(err, file.Chmod(ownerOnly), file.Sync(), file.Close()); err != nil {
		return fault.Infraf("write the App's credentials: %w", err)
	}
	if err := os.Rename(file.Name(), filepath.Join(dataDir, credentialsFile)); err != nil {
		return fault.Infraf("write the App's credentials: %w", err)
	}
	return nil
}
