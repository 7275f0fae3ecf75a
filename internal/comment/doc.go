// Package comment says on GitHub what a benchmark came to: as the sticky
// comment of a pull request, as a check run's output, as a workflow's job
// summary, and in the answers to commands.
//
// Everything is made from a [Run] and is a value: nothing here reaches GitHub.
// Each text says the verdict first and is kept within the limit of where it is
// shown, by leaving out what matters least. Texts that come from agents or from
// a pull request are shown as they are and do nothing.
package comment
