package toolset

import (
	"crypto/sha256"
	_ "embed" // the schema
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// ModeFile is a mode as its file describes it, see mode.schema.json. It is not
// changed after loading.
type ModeFile struct {
	Name         bench.Mode        `json:"name"`
	Description  string            `json:"description,omitempty"`
	Of           string            `json:"of,omitempty"`
	Shell        bool              `json:"shell"`
	Commands     []Command         `json:"commands,omitempty"`
	MCP          map[string]Server `json:"mcp,omitempty"`
	Instructions string            `json:"instructions,omitempty"`
	// InstructionsFile is what the file says; its text is in guide.
	InstructionsFile string            `json:"instructions_file,omitempty"`
	Env              map[string]string `json:"env,omitempty"`
	Preflight        string            `json:"preflight,omitempty"`
	Canary           string            `json:"canary,omitempty"`
	Absent           []string          `json:"absent,omitempty"`
	Capabilities     []string          `json:"capabilities,omitempty"`

	// folder is the one that the file is in, absolute and without links; empty
	// for shipped modes.
	folder string
	guide  string
	hash   string
	// document is the file, to say where in it something is wrong.
	document *jsondoc.Document
}

// Command is a program on the agent's PATH.
type Command struct {
	Name     string   `json:"name"`
	Command  string   `json:"command,omitempty"`
	Needs    []string `json:"needs,omitempty"`
	Version  []string `json:"version,omitzero"`
	Skill    string   `json:"skill,omitempty"`
	Mend     string   `json:"mend,omitempty"`
	Optional bool     `json:"optional,omitempty"`
}

// Server is an MCP server.
type Server struct {
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Canary is a call with which it asks GitHub, before the first session.
	Canary *ToolCall `json:"canary,omitempty"`
}

// ToolCall is a call of an MCP server's tool.
type ToolCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

// What a mode file says of the commit that its tool is of.
const (
	OfHead      = "head"
	OfBase      = "base"
	OfInstalled = "installed"
	// ofCheckout goes before a folder.
	ofCheckout = "checkout "
)

// The capabilities of modes.
const (
	// Routes: the tool tells its route, so that scenarios' route assertions
	// apply (rule S4).
	Routes = "routes"
	// Listed: the tool lists its capabilities as ghx does (rule N2).
	Listed = "listed"
)

// maxModeFile is the size of the largest mode file in bytes.
const maxModeFile = 64 << 10

//go:embed mode.schema.json
var schemaJSON []byte

var modeSchema = sync.OnceValue(func() *jsondoc.Schema {
	compiled, err := jsondoc.CompileSchema("mode.schema.json", schemaJSON)
	if err != nil {
		panic(fmt.Sprintf("toolset: %v", err))
	}
	return compiled
})

// LoadMode reads a mode file. All that is wrong with it is one error of kind
// invalid, with lines and columns.
//
// The file may be what somebody proposes. So it names files in its own folder
// alone, and nothing of our environment.
func LoadMode(path string) (*ModeFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.Invalidf("mode file cannot be read: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxModeFile+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fault.Invalidf("mode file cannot be read: %w", err)
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return nil, fault.Invalidf("mode file %s: find its folder: %w", path, err)
	}
	return parseMode(path, data, folder)
}

// parseMode reads a mode file that is in a folder; empty for a shipped one.
func parseMode(path string, data []byte, folder string) (*ModeFile, error) {
	document, problems := jsondoc.ParseYAMLUpTo(path, data, maxModeFile)
	if document != nil {
		problems = append(problems, modeSchema().Validate(document)...)
	}
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	m := &ModeFile{Shell: true, folder: folder, document: document}
	if err := document.Decode(m); err != nil {
		return nil, fault.Invalidf("mode file %s: %w", path, err)
	}
	if err := m.check(document).Err(); err != nil {
		return nil, err
	}
	content := slices.Concat(data, []byte{0}, []byte(m.guide))
	for _, c := range m.Commands {
		// A skill that cannot be read is a problem of the mode, see [Find].
		if c.Skill == "" || c.Skill == beside {
			continue
		}
		if text, err := m.read(c.Skill); err == nil {
			content = slices.Concat(content, []byte{0}, []byte(text))
		}
	}
	sum := sha256.Sum256(content)
	m.hash = hex.EncodeToString(sum[:8])
	return m, nil
}

// Hash is of the file's content, and of those of its instructions_file and skills.
func (m *ModeFile) Hash() string { return m.hash }

// Shipped reports whether the mode is a part of this program.
func (m *ModeFile) Shipped() bool { return m.folder == "" }

// Instructs reports whether the file has anything to tell the agent.
func (m *ModeFile) Instructs() bool {
	return m.Instructions+m.guide != "" || slices.ContainsFunc(m.Commands, func(c Command) bool { return c.Skill != "" })
}

// Has reports whether the mode has a capability.
func (m *ModeFile) Has(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// Checkout returns the folder of the checkout that the mode's tool is of, empty
// if the file names none.
func (m *ModeFile) Checkout() string {
	dir, named := strings.CutPrefix(m.Of, ofCheckout)
	if !named {
		return ""
	}
	return filepath.Join(m.folder, dir)
}

// place returns the absolute path of a file or folder that the mode file names.
func (m *ModeFile) place(name string) (string, error) {
	local := filepath.Clean(name)
	if !filepath.IsLocal(local) {
		return "", mendable{fmt.Errorf("%s is outside of the mode file's folder", name), "put it into that folder, or below"}
	}
	path, err := filepath.EvalSymlinks(filepath.Join(m.folder, local))
	if err != nil && strings.HasPrefix(name, "~") {
		return "", mendable{fmt.Errorf("%s is not there: no shell reads the ~", name), "name ./FILE beside the mode file, or a name on PATH"}
	}
	if err != nil {
		return "", mendable{fmt.Errorf("%s is not there: %w", name, withoutPath(err)), "make it, or name another file"}
	}
	if !isIn(path, m.folder) {
		return "", mendable{fmt.Errorf("%s is a link that leads out of the mode file's folder", name), "put it into that folder, or below"}
	}
	return path, nil
}

// mendable is an error with its mend.
type mendable struct {
	error
	mend string
}

// Unwrap returns the error alone.
func (m mendable) Unwrap() error { return m.error }

// mendOf returns the mend of an error as the end of its sentence, empty for none.
func mendOf(err error) string {
	var known mendable
	if !errors.As(err, &known) {
		return ""
	}
	return ": " + known.mend
}

func withoutPath(err error) error {
	var about *os.PathError
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}

// read returns the text of a file that the mode file names.
func (m *ModeFile) read(name string) (string, error) {
	path, err := m.place(name)
	if err != nil {
		return "", err
	}
	// What a link would lead to now is looked at again.
	root, err := os.OpenRoot(m.folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	inside, err := filepath.Rel(m.folder, path)
	if err != nil {
		return "", err
	}
	file, err := openAtOnce(root, inside)
	if err != nil {
		return "", err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(fmt.Errorf("%s is no file", name), file.Close())
	}
	return readAll(file)
}

// The names of what an environment is refused for: it is ours to say where
// agents' programs, homes and proxies are, or it has other programs loaded.
var reserved = regexp.MustCompile(`(?i)^(PATH|HOME|TMPDIR|GH_TOKEN|GITHUB_TOKEN|SSL_CERT_.*|CURL_CA_BUNDLE|.*_PROXY|(LD|DYLD|OPENCODE|CLAUDE|CODEX|XDG|NODE|BUN|GIT)_.*)$`)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// secretName finds names under which secrets are kept; values shorter than
// minSecret are none.
var secretName = regexp.MustCompile(`(?i)(TOKEN|SECRET|PASSWORD|PASSWD|_KEY|APIKEY|CREDENTIALS?)$`)

const minSecret = 12

// hostVariable finds what looks like a variable of another environment.
var hostVariable = regexp.MustCompile(`\$[A-Za-z_{(]`)

// check finds what the schema cannot, and reads instructions_file.
func (m *ModeFile) check(d *jsondoc.Document) (problems jsondoc.Problems) {
	wrong := func(path []string, format string, args ...any) {
		problems = append(problems, d.Problem(path, format, args...))
	}
	if strings.Contains(string(m.Name), "..") {
		wrong([]string{"name"}, "must not have two dots")
	}
	m.checkEnvironment(d, &problems, m.Env, "env")
	commands := map[string]bool{}
	for i, c := range m.Commands {
		at := []string{"commands", fmt.Sprint(i)}
		if commands[c.Name] {
			wrong(append(at, "name"), "is there twice: %s", c.Name)
		}
		commands[c.Name] = true
		if slices.Contains(m.Absent, c.Name) {
			wrong(append(at, "name"), "is among those that must be absent too: %s", c.Name)
		}
	}
	for name, server := range m.MCP {
		m.checkEnvironment(d, &problems, server.Env, "mcp", name, "env")
		m.checkSecrets(d, &problems, server.Headers, "mcp", name, "headers")
		if len(server.Command) > 0 && !commands[server.Command[0]] {
			wrong([]string{"mcp", name, "command"}, "begins with %q, which is none of the mode's commands: add it to commands", server.Command[0])
		}
	}
	if !m.Shell && len(m.MCP) == 0 {
		wrong([]string{"shell"}, "is false and there is no MCP server, so the agent could do nothing: add one under mcp")
	}
	if m.InstructionsFile != "" {
		text, err := m.read(m.InstructionsFile)
		if err != nil {
			wrong([]string{"instructions_file"}, "%v%s", err, mendOf(err))
		}
		m.guide = text
	}
	if dir, named := strings.CutPrefix(m.Of, ofCheckout); named {
		if _, err := m.place(dir); err != nil {
			wrong([]string{"of"}, "%v%s", err, mendOf(err))
		}
	}
	return problems
}

func (m *ModeFile) checkEnvironment(d *jsondoc.Document, problems *jsondoc.Problems, env map[string]string, path ...string) {
	for name := range env {
		at := append(slices.Clone(path), name)
		switch {
		case m.Shipped():
		case !variableName.MatchString(name):
			*problems = append(*problems, d.KeyProblem(at, "is no name of a variable"))
		case reserved.MatchString(name) && env[name] != tokenPlaceholder:
			*problems = append(*problems, d.KeyProblem(at, "is not the mode's to set: leave it out"))
		}
	}
	m.checkSecrets(d, problems, env, path...)
}

// checkSecrets refuses values that are secrets, or are to be taken from our
// environment.
func (m *ModeFile) checkSecrets(d *jsondoc.Document, problems *jsondoc.Problems, values map[string]string, path ...string) {
	for name, value := range values {
		at := append(slices.Clone(path), name)
		rest := value
		for _, known := range placeholders {
			rest = strings.ReplaceAll(rest, known, "")
		}
		switch {
		case redact.New().String(name+"="+value) != name+"="+value, secretName.MatchString(name) && len(rest) >= minSecret:
			*problems = append(*problems, d.Problem(at, "looks like a secret, which agents would read: use %s for GitHub, and leave others out", tokenPlaceholder))
		case hostVariable.MatchString(value):
			*problems = append(*problems, d.Problem(at, "names a variable, but values are taken as they are: agents have nothing of this machine's environment"))
		case strings.Contains(rest, "{{"):
			*problems = append(*problems, d.Problem(at, "has a placeholder that is none: there are %s", strings.Join(placeholders, ", ")))
		}
	}
}

// What stands for an agent's own in the environment of a mode.
const (
	tokenPlaceholder = "{{github_token}}" //nolint:gosec // it stands for a token, and is none
	loginPlaceholder = "{{github_login}}"
	repoPlaceholder  = "{{repository}}"
)

var placeholders = []string{tokenPlaceholder, loginPlaceholder, repoPlaceholder}

// Agent is who an agent is on GitHub, and what it shows there.
type Agent struct{ Token, Login, Repo string }

func (a Agent) fillAll(texts map[string]string) map[string]string {
	filled := maps.Clone(texts)
	for name, text := range filled {
		filled[name] = a.fill(text)
	}
	return filled
}

func (a Agent) fill(text string) string {
	return strings.NewReplacer(tokenPlaceholder, a.Token, loginPlaceholder, a.Login, repoPlaceholder, a.Repo).Replace(text)
}
