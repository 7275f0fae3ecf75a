package bench

// Comparison is what two runs show side by side. Changes are of B against A.
type Comparison struct {
	SchemaVersion int    `json:"schemaVersion"`
	GeneratedAt   string `json:"generatedAt"`
	// Simulated is true if any row is: no model was involved (rule G15).
	Simulated bool        `json:"simulated"`
	A         ComparedRun `json:"a"`
	B         ComparedRun `json:"b"`
	// Differences are what is not the same in both besides the tool, and may be
	// why they differ; Alike is what is.
	Differences []ComparedSetting `json:"differences"`
	Alike       []ComparedSetting `json:"alike"`
	// Modes has an entry per pair of modes that is compared.
	Modes []ComparedModes `json:"modes"`
}

// ComparedRun is one of the two.
type ComparedRun struct {
	// Name is what it was asked for by.
	Name   string   `json:"name"`
	RunIDs []string `json:"runIds"`
	Rows   int      `json:"rows"`
	// From and To are when the first and the last row were written, in RFC 3339;
	// empty where no row says so.
	From string `json:"from"`
	To   string `json:"to"`
}

// ComparedSetting is what a setting is in both runs; several values are joined
// with commas, and [NoFigure] stands for what is not recorded.
type ComparedSetting struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// ComparedModes are the sessions of a mode in each run.
type ComparedModes struct {
	A Mode `json:"a"`
	B Mode `json:"b"`
	// SharedBlocks is true if the sessions are those of one run of two repetitions
	// or more in the same order, so that there is a verdict (rule V9). Else the
	// verdict is none.
	SharedBlocks bool     `json:"sharedBlocks"`
	Evidence     Evidence `json:"evidence"`
}

// ComparisonSchemaVersion is the version of a [Comparison].
const ComparisonSchemaVersion = 1
