package sandbox

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// GitHub's limits on the JSON web tokens of Apps.
const (
	// maxAppToken is how far ahead one may expire.
	maxAppToken = 10 * time.Minute
	// clockSkew is how far in the future one may have been issued.
	clockSkew = time.Minute
)

// isJWT reports whether a credential has the form of a JSON web token.
func isJWT(value string) bool { return strings.Count(value, ".") == 2 }

const undecodable = "A JSON web token could not be decoded"

// claims are those of an App's JSON web token. A number may be one or a text.
type claims struct {
	Issuer   any `json:"iss"`
	IssuedAt any `json:"iat"`
	Expires  any `json:"exp"`
}

// appOfJWT returns the App that signed a JSON web token (RFC 7519) that is good
// now, or else GitHub's answer. Apps sign with RS256 and no other algorithm.
func appOfJWT(s *model.State, token string, now time.Time) (*model.App, *rest.Response) {
	said, signed, signature, err := readJWT(token)
	if err != nil {
		return nil, failing(http.StatusUnauthorized, undecodable)
	}
	app := appOfIssuer(s, said.Issuer)
	if app == nil {
		return nil, failing(http.StatusNotFound, "Integration not found")
	}
	key, err := publicKey(app)
	if err != nil || rsa.VerifyPKCS1v15(key, crypto.SHA256, signed, signature) != nil {
		return nil, failing(http.StatusUnauthorized, undecodable)
	}
	if message := said.expired(now); message != "" {
		return nil, failing(http.StatusUnauthorized, message)
	}
	return app, nil
}

func failing(status int, message string) *rest.Response {
	answer := rest.Failure(status, message)
	return &answer
}

// readJWT takes a token apart: into what it says, the hash of what was signed,
// and the signature.
func readJWT(token string) (said claims, signed, signature []byte, err error) {
	parts := strings.Split(token, ".")
	var header struct {
		Algorithm string `json:"alg"`
	}
	for n, into := range []any{&header, &said} {
		text, err := base64.RawURLEncoding.DecodeString(parts[n])
		if err != nil {
			return said, nil, nil, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return said, nil, nil, err
		}
	}
	if header.Algorithm != "RS256" {
		return said, nil, nil, errors.New("the algorithm is not RS256")
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	signature, err = base64.RawURLEncoding.DecodeString(parts[2])
	return said, sum[:], signature, err
}

// appOfIssuer returns the App that an issuer names by its id or client id, nil
// if there is none.
func appOfIssuer(s *model.State, issuer any) *model.App {
	switch issuer := issuer.(type) {
	case float64:
		return s.Apps.Get(model.ID(issuer))
	case string:
		if id, err := strconv.ParseInt(issuer, 10, 64); err == nil {
			return s.Apps.Get(id)
		}
		return s.AppByClientID(issuer)
	default:
		return nil
	}
}

func publicKey(app *model.App) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(app.PublicKey))
	if block == nil {
		return nil, errors.New("the App has no key")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, isRSA := parsed.(*rsa.PublicKey)
	if !isRSA {
		return nil, errors.New("the App's key is not one of RSA")
	}
	return key, nil
}

// expired says in GitHub's words what is wrong with a token's times, empty if
// nothing.
func (c claims) expired(now time.Time) string {
	expires, hasExpiry := moment(c.Expires)
	issued, hasIssue := moment(c.IssuedAt)
	switch {
	case !hasExpiry || !expires.After(now):
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case expires.After(now.Add(maxAppToken)):
		return "'Expiration time' claim ('exp') is too far in the future"
	case !hasIssue || issued.After(now.Add(clockSkew)):
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	default:
		return ""
	}
}

// moment reads a time in seconds since 1970.
func moment(claim any) (time.Time, bool) {
	seconds, ok := claim.(float64)
	if !ok || math.Abs(seconds) > math.MaxInt32*2 {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0), true
}
