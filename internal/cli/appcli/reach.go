package appcli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// reach is what the agents of a benchmark reach of the network: their model, by a server
// in their space which puts the key in, as long as the run may spend something, and the
// addresses that the operator names.
type reach struct {
	proxy    *egress.Proxy
	forwards []*egress.Forward
	// key is what agents show in place of the model's, and worth nothing elsewhere.
	// modelURL is empty without a model.
	key, modelURL string
	env           []string
	served        chan error // nil until the proxy is served

	mu sync.Mutex
	// spent includes what the run has spent before, with a server that died.
	spent float64
	// price is the dearest of the models that were asked.
	price bench.Price
}

// openReach has a space reach the model of a plan and the operator's addresses, and
// nothing else. Stop is called with [errSpent].
func (l *local) openReach(run runs.Run, space *confine.Space, log io.Writer, stop context.CancelCauseFunc) (_ *reach, err error) {
	p := run.Request.Plan
	r := &reach{key: "agents-of-this-run-" + strings.ToLower(rand.Text()), spent: run.CostUSD}
	model, prices, err := l.model(p)
	if err != nil {
		return nil, err
	}
	r.proxy, err = egress.New(egress.Options{Model: model, Now: l.now, OnRefused: func(host string) {
		fmt.Fprintf(log, "The agents are kept from %s: they reach their model alone.\n", host)
	}})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	// Their ports come before those that are drawn.
	if err := r.forward(l.settings.Reach, space, log); err != nil {
		return nil, err
	}
	if l.settings.PGPassword != "" {
		r.env = append(r.env, "PG_PASSWORD="+l.settings.PGPassword)
	}
	if model != nil {
		r.proxy.BeginWatched(nil, r.watch(p.MaxUSD, prices, stop))
		listener, err := space.Listen()
		if err != nil {
			return nil, err
		}
		r.proxy.ServeModel(listener, r.key)
		r.modelURL = r.proxy.ModelURLAt(listener.Addr())
	} else {
		r.proxy.Begin(nil)
	}
	return r, r.serveProxy(space)
}

// forward has the space reach addresses at their ports of its loopback interface.
func (r *reach) forward(addresses []string, space *confine.Space, log io.Writer) error {
	for _, address := range addresses {
		_, number, err := net.SplitHostPort(address)
		if err != nil {
			return fault.Internalf("lead to an address: %w", err)
		}
		port, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return fault.Internalf("lead to an address: %w", err)
		}
		listener, err := space.ListenAt(uint16(port))
		if err != nil {
			return fault.Because(fault.Invalid, err, fmt.Sprintf("The App's machine cannot lead agents to port %d of its operator's BENCH_APP_LOCAL_REACH (%s): serve with CAP_SYS_ADMIN, or leave that setting out", port, fault.Public(err)))
		}
		var once sync.Once
		r.forwards = append(r.forwards, egress.NewForward(listener, address, func(error) {
			// Where it is outside is for the operator to know.
			once.Do(func() {
				fmt.Fprintf(log, "What the agents find at port %d cannot be reached from the App's machine.\n", port)
			})
		}))
		fmt.Fprintf(log, "The agents reach what the operator has put at 127.0.0.1:%d.\n", port)
	}
	return nil
}

// serveProxy serves the proxy for programs that know of one: it says what is refused.
func (r *reach) serveProxy(space *confine.Space) error {
	listener, err := space.Listen()
	if err != nil {
		return err
	}
	r.served = make(chan error, 1)
	go func() { r.served <- r.proxy.Serve(listener) }()
	bundle, err := r.proxy.Bundle("")
	if err != nil {
		return fault.Infraf("read the system's certificate authorities: %w", err)
	}
	authority, err := space.Provide("ca.pem", r.proxy.CACert())
	if err != nil {
		return err
	}
	all, err := space.Provide("bundle.pem", bundle)
	r.env = append(r.env, r.proxy.Env(listener.Addr(), authority, all)...)
	return err
}

// prices are what models of a provider cost, by the names that it gives them.
type prices func(id string) (price bench.Price, known bool)

// model returns the API of a plan's model, with the operator's key, and the prices of its
// provider; nil for a benchmark that needs none where there is no key.
func (l *local) model(p settings.Plan) (*egress.Model, prices, error) {
	if p.AsksNoModel() {
		return nil, nil, nil
	}
	asked := benchcli.ModelAsked{Name: p.Model, BaseURL: l.settings.ModelBaseURL, Expectations: l.settings.Expectations}
	getenv := l.getenv
	if l.settings.ModelKey != "" {
		asked.KeyVariable = keyVariable
		getenv = func(name string) string {
			if name == keyVariable {
				return l.settings.ModelKey
			}
			return l.getenv(name)
		}
	}
	model, of, err := benchcli.World{Getenv: getenv, Secrets: l.secrets}.Model(asked)
	switch {
	case err != nil && p.Benchmark == harness.Command:
		return nil, nil, nil //nolint:nilerr // the program may have no model
	case err != nil:
		return nil, nil, err
	}
	_, id, _ := strings.Cut(p.Model, "/")
	if _, known := of(id); !known {
		return nil, nil, unpriced(p.Model)
	}
	return model, of, nil
}

func unpriced(model string) error {
	return fault.Invalidf("Model %s has no price, so that no budget can be kept on the App's machine: its operator adds it to the file of %s", model, expectationsVariable)
}

// watch has the run end once its budget is spent, by what answers say that they used.
// Each is taken to be of the dearest model that was asked so far.
func (r *reach) watch(most float64, of prices, stop context.CancelCauseFunc) egress.ModelWatch {
	used := func(tokens bench.Tokens) {
		r.mu.Lock()
		r.spent += r.price.Cost(tokens)
		over := r.spent >= most
		r.mu.Unlock()
		if over {
			stop(errSpent)
		}
	}
	return egress.ModelWatch{
		Allow: func() error {
			if r.spentUSD() >= most {
				return fault.Invalidf("the run has spent the %s USD that it may", bench.USDText(most))
			}
			return nil
		},
		Used: used,
		Asks: func(model string) error {
			price, known := of(model)
			if !known {
				return unpriced(fmt.Sprintf("%.100q", model))
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.price.Input, r.price.Output = max(r.price.Input, price.Input), max(r.price.Output, price.Output)
			r.price.CacheRead, r.price.CacheWrite = max(r.price.CacheRead, price.CacheRead), max(r.price.CacheWrite, price.CacheWrite)
			return nil
		},
		// At worst each byte is a token.
		Untold: func(size int64) { used(bench.Tokens{Output: size}) },
	}
}

// spentUSD is what calls of the model have cost so far.
func (r *reach) spentUSD() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spent
}

// environment returns what the gate has in its environment: which model its agents ask,
// where, and with what key.
func (r *reach) environment(c harness.Config, p settings.Plan) ([]string, error) {
	env := append([]string{harness.AgentModelVariable + "=" + p.Model}, r.env...)
	if r.modelURL == "" {
		return env, nil
	}
	variable := c.ModelKeyEnv
	if variable == "" {
		variable = harness.KeyVariable(p.Model)
	}
	api, is := strings.CutSuffix(variable, "_API_KEY")
	if !is {
		return nil, fault.Invalidf("%s: model_key_env is %s, which does not say where the model's API is: name one that ends in _API_KEY, or leave it out", c.File, variable)
	}
	place := r.modelURL
	if api == "ANTHROPIC" {
		place = strings.TrimSuffix(place, "/v1") // its clients add it
	}
	return append(env, variable+"="+r.key, api+"_BASE_URL="+place, api+"_API_BASE="+place), nil
}

func (r *reach) close() error {
	err := r.proxy.Close()
	for _, f := range r.forwards {
		err = errors.Join(err, f.Close())
	}
	if r.served != nil {
		err = errors.Join(err, <-r.served)
	}
	return err
}
