package github

import (
	"os"
	"strconv"
	"strings"

	"github.com/bradleyfalzon/ghinstallation/v2"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// AppSettings say which App asks, and in which of its installations.
type AppSettings struct {
	AppID, InstallationID int64
	// PrivateKey is a key of the App's in PEM.
	PrivateKey []byte
}

// AppVariables are the names of the environment variables that have an App's
// settings. The key is in one of two: itself, or the path of its file.
type AppVariables struct {
	AppID, InstallationID, PrivateKey, PrivateKeyPath string
}

// Read reads the settings. Given is false if none of the variables is set. An
// error is of kind invalid and names the variables that are missing or wrong;
// it never repeats what is in them.
func (v AppVariables) Read(getenv func(string) string) (settings AppSettings, given bool, err error) {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	id, installation, key, path := get(v.AppID), get(v.InstallationID), get(v.PrivateKey), get(v.PrivateKeyPath)
	if id+installation+key+path == "" {
		return AppSettings{}, false, nil
	}
	var missing []string
	for _, one := range []struct{ value, name string }{
		{id, v.AppID}, {installation, v.InstallationID}, {key + path, v.PrivateKey + " or " + v.PrivateKeyPath},
	} {
		if one.value == "" {
			missing = append(missing, one.name)
		}
	}
	if len(missing) > 0 {
		return AppSettings{}, true, fault.Invalidf("the settings of a GitHub App are not complete: set %s too, or none of them", strings.Join(missing, " and "))
	}
	if key != "" && path != "" {
		return AppSettings{}, true, fault.Invalidf("%s and %s are both set: keep one of them", v.PrivateKey, v.PrivateKeyPath)
	}
	if settings.AppID, err = number(v.AppID, id); err != nil {
		return AppSettings{}, true, err
	}
	if settings.InstallationID, err = number(v.InstallationID, installation); err != nil {
		return AppSettings{}, true, err
	}
	settings.PrivateKey, err = v.key(key, path)
	return settings, true, err
}

func number(name, value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n <= 0 {
		return 0, fault.Invalidf("%s is not a number as GitHub gives them, such as 123456", name)
	}
	return n, nil
}

// key returns the private key. Where an environment has no lines, people write
// their ends as \n.
func (v AppVariables) key(text, path string) ([]byte, error) {
	name := v.PrivateKey
	if path != "" {
		name = v.PrivateKeyPath
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fault.Invalidf("%s names a file that cannot be read: %w", name, err)
		}
		text = string(data)
	}
	key := []byte(strings.NewReplacer(`\r\n`, "\n", `\n`, "\n").Replace(strings.Trim(text, `"'`)))
	if !isKey(key) {
		return nil, fault.Invalidf("%s holds no private key in PEM: give the whole of the .pem file that GitHub made for the App, from BEGIN to END", name)
	}
	return key, nil
}

// isKey reports whether a text is a private key that an App can sign with.
func isKey(pem []byte) bool {
	_, err := ghinstallation.NewAppsTransport(nil, 1, pem)
	return err == nil
}
