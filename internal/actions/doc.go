// Package actions speaks with the runner of GitHub Actions: it reads what a
// workflow gives the action, its inputs and the event, says what the event
// leads to, and writes what the runner reads: outputs, state for the post
// step, the job summary and the log's workflow commands.
//
// It talks to no API and starts nothing. What is said on GitHub is another
// package's; here is only how it reaches the runner.
package actions
