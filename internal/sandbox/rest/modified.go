package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// modifiedBy are the fields of answers, with dots between their parts, that say
// when what is answered was changed last: of those operations whose answers GitHub
// dates.
var modifiedBy = map[string]string{
	"GET /user":                                  "updated_at",
	"GET /users/{username}":                      "updated_at",
	"GET /gists/{gist}":                          "updated_at",
	"GET " + reposPath:                           "updated_at",
	"GET " + reposPath + "/commits/{ref...}":     "commit.committer.date",
	"GET " + reposPath + "/git/commits/{sha}":    "committer.date",
	"GET " + reposPath + "/issues/{number}":      "updated_at",
	"GET " + reposPath + "/issues/{number}/{id}": "updated_at",
	"GET " + reposPath + "/pulls/{number}":       "updated_at",
	"GET " + reposPath + "/milestones/{number}":  "updated_at",
}

// modified dates an answer.
func (a *reply) modified(when time.Time) {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set("Last-Modified", when.UTC().Format(http.TimeFormat))
}

// sinceWhen adds when what is answered was changed last, where GitHub tells that, and
// answers 304 to a client that has asked for nothing older. One that names a
// version is answered by that alone.
func sinceWhen(c *call, out Response) Response {
	if field := modifiedBy[strings.Replace(c.Pattern, repositoriesPath, reposPath, 1)]; field != "" && out.Header.Get("Content-Type") == jsonType {
		if when, told := timeAt(out.Body, strings.Split(field, ".")); told {
			out.Header.Set("Last-Modified", when.UTC().Format(http.TimeFormat))
		}
	}
	when, err := http.ParseTime(out.Header.Get("Last-Modified"))
	if err != nil || c.Request.Header.Get("If-None-Match") != "" {
		return out
	}
	if known, err := http.ParseTime(c.Request.Header.Get("If-Modified-Since")); err == nil && !when.After(known) {
		out.Status, out.Body = http.StatusNotModified, nil
		out.Header.Del("Content-Type")
	}
	return out
}

// timeAt reads a time in a JSON object.
func timeAt(body []byte, path []string) (time.Time, bool) {
	for _, name := range path {
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil {
			return time.Time{}, false
		}
		body = fields[name]
	}
	var when *time.Time
	if json.Unmarshal(body, &when) != nil || when == nil {
		return time.Time{}, false
	}
	return *when, true
}
