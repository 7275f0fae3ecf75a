package rest

import "slices"

// ordering is how a list reads the parameters "sort" and "direction". GitHub refuses
// no value of either: what one that it does not know stands for is up to the list.
type ordering struct {
	// sorts are the values of "sort". The first is what the list is sorted by without
	// one.
	sorts []string
	// descending is true for a list that descends without both parameters.
	descending bool
	// descend are the sorts that descend without "direction".
	descend []string
	// other is the sort that another value stands for, otherWay the direction; if
	// empty, the list is as without both parameters.
	other, otherWay string
	// needsSort is true if "direction" means nothing without "sort".
	needsSort bool
}

// The orders of lists. Those of issues, of pull requests, and of repositories, of an
// organization and of who asks, are as others have measured them of api.github.com in
// September 2026 (https://github.com/brekkylab/backlot/pull/175), where they are not
// as published: pull requests sorted by "created" begin with the first. The rest is as
// published, and values that GitHub does not know are as if they were not there.
var (
	issueOrdering = ordering{
		sorts: []string{"created", "updated", "comments"}, descending: true, descend: []string{"created", "updated", "comments"},
	}
	pullOrdering = ordering{
		sorts: []string{"created", "updated", "popularity", "long-running"}, descending: true, other: "created", otherWay: descends,
	}
	orgReposOrdering = ordering{
		sorts: []string{"created", "updated", "pushed", "full_name"}, descend: []string{"created", "updated", "pushed"},
		other: "created", otherWay: "asc",
	}
	reposOrdering = ordering{
		sorts: []string{"full_name", "created", "updated", "pushed"}, descend: []string{"created", "updated", "pushed"},
		other: "created", otherWay: descends,
	}
	starOrdering    = ordering{sorts: []string{"created", "updated"}, descending: true, descend: []string{"created", "updated"}}
	commentOrdering = ordering{sorts: []string{"created", "updated", "created_at"}, needsSort: true}
)

// descends is the direction of what begins with the last or the most.
const descends = "desc"

// order is what a list is sorted by.
type order struct {
	by         string
	descending bool
}

// of returns the order that a query asks for.
func (o ordering) of(asked query) order {
	by, way := asked.Get("sort"), asked.Get("direction")
	otherSort := by != "" && !slices.Contains(o.sorts, by)
	otherWay := !slices.Contains([]string{"", "asc", descends}, way)
	switch {
	case by == "" && (way == "" || o.needsSort), otherSort && o.other == "", otherWay && o.otherWay == "":
		return order{o.sorts[0], o.descending}
	case by == "":
		by = o.sorts[0]
	case otherSort:
		by = o.other
	}
	switch {
	case otherWay:
		way = o.otherWay
	case way == "" && slices.Contains(o.descend, by):
		way = descends
	}
	return order{by, way == descends}
}
