package runs

// Schema is what [Open] makes, step by step.
var Schema = schema
