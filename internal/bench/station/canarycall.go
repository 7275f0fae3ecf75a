package station

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// CanaryLimit is how long all tries may take together.
const CanaryLimit = 15 * time.Second

// CanaryModel is a model, and how its API is asked.
type CanaryModel struct {
	// BaseURL is where the API is, Key what it takes, in Header or, if that is
	// empty, as a bearer token; empty for none.
	BaseURL, Key, Header string
	// Name is the model's, as its API knows it.
	Name     string
	Protocol Protocol
	// KeyFrom says in words where the key comes from.
	KeyFrom string
	// CanaryLimit and Pause are for tests; 0 means [CanaryLimit], and a second before the
	// second try.
	Limit, Pause time.Duration
}

// maxAnswer is how much of an answer is read, in bytes, and maxQuoted how much of
// a refusal is told.
const (
	maxAnswer = 1 << 20
	maxQuoted = 200
)

// TryModel asks for one answer with a tool call. An API that cannot answer now is asked
// again until the time is up. The error is of kind invalid where the key, the
// model's name or its abilities are not right, of kind infrastructure where the
// API cannot be reached or does not answer. It says which, and the mend.
func TryModel(ctx context.Context, m CanaryModel) error {
	if m.Limit == 0 {
		m.Limit = CanaryLimit
	}
	if m.Pause == 0 {
		m.Pause = time.Second
	}
	limited, cancel := context.WithTimeout(ctx, m.Limit)
	defer cancel()
	var refusal error // what it said last, if it has said that it cannot answer
	for pause := m.Pause; ; pause *= 2 {
		busy, err := m.try(limited)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limited.Err() != nil && refusal != nil:
			return refusal
		case !busy:
			return err
		}
		refusal = err
		wait := time.NewTimer(pause)
		select {
		case <-limited.Done():
			wait.Stop()
			return err
		case <-wait.C:
		}
	}
}

// client follows no redirect, which could lead the key elsewhere.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// try asks once. busy is true if the API cannot answer now.
func (m CanaryModel) try(ctx context.Context) (busy bool, err error) {
	body, err := json.Marshal(m.Protocol.request(m.Name))
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(m.BaseURL, "/")+m.Protocol.path, bytes.NewReader(body))
	if err != nil {
		return false, fault.Invalidf("the model's base URL %q cannot be asked: %w", m.BaseURL, err)
	}
	m.authorize(request.Header)
	response, err := client.Do(request)
	if err != nil {
		return false, m.unreachable(ctx, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return false, m.unreachable(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return false, m.look(answer)
	}
	return egress.ProviderStatus(response.StatusCode), m.refused(response.StatusCode, answer)
}

func (m CanaryModel) authorize(header http.Header) {
	header.Set("Content-Type", "application/json")
	for name, value := range m.Protocol.header {
		header.Set(name, value)
	}
	switch {
	case m.Key == "":
	case m.Header == "":
		header.Set("Authorization", "Bearer "+m.Key)
	default:
		header.Set(m.Header, m.Key)
	}
}

// look finds the tool call in an answer.
func (m CanaryModel) look(answer []byte) error {
	calls, err := m.Protocol.calls(answer)
	switch {
	case err != nil:
		return fault.Invalidf("%s answers, but not as the API of a model does: check that the base URL is right", m.place())
	case !calls:
		return fault.Invalidf("model %s answered without calling the function that it was told to call: agents need a model that calls tools; choose another one", m.Name)
	default:
		return nil
	}
}

func (m CanaryModel) place() string { return "the model's API at " + m.BaseURL }

// unreachable is the error of an API that gave no answer.
func (m CanaryModel) unreachable(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fault.Infraf("%s gave no answer to a short question within %s: see whether it is overloaded, or choose another model", m.place(), m.Limit)
	}
	return fault.Infraf("%s cannot be asked: %s: see that it runs, and that the base URL is right", m.place(), egress.Unreachable(err))
}

// refused is the error of an answer that is none.
func (m CanaryModel) refused(status int, answer []byte) error {
	said := m.quote(answer)
	switch {
	case m.Key == "" && status == http.StatusUnauthorized:
		return fault.Invalidf("%s wants an API key (401%s), and none was sent: name the environment variable that has it with --model-api-key-env, or give the action model-api-key", m.place(), said)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		from := m.KeyFrom
		if from == "" {
			from = "the key"
		}
		return fault.Invalidf("%s refuses the API key (%d%s): check that %s is right and may use model %s", m.place(), status, said, from, m.Name)
	case status == http.StatusNotFound:
		return fault.Invalidf("%s has no model %s, or is not there (404%s): check the model's name and the base URL", m.place(), m.Name, said)
	case status == http.StatusTooManyRequests:
		return fault.Infraf("%s answered 429 for %s%s: its limit or the account's money is used up; try later, or raise the limit", m.place(), m.Limit, said)
	case egress.ProviderStatus(status):
		return fault.Infraf("%s cannot answer now (%d%s): try later", m.place(), status, said)
	default:
		return fault.Invalidf("%s refuses a short question to model %s with a function to call (%d%s): agents need a model that calls tools", m.place(), m.Name, status, said)
	}
}

// quote returns what an error object says, without the key.
func (m CanaryModel) quote(answer []byte) string {
	var problem struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &problem) != nil || problem.Error.Message == "" {
		return ""
	}
	said := strings.Join(strings.Fields(problem.Error.Message), " ")
	if m.Key != "" {
		said = strings.ReplaceAll(said, m.Key, "***")
	}
	if len(said) > maxQuoted {
		said = strings.ToValidUTF8(said[:maxQuoted], "") + "…"
	}
	return fmt.Sprintf(": %q", said)
}
