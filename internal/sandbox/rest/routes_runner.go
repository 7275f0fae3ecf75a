package rest

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// runnerTokenLife is how long a runner may be registered or removed with a token.
const runnerTokenLife = time.Hour

// runnerRoutes are those of self-hosted runners. A token for one can be had; none is ever
// registered, because runners find the service that they work for on GitHub alone.
func runnerRoutes() []route {
	const path = "/actions/runners"
	onOrg := func(handle func(*call, string) (reply, error)) func(*call) (reply, error) {
		return onOrgHooks(func(c *call, org *model.User) (reply, error) { return handle(c, org.Login) })
	}
	onOneRepo := func(handle func(*call, string) (reply, error)) func(*call) (reply, error) {
		return onAdministered(func(c *call, repo *model.Repo) (reply, error) { return handle(c, c.s.FullName(repo)) })
	}
	var routes []route
	for place, on := range map[string]func(func(*call, string) (reply, error)) func(*call) (reply, error){
		"/orgs/{org}" + path: onOrg, reposPath + path: onOneRepo,
	} {
		routes = append(routes,
			route{"POST " + place + "/registration-token", on(runnerToken("register"))},
			route{"POST " + place + "/remove-token", on(runnerToken("remove"))},
			route{"GET " + place + "/{id}", on(noRunner)},
			route{"DELETE " + place + "/{id}", on(noRunner)},
			route{"GET " + place + "/{id}/labels", on(noRunner)},
		)
	}
	return routes
}

func noRunner(*call, string) (reply, error) { return reply{}, errNotFound }

// runnerToken makes a token, which is not kept: there is nothing that takes it.
func runnerToken(purpose string) func(c *call, of string) (reply, error) {
	return func(c *call, of string) (reply, error) {
		sum := sha256.Sum256(fmt.Append(nil, purpose, of, c.s.Now.UnixNano()))
		return created(map[string]any{
			"token": "A" + base32.StdEncoding.EncodeToString(sum[:])[:28], "expires_at": at(c.s.Now.Add(runnerTokenLife)),
		})
	}
}
