package model

import (
	"archive/zip"
	"io"
	"maps"
	"slices"
	"time"
)

// Artifact is a file that a workflow run has uploaded.
type Artifact struct {
	ID     ID
	RepoID ID
	RunID  ID
	Upload
	CreatedAt time.Time
}

func (a *Artifact) clone() *Artifact { return copyOf(a) }

// ArtifactLife is how long GitHub keeps an artifact.
const ArtifactLife = 90 * 24 * time.Hour

// Upload is what a job uploads as an artifact.
type Upload struct {
	// Name is the artifact's, File that of the one file in it.
	Name, File string
	Text       string
	// More are the texts of further files, by name.
	More map[string]string
	// Archive is the artifact as it is, in place of its files; empty if they make it.
	Archive string
}

// upload adds the artifacts of a job that has ended.
func (s *State) upload(job *Job, uploads []Upload) {
	for _, u := range uploads {
		a := &Artifact{ID: s.newID(), RepoID: job.RepoID, RunID: job.RunID, Upload: u, CreatedAt: s.Now}
		s.Artifacts.Add(a.ID, a)
		s.follows(a.ID, CauseRun)
	}
}

// ArtifactsOf returns a repository's artifacts, newest first; those of one run
// if run is not 0.
func (s *State) ArtifactsOf(repo *Repo, run ID) []*Artifact {
	var found []*Artifact
	if run != 0 {
		found = s.Artifacts.whereOf(artifactByRun, key{of: run}, func(a *Artifact) bool { return a.RepoID == repo.ID })
	} else {
		found = s.Artifacts.Where(func(a *Artifact) bool { return a.RepoID == repo.ID })
	}
	slices.Reverse(found)
	return found
}

// DeleteArtifact removes an artifact.
func (s *State) DeleteArtifact(actor ID, a *Artifact) error {
	if err := s.require(actor, s.Repos.Get(a.RepoID), PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.Artifacts.Delete(a.ID)
	return nil
}

// WriteArtifact writes the archive that an artifact is downloaded as.
func WriteArtifact(w io.Writer, a *Artifact) error {
	if a.Archive != "" {
		_, err := io.WriteString(w, a.Archive)
		return err
	}
	archive := zip.NewWriter(w)
	if err := addFile(archive, a.File, a.Text); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.More)) {
		if err := addFile(archive, name, a.More[name]); err != nil {
			return err
		}
	}
	return archive.Close()
}
