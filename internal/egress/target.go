package egress

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	httpPort  = 80
	httpsPort = 443
	// dialTime is how long connecting to a host may take.
	dialTime = 10 * time.Second
)

// The names of GitHub's that tools ask for what they need of it.
const (
	webHost    = "github.com"
	gistHost   = "gist.github.com"
	apiHost    = "api.github.com"
	uploadHost = "uploads.github.com"
	rawHost    = "raw.githubusercontent.com"
)

// gitHubNames are the names that the proxy answers for as GitHub. Those after
// the first four are where GitHub's answers send clients on to: archives,
// release assets, and the logs and artifacts of Actions.
var gitHubNames = append([]string{
	webHost, apiHost, uploadHost, rawHost,
	"codeload.github.com",
	gistHost,
	"gist.githubusercontent.com",
	"media.githubusercontent.com",
	"objects.githubusercontent.com",
	"release-assets.githubusercontent.com",
	"pipelines.actions.githubusercontent.com",
	"results-receiver.actions.githubusercontent.com",
}, actionsStorage()...)

// actionsStorage lists where Actions keeps logs and artifacts, as
// https://api.github.com/meta does under domains.actions_inbound.
func actionsStorage() []string {
	const accounts = 20
	var names []string
	for i := range accounts {
		names = append(names, fmt.Sprintf("productionresultssa%d.blob.core.windows.net", i))
	}
	return names
}

// target is a host and port that a client names.
type target struct {
	host string // in small letters, without brackets or a final dot
	port int
}

// parseTarget reads "host" or "host:port". ok is false for what is neither a
// name of letters, digits, hyphens, underscores and dots nor an IP address.
func parseTarget(s string, defaultPort int) (t target, ok bool) {
	t = target{host: s, port: defaultPort}
	if host, port, err := net.SplitHostPort(s); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return target{}, false
		}
		t = target{host: host, port: int(n)}
	} else if inner, found := strings.CutPrefix(s, "["); found {
		t.host = strings.TrimSuffix(inner, "]")
	}
	t.host = strings.ToLower(strings.TrimSuffix(t.host, "."))
	if _, err := netip.ParseAddr(t.host); err == nil {
		return t, true
	}
	return t, validName(t.host)
}

// maxName is the longest name in the DNS.
const maxName = 253

func validName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return !strings.HasPrefix(name, ".") && !strings.Contains(name, "..")
}

// String returns the host, with its port where that is not the usual one.
func (t target) String() string {
	if t.port == httpsPort || t.port == httpPort {
		return t.host
	}
	return net.JoinHostPort(t.host, strconv.Itoa(t.port))
}

func (t target) isGitHub() bool { return slices.Contains(gitHubNames, t.host) }

func (t target) isIP() bool {
	_, err := netip.ParseAddr(t.host)
	return err == nil
}

// allowList has names, and names with a dot before them for all below.
type allowList []string

func newAllowList(hosts []string) (allowList, error) {
	var list allowList
	for _, host := range hosts {
		name := strings.ToLower(host)
		suffix, wild := strings.CutPrefix(name, "*.")
		if !validName(suffix) || !strings.Contains(suffix, ".") || (target{host: suffix}).isIP() {
			return nil, fault.Invalidf("allow host %q: it must be a host's name, such as registry.npmjs.org or *.npmjs.org", host)
		}
		if wild {
			suffix = "." + suffix
		}
		list = append(list, suffix)
	}
	return list, nil
}

func (l allowList) has(t target) bool {
	if t.port != httpsPort || t.isIP() {
		return false
	}
	return slices.ContainsFunc(l, func(name string) bool {
		return t.host == name || name[0] == '.' && strings.HasSuffix(t.host, name)
	})
}

// publicDialer connects to addresses of the public internet only. It looks at
// the address that is connected to, so a name that resolves to another one
// each time is of no use.
func publicDialer() *net.Dialer {
	return &net.Dialer{Timeout: dialTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, _ := netip.ParseAddrPort(address) // No address is not public either.
		if !isPublic(to.Addr()) {
			return fmt.Errorf("%s is not a public address", address)
		}
		return nil
	}}
}

// specialIPv4 are the blocks of IPv4 that are not for hosts on the internet,
// besides those that [netip.Addr] knows of; see RFC 6890.
var specialIPv4 = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
}

// publicIPv6 is the block of IPv6 that addresses are given from; specialIPv6
// are the parts of it that lead elsewhere, such as 6to4 and Teredo.
var (
	publicIPv6  = netip.MustParsePrefix("2000::/3")
	specialIPv6 = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"),
		netip.MustParsePrefix("2001:db8::/32"),
		netip.MustParsePrefix("2002::/16"),
		netip.MustParsePrefix("3fff::/20"),
	}
	// nat64 has an IPv4 address in its last four bytes (RFC 6052).
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	in := func(block netip.Prefix) bool { return block.Contains(a) }
	switch {
	case !a.IsGlobalUnicast() || a.IsPrivate():
		return false
	case a.Is4():
		return !slices.ContainsFunc(specialIPv4, in)
	case in(nat64):
		bytes := a.As16()
		return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
	default:
		return in(publicIPv6) && !slices.ContainsFunc(specialIPv6, in)
	}
}
