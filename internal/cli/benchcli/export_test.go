package benchcli

// ActionOf returns the action that a version of bench writes into workflows.
func ActionOf(version string) string { return actionOf(version) }
