// Package report writes a [bench.Summary], and the rows it was made of, in the
// formats that people and programs read: Markdown, text for a terminal, a
// self-contained HTML page, JSON, CSV and JUnit XML.
//
// Figures are rounded for people everywhere but in JSON and CSV. Texts that
// come from agents or files are made harmless for each medium. An error is
// that of the writer, of kind infrastructure.
package report
