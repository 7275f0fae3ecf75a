package redact

import "sync"

// rule tells how a kind of token looks: one of some literals, and then bytes
// of a class.
type rule struct {
	// open has the literals that a token begins with, shut those that end it
	// though more bytes of the class may follow.
	open, shut []string
	class      *[256]bool
	// min is how many bytes of the class make a token, max, unless 0, how many
	// it can have.
	min, max int64
	// whole says that the literal is replaced too.
	whole bool
	// ownWord says that the literal must be where a word begins, so that
	// "task-" has no "sk-" in it.
	ownWord bool
}

const ruleCount = 5

// The least lengths keep prose from looking like tokens ("Bearer
// authentication"), the greatest keeps a made-up key from hiding the rest of
// a text.
const (
	minGitHubToken   = 16
	minModelKey      = 20
	minBearer        = 16
	minAuthorization = 8
	maxPrivateKey    = 64 << 10
)

// rules are what well-known tokens look like.
var rules = [ruleCount]rule{
	{
		open:  []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		class: classOf(alphanumeric, "_.-"), min: minGitHubToken, whole: true,
	},
	{
		open:  []string{"sk-"},
		class: classOf(alphanumeric, "_-"), min: minModelKey, whole: true, ownWord: true,
	},
	{
		open:  []string{"Bearer ", "bearer ", "BEARER "},
		class: classOf(alphanumeric, "._~+/=-"), min: minBearer,
	},
	{
		open:  authorizations(),
		class: allBut("\"'`<>\\"), min: minAuthorization,
	},
	{
		open: pemLines("BEGIN"), shut: pemLines("END"),
		class: classOf(alphanumeric, "+/=-\\ \t\r\n:,."), max: maxPrivateKey, whole: true,
	},
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var letterOrDigit = classOf(alphanumeric)

// authorizations returns the beginnings of an Authorization header as it
// stands in HTTP, in YAML, in JSON, and in JSON within JSON.
func authorizations() []string {
	var all []string
	for _, name := range []string{"Authorization", "authorization", "AUTHORIZATION"} {
		for _, is := range []string{
			`:`, `=`, `: "`, `="`, `: '`, `='`,
			`":"`, `": "`, `':'`, `': '`, `\":\"`, `\": \"`,
		} {
			all = append(all, name+is)
		}
	}
	return all
}

func pemLines(edge string) []string {
	var all []string
	for _, kind := range []string{
		"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY",
		"ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK",
	} {
		all = append(all, "-----"+edge+" "+kind+"-----")
	}
	return all
}

func classOf(sets ...string) *[256]bool {
	var class [256]bool
	for _, set := range sets {
		for _, by := range []byte(set) {
			class[by] = true
		}
	}
	return &class
}

// allBut returns the class of every byte but control characters and those
// given.
func allBut(without string) *[256]bool {
	var class [256]bool
	for by := ' '; by < 256; by++ {
		class[by] = by != 0x7f
	}
	for _, by := range []byte(without) {
		class[by] = false
	}
	return &class
}

// A literal's tag is twice its rule's index, plus closing for those of shut.
const closing = 1

// shapes returns the matcher of the rules' literals. It is made once and never
// changes.
var shapes = sync.OnceValue(func() *matcher {
	m := newMatcher()
	for i, rule := range rules {
		for _, literal := range rule.open {
			m.add(literal, int32(2*i))
		}
		for _, literal := range rule.shut {
			m.add(literal, int32(2*i+closing))
		}
	}
	m.link()
	return m
})
