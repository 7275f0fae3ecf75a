package benchcli

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// hookFlags say whom a sandbox tells of what happens.
type hookFlags struct {
	webhooksTo    string
	webhookSecret string
	appAt         string
}

// webhookSecret signs the webhooks of a sandbox unless the user has another
// one. It protects nothing: who reads this can start a sandbox.
const webhookSecret = "sandbox-webhook-secret"

// Addresses that an error shows for an example.
const (
	webhooksExample = "http://127.0.0.1:3000/webhook"
	appExample      = "http://127.0.0.1:8080"
)

func (f *hookFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.webhooksTo, "webhooks-to", "", "tell this `URL` of everything that happens in the repositories")
	flags.StringVar(&f.webhookSecret, "webhook-secret", webhookSecret, "sign webhooks with this `SECRET`")
	flags.StringVar(&f.appAt, "app", "", "let the server at this `URL` make a GitHub App in the browser, and tell it of what happens")
}

// apply has a world tell those whom the flags name, and nobody else, whatever
// webhooks agents make, until stop is called. With an App there, every account
// can be signed in as.
func (f hookFlags) apply(w *localWorld) (stop func(), err error) {
	var to []*url.URL
	if f.webhooksTo != "" {
		at, err := addressOf("--webhooks-to", f.webhooksTo, webhooksExample)
		if err != nil {
			return nil, err
		}
		err = w.Setup(func(s *model.State) error {
			s.TellEverything(model.HookConfig{URL: f.webhooksTo, ContentType: "json", Secret: f.webhookSecret})
			return nil
		})
		if err != nil {
			return nil, err
		}
		to = append(to, at)
	}
	if f.appAt != "" {
		at, err := addressOf("--app", f.appAt, appExample)
		if err != nil {
			return nil, err
		}
		for _, who := range w.accounts {
			w.AllowSignIn(who.Login)
		}
		to = append(to, at)
	}
	return w.Deliver(onlyTo(to)), nil
}

// addressOf reads the address that a flag gives.
func addressOf(flag, address, example string) (*url.URL, error) {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fault.Invalidf("%s %q is no address, want for example %s", flag, address, example)
	}
	return at, nil
}

// onlyTo is a client that connects to these addresses and to no other.
func onlyTo(to []*url.URL) *http.Client {
	var only []string
	for _, at := range to {
		port := at.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[at.Scheme]
		}
		only = append(only, net.JoinHostPort(at.Hostname(), port))
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !slices.Contains(only, address) {
				return nil, fault.Invalidf("webhooks go to %v alone, not to %s", only, address)
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}},
	}
}
