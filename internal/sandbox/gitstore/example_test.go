package gitstore_test

import (
	"fmt"
	"log"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Two branches change different lines of a file; merging them joins both.
func Example() {
	s := gitstore.New()
	who := gitstore.Signature{Name: "Mona", Email: "mona@example.com", When: time.Unix(1700000000, 0).UTC()}
	commit := func(content string, parents ...gitstore.Hash) gitstore.Hash {
		tree, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{{Path: "list.txt", Content: []byte(content)}})
		if err != nil {
			log.Fatal(err)
		}
		h, err := s.WriteCommit(gitstore.CommitSpec{
			Tree: tree, Parents: parents, Author: who, Committer: who, Message: "edit the list",
		})
		if err != nil {
			log.Fatal(err)
		}
		return h
	}
	base := commit("one\ntwo\nthree\n")
	ours := commit("ONE\ntwo\nthree\n", base)
	theirs := commit("one\ntwo\nTHREE\n", base)

	tree, conflicts, err := s.MergeTrees(ours, theirs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(conflicts), "conflicts")
	files, err := s.Diff(base, tree)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files[0].Patch)
	// Output:
	// 0 conflicts
	// @@ -1,3 +1,3 @@
	// -one
	// +ONE
	//  two
	// -three
	// +THREE
}
