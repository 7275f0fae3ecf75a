package bench

import "regexp"

// Reference finds {{repo.owner}}, {{resources.pr.number}} and {{input.title}} in
// a text of a scenario. Its first group is the path to the value.
var Reference = regexp.MustCompile(`\{\{((?:repo|resources|input)(?:\.[A-Za-z0-9_]+)+)\}\}`)
