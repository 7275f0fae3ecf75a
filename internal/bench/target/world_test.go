package target_test

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
)

const shop = `start: 2025-09-01T08:00:00Z
agent: noor
accounts: [{login: noor, name: Noor}, {login: ana}, {login: acme, type: organization, members: {ana: owner}}]
repositories:
- name: acme/shop
  description: A shop
  private: true
  collaborators: {noor: write}
  files: [{path: README.md, text: hello}]
  issues: [{title: "{{hex: 12}}", as: issue}]
`

// finding returns a function that finds worlds of these texts.
func finding(texts map[string]string) func(name string) (*world.World, error) {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys["worlds/"+name+".yaml"] = &fstest.MapFile{Data: []byte(text)}
		fsys["worlds/"+name+"/more.sh"] = &fstest.MapFile{Data: []byte("true")}
	}
	return func(name string) (*world.World, error) { return world.Load(fsys, name) }
}

func TestS18AnAttemptIsInTheWorldThatItNames(t *testing.T) {
	all, filled := counting(t)
	all.FindWorlds(finding(map[string]string{"shop": shop, "other": shop}), nil)
	in := func(name string, number int) *target.Place {
		place, err := all.Prepare(t.Context(), target.Needs{World: name, Resources: []string{"issue"}, Variation: &bench.Variation{Seed: 1, Number: number}})
		require.NoError(t, err)
		return place
	}
	first := in("shop", 1)
	assert.Zero(t, filled.Load(), "the fixtures are not needed")
	assert.Equal(t, "acme/shop", first.Manifest.Repo.FullName)
	assert.Contains(t, first.Env, "GITHUB_REPOSITORY=acme/shop")
	assert.Equal(t, "noor", first.Agent)
	assert.Equal(t, &bench.Variation{Seed: 1, Number: 1}, first.Variation)
	assert.Equal(t, first.Manifest, in("shop", 1).Manifest)
	assert.NotEqual(t, first.Manifest.Resources["issue"]["title"], in("shop", 2).Manifest.Resources["issue"]["title"])
	assert.NotEqual(t, first.Manifest.Resources["issue"]["id"], in("shop", 2).Manifest.Resources["issue"]["id"])
	assert.NotEqual(t, first.Manifest.Resources["issue"]["title"], in("other", 1).Manifest.Resources["issue"]["title"])

	verifier, err := verify.Client(first.Verifier)
	require.NoError(t, err)
	who, _, err := verifier.REST.Users.Get(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, "ana", who.GetLogin(), "the verifier is not the agent (rule S6)")
	repo, _, err := verifier.REST.Repositories.Get(t.Context(), "acme", "shop")
	require.NoError(t, err)
	assert.Equal(t, "A shop true", repo.GetDescription()+map[bool]string{true: " true"}[repo.GetPrivate()])

	// Places share nothing.
	_, _, err = verifier.REST.Issues.Create(t.Context(), "acme", "shop", &gh.IssueRequest{Title: gh.String("mine")})
	require.NoError(t, err)
	again := in("shop", 1)
	other, err := verify.Client(again.Verifier)
	require.NoError(t, err)
	issues, _, err := other.REST.Issues.ListByRepo(t.Context(), "acme", "shop", nil)
	require.NoError(t, err)
	assert.Len(t, issues, 1)
}

func TestWorldsBesideFixturesThatDoNotVary(t *testing.T) {
	all, err := target.NewSandbox(nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = all.Close() })
	_, err = all.Prepare(t.Context(), target.Needs{World: "shop"})
	require.ErrorContains(t, err, `the sandbox knows no worlds, so it cannot have "shop"`)
	all.FindWorlds(finding(map[string]string{"shop": shop}), nil)
	place, err := all.Prepare(t.Context(), target.Needs{World: "shop"})
	require.NoError(t, err)
	assert.Equal(t, "noor", place.Agent)
	plain, err := all.Prepare(t.Context(), target.Needs{})
	require.NoError(t, err)
	assert.Equal(t, target.Agent, plain.Agent)
}

func TestAWorldThatCannotBeHad(t *testing.T) {
	all, _ := counting(t)
	all.FindWorlds(finding(map[string]string{"shop": shop, "bad": shop + "  labels: [{name: a}, {name: a}]\n", "scripted": shop + "setup: {script: more.sh}\n"}), nil)
	for name, want := range map[string]string{
		"none": `there is no world "none"`, "bad": `worlds/bad.yaml:11:30: repositories[0].labels[1].name: the label "a" is there twice`,
		"scripted": `the world "scripted" has a script, which cannot be run here`, "shop": `nothing in the world "shop" makes "isue"`,
	} {
		_, err := all.Prepare(t.Context(), target.Needs{World: name, Resources: []string{"isue"}, Variation: &bench.Variation{Seed: 1}})
		require.ErrorContains(t, err, want)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestS18TheScriptOfAWorldGoesOnWhereTheFileEnds(t *testing.T) {
	file, err := finding(map[string]string{"shop": shop + "setup: {script: more.sh, makes: {extra: [number]}}\n"})("shop")
	require.NoError(t, err)
	runs := 0
	run := func(_ context.Context, w *world.World, made *target.Made) error {
		runs++
		text, _ := w.File("more.sh")
		assert.Equal(t, "true", text)
		made.AddToken("ghp_script", sandbox.Token{User: "ana"})
		made.Manifest.Resources["extra"] = map[string]any{"number": 7}
		return nil
	}
	all, _ := counting(t)
	all.FindWorlds(func(string) (*world.World, error) { return file, nil }, run)
	for range 3 {
		place, err := all.Prepare(t.Context(), target.Needs{World: "shop", Resources: []string{"extra"}, Variation: &bench.Variation{Seed: 1}})
		require.NoError(t, err)
		world, _ := place.GitHub.(*sandbox.World)
		assert.NotContains(t, world.Tokens(), "ghp_script", "what the script could do is over")
	}
	assert.Equal(t, 1, runs, "it runs once, and what it made is kept")

	_, err = target.MakeWorld(t.Context(), file, bench.Variation{}, func(context.Context, *world.World, *target.Made) error { return errors.New("it broke") })
	require.EqualError(t, err, "it broke")
}
