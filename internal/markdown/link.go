package markdown

import (
	"net/url"
	"strings"
)

// maxURL is the longest address, in bytes, that a link is made of.
const maxURL = 2000

// Link writes a link with that text, which is Markdown. Where the address is
// no absolute http or https URL without credentials, there is no link and it
// returns the text alone, or nothing if the address is empty.
func Link(text, address string) string {
	if address == "" {
		return ""
	}
	target, ok := safeURL(address)
	if !ok {
		return text
	}
	return "[" + text + "](<" + target + ">)"
}

// inAngles escapes what an address in angle brackets cannot hold, a cell's
// end, and what could begin mathematics or a backslash's escape.
var inAngles = strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "\\", "%5C", "$", "%24", "`", "%60")

func safeURL(address string) (string, bool) {
	noPartOfURL := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(address) > maxURL || strings.ContainsFunc(address, noPartOfURL) {
		return "", false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return "", false
	}
	return inAngles.Replace(u.String()), true
}
