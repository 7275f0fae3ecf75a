package confine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// passPerm lets everyone pass through a folder to what it holds, without
	// listing it.
	passPerm = 0o711
	// ownPerm keeps a folder to its owner.
	ownPerm = 0o700
)

// Space is where one worker's agent lives. It is safe for concurrent use.
type Space struct {
	root             string
	home, work, temp string
	hold             *hold
	isolation        Isolation

	mu        sync.Mutex
	processes map[*Process]struct{}
	listeners []net.Listener
	closed    bool

	// staging guards staged: where tools are for the space's user, by their
	// own paths.
	staging sync.Mutex
	staged  map[string]string
}

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,40}$`)

// Open makes a space. The error is of kind invalid if the options are wrong,
// infrastructure if what they demand cannot be had here.
func Open(opts Options) (*Space, error) {
	if !validName.MatchString(opts.Name) {
		return nil, fault.Invalidf("open space %q: its name must be of small letters, digits and hyphens", opts.Name)
	}
	base, err := filepath.Abs(opts.Base)
	if err != nil || opts.Base == "" {
		return nil, fault.Invalidf("open space %q: the base folder %q is no path", opts.Name, opts.Base)
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, fault.Invalidf("open space %q: %w", opts.Name, err)
	}
	opts.Base = base
	h, isolation, err := openHold(opts)
	if err != nil {
		return nil, fmt.Errorf("open space %q: %w", opts.Name, err)
	}
	s := &Space{
		hold: h, isolation: isolation,
		processes: map[*Process]struct{}{}, staged: map[string]string{},
	}
	if err := s.makeFolders(base, opts.Name); err != nil {
		return nil, errors.Join(fmt.Errorf("open space %q: %w", opts.Name, err), h.close(), os.RemoveAll(s.root))
	}
	return s, nil
}

func (s *Space) makeFolders(base, name string) error {
	if s.isolation.User == OwnUser {
		if closed := closedTo(base, s.isolation.UID); closed != "" {
			return fault.Invalidf("the agent's user cannot enter %s: choose a base folder whose parents everyone can enter", closed)
		}
	}
	root, err := os.MkdirTemp(base, name+"-")
	if err != nil {
		return fault.Infraf("make the space's folder: %w", err)
	}
	s.root = root
	s.hold.keep(root)
	if err := os.Chmod(root, passPerm); err != nil {
		return fault.Infraf("make the space's folder: %w", err)
	}
	for name, path := range map[string]*string{"home": &s.home, "work": &s.work, "tmp": &s.temp} {
		if *path, err = s.Folder(name); err != nil {
			return err
		}
	}
	return nil
}

// Isolation tells how the space's processes are held.
func (s *Space) Isolation() Isolation { return s.isolation }

// Home returns the space's home folder, which its processes own and no other
// user can enter.
func (s *Space) Home() string { return s.home }

// Work returns the folder to work in, made as Home is.
func (s *Space) Work() string { return s.work }

// Temp returns the folder for temporary files, made as Home is.
func (s *Space) Temp() string { return s.temp }

// Folder makes another folder like Home, new and empty, and returns its path.
// The name is a plain file name that was not used before.
func (s *Space) Folder(name string) (string, error) {
	path := filepath.Join(s.root, name)
	if filepath.Dir(path) != s.root {
		return "", fault.Invalidf("make folder %q of the agent: it is no plain name", name)
	}
	if err := os.Mkdir(path, ownPerm); err != nil {
		return "", fault.Infraf("make folder of the agent: %w", err)
	}
	if s.isolation.User == OwnUser {
		if err := os.Lchown(path, s.isolation.UID, s.isolation.UID); err != nil {
			return "", fault.Infraf("make folder of the agent: %w", err)
		}
	}
	return path, nil
}

// Listen returns a listener that the space's processes reach at its address,
// on loopback, and that Close closes. It must be called before the first
// Start: under [Landlock] the ports are settled by then.
func (s *Space) Listen() (net.Listener, error) { return s.listen(s.hold.Listen) }

// ListenAt is Listen at a port of the caller's choice. It takes a [Namespace]: the
// error is of kind infrastructure elsewhere.
func (s *Space) ListenAt(port uint16) (net.Listener, error) {
	return s.listen(func() (net.Listener, error) { return s.hold.ListenAt(port) })
}

func (s *Space) listen(open func() (net.Listener, error)) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed()
	}
	l, err := open()
	if err != nil {
		return nil, fmt.Errorf("listen for the agent: %w", fault.Wrap(fault.Infrastructure, err))
	}
	s.listeners = append(s.listeners, l)
	return l, nil
}

// errNoNamespace is of a port that would be the machine's.
var errNoNamespace = errors.New("a port of one's choice takes a network namespace of one's own")

// Dial connects to a server that a process of the space runs on loopback. The
// address is an IP address and a port.
func (s *Space) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return nil, fault.Invalidf("dial %s in the agent's space: only loopback addresses are there", addr)
	}
	conn, err := s.hold.dial(ctx, network, addr)
	if err != nil {
		return nil, fault.Infraf("dial in the agent's space: %w", err)
	}
	return conn, nil
}

// Close ends every process of the space, removes its folders and gives its
// user back. It may be called more than once.
func (s *Space) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	listeners := s.listeners
	s.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	errs := []error{s.Kill(ctx)}
	for _, l := range listeners {
		// Who serves on it may have closed it already.
		_ = l.Close()
	}
	if err := removeAll(s.root); err != nil {
		errs = append(errs, fault.Infraf("remove the agent's folders: %w", err))
	}
	return errors.Join(append(errs, s.hold.close())...)
}

func errClosed() error { return fault.Internalf("the agent's space is closed") }

// removeAll is os.RemoveAll for a tree in which its owner may have taken
// rights away from themselves.
func removeAll(root string) error {
	if os.RemoveAll(root) == nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			// What still cannot be entered shows in the second removal.
			_ = os.Chmod(path, ownPerm)
		}
		return nil
	})
	return os.RemoveAll(root)
}
