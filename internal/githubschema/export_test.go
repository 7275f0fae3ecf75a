package githubschema

// ReadRequests reads what [Requests] returns anew.
func ReadRequests() Document { return decoded(requestData) }
