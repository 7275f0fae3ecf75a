package sandbox

import (
	"net"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// The names of GitHub's that a world answers for otherwise than with the API.
const (
	webHost  = "github.com"
	gistHost = "gist.github.com"
	rawHost  = "raw.githubusercontent.com"
	// gistRawHost has the files of gists.
	gistRawHost = "gist.githubusercontent.com"
)

// Part is the part of GitHub that a request was for.
type Part int

// The parts.
const (
	// PartAPI is the REST and the GraphQL API.
	PartAPI Part = iota
	// PartGit is github.com: git over HTTPS, and pages, of which there are
	// none; and gist.github.com, which has neither.
	PartGit
	// PartDownload is where answers of the API send clients on to: archives,
	// assets, logs and artifacts.
	PartDownload
	// PartRaw is raw.githubusercontent.com and gist.githubusercontent.com, which tools
	// ask for what the API has too; it counts as REST.
	PartRaw
)

// site is what answers under a name of GitHub's.
type site struct {
	part   Part
	answer func(*World, *exchange) rest.Response
}

// siteOf returns the site that a request is for. Names that are not GitHub's,
// such as loopback addresses, are the API's.
func siteOf(r *http.Request) site {
	switch hostOf(r) {
	case webHost, gistHost:
		return site{PartGit, (*World).answerWeb}
	case rawHost:
		return site{PartRaw, (*World).answerRaw}
	case gistRawHost:
		return site{PartRaw, (*World).answerGistRaw}
	case rest.LogsHost, rest.ArchiveHost:
		return site{PartDownload, (*World).answerDownload}
	default:
		if onLoopback(r) && strings.HasPrefix(r.URL.Path, loopbackDownloads) {
			return site{PartDownload, (*World).answerDownload}
		}
		if _, isGit := Parse(r); onLoopback(r) && (isGit || isPage(r.URL.Path) || linked(r.URL.Path) != nil) {
			return site{PartGit, (*World).answerWeb}
		}
		if onLoopback(r) && strings.HasPrefix(r.URL.Path, rawPath+"/") {
			return site{PartRaw, (*World).answerRaw}
		}
		if onLoopback(r) && strings.HasPrefix(r.URL.Path, gistsPath+"/") {
			return site{PartRaw, (*World).answerGistRaw}
		}
		return site{PartAPI, (*World).answerAPI}
	}
}

// hostOf returns the name that a request is for, in small letters and without
// a port.
func hostOf(r *http.Request) string {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	return strings.ToLower(name)
}
