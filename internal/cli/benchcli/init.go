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
	"github.com/ghx-dev/bench-action/internal/fault"
)

// workflowTemplate is the workflow of a repository that uses the action; MODEL
// and SECRET stand for what is chosen.
//
//go:embed workflow/bench.yml
var workflowTemplate string

// trustedTemplate is the workflow beside it where forks are measured.
//
//go:embed workflow/bench-trusted.yml
var trustedTemplate string

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
	trustedWorkflow = "bench-trusted.yml"
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

// initFlags are the flags of init.
type initFlags struct {
	out, model, secret, modeFile, build string
	force, forApp, forks, history       bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a workflow that benchmarks pull requests",
		Long: `init writes a workflow file for the repository in the current folder: it builds
the tool of a pull request and that of its base, and compares them (profile
regression). It uses the action of the release that bench is of, or the newest v1.
Commit it, and keep the model's API key as a secret of the repository, under the
name that init prints.

Where pull requests from forks were merged, as the repository's history says, or
with --forks, it writes two: one for pull requests, and one that runs as the default
branch has it, which measures a fork's commit once it is approved.

Where the repository is of another tool, name its mode file, which says what agents
have of it, and the command that builds it: then that is compared with plain gh.

With --app the workflow is one that the GitHub App starts, and the App's
settings are written to .github/bench.yml.`,
		Example: `  bench init
  bench init --model anthropic/claude-sonnet-4-5
  bench init --forks --history
  bench init --mode-file bench/mytool.yml --build-command 'make mytool'
  bench init --app
  bench init --out -`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := lookAt(".")
			if !cmd.Flags().Changed("forks") && !f.forApp && len(found.forks) > 0 {
				f.forks = true
				fmt.Fprintf(a.stderr, "bench: pull requests from forks were merged here (of %s), so there is a workflow for these, too: leave it out with --forks=false\n", strings.Join(found.forks, ", "))
			}
			files, err := f.files(found)
			if err != nil {
				return err
			}
			if notice := found.notice(f.modeFile != ""); notice != "" {
				fmt.Fprintf(a.stderr, "bench: %s\n", notice)
			}
			return a.writeInit(f, files)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", defaultWorkflow, "write to this `FILE`, - for standard output")
	flags.StringVar(&f.model, "model", defaultModel, "the model, as `PROVIDER/MODEL`")
	flags.StringVar(&f.secret, "secret", "", "the `NAME` of the secret with the model's API key (default: the provider's usual one)")
	flags.StringVar(&f.modeFile, "mode-file", "", "measure the tool of this mode `FILE` of the repository, see bench modes")
	flags.StringVar(&f.build, "build-command", "", "the `COMMAND` that builds it")
	flags.BoolVar(&f.forks, "forks", false, "write a second workflow, which measures approved commits of forks (default: where some were merged)")
	flags.BoolVar(&f.history, "history", false, "measure pushes to the default branch, too, and compare pull requests with their history")
	flags.BoolVar(&f.forApp, "app", false, "write the workflow that the App starts, and the App's settings")
	flags.BoolVar(&f.force, "force", false, "replace a file that is there")
	return cmd
}

// written is a file that init writes.
type written struct{ path, text string }

// files returns what is to be written.
func (f *initFlags) files(found found) ([]written, error) {
	ref, err := parseModel(f.model, defaultModel)
	if err != nil {
		return nil, err
	}
	if f.secret == "" {
		f.secret = firstOf(modelAPIs()[ref.ProviderID].keyEnv, "MODEL_API_KEY")
	}
	tool, err := toolIn(f.modeFile, f.build)
	if err != nil {
		return nil, err
	}
	chosen := strings.NewReplacer("MODEL", f.model, "SECRET", f.secret, latestAction, actionOf(version()))
	if f.forApp {
		if tool != "" {
			return nil, fault.Invalidf("--mode-file is for the action's workflow: with --app, mode_files in %s says it", defaultSettings)
		}
		if f.forks || f.history {
			return nil, fault.Invalidf("--forks and --history are for the action's workflow: the App has both of itself")
		}
		return []written{{f.out, chosen.Replace(appWorkflowTemplate)}, {defaultSettings, chosen.Replace(settingsTemplate)}}, nil
	}
	files := []written{{f.out, workflowTemplate}}
	if f.forks {
		files[0].text = withoutComments(workflowTemplate)
		files = append(files, written{filepath.Join(filepath.Dir(f.out), trustedWorkflow), trustedTemplate})
	}
	for i := range files {
		text := files[i].text
		switch {
		case tool != "":
			text = strings.Replace(text, measured, tool+ofTool, 1)
		case found.builds() != "":
			text = strings.Replace(text, measured, "          build-command: "+found.builds()+"\n"+measured, 1)
		}
		if f.history {
			text = withHistory(text, found.branch, i == 0)
		}
		files[i].text = chosen.Replace(text)
	}
	return files, nil
}

// writeInit writes the files, none of which may be there, and says what is left to do.
func (a *app) writeInit(f initFlags, files []written) error {
	if f.out == "-" {
		for i, file := range files {
			if i > 0 && f.forApp {
				break // the App's settings are no workflow
			}
			if i > 0 {
				fmt.Fprintln(a.stdout, "---")
			}
			fmt.Fprint(a.stdout, file.text)
		}
		return nil
	}
	var paths []string
	for _, file := range files {
		if err := writeNew(file.path, file.text, f.force); err != nil {
			return err
		}
		paths = append(paths, file.path)
	}
	fmt.Fprintf(a.stdout, "Written: %s. What is left to do:\n  gh secret set %s\n  git add %s\n", strings.Join(paths, ", "), f.secret, strings.Join(paths, " "))
	return nil
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
