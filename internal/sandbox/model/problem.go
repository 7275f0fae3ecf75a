package model

import "fmt"

// ProblemKind is why an operation was refused.
type ProblemKind int

// The kinds, with the REST status that they become.
const (
	// NotFound: 404.
	NotFound ProblemKind = iota + 1
	// Forbidden: 403.
	Forbidden
	// Invalid: 422, with errors that name resource, field and code.
	Invalid
	// NotAllowed: 405, a pull request that cannot be merged.
	NotAllowed
	// Conflict: 409, a head or blob that has moved, or a merge conflict.
	Conflict
	// BadRequest: 400, a body that is not what it says.
	BadRequest
	// Gone: 410, an issue that was deleted, or issues that are disabled.
	Gone
	// Unauthorized: 401, a request that only a known user may make.
	Unauthorized
)

// Problem is a refusal in GitHub's words.
type Problem struct {
	Kind    ProblemKind
	Message string
	// Errors detail an Invalid one; possibly none.
	Errors []FieldError
	// Reasons detail an Invalid one that is about no field, in sentences;
	// possibly none. There are Errors or Reasons, not both.
	Reasons []string
	// Lacking is true for a Forbidden one that the user may do with a higher
	// permission in the repository.
	Lacking bool
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// FieldError is one entry of a validation failure.
type FieldError struct {
	Value    any    `json:"value,omitempty"`
	Resource string `json:"resource,omitempty"`
	Field    string `json:"field,omitempty"`
	// Code is missing, missing_field, invalid, already_exists, unprocessable
	// or custom; a custom one has a message.
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

func notFound() *Problem { return &Problem{Kind: NotFound, Message: "Not Found"} }

func forbidden(message string) *Problem { return &Problem{Kind: Forbidden, Message: message} }

const validationFailed = "Validation Failed"

// invalid is a validation failure of one field.
func invalid(resource, field, code string) *Problem {
	return invalidValue(resource, field, code, nil)
}

// invalidValue is [invalid] with the value that is refused.
func invalidValue(resource, field, code string, value any) *Problem {
	return &Problem{Kind: Invalid, Message: validationFailed, Errors: []FieldError{
		{Resource: resource, Field: field, Code: code, Value: value},
	}}
}

// custom is a validation failure that says in words what is wrong. The field
// may be empty.
func custom(resource, field, format string, args ...any) *Problem {
	return &Problem{Kind: Invalid, Message: validationFailed, Errors: []FieldError{
		{Resource: resource, Field: field, Code: "custom", Message: fmt.Sprintf(format, args...)},
	}}
}

// unprocessable is a validation failure with a message of its own.
func unprocessable(format string, args ...any) *Problem {
	return &Problem{Kind: Invalid, Message: fmt.Sprintf(format, args...)}
}

// refused is a validation failure of something as a whole, as GitHub answers
// about reviews.
func refused(reason string) *Problem {
	return &Problem{Kind: Invalid, Message: "Unprocessable Entity", Reasons: []string{reason}}
}
