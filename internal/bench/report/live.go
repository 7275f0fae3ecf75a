package report

import (
	"encoding/json"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// LivePiece is where the page of a run that is not over asks how it goes.
const LivePiece = piecesFolder + "/live" + pieceEnding

// Live is how a run goes.
type Live struct {
	// Generation names the report that there is now; it ends the addresses of its pieces.
	Generation string `json:"generation"`
	// Text says how it goes.
	Text  string `json:"text"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
	// Over is true where nothing more will come.
	Over bool `json:"over"`
}

// Piece is the script that the page takes it up as.
func (l Live) Piece() ([]byte, error) {
	text, err := json.Marshal(l)
	if err == nil {
		// As JSON of a text it is a text of a script, too: what would end one is escaped.
		text, err = json.Marshal(string(text))
	}
	if err != nil {
		return nil, fault.Internalf("tell how a run goes: %w", err)
	}
	return []byte(`benchPiece("live",` + string(text) + ")\n"), nil
}
