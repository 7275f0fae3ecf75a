// Package platform is what Unix and Windows do otherwise: groups of processes, owners of
// files, and locks. On Windows there are the sandbox and reports; agents are started on
// Unix alone, so that what is for them is as little there as a program takes to compile.
package platform
