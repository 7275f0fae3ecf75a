package benchcli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// workflowTemplate is the workflow of a repository that uses the action; MODEL
// and SECRET stand for what is chosen.
//
//go:embed workflow/bench.yml
var workflowTemplate string

// appWorkflowTemplate is the workflow that the App starts, and settingsTemplate
// are the App's settings in a repository.
//
//go:embed workflow/bench-app.yml
var appWorkflowTemplate string

//go:embed settings/bench.yml
var settingsTemplate string

const (
	defaultSettings = ".github/bench.yml"
	defaultWorkflow = ".github/workflows/bench.yml"
	defaultModel    = "openai/gpt-5.3-codex"
)

func (a *app) initCommand() *cobra.Command {
	var out, model, secret string
	var force, forApp bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a workflow that benchmarks pull requests",
		Long: `init writes a workflow file for the repository in the current folder: it builds
the tool of a pull request and that of its base, and compares them (profile
regression). It uses the action of the release that bench is of, or the newest v1.
Commit it, and keep the model's API key as a secret of the repository, under the
name that init prints.

With --app the workflow is one that the GitHub App starts, and the App's
settings are written to .github/bench.yml.`,
		Example: `  bench init
  bench init --model anthropic/claude-sonnet-4-5
  bench init --app
  bench init --out -`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ref, err := parseModel(model, defaultModel)
			if err != nil {
				return err
			}
			if secret == "" {
				secret = firstOf(modelAPIs()[ref.ProviderID].keyEnv, "MODEL_API_KEY")
			}
			chosen := strings.NewReplacer("MODEL", model, "SECRET", secret, latestAction, actionOf(version()))
			files := []string{out}
			texts := map[string]string{out: chosen.Replace(workflowTemplate)}
			if forApp {
				files = append(files, defaultSettings)
				texts[out], texts[defaultSettings] = chosen.Replace(appWorkflowTemplate), chosen.Replace(settingsTemplate)
			}
			if out == "-" {
				_, err := fmt.Fprint(a.stdout, texts[out])
				return err
			}
			for _, file := range files {
				if err := writeNew(file, texts[file], force); err != nil {
					return err
				}
			}
			fmt.Fprintf(a.stdout, "Written: %s. What is left to do:\n  gh secret set %s\n  git add %s\n", strings.Join(files, ", "), secret, strings.Join(files, " "))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", defaultWorkflow, "write to this `FILE`, - for standard output")
	flags.StringVar(&model, "model", defaultModel, "the model, as `PROVIDER/MODEL`")
	flags.StringVar(&secret, "secret", "", "the `NAME` of the secret with the model's API key (default: the provider's usual one)")
	flags.BoolVar(&forApp, "app", false, "write the workflow that the App starts, and the App's settings")
	flags.BoolVar(&force, "force", false, "replace a file that is there")
	return cmd
}

// latestAction is the action in the templates: the newest of its major version.
const latestAction = "ghx-dev/bench-action@v1"

var released = regexp.MustCompile(`^v[1-9][0-9]*\.[0-9]+\.[0-9]+$`)

// actionOf returns the action that a version of bench writes into workflows: the one
// of its release, whose tag is never moved, else the newest.
func actionOf(version string) string {
	if !released.MatchString(version) {
		return latestAction
	}
	name, _, _ := strings.Cut(latestAction, "@")
	return name + "@" + version
}

// writeNew writes a file that is not there yet.
func writeNew(path, text string, force bool) error {
	const folderPerm, filePerm = 0o755, 0o644
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if err := os.MkdirAll(filepath.Dir(path), folderPerm); err != nil {
		return fault.Infraf("write the workflow: %w", err)
	}
	file, err := os.OpenFile(path, how, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return fault.Invalidf("%s is there already: name another file with --out, or replace it with --force", path)
	}
	if err != nil {
		return fault.Infraf("write the workflow: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return fault.Infraf("write the workflow: %w", err)
	}
	return nil
}
