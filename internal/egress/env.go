package egress

import (
	"net"
	"net/url"
	"slices"
)

// direct are the hosts that tools reach without the proxy: the agent's own
// machine, where a held agent finds what it started itself and nothing else.
const direct = "localhost,127.0.0.1,::1"

// Env returns the variables that lead an agent's tools to the proxy, which is
// served at addr, as NAME=value. caFile has [Proxy.CACert], for tools that add
// authorities to those they know; bundleFile has [Proxy.Bundle], for tools
// that take them from one file. Node.js must be 22.21 or newer: older ones
// ignore NODE_USE_ENV_PROXY.
func (p *Proxy) Env(addr net.Addr, caFile, bundleFile string) []string {
	env := p.ProxyEnv(addr)
	for _, name := range []string{"SSL_CERT_FILE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"} {
		env = append(env, name+"="+bundleFile)
	}
	env = append(env, "NODE_EXTRA_CA_CERTS="+caFile)
	slices.Sort(env)
	return env
}

// ProxyEnv is [Proxy.Env] without authorities, for a proxy that intercepts
// nothing.
func (p *Proxy) ProxyEnv(addr net.Addr) []string {
	proxy := url.URL{Scheme: "http", User: url.UserPassword(proxyUser, p.password), Host: addr.String()}
	var env []string
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		env = append(env, name+"="+proxy.String())
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"="+direct)
	}
	return append(env, "NODE_USE_ENV_PROXY=1")
}
