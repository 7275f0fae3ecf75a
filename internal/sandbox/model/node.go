package model

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// NodeKind is the prefix of a global node id.
type NodeKind string

// The kinds of node, with GitHub's prefixes.
const (
	NodeUser          NodeKind = "U"
	NodeOrganization  NodeKind = "O"
	NodeBot           NodeKind = "BOT"
	NodeApp           NodeKind = "A"
	NodeRepo          NodeKind = "R"
	NodeLabel         NodeKind = "LA"
	NodeMilestone     NodeKind = "MI"
	NodeIssue         NodeKind = "I"
	NodePull          NodeKind = "PR"
	NodeComment       NodeKind = "IC"
	NodeReview        NodeKind = "PRR"
	NodeThread        NodeKind = "PRRT"
	NodeReviewComment NodeKind = "PRRC"
	NodeWorkflow      NodeKind = "W"
	NodeRun           NodeKind = "WFR"
	NodeCheckSuite    NodeKind = "CS"
	NodeCheckRun      NodeKind = "CR"
	NodeStatus        NodeKind = "SC"
	NodeEnvironment   NodeKind = "EN"
	NodeDeployment    NodeKind = "DE"
	NodeDeployStatus  NodeKind = "DES"
	NodeBranchPolicy  NodeKind = "GBP"
	NodeCrossReferred NodeKind = "CRE"
	NodeReaction      NodeKind = "REA"
	NodeRelease       NodeKind = "RE"
	NodeReleaseAsset  NodeKind = "RA"
	NodeProject       NodeKind = "PVT"
	NodeProjectItem   NodeKind = "PVTI"
	NodeField         NodeKind = "PVTF"
	NodeSingleSelect  NodeKind = "PVTSSF"
	NodeIteration     NodeKind = "PVTIF"
	NodeDraftIssue    NodeKind = "DI"
	NodeTeam          NodeKind = "T"
	NodeGist          NodeKind = "G"
	NodeLinkedBranch  NodeKind = "LB"
	NodeIssueType     NodeKind = "IT"
	NodeCommitComment NodeKind = "CC"
	NodeInvitation    NodeKind = "RI"
	NodePush          NodeKind = "PSH"
	NodeOrgInvitation NodeKind = "OI"

	NodeDiscussion         NodeKind = "D"
	NodeDiscussionCategory NodeKind = "DIC"
	NodeDiscussionComment  NodeKind = "DC"
)

// NodeID returns the global id of an object: the kind and, in base64, a
// MessagePack array of a zero, the repository's id where there is one, and the
// object's id. This is the form of GitHub's ids since 2022.
func NodeID(kind NodeKind, repo, id ID) string {
	var packed []byte
	if repo == 0 {
		packed = append(packed, 0x92, 0x00)
	} else {
		packed = append(packed, 0x93, 0x00, 0xce)
		packed = binary.BigEndian.AppendUint32(packed, uint32(repo))
	}
	packed = append(packed, 0xce)
	packed = binary.BigEndian.AppendUint32(packed, uint32(id))
	return string(kind) + "_" + base64.RawURLEncoding.EncodeToString(packed)
}

// ParseNodeID returns the kind and id of a global id. ok is false for text
// that is none.
func ParseNodeID(text string) (kind NodeKind, id ID, ok bool) {
	prefix, rest, found := strings.Cut(text, "_")
	if !found {
		return "", 0, false
	}
	packed, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return "", 0, false
	}
	const short, long = 2 + 5, 3 + 4 + 5
	if len(packed) != short && len(packed) != long || packed[len(packed)-5] != 0xce {
		return "", 0, false
	}
	return NodeKind(prefix), ID(binary.BigEndian.Uint32(packed[len(packed)-4:])), true
}

// UserNode returns the kind of node that a user is.
func UserNode(u *User) NodeKind {
	switch u.Type {
	case TypeOrganization:
		return NodeOrganization
	case TypeBot:
		return NodeBot
	default:
		return NodeUser
	}
}

// FieldNodeID returns the global id of a project's field, whose kind is that
// of its type.
func FieldNodeID(f *ProjectField) string {
	kind := NodeField
	switch f.Type {
	case FieldSingleSelect:
		kind = NodeSingleSelect
	case FieldIteration:
		kind = NodeIteration
	default:
	}
	return NodeID(kind, f.ProjectID, f.ID)
}
