package housetest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// layers are from the top down. A package may import those of its own layer
// and of lower ones.
var layers = [][]string{
	{"cmd/...", "internal/testkit/..."},
	{"internal/cli/..."},
	// The App, so that a delivery's way does not turn back.
	{"internal/app"},
	{"internal/app/service"},
	{"internal/app/runs"},
	{"internal/app/settings", "internal/app/dashboard", "internal/bench/verify", "internal/bench/audit", "harness/..."},
	{"internal/publish", "internal/actions/..."},
	{"internal/ghevent"},
	{"internal/bench/station", "internal/bench/runner", "internal/bench/report", "internal/comment/...", "internal/queue/..."},
	{
		"internal/bench/gate", "internal/bench/evidence", "internal/bench/scenario", "internal/bench/fixture", "internal/bench/world/...", "internal/bench/agent/...", "internal/bench/target/...", "internal/bench/checkpoint",
		"internal/bench/envelope", "internal/bench/ledger", "internal/github/...", "internal/sandbox/...", "internal/egress/...",
		"internal/confine/...", "internal/bench/toolset",
	},
	{"internal/bench", "internal/bench/footprint", "internal/bench/stats", "internal/fault", "internal/githubschema/...", "internal/jq", "internal/jsondoc", "internal/markdown", "internal/platform", "internal/redact", "scenarios"},
}

// standardLibraryAlone import nothing else.
var standardLibraryAlone = []string{"internal/bench", "internal/bench/stats", "internal/fault", "internal/markdown"}

// restricted import, of ours, nothing but themselves and what is listed.
var restricted = map[string][]string{
	"internal/sandbox/...": {"internal/fault", "internal/githubschema"},
	"harness/...":          {"internal/fault", "internal/redact", "internal/jsondoc", "internal/platform"},
}

// importers are the only ones that may import a folder, besides tests and
// itself.
var importers = map[string][]string{
	"internal/sandbox/...": {"internal/bench/target/...", "internal/cli/..."},
	"internal/testkit/...": {},
}

// strangers do not import each other.
var strangers = []string{"internal/comment/...", "internal/bench/report", "internal/bench/gate"}

// impure are the packages of the standard library that reach out of the
// process, or into it, in ways that a pure package does not.
var impure = []string{
	"os/...", "io/fs", "io/ioutil", "net/...", "syscall", "log/...", "path/filepath", "plugin", "database/...", "crypto/rand",
}

// purePackages judge.
var purePackages = []string{"internal/bench/gate", "internal/bench/evidence"}

const (
	providers = "internal/bench/agent"
	runnerOf  = "internal/bench/runner"
)

// wiring is where the outside world comes in.
var wiring = []string{"cmd/...", "internal/cli/..."}

// outside is what only the wiring uses, by import path.
var outside = map[string][]string{
	"os":   {"Getenv", "LookupEnv", "Exit"},
	"time": {"Now"},
}

// noNames are names of packages that say nothing.
var noNames = []string{"util", "utils", "common", "helper", "helpers", "types", "misc", "shared", "lib"}

const (
	maxLines   = 450
	maxMethods = 4
)

// houseRules are all rules. What they find names the rule's breach and its place.
var houseRules = []struct {
	name  string
	check func(module) []string
}{
	{"imports point down", importsPointDown},
	{"some packages import the standard library alone", importsStandardLibraryAlone},
	{"some folders stand alone", importsRestricted},
	{"some folders are imported by few", importedByFew},
	{"providers know neither each other nor the runner", providersAreStrangers},
	{"comment, report and gate do not import each other", strangersStayApart},
	{"gate and evidence are pure", judgesArePure},
	{"the environment, the clock and the exit are the wiring's", outsideIsForWiring},
	{"every package has one comment", onePackageComment},
	{"names of packages say something", namesSaySomething},
	{"there is no init function", noInit},
	{"files are not long", filesAreShort},
	{"interfaces are small", interfacesAreSmall},
}

func TestRules(t *testing.T) {
	m := load(t)
	for _, rule := range houseRules {
		t.Run(rule.name, func(t *testing.T) {
			for _, breach := range rule.check(m) {
				t.Error(breach)
			}
		})
	}
}

// layerOf returns the number of a folder's layer, from the top, or -1.
func layerOf(folder string) int {
	return slices.IndexFunc(layers, func(layer []string) bool { return within(folder, layer...) })
}

func importsPointDown(m module) (breaches []string) {
	for _, p := range m {
		own := layerOf(p.folder)
		if own < 0 {
			breaches = append(breaches, fmt.Sprintf("%s is in no layer: give it one in rules_test.go", p.folder))
			continue
		}
		for _, folder := range p.ours() {
			if layer := layerOf(folder); layer >= 0 && layer < own {
				breaches = append(breaches, fmt.Sprintf("%s imports %s, which is in a higher layer (%d above %d)", p.folder, folder, layer, own))
			}
		}
	}
	return breaches
}

func importsStandardLibraryAlone(m module) (breaches []string) {
	for _, p := range m {
		if !within(p.folder, standardLibraryAlone...) {
			continue
		}
		for _, imported := range p.imports() {
			if !inStandardLibrary(imported) {
				breaches = append(breaches, fmt.Sprintf("%s imports %s: it may import the standard library alone", p.folder, imported))
			}
		}
	}
	return breaches
}

func importsRestricted(m module) (breaches []string) {
	for pattern, allowed := range restricted {
		for _, p := range m {
			if !within(p.folder, pattern) {
				continue
			}
			for _, folder := range p.ours() {
				if !within(folder, pattern) && !within(folder, allowed...) {
					breaches = append(breaches, fmt.Sprintf("%s imports %s: of ours, %s may import %s alone", p.folder, folder, pattern, strings.Join(allowed, ", ")))
				}
			}
		}
	}
	return breaches
}

func importedByFew(m module) (breaches []string) {
	for pattern, allowed := range importers {
		for _, p := range m {
			if within(p.folder, pattern) || within(p.folder, allowed...) {
				continue
			}
			for _, folder := range p.ours() {
				if within(folder, pattern) {
					breaches = append(breaches, fmt.Sprintf("%s imports %s: besides tests, only %s may", p.folder, folder, orNobody(allowed)))
				}
			}
		}
	}
	return breaches
}

func orNobody(folders []string) string {
	if len(folders) == 0 {
		return "nobody"
	}
	return strings.Join(folders, " and ")
}

// sharedByProviders are what providers have in common.
func sharedByProviders() []string {
	return []string{providers + "/place", providers + "/talk"}
}

// providerOf returns the provider that a folder belongs to, if it does.
func providerOf(folder string) (string, bool) {
	rest, below := strings.CutPrefix(folder, providers+"/")
	name, _, _ := strings.Cut(rest, "/")
	return name, below && !slices.Contains(sharedByProviders(), folder)
}

func providersAreStrangers(m module) (breaches []string) {
	for _, p := range m {
		own, is := providerOf(p.folder)
		if !is {
			continue
		}
		for _, folder := range p.ours() {
			if other, is := providerOf(folder); is && other != own || folder == runnerOf {
				breaches = append(breaches, fmt.Sprintf("%s imports %s: a provider knows neither another one nor the runner", p.folder, folder))
			}
		}
	}
	return breaches
}

func strangersStayApart(m module) (breaches []string) {
	for _, p := range m {
		own := slices.IndexFunc(strangers, func(pattern string) bool { return within(p.folder, pattern) })
		if own < 0 {
			continue
		}
		for _, folder := range p.ours() {
			other := slices.IndexFunc(strangers, func(pattern string) bool { return within(folder, pattern) })
			if other >= 0 && other != own {
				breaches = append(breaches, fmt.Sprintf("%s imports %s: they share the types of internal/bench only", p.folder, folder))
			}
		}
	}
	return breaches
}

func judgesArePure(m module) (breaches []string) {
	for _, p := range m {
		if !within(p.folder, purePackages...) {
			continue
		}
		for _, imported := range p.imports() {
			if within(imported, impure...) {
				breaches = append(breaches, fmt.Sprintf("%s imports %s: it is pure, without files, network, clock and environment", p.folder, imported))
			}
		}
	}
	return breaches
}

func namesSaySomething(m module) (breaches []string) {
	for _, p := range m {
		if slices.Contains(noNames, p.name()) || slices.Contains(noNames, path.Base(p.folder)) {
			breaches = append(breaches, fmt.Sprintf("%s: the name %q does not say what the package is for", p.folder, p.name()))
		}
	}
	return breaches
}
