package service

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

const signaturePrefix = "sha256="

// signature reads the signature of a delivery from its header.
func signature(header http.Header) ([]byte, error) {
	text, is := strings.CutPrefix(header.Get("X-Hub-Signature-256"), signaturePrefix)
	if !is {
		if header.Get("X-Hub-Signature") != "" {
			return nil, refuse(OldSignature, http.StatusUnauthorized, "the delivery is signed with SHA-1 alone, in X-Hub-Signature: X-Hub-Signature-256 is wanted")
		}
		return nil, refuse(NoSignature, http.StatusUnauthorized, "the delivery has no X-Hub-Signature-256: set the webhook's secret at GitHub")
	}
	sum, err := hex.DecodeString(text)
	if err != nil || len(sum) != sha256.Size {
		return nil, refuse(WrongSignature, http.StatusUnauthorized, "X-Hub-Signature-256 is no SHA-256 in hexadecimal")
	}
	return sum, nil
}

// authentic reports whether a body is signed with the secret, in constant
// time.
func authentic(secret, body, signature []byte) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), signature)
}

// repositoryName is what names of repositories look like.
var repositoryName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$`)

// actionName is what names of actions look like.
var actionName = regexp.MustCompile(`^[a-z_]{0,64}$`)

// understand reads a body, which is authentic but may still be of any shape.
func (r *Receiver) understand(head header, body []byte) (Delivery, error) {
	if head.form {
		values, err := url.ParseQuery(string(body))
		if err != nil || !values.Has("payload") {
			return Delivery{}, refuse(BadPayload, http.StatusBadRequest, "the form has no payload")
		}
		body = []byte(values.Get("payload"))
	}
	// gjson reads such a body in a fifth of the time of encoding/json.
	if depth(body) > maxDepth || !gjson.ValidBytes(body) || !gjson.ParseBytes(body).IsObject() {
		return Delivery{}, refuse(BadPayload, http.StatusBadRequest, "the payload is not the JSON of an event")
	}
	found := gjson.GetManyBytes(body, "action", "installation.id", "repository.full_name")
	action, installation, repository := found[0], found[1], found[2]
	if action.Exists() && (action.Type != gjson.String || !actionName.MatchString(action.Str)) {
		return Delivery{}, refuse(BadPayload, http.StatusBadRequest, "the payload's action is none")
	}
	d := Delivery{ID: head.delivery, Event: head.event, Action: action.Str, Received: r.opts.Now(), Body: Pack(body)}
	if installation.Type == gjson.Number {
		d.Installation = installation.Int()
	}
	if repositoryName.MatchString(repository.Str) {
		d.Repository = repository.Str
	}
	return d, nil
}

// maxDepth is how deep payloads are nested at most, those of GitHub about six
// levels.
const maxDepth = 1000

// depth returns how deep brackets are nested, not counting those in strings.
func depth(body []byte) int {
	level, most, inString := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			level++
			most = max(most, level)
		case c == '}', c == ']':
			level--
		}
	}
	return most
}
