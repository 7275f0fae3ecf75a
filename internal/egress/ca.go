package egress

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// caLifetime is longer than any run. Nothing but the run's own agent
	// trusts the authority, whose key is in memory only.
	caLifetime = 7 * 24 * time.Hour
	// clockSlack is how far the clocks of the agent's tools may be behind.
	clockSlack = time.Hour
)

// authority signs certificates for the names that the proxy answers for, and
// can sign for no other.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// leafKey is the key of every certificate that the authority signs.
	leafKey *ecdsa.PrivateKey

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

func newAuthority(names []string, now func() time.Time) (*authority, error) {
	a := &authority{leaves: map[string]*tls.Certificate{}}
	// A curve that is known and the system's random numbers are no reason to fail.
	a.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.leafKey, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "bench-action egress"},
		NotBefore: now().Add(-clockSlack), NotAfter: now().Add(caLifetime),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		PermittedDNSDomainsCritical: true,
	}
	for _, name := range names {
		if ip, err := netip.ParseAddr(name); err == nil {
			template.PermittedIPRanges = append(template.PermittedIPRanges, single(ip))
			continue
		}
		template.PermittedDNSDomains = append(template.PermittedDNSDomains, name)
	}
	if len(template.PermittedIPRanges) == 0 {
		// Kinds of names that no constraint speaks of would be free.
		template.ExcludedIPRanges = []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: make(net.IPMask, net.IPv4len)},
			{IP: net.IPv6zero, Mask: make(net.IPMask, net.IPv6len)},
		}
	}
	var err error
	if a.certificate, err = sign(template, template, &a.key.PublicKey, a.key); err != nil {
		return nil, fault.Infraf("make a certificate authority: %w", err)
	}
	return a, nil
}

func single(ip netip.Addr) *net.IPNet {
	return &net.IPNet{IP: ip.AsSlice(), Mask: net.CIDRMask(ip.BitLen(), ip.BitLen())}
}

// sign makes a certificate, with a random serial number.
func sign(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// protocols are those that the proxy speaks in intercepted connections to a target.
// Where git pushes it does not speak HTTP/2: if the end of what curl sends comes while the
// window of the stream is used up, curl before 8.2 takes it for sent, and waits for ever
// (https://github.com/curl/curl/pull/11342). Debian 12 has curl 7.88.
func protocols(t target) []string {
	if t.host == webHost || t.host == gistHost {
		return []string{"http/1.1"}
	}
	return []string{"h2", "http/1.1"}
}

// config is the TLS configuration for clients that connect to a target.
func (a *authority) config(t target) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: protocols(t),
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.leaf(t.host) },
	}
}

// leaf returns a certificate for a name or an address that the authority may
// sign for; there are few.
func (a *authority) leaf(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if leaf, done := a.leaves[host]; done {
		return leaf, nil
	}
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "bench-action"},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	signed, err := sign(template, a.certificate, &a.leafKey.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	leaf := &tls.Certificate{Certificate: [][]byte{signed.Raw}, PrivateKey: a.leafKey, Leaf: signed}
	a.leaves[host] = leaf
	return leaf, nil
}

// CACert returns the proxy's certificate authority, in PEM.
func (p *Proxy) CACert() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.ca.certificate.Raw})
}

// rootFiles are where systems keep the authorities that they trust, as
// crypto/x509 knows them; the first that is there counts.
var rootFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/tls/cacert.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/cert.pem",
}

// Bundle returns the system's authorities and the proxy's, in PEM, for tools
// that can be told of one file only. The system's are read from rootsFile, or,
// if that is empty, from where systems keep them; where they have none, the
// bundle has the proxy's alone.
func (p *Proxy) Bundle(rootsFile string) ([]byte, error) {
	files := rootFiles
	if rootsFile != "" {
		files = []string{rootsFile}
	}
	for _, file := range files {
		roots, err := os.ReadFile(file)
		switch {
		case err == nil:
			return append(append(bytes.TrimSpace(roots), '\n'), p.CACert()...), nil
		case rootsFile != "" || !errors.Is(err, fs.ErrNotExist):
			return nil, fault.Infraf("read the system's certificate authorities: %w", err)
		}
	}
	return p.CACert(), nil
}
