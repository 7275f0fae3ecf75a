package model

import (
	"slices"
	"strings"
)

// searchCases takes a query of issues apart that may have AND, OR, NOT and parentheses.
// Each case is terms that must all be met, and one case must be.
func searchCases(query string) ([][]searchTerm, error) {
	p := &searchParser{tokens: searchGroups(query)}
	cases := p.either()
	terms := 0
	for _, c := range cases {
		terms += len(c)
	}
	switch {
	case terms == 0:
		return nil, invalid("Search", "q", "missing")
	case p.tooMany || terms > maxSearchTerms:
		return nil, custom("Search", "q", "The search is longer than %d terms.", maxSearchTerms)
	}
	return cases, nil
}

// searchGroups are the [searchTokens] of a query with parentheses as tokens of their own,
// where they are around terms and not in one.
func searchGroups(query string) []string {
	var tokens []string
	depth := 0
	for _, token := range searchTokens(query) {
		for {
			if rest, not := strings.CutPrefix(token, "-("); not {
				tokens, token = append(tokens, "NOT"), "("+rest
			}
			rest, opens := strings.CutPrefix(token, "(")
			if !opens {
				break
			}
			tokens, token = append(tokens, "("), rest
			depth++
		}
		closed := 0
		for depth > 0 && strings.HasSuffix(token, ")") {
			token = token[:len(token)-1]
			depth--
			closed++
		}
		if token != "" && token != ")" {
			tokens = append(tokens, token)
		}
		tokens = append(tokens, slices.Repeat([]string{")"}, closed)...)
	}
	return tokens
}

// searchParser reads the tokens of a query.
type searchParser struct {
	tokens []string
	// tooMany is true if the cases would be more than a query may have terms.
	tooMany bool
}

// peek returns the next token, empty at the end.
func (p *searchParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

// takes goes on if the next token is the one.
func (p *searchParser) takes(token string) bool {
	if p.peek() != token {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

// either reads terms with OR between them, up to the end or a parenthesis.
func (p *searchParser) either() [][]searchTerm {
	cases := p.all()
	for p.takes("OR") {
		cases = append(cases, p.all()...)
	}
	return slices.DeleteFunc(cases, func(terms []searchTerm) bool { return len(terms) == 0 })
}

// all reads terms with AND or nothing between them.
func (p *searchParser) all() [][]searchTerm {
	cases := [][]searchTerm{nil}
	for len(p.tokens) > 0 && p.peek() != ")" && p.peek() != "OR" {
		if p.takes("AND") {
			continue
		}
		cases = p.both(cases, p.one())
	}
	return cases
}

// one reads a term, or what is in parentheses, that NOT may be before.
func (p *searchParser) one() [][]searchTerm {
	negated := false
	for p.takes("NOT") {
		negated = true
	}
	cases := [][]searchTerm{nil}
	switch token := p.peek(); {
	case token == "", token == ")", token == "OR":
		return cases
	case p.takes("("):
		cases = p.either()
		p.takes(")")
	case p.takes(token):
		if term := termOf(token); term.qualifier != "" || term.values[0] != "" {
			cases = [][]searchTerm{{term}}
		}
	}
	if !negated {
		return cases
	}
	none := [][]searchTerm{nil}
	for _, terms := range cases {
		var not [][]searchTerm
		for _, term := range terms {
			term.negated = !term.negated
			not = append(not, []searchTerm{term})
		}
		if not != nil {
			none = p.both(none, not)
		}
	}
	return none
}

// both returns the cases of two that must be met.
func (p *searchParser) both(first, second [][]searchTerm) [][]searchTerm {
	if len(second) == 0 {
		return first
	}
	if len(first)*len(second) > maxSearchTerms {
		p.tooMany = true
		return first
	}
	var cases [][]searchTerm
	for _, a := range first {
		for _, b := range second {
			cases = append(cases, slices.Concat(a, b))
		}
	}
	return cases
}

// Sought is which words a query looks for.
type Sought struct {
	// Words are in small letters.
	Words []string
	// in are the places where they are looked for; nil is everywhere.
	in []string
}

// SoughtBy reads a query; one that is refused looks for nothing.
func SoughtBy(query string) Sought {
	cases, _ := searchCases(query)
	var sought Sought
	for _, term := range slices.Concat(cases...) {
		switch {
		case term.negated:
		case term.qualifier == "":
			sought.Words = append(sought.Words, strings.ToLower(term.values[0]))
		case term.qualifier == "in":
			sought.in = append(sought.in, term.values...)
		}
	}
	return sought
}

// LooksIn reports whether words are looked for in a place, such as "title".
func (q Sought) LooksIn(place string) bool { return len(q.in) == 0 || slices.Contains(q.in, place) }

// SearchedByWords returns GitHub's names of the reasons for which it looks for the words of
// a query of issues that asks for a search by meaning; nil if it searches by that.
func SearchedByWords(query string) []string {
	var reasons []string
	words, pulls := false, false
	for _, token := range searchGroups(query) {
		term := termOf(token)
		switch {
		case token == "OR":
			reasons = append(reasons, "or_boolean_not_supported")
		case term.qualifier == "" && strings.Contains(token, `"`):
			reasons = append(reasons, "quoted_text")
			words = true
		case term.qualifier == "" && !slices.Contains([]string{"AND", "NOT", "(", ")"}, token):
			words = true
		case (term.qualifier == "is" || term.qualifier == "type") && !term.negated && slices.ContainsFunc(term.values, func(v string) bool { return v == "pr" || v == "pull-request" }):
			pulls = true
		}
	}
	if !words {
		reasons = append(reasons, "no_text_terms")
	}
	if pulls {
		reasons = append(reasons, "non_issue_target")
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}
