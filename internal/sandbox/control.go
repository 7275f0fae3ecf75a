package sandbox

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// controlPath begins the paths by which a world is controlled from other
// processes.
const controlPath = "/_sandbox/"

// maxControl is the largest request body that a control takes, in bytes.
const maxControl = 1 << 20

// control lets those who have its token change a world from outside.
type control struct{ token atomic.Pointer[string] }

// EnableControl lets clients on loopback that send a token of its own, which
// no agent has, set faults: GET, PUT and DELETE /_sandbox/faults for all, POST
// for one more, and DELETE /_sandbox/faults/{number} for one; and press buttons
// of check runs: POST /_sandbox/check-runs/{id}/actions with user and
// identifier. To others the paths do not exist.
func (w *World) EnableControl(token string) { w.control.token.Store(&token) }

// answer answers a request to control the world; it does nothing and returns
// false for others.
func (c *control) answer(w *World, out http.ResponseWriter, r *http.Request) bool {
	token := c.token.Load()
	if token == nil || *token == "" || !strings.HasPrefix(r.URL.Path, controlPath) || !onLoopback(r) {
		return false
	}
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(given), []byte(*token)) != 1 {
		return false
	}
	r.Body = http.MaxBytesReader(out, r.Body, maxControl)
	w.controls().ServeHTTP(out, r)
	return true
}

func (w *World) controls() http.Handler {
	mux := http.NewServeMux()
	const all = controlPath + "faults"
	mux.HandleFunc("GET "+all, func(out http.ResponseWriter, _ *http.Request) { show(out, w.shownFaults()) })
	mux.HandleFunc("DELETE "+all, func(out http.ResponseWriter, _ *http.Request) {
		w.faults.Clear()
		show(out, w.shownFaults())
	})
	for pattern, handle := range map[string]func(*http.Request) (any, error){
		"POST " + all: w.addFault, "PUT " + all: w.setFaults, "DELETE " + all + "/{number}": w.removeFault,
		"POST " + controlPath + "check-runs/{id}/actions": w.pressed,
	} {
		mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) {
			answer, err := handle(r)
			if err != nil {
				http.Error(out, err.Error(), http.StatusUnprocessableEntity)
				return
			}
			show(out, answer)
		})
	}
	return mux
}

func show(out http.ResponseWriter, answer any) {
	out.Header().Set("Content-Type", "application/json")
	// It fails if the client is gone, and there is nobody to tell.
	_ = json.NewEncoder(out).Encode(answer)
}

// pressed presses a button of a check run for a user.
func (w *World) pressed(r *http.Request) (any, error) {
	var in struct {
		User       string `json:"user"`
		Identifier string `json:"identifier"`
	}
	if err := decodeControl(r.Body, &in); err != nil {
		return nil, err
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, fault.Invalidf("%q is no id of a check run", r.PathValue("id"))
	}
	return map[string]any{}, w.PressButton(in.User, id, in.Identifier)
}

// PressButton has a user press a button of a check run, which has no API but
// GitHub's page. An error says why he cannot.
func (w *World) PressButton(login string, checkRun model.ID, identifier string) error {
	return w.Setup(func(s *model.State) error {
		user, run := s.User(login), s.CheckRuns.Get(checkRun)
		if user == nil || run == nil {
			return fault.Invalidf("there is no user %q or no check run %d", login, checkRun)
		}
		return s.PressButton(user.ID, run, identifier)
	})
}

// faultView is a rule as the control shows and takes it. Durations are texts
// such as "250ms".
type faultView struct {
	Number      int         `json:"number,omitempty"`
	Kind        faults.Kind `json:"kind"`
	Method      string      `json:"method,omitempty"`
	Path        string      `json:"path,omitempty"`
	GraphQL     string      `json:"graphql,omitempty"`
	Event       string      `json:"event,omitempty"`
	Token       string      `json:"token,omitempty"`
	After       int         `json:"after,omitempty"`
	Count       int         `json:"count,omitempty"`
	Probability float64     `json:"probability,omitempty"`
	Delay       duration    `json:"delay,omitempty"`
	RetryAfter  duration    `json:"retry_after,omitempty"`
	Seen        int         `json:"seen"`
	Held        int         `json:"held"`
}

// duration is one that is written as text.
type duration time.Duration

// MarshalText writes a duration such as "1m30s".
func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what [time.ParseDuration] does.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

func (v faultView) rule() faults.Rule {
	return faults.Rule{
		Kind: v.Kind, Method: v.Method, Path: v.Path, GraphQL: v.GraphQL, Event: v.Event, Token: v.Token, After: v.After,
		Count: v.Count, Probability: v.Probability, Delay: time.Duration(v.Delay), RetryAfter: time.Duration(v.RetryAfter),
	}
}

// faultsView is all of a world's faults.
type faultsView struct {
	// Seed is only taken, not shown.
	Seed    uint64      `json:"seed,omitempty"`
	Latency duration    `json:"latency"`
	Rules   []faultView `json:"rules"`
}

func (w *World) shownFaults() faultsView {
	view := faultsView{Latency: duration(w.faults.Latency()), Rules: []faultView{}}
	for _, r := range w.faults.Rules() {
		view.Rules = append(view.Rules, faultView{
			Number: r.Number, Kind: r.Kind, Method: r.Method, Path: r.Path, GraphQL: r.GraphQL, Event: r.Event, Token: r.Token,
			After: r.After, Count: r.Count, Probability: r.Probability, Delay: duration(r.Delay), RetryAfter: duration(r.RetryAfter),
			Seen: r.Seen, Held: r.Held,
		})
	}
	return view
}

func (w *World) addFault(r *http.Request) (any, error) {
	var in faultView
	if err := decodeControl(r.Body, &in); err != nil {
		return nil, err
	}
	number, err := w.faults.Add(in.rule())
	return map[string]int{"number": number}, err
}

func (w *World) setFaults(r *http.Request) (any, error) {
	if err := w.ReadFaults(r.Body); err != nil {
		return nil, err
	}
	return w.shownFaults(), nil
}

// ReadFaults reads rules, as JSON that has the form of what a control takes,
// and puts them in the place of those that are there; if one of them cannot be,
// none are left. An error is of kind invalid.
func (w *World) ReadFaults(from io.Reader) error {
	var in faultsView
	if err := decodeControl(from, &in); err != nil {
		return err
	}
	w.faults.Clear()
	w.faults.Seed(in.Seed)
	for n, rule := range in.Rules {
		if _, err := w.faults.Add(rule.rule()); err != nil {
			w.faults.Clear()
			return fmt.Errorf("rule %d: %w", n+1, err)
		}
	}
	w.faults.SetLatency(time.Duration(in.Latency))
	return nil
}

func (w *World) removeFault(r *http.Request) (any, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || !w.faults.Remove(number) {
		return nil, fault.Invalidf("there is no fault %q; GET %sfaults lists them", r.PathValue("number"), controlPath)
	}
	return w.shownFaults(), nil
}

// decodeControl reads one JSON object without unknown members.
func decodeControl(from io.Reader, into any) error {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fault.Invalidf("it is not JSON as expected: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fault.Invalidf("there is something after the JSON object")
	}
	return nil
}
