package sandbox

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Clients with a base URL of their own follow the addresses in answers. For those that
// use the paths of enterprise servers, in which github.com has no part, all addresses lead
// back to the world. What people wrote is not touched.

// The paths under which a world on loopback has what other hosts of GitHub have; the
// first two are those of enterprise servers.
const (
	enterpriseUploadsPath = "/api/uploads"
	rawPath               = "/raw"
	avatarsPath           = "/avatars"
	gistsPath             = "/gist/raw"
)

// door is where a host of GitHub's is found, below the address of the world.
type door struct{ host, path string }

var doors = []door{
	{"api.github.com", enterpriseRESTPath}, {"uploads.github.com", enterpriseUploadsPath}, {webHost, ""},
	{rawHost, rawPath}, {"avatars.githubusercontent.com", avatarsPath}, {gistRawHost, gistsPath},
}

// leadBack has the addresses of an answer of the API lead to where the client found it.
func leadBack(r *http.Request, answer rest.Response) rest.Response {
	if !onLoopback(r) || r.URL.Path != enterpriseGraphqlPath && enterprisePrefix(r.URL.Path) == "" {
		return answer
	}
	answer.Body = readdressed(answer.Body, func(address []byte) (string, int) {
		for _, d := range doors {
			if rest, found := bytes.CutPrefix(address, []byte(d.host)); found && len(rest) > 0 && strings.IndexByte(`/"?{`, rest[0]) >= 0 {
				return baseURL(r) + d.path, len(d.host)
			}
		}
		return "", 0
	})
	return answer
}

// secure begins the addresses in answers, behind the name of their field.
var secure = []byte(`":"https://`)

// readdressed replaces the beginnings of addresses in a JSON text without spaces, as
// encoders write it: of the values of fields whose names end in url, and of links.
// To returns what stands for an address, and how many bytes of it that replaces, 0 to
// leave it. A quote within a text is escaped, so no text looks like a field.
func readdressed(text []byte, to func(address []byte) (string, int)) []byte {
	var out []byte
	for {
		at := bytes.Index(text, secure)
		if at < 0 {
			break
		}
		end := at + len(secure)
		if name := text[:at]; hasSuffix(name, "url", "Url", "URL", "href", `"self`, `"git`, `"html`) {
			if better, length := to(text[end:]); length > 0 {
				out = append(append(out, text[:end-len("https://")]...), better...)
				text = text[end+length:]
				continue
			}
		}
		out = append(out, text[:end]...)
		text = text[end:]
	}
	if out == nil {
		return text
	}
	return append(out, text...)
}

func hasSuffix(text []byte, endings ...string) bool {
	for _, ending := range endings {
		if bytes.HasSuffix(text, []byte(ending)) {
			return true
		}
	}
	return false
}
