package actioncli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// dropCredentials takes out of the configuration of a repository, and of its
// submodules', what lets git in: see withoutCredentials.
func dropCredentials(repository string) error {
	return filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "objects" || entry.Name() == "refs"):
			// A submodule can have that name, too.
			if _, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD")); err == nil {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), "config"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		kept := withoutCredentials(string(text))
		if kept == string(text) {
			return nil
		}
		const ownerOnly = 0o600
		return os.WriteFile(path, []byte(kept), ownerOnly)
	})
}

var (
	// webUser is a name, or a token, in the address of a remote; password one with a
	// password in any address.
	webUser  = regexp.MustCompile(`(?i)(https?://)[^/@\s"]+@`)
	password = regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://[^/:@\s"]*):[^/@\s"]*@`)
	// header begins a section, setting names a key.
	header  = regexp.MustCompile(`^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"(?:[^"\\]|\\.)*")?\s*\]`)
	setting = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9-]*)`)
)

// withoutCredentials returns a configuration of git's, see git-config(1), without what
// has credentials: headers, helpers, files that are included, which may be elsewhere,
// passwords of mail servers, and those in addresses.
func withoutCredentials(text string) string {
	var kept strings.Builder
	section, dropped, goesOn := "", false, false
	for line := range strings.Lines(text) {
		before := line
		if begins := header.FindStringSubmatch(line); begins != nil {
			section, _, _ = strings.Cut(strings.ToLower(begins[1]), ".")
			// A setting may follow in the same line.
			kept.WriteString(withoutPasswords(begins[0]))
			line = line[len(begins[0]):]
		}
		name := ""
		if found := setting.FindStringSubmatch(line); found != nil {
			name = strings.ToLower(found[1])
		}
		dropped = goesOn && dropped || isCredential(section, name)
		switch {
		case !dropped:
			kept.WriteString(withoutPasswords(line))
		case line != before:
			kept.WriteString("\n")
		}
		end := strings.TrimRight(line, "\r\n")
		goesOn = (len(end)-len(strings.TrimRight(end, `\`)))%2 == 1
	}
	return kept.String()
}

// isCredential reports whether a setting has, or leads to, credentials.
func isCredential(section, name string) bool {
	switch section {
	case "credential", "include", "includeif":
		return name != ""
	default:
		return strings.HasSuffix(name, "extraheader") || strings.HasSuffix(name, "pass") || strings.HasSuffix(name, "password") || strings.HasSuffix(name, "cookiefile")
	}
}

func withoutPasswords(line string) string {
	return password.ReplaceAllString(webUser.ReplaceAllString(line, "$1"), "$1@")
}
