package opencode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"
)

// maxBody is the longest answer, and the longest event, that is read, in
// bytes.
const maxBody = 64 << 20

// client speaks to a server.
type client struct {
	base, password string
	timeout        time.Duration
	http           *http.Client
}

func newClient(base, password string, timeout time.Duration, dial func(ctx context.Context, network, address string) (net.Conn, error)) *client {
	return &client{
		base: base, password: password, timeout: timeout,
		// The server is on loopback: no proxy, whatever the environment says,
		// and no connection that it may close while a prompt is on its way.
		http: &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true}},
	}
}

// errNoEndpoint says that the server has no such endpoint. OpenCode answers
// such requests with the page of its web interface.
var errNoEndpoint = errors.New("it has no such endpoint")

// call sends a request and reads the answer's JSON into out, which may be nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %s", c.timeout))
	defer cancel()
	err := c.exchange(ctx, method, path, in, out)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

func (c *client) exchange(ctx context.Context, method, path string, in, out any) error {
	response, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return err
	case len(body) > maxBody:
		return fmt.Errorf("the answer is longer than %d bytes", maxBody)
	case mediaType(response) == "text/html":
		return errNoEndpoint
	case response.StatusCode >= http.StatusMultipleChoices:
		return fmt.Errorf("status %d: %s", response.StatusCode, shorten(string(bytes.ToValidUTF8(body, nil))))
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}

func (c *client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(serverUser, c.password)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.http.Do(request)
}

func mediaType(response *http.Response) string {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

const eventsPath = "/event"

// subscribe begins to listen to the server's events. The caller closes the
// stream. The context is that of the whole stream.
func (c *client) subscribe(ctx context.Context) (io.ReadCloser, error) {
	response, err := c.send(ctx, http.MethodGet, eventsPath, nil)
	switch {
	case err != nil:
	case response.StatusCode != http.StatusOK:
		err = fmt.Errorf("status %d", response.StatusCode)
	case mediaType(response) != "text/event-stream":
		err = errNoEndpoint
	default:
		return response.Body, nil
	}
	if response != nil {
		err = errors.Join(err, response.Body.Close())
	}
	return nil, fmt.Errorf("%s %s: %w", http.MethodGet, eventsPath, err)
}

// readEvents calls take with the data of each event until the stream ends, and
// returns why it did, nil if in order.
func readEvents(stream io.Reader, take func(data []byte)) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			take(data)
		}
	}
	return lines.Err()
}
