package station

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/http/httpproxy"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

const (
	// protocol is the version of the Model Context Protocol with which agents greet a
	// server. With a later one the client would ask first what some servers do not
	// answer.
	protocol = "2025-11-25"
	// maxServerOutput is how much an MCP server may say, in bytes.
	maxServerOutput = 8 << 20
	// outputTime is how long an ended server's output is read, at most.
	outputTime = time.Second
	// maxPages is how many pages its list of tools may have.
	maxPages = 50
)

// connect starts an MCP server as the agent would, or finds it by HTTP. The caller
// calls end, once.
func (st *station) connect(ctx context.Context, server agent.MCPServer) (session *mcp.ClientSession, end func() error, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	complaint, printed := &limited{new(bytes.Buffer)}, &head{}
	transport, stop, err := st.transport(ctx, server, complaint, printed)
	if err != nil {
		return nil, nil, err
	}
	session, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		err = cause(ctx, err)
		stopped := stop()
		said := markdown.Clean(printed.String(), maxNote)
		switch {
		case ended(err) && said == "":
			err = errors.New("it ends, or closes its output, before it answers")
		case said != "" && !strings.HasPrefix(said, "{"):
			err = fmt.Errorf("it prints something else than MCP: %q", said)
		case ended(err):
			err = errors.New("it ends, or closes its output, before it has answered")
		}
		if stopped != nil {
			return nil, nil, errors.Join(err, stopped)
		}
		if said := markdown.Clean(complaint.String(), maxNote); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, nil, err
	}
	return session, func() error {
		// What it says at its end is of no use.
		_ = session.Close()
		return stop()
	}, nil
}

// ended reports whether a server went before it answered: before it was asked, while it
// was, or after. The client gives the first cause as text only.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, mcp.ErrConnectionClosed) && strings.HasSuffix(err.Error(), io.EOF.Error())
}

// transport returns the way to a server. What it complains of, and the beginning of
// what it printed, are whole after stop.
func (st *station) transport(ctx context.Context, server agent.MCPServer, complaint, printed io.Writer) (_ mcp.Transport, stop func() error, err error) {
	if server.URL == "" {
		return st.startServer(ctx, server, complaint, printed)
	}
	transport, err := st.httpTransport(server)
	return transport, func() error { return nil }, err
}

// cause is why something failed: that its time was up, if it was.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// startServer starts a server on standard input and output. To stop it ends all that
// it left running.
func (st *station) startServer(ctx context.Context, server agent.MCPServer, complaint, printed io.Writer) (_ mcp.Transport, stop func() error, err error) {
	st.running.Lock()
	others, err := st.space.Processes()
	if err != nil {
		st.running.Unlock()
		return nil, nil, err
	}
	input, output, program, err := pipes()
	if err != nil {
		st.running.Unlock()
		return nil, nil, err
	}
	env := append(slices.Clone(st.env), "HOME="+st.space.Home(), "TMPDIR="+st.space.Temp())
	for name, value := range server.Env {
		env = append(env, name+"="+value)
	}
	process, err := st.space.Start(ctx, confine.Command{
		Path: "/bin/sh", Args: []string{"-c", "exec " + shellquote.Join(server.Command...)},
		Env: env, Stdin: program.stdin, Stdout: program.stdout, Stderr: complaint,
	})
	program.close()
	// The session may close its end before it has read what the server printed, as it does
	// when its first request cannot be written.
	said := make(chan struct{})
	read, write := io.Pipe()
	go func() {
		defer close(said)
		_, err := io.Copy(io.MultiWriter(printed, write), &bounded{ReadCloser: output, left: maxServerOutput})
		_ = write.CloseWithError(err) // never fails
	}()
	stop = func() error {
		defer st.running.Unlock()
		_, _ = input.Close(), read.Close() // the session has closed them, or nobody reads
		err := endAll(st.space, others...)
		if process != nil {
			_ = process.Wait() // it was killed
		}
		// Whoever else holds the output is no process of this server.
		late := time.AfterFunc(outputTime, func() { _ = output.Close() })
		<-said
		late.Stop()
		_ = output.Close() // it may be closed
		return err
	}
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return &mcp.IOTransport{Reader: read, Writer: input}, stop, nil
}

// theirs are the ends of pipes that a program has.
type theirs struct{ stdin, stdout *os.File }

func (t theirs) close() { _, _ = t.stdin.Close(), t.stdout.Close() }

// pipes returns our ends of a program's input and output, and its own.
func pipes() (input, output *os.File, program theirs, err error) {
	program.stdin, input, err = os.Pipe()
	if err == nil {
		output, program.stdout, err = os.Pipe()
		if err != nil {
			err = errors.Join(err, program.stdin.Close(), input.Close())
		}
	}
	if err != nil {
		return nil, nil, theirs{}, fault.Infraf("talk to an MCP server: %w", err)
	}
	return input, output, program, nil
}

// head keeps the beginning of what is written, by whoever.
type head struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), max(0, maxNote-len(h.text)))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// bounded ends with an error after so many bytes.
type bounded struct {
	io.ReadCloser
	left int
}

// Read reads as long as there is anything left.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it says more than %d bytes", maxServerOutput)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// httpTransport reaches a server as the agent would: by the proxy, with the
// authorities that the agent trusts.
func (st *station) httpTransport(server agent.MCPServer) (mcp.Transport, error) {
	variables := map[string]string{}
	for _, entry := range st.env {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = value
	}
	bundle, err := st.proxy.Bundle("")
	if err != nil {
		return nil, fault.Infraf("read the system's certificate authorities: %w", err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(bundle)
	proxy := (&httpproxy.Config{HTTPProxy: variables["HTTP_PROXY"], HTTPSProxy: variables["HTTPS_PROXY"], NoProxy: variables["NO_PROXY"]}).ProxyFunc()
	transport := &http.Transport{
		Proxy:           func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
		TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if host, port, err := net.SplitHostPort(address); err == nil && host == "localhost" {
				address = net.JoinHostPort("127.0.0.1", port)
			}
			return st.space.Dial(ctx, network, address)
		},
	}
	return &mcp.StreamableClientTransport{
		Endpoint: server.URL, MaxRetries: -1, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: &withHeaders{transport, server.Headers}},
	}, nil
}

// withHeaders adds headers to requests, and bounds what is answered.
type withHeaders struct {
	http.RoundTripper
	headers map[string]string
}

// RoundTrip sends a request.
func (w *withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	response, err := w.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &bounded{ReadCloser: response.Body, left: maxServerOutput}
	return response, nil
}

// listTools returns a server's tools, and those of them that only read. What was
// listed before an error counts.
func listTools(ctx context.Context, session *mcp.ClientSession) (tools, reads []toolset.Item, err error) {
	params := &mcp.ListToolsParams{}
	for range maxPages {
		page, err := session.ListTools(ctx, params)
		if err != nil {
			return tools, reads, fmt.Errorf("list its tools: %w", cause(ctx, err))
		}
		for _, tool := range page.Tools {
			if tool == nil {
				continue
			}
			if len(tools) == toolset.MaxItems {
				return tools, reads, fmt.Errorf("it has more than %d tools", toolset.MaxItems)
			}
			input, _ := tool.InputSchema.(map[string]any)
			item := toolset.NewTool(tool.Name, tool.Description, input)
			tools = append(tools, item)
			if tool.Annotations != nil && tool.Annotations.ReadOnlyHint && item.Name == tool.Name {
				reads = append(reads, item)
			}
		}
		if page.NextCursor == "" {
			return tools, reads, nil
		}
		params.Cursor = page.NextCursor
	}
	return tools, reads, fmt.Errorf("its list of tools has more than %d pages", maxPages)
}

// toolAnswer is what a tool answers: its size in bytes, whether it is an error, and
// the text of it.
type toolAnswer struct {
	size   int
	failed bool
	text   string
}

// callTool calls a tool. That it fails is an answer too.
func callTool(ctx context.Context, session *mcp.ClientSession, name string, arguments map[string]any) (toolAnswer, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	var refused *jsonrpc.Error
	switch {
	case errors.As(err, &refused) && ctx.Err() == nil:
		return toolAnswer{len(refused.Message), true, refused.Message}, nil
	case err != nil:
		return toolAnswer{}, cause(ctx, err)
	}
	answer := toolAnswer{failed: result.IsError}
	for _, part := range result.Content {
		if text, is := part.(*mcp.TextContent); is {
			answer.size += len(text.Text)
			answer.text += text.Text
			continue
		}
		encoded, err := json.Marshal(part)
		if err != nil {
			return toolAnswer{}, err
		}
		answer.size += len(bytes.TrimSpace(encoded))
	}
	return answer, nil
}
