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

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
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

// measured is what the template says of what is measured, ofTool what it says where
// that is the tool of a mode file.
const (
	measured = `          # Is the change not worse than what it is a change to? Both are built, and
          # compared 2 to 12 times on each task: as often as it takes to tell.
`
	ofTool = `          # Is it not worse than plain gh? They are compared 2 to 12 times on each task:
          # as often as it takes to tell.
`
)

func (a *app) initCommand() *cobra.Command {
	var out, model, secret, modeFile, build string
	var force, forApp bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a workflow that benchmarks pull requests",
		Long: `init writes a workflow file for the repository in the current folder: it builds
the tool of a pull request and that of its base, and compares them (profile
regression). It uses the action of the release that bench is of, or the newest v1.
Commit it, and keep the model's API key as a secret of the repository, under the
name that init prints.

Where the repository is of another tool, name its mode file, which says what agents
have of it, and the command that builds it: then that is compared with plain gh.

With --app the workflow is one that the GitHub App starts, and the App's
settings are written to .github/bench.yml.`,
		Example: `  bench init
  bench init --model anthropic/claude-sonnet-4-5
  bench init --mode-file bench/mytool.yml --build-command 'make mytool'
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
			tool, err := toolIn(modeFile, build)
			if err != nil {
				return err
			}
			files := []string{out}
			texts := map[string]string{out: chosen.Replace(workflowTemplate)}
			if tool != "" {
				texts[out] = strings.Replace(texts[out], measured, tool+ofTool, 1)
			}
			if forApp && tool != "" {
				return fault.Invalidf("--mode-file is for the action's workflow: with --app, mode_files in %s says it", defaultSettings)
			}
			if forApp {
				files = append(files, defaultSettings)
				texts[out], texts[defaultSettings] = chosen.Replace(appWorkflowTemplate), chosen.Replace(settingsTemplate)
			}
			if notice := foundIn(".", tool != ""); notice != "" {
				fmt.Fprintf(a.stderr, "bench: %s\n", notice)
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
	flags.StringVar(&modeFile, "mode-file", "", "measure the tool of this mode `FILE` of the repository, see bench modes")
	flags.StringVar(&build, "build-command", "", "the `COMMAND` that builds it")
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

// toolIn returns the inputs that have the tool of a mode file measured, empty where
// none is named.
func toolIn(modeFile, build string) (string, error) {
	if modeFile == "" {
		if build != "" {
			return "", fault.Invalidf("--build-command needs --mode-file: a ghx workspace is built without either")
		}
		return "", nil
	}
	if !filepath.IsLocal(modeFile) {
		return "", fault.Invalidf("--mode-file %s: name a file of this repository, from its top", modeFile)
	}
	if strings.ContainsAny(build, "\r\n") {
		return "", fault.Invalidf("--build-command has several lines: put them into a script of the repository, and name that")
	}
	mode, err := toolset.LoadMode(modeFile)
	if err != nil {
		return "", err
	}
	inputs := [][2]string{{"build-command", build}, {"mode-files", filepath.ToSlash(modeFile)}, {"modes", string(bench.AgentDirect) + "," + string(mode.Name)}, {"candidate-mode", string(mode.Name)}}
	var lines strings.Builder
	for _, in := range inputs {
		if in[1] != "" {
			text, err := yaml.Marshal(in[1])
			if err != nil {
				return "", fault.Internalf("write %s: %w", in[0], err)
			}
			fmt.Fprintf(&lines, "          %s: %s", in[0], text)
		}
	}
	return lines.String(), nil
}

// foundIn says in a sentence what a repository is, where the workflow may not fit it;
// empty where it does.
func foundIn(folder string, named bool) string {
	manager, isGHX := ghxbuild.PackageManager(folder)
	name, _, _ := strings.Cut(manager, "@")
	switch {
	case named:
		return ""
	case !isGHX:
		return "this is no ghx workspace, so that nothing would be built and regression has nothing to compare: name your tool with --mode-file (docs/own-tool.md says how), or run this in ghx's repository"
	case manager != "" && name != "pnpm":
		return "this ghx workspace is built with " + manager + ", and the action builds with pnpm: add build-command with what builds it"
	default:
		return ""
	}
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
