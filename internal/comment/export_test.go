package comment

import "slices"

// Cut is [Comment] without its marker, in so many bytes.
func Cut(r Run, limit int) string {
	return fit(slices.Concat(r.story(), []section{r.chart()}, r.details(mostInComment), []section{r.foot()}), limit, r.reportLink())
}
