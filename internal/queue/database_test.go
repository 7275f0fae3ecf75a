package queue_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func things() queue.Schema {
	return queue.Schema{Name: "things", Steps: []string{
		"CREATE TABLE thing (id {id}, name TEXT NOT NULL UNIQUE, data {bytes}); CREATE INDEX thing_data ON thing (data)",
	}}
}

func count(t *testing.T, db *queue.DB) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM thing").Scan(&n))
	return n
}

func TestStepsAreTakenOnceAlsoByMachinesThatStartTogether(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { assert.NoError(t, db.Migrate(t.Context(), things())) })
		}
		all.Wait()
		later := things()
		later.Steps = append(later.Steps, "ALTER TABLE thing ADD COLUMN size BIGINT NOT NULL DEFAULT 7")
		require.NoError(t, db.Migrate(t.Context(), later))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO thing (name, data) VALUES ($1, $2)", "a", []byte{0, 1, 255})
			return err
		}))
		var id, size int64
		var data []byte
		require.NoError(t, db.QueryRow(t.Context(), "SELECT id, data, size FROM thing WHERE name = $1", "a").Scan(&id, &data, &size))
		assert.Equal(t, []any{int64(1), []byte{0, 1, 255}, int64(7)}, []any{id, data, size})
		err := db.Migrate(t.Context(), things())
		require.Error(t, err)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.Contains(t, err.Error(), "newer version")
	})
}

// Versions before goose noted the same table, without a step 0.
func TestStepsThatAnOlderVersionNotedAreNotTakenAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			for _, statement := range []string{
				"CREATE TABLE schema_step (name TEXT NOT NULL, step BIGINT NOT NULL, PRIMARY KEY (name, step))",
				"INSERT INTO schema_step (name, step) VALUES ('things', 1), ('others', 1), ('others', 2), ('others', 3)",
				"CREATE TABLE thing (name TEXT)",
				"INSERT INTO thing (name) VALUES ('kept')",
			} {
				if _, err := tx.Exec(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		}))
		later := things()
		later.Steps = append(later.Steps, "ALTER TABLE thing ADD COLUMN size BIGINT NOT NULL DEFAULT 7")
		require.NoError(t, db.Migrate(t.Context(), later))
		var size int
		require.NoError(t, db.QueryRow(t.Context(), "SELECT size FROM thing WHERE name = 'kept'").Scan(&size))
		assert.Equal(t, 7, size)
		others := queue.Schema{Name: "others", Steps: []string{"CREATE TABLE a (x TEXT)", "CREATE TABLE b (x TEXT)"}}
		assert.ErrorContains(t, db.Migrate(t.Context(), others), "it has 3 steps, this version knows 2")
	})
}

func TestAStepThatFailsLeavesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		wrong := things()
		wrong.Steps = append(wrong.Steps, "CREATE TABLE other (name TEXT); CREATE TABEL x")
		assert.ErrorContains(t, db.Migrate(t.Context(), wrong), `tables of "things"`)
		require.NoError(t, db.Migrate(t.Context(), things()))
		assert.Zero(t, count(t, db))
		right := things()
		right.Steps = append(right.Steps, "CREATE TABLE other (name TEXT)")
		require.NoError(t, db.Migrate(t.Context(), right), "nothing of the step that failed is there")
	})
}

func TestATransactionIsWholeOrNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		require.NoError(t, db.Migrate(t.Context(), things()))
		insert := func(tx *queue.Tx) {
			_, err := tx.Exec(t.Context(), "INSERT INTO thing (name) VALUES ('x')")
			require.NoError(t, err)
		}
		refused := errors.New("no")
		err := db.Write(t.Context(), func(tx *queue.Tx) error {
			insert(tx)
			return refused
		})
		require.ErrorIs(t, err, refused)
		assert.Panics(t, func() {
			_ = db.Write(t.Context(), func(tx *queue.Tx) error {
				insert(tx)
				panic("oops")
			})
		})
		ctx, cancel := context.WithCancel(t.Context())
		require.Error(t, db.Write(ctx, func(tx *queue.Tx) error {
			insert(tx)
			cancel()
			return nil
		}))
		assert.Zero(t, count(t, db))
		require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) error {
			insert(tx)
			return nil
		}))
		assert.Equal(t, 1, count(t, db))
	})
}

func TestInsertTellsWhichRowsAreNew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		db := open(t, address)
		require.NoError(t, db.Migrate(t.Context(), things()))
		rows := [][]any{{"known", nil}}
		insert := func() (names []string) {
			require.NoError(t, db.Write(t.Context(), func(tx *queue.Tx) (err error) {
				names, err = tx.Insert(t.Context(), "thing", []string{"name", "data"}, rows, "name")
				return err
			}))
			return names
		}
		assert.Equal(t, []string{"known"}, insert())
		var want []string
		for range 40 {
			name := strings.Repeat("x", len(rows))
			want = append(want, name)
			rows = append(rows, []any{name, []byte(name)})
		}
		rows = append(rows, rows[3])
		assert.ElementsMatch(t, want, insert())
		assert.Equal(t, 41, count(t, db))
		rows = nil
		assert.Empty(t, insert())
	})
}

func TestAddresses(t *testing.T) {
	for address, says := range map[string]string{
		"":                                    "begins neither",
		"sqlite:":                             "begins neither",
		"mysql://u:hunter22@h/x":              "begins neither",
		"postgres://u:hunter22%zz@h/x":        "cannot be read",
		"postgres://u:hunter22@h:port/x":      "cannot be read",
		"postgres://u:hunter22@127.0.0.1:1/x": "127.0.0.1 does not answer",
		"sqlite:/dev/null/x":                  "folder of the database",
	} {
		t.Run(address, func(t *testing.T) {
			_, err := queue.OpenDB(t.Context(), address)
			require.Error(t, err)
			assert.Contains(t, fault.Public(err), says)
			assert.NotContains(t, fault.Public(err), "hunter22")
		})
	}
}

func TestASQLiteFileIsForOneProcessAndItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder?with=odd&name", "bench.db")
	db := open(t, "sqlite:"+path)
	require.NoError(t, db.Migrate(t.Context(), things()))
	_, err := queue.OpenDB(t.Context(), "sqlite:"+path)
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = db.Query(t.Context(), "INSERT INTO thing (name) VALUES ('x')")
	assert.Error(t, err, "only transactions write")
}

func TestThePasswordsOfAnAddressAreKnown(t *testing.T) {
	t.Setenv("PGPASSWORD", "from-outside")
	for address, want := range map[string][]string{
		"postgres://u:hunter2@h/x":                     {"hunter2"},
		"postgresql://u:hunter%402@h1,h2/x":            {"hunter@2"},
		"postgres://u@h/x?password=hunter2":            {"hunter2"},
		"postgres://u:hunter2@h/x?password=hunter3":    {"hunter2", "hunter3"},
		"postgres://u:hunter2@h/x?sslpassword=hunter3": {"hunter2", "hunter3"},
		"postgres://u@h/x":                             {"from-outside"},
	} {
		assert.Subset(t, queue.AddressSecrets(address), want, address)
	}
	assert.Empty(t, queue.AddressSecrets("sqlite:/data/bench.db"))
	err := queue.CheckAddress("host=h user=u password=hunter2")
	require.Error(t, err, "an address of another form would need its own search for passwords")
	assert.NotContains(t, err.Error(), "hunter2")
}
