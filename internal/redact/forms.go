package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Forms returns the secret and the other ways in which it may be written:
// escaped for a URL's path or query, escaped in a JSON string and in a JSON
// string within one, and in base64, alone or as a part of a longer text, as
// in a Basic authorization. None is shorter than the secret.
func Forms(secret string) []string {
	forms := []string{
		secret,
		url.QueryEscape(secret), lowerEscapes(url.QueryEscape(secret)),
		url.PathEscape(secret), lowerEscapes(url.PathEscape(secret)),
	}
	for _, html := range []bool{false, true} {
		once := inJSON(secret, html)
		forms = append(forms, once, inJSON(once, false), inJSON(once, true))
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, encoding.EncodeToString([]byte(secret)))
		for offset := range 3 {
			forms = append(forms, within(encoding, secret, offset))
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// inJSON returns s as it stands between the quotes of a JSON string. Some
// writers escape <, > and & too.
func inJSON(s string, escapeHTML bool) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(s) // A text can be encoded, and a buffer takes it.
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(out.String()), `"`), `"`)
}

// lowerEscapes writes a URL's %2F as %2f.
func lowerEscapes(s string) string {
	out := []byte(s)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:], bytes.ToLower(out[i+1:i+3]))
		}
	}
	return string(out)
}

// within returns the base64 digits that depend on the secret alone when it
// stands in a text at a place that leaves the remainder offset by 3.
func within(encoding *base64.Encoding, secret string, offset int) string {
	const bitsPerByte, bitsPerDigit = 8, 6
	whole := encoding.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, offset), secret...))
	from := (offset*bitsPerByte + bitsPerDigit - 1) / bitsPerDigit
	to := (offset + len(secret)) * bitsPerByte / bitsPerDigit
	return whole[from:to]
}
