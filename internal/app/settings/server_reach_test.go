package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestWhatABenchmarkReachesIsOneHostAndOnePort(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "127.0.0.1:", ":5432", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:05432", "127.0.0.1:+5432", "127.0.0.1:postgres", "127.0.0.1:5432-5440",
		"*:5432", "*.example.com:5432", "0.0.0.0:5432", "[::]:5432", "10.0.0.0/8:5432", "127.0.0.1:*", "db:5432:5433", "::1:5432",
		"169.254.169.254:80", "[fe80::1]:80", "[fe80::1%eth0]:80", "[::1%lo]:5432", "[::ffff:169.254.169.254]:80", "[fd00:ec2::254]:80", "224.0.0.1:1", "255.255.255.255:1",
		"2852039166:80", "0xa9fea9fe:80", "169.254.43518:80", "010.0.0.1:80", "-db:5432", "db-:5432", "a..b:5432", "db.:5432", "d_b:5432",
		"postgres://u:p@db:5432", "unix:/var/run/docker.sock", "/var/run/docker.sock", "db:5432/x", "db\n:5432", "127.0.0.1:5432,127.0.0.2:5432", "db:5432;x:1",
	} {
		_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir(), "BENCH_APP_LOCAL_REACH": "127.0.0.1:1, " + address}), "")
		require.ErrorContains(t, err, "BENCH_APP_LOCAL_REACH ", address)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), address)
		assert.NotContains(t, err.Error(), "u:p@")
	}
	for _, address := range []string{"127.0.0.1:5432", "[::1]:5432", "10.1.2.3:1", "db:65535", "db-1.example.com:5432"} {
		c, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir(), "BENCH_APP_LOCAL_REACH": address}), "")
		require.NoError(t, err)
		assert.Equal(t, []string{address}, c.Local.Reach)
	}
}

func TestABenchmarkDoesNotReachTheServersDatabase(t *testing.T) {
	for database, addresses := range map[string][]string{
		"postgres://u:p@db.example.com/x":      {"db.example.com:5432", "DB.example.com:5432"},
		"postgres://u:p@127.0.0.1:5433/x":      {"127.0.0.1:5433", "localhost:5433", "[::1]:5433", "127.0.0.2:5433"},
		"postgresql://u:p@localhost:5432/x":    {"127.0.0.1:5432"},
		"postgres://u:p@[::1]:5432/x?a=b":      {"127.0.0.1:5432"},
		"postgres://u:p@db.example.com:6000/x": nil,
	} {
		for _, address := range addresses {
			_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir(), "DATABASE_URL": database, "BENCH_APP_LOCAL_REACH": address}), "")
			require.ErrorContains(t, err, "BENCH_APP_LOCAL_REACH names the server of DATABASE_URL", address)
		}
		_, err := settings.ReadServer(env(map[string]string{"BENCH_APP_DATA_DIR": t.TempDir(), "DATABASE_URL": database, "BENCH_APP_LOCAL_REACH": "db.example.com:5999"}), "")
		require.NoError(t, err)
	}
}
