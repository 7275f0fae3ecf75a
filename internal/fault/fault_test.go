package fault_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestKindOf(t *testing.T) {
	invalid, infra := fault.Invalidf("no"), fault.Infraf("away")
	cases := []struct {
		name string
		err  error
		want fault.Kind
	}{
		{"no error", nil, fault.Internal},
		{"an error of another origin", io.EOF, fault.Internal},
		{"input", invalid, fault.Invalid},
		{"the environment", infra, fault.Infrastructure},
		{"a defect", fault.Internalf("oh"), fault.Internal},
		{"wrapped by fmt", fmt.Errorf("load: %w", fmt.Errorf("read: %w", invalid)), fault.Invalid},
		{"the outermost kind counts", fault.Infraf("retry: %w", invalid), fault.Infrastructure},
		{"joined, the first with a kind counts", errors.Join(io.EOF, infra, invalid), fault.Infrastructure},
		{"joined with nothing", errors.Join(nil, invalid), fault.Invalid},
		{"wrapped and joined", fmt.Errorf("end: %w", errors.Join(io.EOF, fmt.Errorf("save: %w", infra))), fault.Infrastructure},
		{"two causes in one", fmt.Errorf("%w and %w", io.EOF, invalid), fault.Invalid},
		{"with a hidden cause", fault.Because(fault.Invalid, io.EOF, "no"), fault.Invalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, fault.KindOf(c.err)) })
	}
}

func TestWrapGivesAKindToWhatHasNone(t *testing.T) {
	require.NoError(t, fault.Wrap(fault.Invalid, nil))

	plain := fault.Wrap(fault.Infrastructure, fmt.Errorf("read: %w", fs.ErrNotExist))
	assert.Equal(t, fault.Infrastructure, fault.KindOf(plain))
	assert.Equal(t, "read: file does not exist", plain.Error())
	assert.ErrorIs(t, plain, fs.ErrNotExist)

	known := fmt.Errorf("load: %w", fault.Invalidf("no"))
	assert.Equal(t, known, fault.Wrap(fault.Infrastructure, known), "a kind is not changed")
}

func TestErrorsTellTheirCauseOnce(t *testing.T) {
	err := fault.Invalidf("load %q: %w", "a.json", io.ErrUnexpectedEOF)
	assert.Equal(t, `load "a.json": unexpected EOF`, err.Error())
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, `load "a.json": unexpected EOF`, fault.Public(err), "what is given with %w is public")
	assert.Equal(t, "100% wrong", fault.Invalidf("100%% wrong").Error())

	var known *fault.Error
	require.ErrorAs(t, fmt.Errorf("run: %w", err), &known)
	assert.Equal(t, fault.Invalid, known.Kind)
}

func TestPublicHidesWhatIsNotMeantToBeSeen(t *testing.T) {
	cause := errors.New("POST https://user:hunter2@example.com: 500")
	hidden := fault.Because(fault.Infrastructure, cause, "GitHub did not answer")
	cases := []struct {
		name string
		err  error
		want string
	}{
		{"the cause of a Because", hidden, "GitHub did not answer"},
		{"the words that wrap it", fmt.Errorf("with hunter2: %w", hidden), "GitHub did not answer"},
		{"an error of another origin", cause, "internal error"},
		{"no error", nil, "internal error"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, fault.Public(c.err)) })
	}
	assert.Equal(t, "GitHub did not answer: "+cause.Error(), hidden.Error(), "logs have it all")
	assert.ErrorIs(t, hidden, cause)
	assert.Equal(t, "stop", fault.Because(fault.Invalid, nil, "stop").Error())
}

func TestKindsHaveNames(t *testing.T) {
	assert.Equal(t, "internal", fault.Internal.String())
	assert.Equal(t, "invalid", fault.Invalid.String())
	assert.Equal(t, "infrastructure", fault.Infrastructure.String())
	assert.Equal(t, "internal", fault.Kind(99).String())
}
