package runs

// Schema is what [Open] makes, step by step.
var Schema = schema

// What looks up one run, as [find] asks for it.
const (
	SelectRuns = selectRuns
	OfSubject  = ofSubject
	OfCheck    = ofCheck
	Latest     = latest
)

// What lists ask for.
var (
	ListQuery   = listQuery
	LatestQuery = latestQuery
)
