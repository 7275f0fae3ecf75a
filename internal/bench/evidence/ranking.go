package evidence

// ranking is what the signed-rank test is made of, kept so that scenarios can be
// left out one by one: a suite of 500 scenarios asks a thousand times for the
// ranks of 50,000 blocks.
type ranking struct {
	// all are in the order of their sizes.
	all []signed
	// until are the sums over the groups of equal sizes before each group, and
	// over all; doubled are the groups' doubled midranks. Both are nil until a
	// scenario is left out.
	until   []rankSums
	doubled []int
	// places are the groups of each scenario's differences, in ascending order.
	places map[int32][]grouped
}

// rankSums are sums over differences with the doubled ranks r and the signs s:
// of s and s·r, and of 1, r and r² where the difference is not 0.
type rankSums struct{ signs, signedRanks, moving, ranks, squares int }

// grouped is the group that a difference is in, and its sign.
type grouped struct {
	group int
	sign  int8
}

// z is [signedRankZ] of the differences. Above [maxExact] it takes a time in
// proportion to the differences of the scenario that is left out.
func (r *ranking) z(side int8, without int32) float64 {
	if without == none {
		return signedRankZ(r.all, side, none)
	}
	if r.until == nil {
		r.sum()
	}
	if len(r.all)-len(r.places[without]) <= maxExact {
		return signedRankZ(r.all, side, without)
	}
	return r.normalWithout(side, r.places[without])
}

func (r *ranking) sum() {
	r.places = map[int32][]grouped{}
	sums := rankSums{}
	for from := 0; from < len(r.all); {
		group, to := len(r.until), from
		for to < len(r.all) && r.all[to].size == r.all[from].size {
			to++
		}
		doubled := from + to + 1
		r.until, r.doubled = append(r.until, sums), append(r.doubled, doubled)
		for _, x := range r.all[from:to] {
			r.places[x.scenario] = append(r.places[x.scenario], grouped{group, x.sign})
			moves := one(x.sign != 0)
			sums.signs += int(x.sign)
			sums.signedRanks += int(x.sign) * doubled
			sums.moving += moves
			sums.ranks += moves * doubled
			sums.squares += moves * doubled * doubled
		}
		from = to
	}
	r.until = append(r.until, sums)
}

// normalWithout is [normalRankZ] without differences. Each of them lowers the
// doubled ranks of the sizes above its own by 2, and those of its own size by 1.
func (r *ranking) normalWithout(side int8, left []grouped) float64 {
	distance, squares, groups := 0, 0, 0
	add := func(to, lowered int) {
		a, b := r.until[groups], r.until[to]
		distance += b.signedRanks - a.signedRanks - lowered*(b.signs-a.signs)
		squares += b.squares - a.squares - 2*lowered*(b.ranks-a.ranks) + lowered*lowered*(b.moving-a.moving)
		groups = to
	}
	for from := 0; from < len(left); {
		group, to := left[from].group, from
		signs, moving := 0, 0
		for to < len(left) && left[to].group == group {
			signs += int(left[to].sign)
			moving += one(left[to].sign != 0)
			to++
		}
		add(group, 2*from)
		lowered := from + to
		add(group+1, lowered)
		doubled := r.doubled[group] - lowered
		distance -= signs * doubled
		squares -= moving * doubled * doubled
		from = to
	}
	add(len(r.doubled), 2*len(left))
	return normalZ(distance*int(side), squares)
}
