package settings

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const reachVariable = "BENCH_APP_LOCAL_REACH"

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// reach reads addresses that are led to: each is one host, by its name or IP address, and
// one port. In the benchmark's network they are at 127.0.0.1, so no two have one port.
func reach(value string) (all []string, err error) {
	var ports []uint64
	for address := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		host, number, err := net.SplitHostPort(address)
		port, portErr := strconv.ParseUint(number, 10, 16)
		if err != nil || portErr != nil || port == 0 || number != strconv.FormatUint(port, 10) || !isHost(host) {
			// It is not repeated, as it may hold a password.
			return nil, fault.Invalidf("is wrong at place %d: write one host and one port each, such as 127.0.0.1:5432", len(all)+1)
		}
		if slices.Contains(ports, port) {
			return nil, fault.Invalidf("names port %d twice: a benchmark finds each address at its port of 127.0.0.1", port)
		}
		all, ports = append(all, address), append(ports, port)
	}
	return all, nil
}

// isHost reports whether a host is one machine, which is not that of a cloud's metadata.
func isHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		// What looks like a number is an address to some resolvers, as 2852039166 is.
		return hostName.MatchString(host) && strings.Trim(host[strings.LastIndex(host, ".")+1:], "0123456789") != "" &&
			!strings.HasPrefix(strings.ToLower(host[strings.LastIndex(host, ".")+1:]), "0x")
	}
	ip = ip.Unmap()
	return ip.Zone() == "" && (ip.IsLoopback() || ip.IsGlobalUnicast()) && ip != netip.MustParseAddr("fd00:ec2::254")
}

// checkReach refuses the server's own database, and what needs no address.
func (c *Server) checkReach() error {
	if len(c.Local.Reach) == 0 {
		return nil
	}
	u, err := url.Parse(c.Database)
	if err != nil {
		return fault.Invalidf("cannot be told from the server of DATABASE_URL, which is no address: correct that one first")
	}
	if u.Host == "" {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = "5432"
	}
	here := func(host string) string {
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() || host == "localhost" {
			return "this machine"
		}
		return strings.ToLower(host)
	}
	for _, address := range c.Local.Reach {
		host, number, _ := net.SplitHostPort(address)
		if here(host) == here(u.Hostname()) && number == port {
			return fault.Invalidf("names the server of DATABASE_URL: what a pull request runs would have the App's own data; give benchmarks a server of their own")
		}
	}
	return nil
}
