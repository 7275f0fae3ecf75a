package gql

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// gitMutations commit files, and make, move, merge and delete refs.
func gitMutations() map[string]mutator {
	return map[string]mutator{
		"createCommitOnBranch": commitOnBranch,
		"createRef":            createRef,
		"updateRef": func(q *query, in graphql.Args) (payload, error) {
			r, err := typed[ref](q, in.String("refId"))
			if err != nil {
				return nil, err
			}
			err = q.s.UpdateRef(q.actor, r.repo, r.name, plumbing.NewHash(in.String("oid")), in.Bool("force"))
			return payload{"ref": refNamed(r.repo, r.name)}, err
		},
		"updateRefs": updateRefs,
		"deleteRef": func(q *query, in graphql.Args) (payload, error) {
			r, err := typed[ref](q, in.String("refId"))
			if err != nil {
				return nil, err
			}
			return payload{}, q.s.DeleteRef(q.actor, r.repo, r.name)
		},
		"mergeBranch": func(q *query, in graphql.Args) (payload, error) {
			repo, err := typed[*model.Repo](q, in.String("repositoryId"))
			if err != nil {
				return nil, err
			}
			done, err := q.s.MergeBranch(q.actor, repo, model.BranchMerge{Base: in.String("base"), Head: in.String("head"), Message: in.String("commitMessage")})
			switch {
			case err != nil:
				return nil, err
			case done == nil:
				return nil, &graphql.Error{Type: "UNPROCESSABLE", Message: fmt.Sprintf("Failed to merge: %q already merged into %q", in.String("head"), in.String("base"))}
			default:
				return payload{"mergeCommit": commit{repo, *done}}, nil
			}
		},
	}
}

func createRef(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	err = q.s.CreateRef(q.actor, repo, in.String("name"), plumbing.NewHash(in.String("oid")))
	return payload{"ref": refNamed(repo, in.String("name"))}, err
}

// updateRefs makes, moves and deletes several refs, all of them or none. The
// zero object stands for no such ref.
func updateRefs(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	for _, update := range in.Objects("refUpdates") {
		name, to := update.String("name"), plumbing.NewHash(update.String("afterOid"))
		now, exists := repo.Git.Ref(name)
		if update.Has("beforeOid") && now != plumbing.NewHash(update.String("beforeOid")) {
			return nil, stale(name, update.String("beforeOid"))
		}
		switch {
		case to.IsZero():
			err = q.s.DeleteRef(q.actor, repo, name)
		case exists:
			err = q.s.UpdateRef(q.actor, repo, name, to, update.Bool("force"))
		default:
			err = q.s.CreateRef(q.actor, repo, name, to)
		}
		if err != nil {
			return nil, err
		}
	}
	return payload{}, nil
}

// stale says that a ref is not where the client believes.
func stale(name, expected string) error {
	return &graphql.Error{Type: "STALE_DATA", Message: fmt.Sprintf("Expected branch to point to %q but it did not. Pull and try again.", expected), Extensions: map[string]any{"ref": name}}
}

// commitOnBranch commits changes of files on a branch whose newest commit the
// client knows.
func commitOnBranch(q *query, in graphql.Args) (payload, error) {
	repo, branch, err := q.committable(in.Object("branch"))
	if err != nil {
		return nil, err
	}
	at, exists := q.s.BranchHead(repo, branch)
	if !exists {
		return nil, unresolved("a Ref with the name '%s'.", branch)
	}
	if expected := in.String("expectedHeadOid"); at.String() != expected {
		return nil, stale(branch, expected)
	}
	changes, err := fileChanges(repo, at, in.Object("fileChanges"))
	if err != nil {
		return nil, err
	}
	message := in.Object("message").String("headline")
	if body := in.Object("message").String("body"); body != "" {
		message += "\n\n" + body
	}
	done, err := q.s.CommitFiles(q.actor, repo, branch, message, changes)
	if err != nil {
		return nil, err
	}
	return payload{"commit": commit{repo, done}, "ref": refNamed(repo, headsPrefix+branch)}, nil
}

// committable finds the branch that an input names by its global id, or by its
// repository and name.
func (q *query) committable(in graphql.Args) (*model.Repo, string, error) {
	if in.Has("id") {
		r, err := typed[ref](q, in.String("id"))
		return r.repo, strings.TrimPrefix(r.name, headsPrefix), err
	}
	owner, name, _ := strings.Cut(in.String("repositoryNameWithOwner"), "/")
	repo, err := q.s.VisibleRepo(q.actor, owner, name)
	if err != nil {
		return nil, "", unresolved("a Repository with the name '%s'.", in.String("repositoryNameWithOwner"))
	}
	return repo, strings.TrimPrefix(in.String("branchName"), headsPrefix), nil
}

func fileChanges(repo *model.Repo, at gitstore.Hash, in graphql.Args) ([]gitstore.Change, error) {
	var changes []gitstore.Change
	for _, added := range in.Objects("additions") {
		content, err := base64.StdEncoding.DecodeString(added.String("contents"))
		if err != nil {
			return nil, &graphql.Error{Type: "UNPROCESSABLE", Message: "The contents of " + added.String("path") + " are no Base64."}
		}
		// An empty file is no deletion.
		changes = append(changes, gitstore.Change{Path: added.String("path"), Content: append([]byte{}, content...)})
	}
	for _, deleted := range in.Objects("deletions") {
		if _, err := repo.Git.Entry(at, deleted.String("path")); err != nil {
			return nil, &graphql.Error{Type: "UNPROCESSABLE", Message: fmt.Sprintf("A path was requested for deletion which does not exist as of commit oid `%s`", at)}
		}
		changes = append(changes, gitstore.Change{Path: deleted.String("path"), Delete: true})
	}
	return changes, nil
}
