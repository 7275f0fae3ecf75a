package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The events of a package, as go test writes them.
const (
	passes  = `{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}` + "\n"
	ends    = `{"Action":"pass","Package":"p","Elapsed":1.5}` + "\n"
	skips   = `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: NOT TESTED: no ghx\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}` + "\n"
	fails   = `{"Action":"output","Package":"p","Test":"TestC","Output":"want 1\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestC"}` + "\n" + `{"Action":"fail","Package":"p"}` + "\n"
	hangs   = `{"Action":"output","Package":"p","Test":"TestD","Output":"goroutine 7\n"}` + "\n" + `{"Action":"fail","Package":"p"}` + "\n"
	noTests = `{"Action":"skip","Package":"q","Elapsed":0}` + "\n"
	noBuild = "# p\np.go:1: syntax error\n" + `{"ImportPath":"p","Action":"build-fail"}` + "\n"
)

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ events, list, wantErr, wantOut string }{
		"all pass":                             {passes + noTests + ends, "", "", "ok   p 1.5s"},
		"a skip that is listed":                {passes + skips + ends, "# why\nno ghx # it is not here\n", "", "1 tests were skipped, all for listed reasons"},
		"a skip that is listed by name":        {passes + skips + ends, "^TestB:", "", ""},
		"a skip that is not":                   {passes + skips + ends, "no gh$", "1 tests were skipped for reasons that are not listed", "SKIPPED TestB: b_test.go:7: NOT TESTED: no ghx"},
		"a failure":                            {passes + fails, "", "2 failed: p TestC, p", "want 1"},
		"a test that hung":                     {hangs, "", "1 failed: p", "DID NOT END p TestD\ngoroutine 7"},
		"a build that fails":                   {noBuild + ends, "", "1 failed", "syntax error"},
		"nothing":                              {"", "", "nothing was tested", ""},
		"a list that is none":                  {ends, "(", "read the list", ""},
		"a last line that was cut off, passed": {passes + strings.TrimSuffix(ends, "\n"), "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			_, err := check(strings.NewReader(c.events), &out, c.list)
			if c.wantErr == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.wantErr)
			}
			assert.Contains(t, out.String(), c.wantOut)
		})
	}
}

func TestWhatMayBeRunAgain(t *testing.T) {
	races := strings.Replace(fails, "want 1", "WARNING: DATA RACE", 1)
	part := `{"Action":"fail","Package":"p","Test":"TestC/first"}` + "\n"
	many := ""
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		many += strings.Split(strings.ReplaceAll(fails, "TestC", "TestC"+name), `{"Action":"fail","Package":"p"}`)[0]
	}
	for name, c := range map[string]struct {
		events string
		again  []string
	}{
		"a test that failed":             {passes + fails, []string{"p TestC"}},
		"a part of it is no test":        {part + fails, []string{"p TestC"}},
		"nothing failed":                 {passes + ends, nil},
		"a data race is no accident":     {races, nil},
		"beside a test that hung":        {strings.Split(fails, `{"Action":"fail","Package":"p"}`)[0] + hangs, nil},
		"beside a build that fails":      {noBuild + fails, nil},
		"a package that died":            {`{"Action":"fail","Package":"p"}` + "\n", nil},
		"a skip that is not listed":      {skips + fails, nil},
		"more than a machine's bad luck": {many + fails, nil},
	} {
		t.Run(name, func(t *testing.T) {
			again, _ := check(strings.NewReader(c.events), io.Discard, "")
			assert.Equal(t, c.again, again)
		})
	}
}
