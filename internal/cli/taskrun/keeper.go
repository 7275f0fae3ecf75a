package taskrun

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Keeper keeps a run for whoever does not rely on its folder.
type Keeper struct {
	// Info and Rows are what was kept of the run that goes on; Info is nil for a new one.
	Info *ledger.RunInfo
	Rows []bench.Row
	// Save is told what the run is, without its cells and sums, whenever that is saved,
	// and Row of each row that is on the disk. Both may be called at the same time.
	Save func(ledger.RunInfo)
	Row  func(*bench.Row)
}

// goOnElsewhere takes over what a keeper has of the run. Whatever lies in its folder is
// somebody else's.
func (r *Run) goOnElsewhere(kept Keeper) error {
	if _, err := os.Lstat(r.Folder()); !errors.Is(err, fs.ErrNotExist) {
		return fault.Infraf("begin run %s: its folder %s is there already", r.ID(), r.Folder())
	}
	if kept.Info == nil {
		return nil
	}
	if was, is := kept.Info.Versions.Text(), r.info.Versions.Text(); was != is {
		return fault.Invalidf("run %s cannot go on: it was begun with %s, and now it would be %s", kept.Info.RunID, was, is)
	}
	if err := r.continues(*kept.Info); err != nil {
		return err
	}
	identity := r.info.Identity()
	for i := range kept.Rows {
		if err := ledger.CheckSame(identity, &kept.Rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// takeOver writes rows that were kept elsewhere into the ledger, in their order.
func (r *Run) takeOver(rows []bench.Row) error {
	of := map[bench.Mode][]*bench.Row{}
	for i := range rows {
		of[rows[i].Mode] = append(of[rows[i].Mode], &rows[i])
	}
	for mode, list := range of {
		slices.SortFunc(list, func(a, b *bench.Row) int { return cmp.Compare(position(a), position(b)) })
		if _, err := r.rows.AppendAll(mode, list); err != nil {
			return err
		}
	}
	return nil
}

func position(row *bench.Row) int {
	if row.Order == nil {
		return 0
	}
	return row.Order.Position
}

// save writes the run's description, and tells its keeper.
func (r *Run) save() error {
	if err := r.info.Save(r.Folder()); err != nil {
		return err
	}
	if r.options.Keeper != nil {
		told := r.info
		told.Cells, told.AllCells, told.Sums = nil, nil, nil
		r.options.Keeper.Save(told)
	}
	return nil
}
