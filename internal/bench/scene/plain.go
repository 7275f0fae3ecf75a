package scene

import "fmt"

// FixtureLabel is the label of everything that does not vary.
const FixtureLabel = "bench-fixture"

// The beginnings of the names of what does not vary.
const (
	BranchPrefix    = "bench-fixture/"
	SeedLabelPrefix = "bench-seed:"
	tagPrefix       = "bench-"
)

// SeedLabel is the label of the objects of one seeding that does not vary.
func SeedLabel(seedID string) string { return SeedLabelPrefix + seedID }

// Plain returns the scene that does not vary, with the seeding's id in its
// names.
func Plain(seedID string) *Scene {
	var s Scene
	read("plain", &s)
	s.Ground = plainGround()
	s.Common = []string{FixtureLabel, SeedLabel(seedID)}
	title, branch := fmt.Sprintf("[bench:%s] ", seedID), BranchPrefix+seedID+"/"
	// Seed ids have no dot, so no other seeding has these tags.
	s.prefix, s.branchPrefix, s.tagPrefix = title, branch, tagPrefix+seedID+"."
	for i := range s.Issues {
		s.Issues[i].Title = title + s.Issues[i].Title
	}
	for i := range s.Pulls {
		p := &s.Pulls[i]
		p.Title, p.Branch = title+p.Title, branch+p.Branch
		if p.Base != "" {
			p.Base = branch + p.Base
		}
	}
	s.BehindBase, s.RunsBranch = branch+s.BehindBase, branch+s.RunsBranch
	for _, name := range []*string{&s.Milestone.Title, &s.Published.Name, &s.Draft.Name, &s.Board.Title, &s.OrgBoard.Title} {
		*name = title + *name
	}
	for _, tag := range []*string{&s.Published.Tag, &s.Draft.Tag, &s.UnusedTag} {
		*tag = s.tagPrefix + *tag
	}
	s.Workflows.Value = seedID
	return &s
}
