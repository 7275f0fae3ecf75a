package benchcli

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// troubleFlags say what goes wrong in a sandbox.
type troubleFlags struct {
	faults        string
	latency       time.Duration
	enforceLimits bool
}

func (f *troubleFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.faults, "faults", "", "have go wrong what this JSON `FILE` says")
	flags.DurationVar(&f.latency, "latency", 0, "have every request take this long, for example 50ms")
	flags.BoolVar(&f.enforceLimits, "enforce-limits", false, "refuse what goes beyond GitHub's rate limits")
}

// apply has a world go wrong as the flags say.
func (f troubleFlags) apply(w *sandbox.World) error {
	if f.latency < 0 {
		return fault.Invalidf("--latency is %s, want 0s or more, for example 50ms", f.latency)
	}
	if f.faults != "" {
		file, err := os.Open(f.faults)
		if err != nil {
			return fault.Invalidf("faults cannot be read: %w", err)
		}
		defer file.Close()
		if err := w.ReadFaults(file); err != nil {
			return fault.Invalidf("faults file %s: %w", f.faults, err)
		}
	}
	if f.latency > 0 {
		w.Faults().SetLatency(f.latency)
	}
	if f.enforceLimits {
		w.EnforceLimits(sandbox.Limits{})
	}
	return nil
}

// webhookSecret signs the webhooks of a sandbox unless the user has another
// one. It protects nothing: who reads this can start a sandbox.
const webhookSecret = "sandbox-webhook-secret"

// sendWebhooks has every repository tell an address of everything. What it
// connects to is that address alone, whatever webhooks agents make.
func sendWebhooks(w *sandbox.World, address, secret string) (stop func(), err error) {
	to, err := url.Parse(address)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil, fault.Invalidf("--webhooks-to %q is no address, want for example http://127.0.0.1:3000/webhook", address)
	}
	err = w.Setup(func(s *model.State) error {
		for repo := range s.Repos.All() {
			if slices.ContainsFunc(s.HooksOf(repo), func(h *model.Hook) bool { return h.Config.URL == address }) {
				continue
			}
			_, err := s.CreateHook(administrator(s, repo), repo, model.HookChange{
				Events: []string{"*"}, Active: new(true), Config: &model.HookConfig{URL: address, ContentType: "json", Secret: secret},
			})
			if err != nil {
				return fault.Invalidf("--webhooks-to %s: webhooks of %s cannot be set: %w", address, s.FullName(repo), err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w.Deliver(onlyTo(to)), nil
}

// administrator is somebody who may set a repository's webhooks, 0 for nobody.
func administrator(s *model.State, repo *model.Repo) model.ID {
	for u := range s.Users.All() {
		if u.Type == model.TypeUser && s.MayAdminister(u.ID, repo) {
			return u.ID
		}
	}
	return 0
}

// onlyTo is a client that connects to one address.
func onlyTo(to *url.URL) *http.Client {
	port := to.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[to.Scheme]
	}
	only := net.JoinHostPort(to.Hostname(), port)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != only {
				return nil, fault.Invalidf("webhooks go to %s alone, not to %s", only, address)
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}},
	}
}
