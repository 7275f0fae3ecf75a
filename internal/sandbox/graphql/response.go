package graphql

import (
	"encoding/json"
	"slices"
	"strconv"
)

// Types of errors that the engine itself reports; resolvers have their own.
const (
	// TypeMissingPagination is the type of an error about a connection without
	// first and last.
	TypeMissingPagination = "MISSING_PAGINATION_BOUNDARIES"
	// TypeExcessivePagination is the type of an error about a page that is
	// larger than [MaxPage].
	TypeExcessivePagination = "EXCESSIVE_PAGINATION"
	// TypeInvalidPagination is the type of an error about a negative page size
	// and about first together with last.
	TypeInvalidPagination = "INVALID_PAGINATION"
	// TypeInvalidCursor is the type of an error about a cursor that is none.
	TypeInvalidCursor = "INVALID_CURSOR_ARGUMENTS"
	// TypeMaxNodeLimit is the type of the error of a request that can return more
	// than [MaxNodes] objects.
	TypeMaxNodeLimit = "MAX_NODE_LIMIT_EXCEEDED"
	// TypeResourceLimits is the type of an error about a reply that grew too
	// large.
	TypeResourceLimits = "RESOURCE_LIMITS_EXCEEDED"
)

// Error is an entry of a reply's errors. A resolver may return one: the engine
// completes its path and locations and puts null at its place.
type Error struct {
	// Type is GitHub's class of error, such as NOT_FOUND; empty for errors of
	// parsing and validation.
	Type    string
	Message string
	// Path leads to the place in the reply, or for validation errors in the
	// document: strings and, for list items, ints. Nil is left out of the
	// reply, an empty path is not.
	Path []any
	// Locations are places in the query text.
	Locations []Location
	// Extensions are further facts, such as a validation error's code.
	Extensions map[string]any
}

// Location is a place in a query text. Lines and columns count from 1.
type Location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// MarshalJSON writes the error with GitHub's keys in GitHub's order.
func (e *Error) MarshalJSON() ([]byte, error) { return e.appendJSON(nil) }

func (e *Error) appendJSON(buf []byte) ([]byte, error) {
	buf = append(buf, '{')
	if e.Type != "" {
		buf = append(buf, `"type":`...)
		buf = appendString(buf, e.Type)
		buf = append(buf, ',')
	}
	if e.Path != nil {
		buf = append(buf, `"path":`...)
		buf = appendPath(buf, e.Path)
		buf = append(buf, ',')
	}
	if len(e.Extensions) > 0 {
		extensions, err := json.Marshal(e.Extensions)
		if err != nil {
			return nil, err
		}
		buf = append(buf, `"extensions":`...)
		buf = append(buf, extensions...)
		buf = append(buf, ',')
	}
	if len(e.Locations) > 0 {
		buf = append(buf, `"locations":`...)
		buf = appendLocations(buf, e.Locations)
		buf = append(buf, ',')
	}
	buf = append(buf, `"message":`...)
	buf = appendString(buf, e.Message)
	return append(buf, '}'), nil
}

func appendPath(buf []byte, path []any) []byte {
	buf = append(buf, '[')
	for i, step := range path {
		if i > 0 {
			buf = append(buf, ',')
		}
		switch step := step.(type) {
		case string:
			buf = appendString(buf, step)
		case int:
			buf = strconv.AppendInt(buf, int64(step), 10)
		}
	}
	return append(buf, ']')
}

func appendLocations(buf []byte, locations []Location) []byte {
	buf = append(buf, '[')
	for i, l := range locations {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"line":`...)
		buf = strconv.AppendInt(buf, int64(l.Line), 10)
		buf = append(buf, `,"column":`...)
		buf = strconv.AppendInt(buf, int64(l.Column), 10)
		buf = append(buf, '}')
	}
	return append(buf, ']')
}

// Response is the answer to a request. Its errors may belong to the engine and
// must not be changed.
type Response struct {
	// Data is the reply's data with the selected keys in the order of the
	// selection. It is nil if nothing was executed, and the JSON null if an
	// error reached the root.
	Data json.RawMessage
	// Errors are in the order in which they occurred.
	Errors []*Error
}

// MarshalJSON writes the reply as GitHub does: without the key "data" if
// nothing was executed, without the key "errors" if there are none.
func (r Response) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends what [Response.MarshalJSON] returns to buf. It fails only
// if an extension of an error cannot be encoded.
func (r Response) AppendJSON(buf []byte) ([]byte, error) {
	buf = slices.Grow(buf, len(r.Data)+len(`{"data":}`)+len(r.Errors)*errorSize)
	buf = append(buf, '{')
	if r.Data != nil {
		buf = append(buf, `"data":`...)
		buf = append(buf, r.Data...)
	}
	if len(r.Errors) > 0 {
		if r.Data != nil {
			buf = append(buf, ',')
		}
		buf = append(buf, `"errors":[`...)
		for i, e := range r.Errors {
			if i > 0 {
				buf = append(buf, ',')
			}
			var err error
			if buf, err = e.appendJSON(buf); err != nil {
				return nil, err
			}
		}
		buf = append(buf, ']')
	}
	return append(buf, '}'), nil
}

// errorSize is the space that one error is expected to take, in bytes.
const errorSize = 256
