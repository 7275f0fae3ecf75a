package target_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestS12WhatAnAgentDoesInItsFolderIsJudged(t *testing.T) {
	cases := map[string]struct {
		script string
		// want is a part of the reason, empty for success.
		want string
	}{
		"does what is asked for":                 {`echo 2 > a.txt`, ""},
		"writes it anew, as editors do":          {`echo 2 > .a.new; mv .a.new a.txt`, ""},
		"writes and takes back":                  {`echo 2 > a.txt; touch note; rm note; mkdir new; rmdir new`, ""},
		"does nothing":                           {`true`, "verify: the task was not done"},
		"writes something else":                  {`echo 3 > a.txt`, `may become \"2\\n\" alone`},
		"changes another file":                   {`echo 2 > a.txt; echo c > sub/b.txt`, "changed file sub/b.txt"},
		"makes another file":                     {`echo 2 > a.txt; echo 2 > c.txt`, "created file c.txt"},
		"makes a folder":                         {`echo 2 > a.txt; mkdir empty`, "created folder empty"},
		"removes a file":                         {`echo 2 > a.txt; rm sub/b.txt`, "deleted file sub/b.txt"},
		"makes a program of it":                  {`echo 2 > a.txt; chmod +x a.txt`, "its mode may not change"},
		"makes a program with the owner's right": {`echo 2 > a.txt; cp /bin/true su; chmod 4755 su`, "created file su"},
		"puts a link in the file's place":        {`rm a.txt; ln -s /etc/passwd a.txt`, "created link a.txt"},
		"puts a link in the folder's place":      {`echo 2 > a.txt; rm -r sub; ln -s /etc sub`, "created link sub"},
		"puts a pipe in the file's place":        {`rm a.txt; mkfifo a.txt`, "created special file a.txt"},
		"removes everything":                     {`rm -rf ./* ./.??*`, "deleted file a.txt"},
		"removes the folder if it can":           {`rm -rf "$PWD"; true`, "deleted file a.txt"},
		"takes its rights away":                  {`echo 2 > a.txt; mkdir dark; echo x > dark/x; chmod 0 dark`, "created "},
		"makes a file of a terabyte":             {`echo 2 > a.txt; truncate -s 1T huge`, "more than 256 MiB"},
		"makes more files than are read":         {`echo 2 > a.txt; seq 10001 | xargs touch`, "more than 10000 files"},
		"makes folders in each other":            {`echo 2 > a.txt; for i in $(seq 100); do mkdir d; cd d; done`, "more than 64 folders"},
		"gives files names that are no text":     {"echo 2 > a.txt; touch \"$(printf 'x\\377\\ny')\"", "created file x"},
	}
	r := newRig(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if name == "makes more files than are read" {
				testkit.NeedComplete(t)
			}
			tried := r.try(t, c.script, false)
			if c.want == "" {
				require.Nil(t, tried.Error, told(t, tried))
				assert.True(t, tried.Judged)
				return
			}
			require.NotNil(t, tried.Error, told(t, tried))
			assert.Equal(t, bench.CheckpointFailed, tried.Error.Type)
			assert.Contains(t, told(t, tried), c.want)
			assert.NotContains(t, told(t, tried), "root:", "a link was followed")
		})
	}
}

func TestAnAgentReachesNothingOfTheTasksCommands(t *testing.T) {
	r := newRig(t)
	if !r.own() {
		t.Skip("agents have no user of their own here")
	}
	secret := filepath.Join(r.base, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("ours alone"), 0o600))
	r.scenario.Target.Verify = `test "$(cat "$BENCH_STATE/kept")" = kept && test ! -e "$BENCH_STATE/planted" && test ! -u su && grep -qx 2 a.txt`
	tried := r.try(t, `
		for place in "$BASE"/bench-task-* "$BASE"/bench-task-*/state "$BASE"/bench-task-*/work; do
			echo found > "$place/planted"; rm -rf "$place"
			cat "$place/kept" "$place/answer"; ls "$place"
		done 2> /dev/null
		ln "$BASE/secret" stolen 2> /dev/null
		ln -s "$BASE/secret" linked
		cp /bin/true su; chmod 4755 su
		env
		echo 2 > a.txt`, false)
	text := told(t, tried) + tried.Answer
	assert.NotContains(t, text, "ours alone")
	assert.NotContains(t, text, "kept")
	assert.NotContains(t, text, "BENCH_")
	require.NotEmpty(t, tried.Checkpoints)
	assert.Equal(t, bench.CheckpointResult{Name: "verify", Passed: true, Detail: "the task was done"}, tried.Checkpoints[0])
}

// What still runs when the agent's session is closed, such as its own server,
// could write while the verdict is made.
func TestWhatIsWrittenAfterTheEndChangesNothing(t *testing.T) {
	r := newRig(t)
	// The agent's process writes as soon as verify has begun, which waits for that.
	signal := filepath.Join(r.base, "begun")
	written := filepath.Join(r.space.Temp(), "written")
	r.scenario.Target.Verify = `touch ` + signal + `; while [ ! -e ` + written + ` ]; do :; done; grep -qx 2 a.txt`
	tried := r.try(t, `echo 2 > a.txt
		(while [ ! -e `+signal+` ]; do :; done; echo 3 > a.txt; echo late > late.txt; touch `+written+`) > /dev/null 2>&1 &`, true)
	assert.Nil(t, tried.Error, told(t, tried))
	assert.FileExists(t, written)
}
