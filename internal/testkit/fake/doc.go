// Package fake has an agent, a target and a ledger in memory, for tests of
// what runs suites. They take no time but what a test has them take, so that
// tests may run them on the clock of testing/synctest. It has verdicts by evidence
// too, of suites that are simulated from a fixed seed and judged by the code that
// judges real ones.
package fake
