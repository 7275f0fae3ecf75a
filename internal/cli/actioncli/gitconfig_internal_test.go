package actioncli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAConfigurationKeepsWhatIsNoCredential(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"what is none":                 {"[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://github.com/a/b\n\tfetch = +refs/*:refs/*\n", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://github.com/a/b\n\tfetch = +refs/*:refs/*\n"},
		"a header":                     {"[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic x\n\tsslVerify = true\n", "[http \"https://github.com/\"]\n\tsslVerify = true\n"},
		"a header in the section's":    {"[http] ExtraHeader = AUTHORIZATION: basic x\n[core]\n", "[http]\n[core]\n"},
		"a header in two lines":        {"[http]\nextraheader = \\\nAUTHORIZATION: basic x\nproxy = p\n", "[http]\nproxy = p\n"},
		"one that a comment hides":     {"[http]\n# \\\nextraheader = x\n", "[http]\n# \\\n"},
		"a token in an address":        {"[remote \"o\"]\n\turl = https://x-access-token:t@github.com/a\n\tpushurl = HTTPS://t@github.com/a\n", "[remote \"o\"]\n\turl = https://github.com/a\n\tpushurl = HTTPS://github.com/a\n"},
		"a token in what stands for":   {"[url \"https://oauth2:t@github.com/\"]\n\tinsteadOf = https://github.com/\n", "[url \"https://github.com/\"]\n\tinsteadOf = https://github.com/\n"},
		"a password of another scheme": {"[url \"ftp://me:t@h/\"]\n[remote \"o\"]\n\turl = ssh://git@github.com/a\n", "[url \"ftp://me@h/\"]\n[remote \"o\"]\n\turl = ssh://git@github.com/a\n"},
		"a proxy's":                    {"[http]\n\tproxy = http://me:t@proxy:8080\n", "[http]\n\tproxy = http://proxy:8080\n"},
		"a helper":                     {"[credential]\n\thelper = \"!f() { echo password=t; }; f\"\n[credential \"https://h\"]\nusername = t\n[a]\nhelper = x\n", "[credential]\n[credential \"https://h\"]\n[a]\nhelper = x\n"},
		"the old form of a section":    {"[credential.https]\nhelper = x\n", "[credential.https]\n"},
		"files of elsewhere":           {"[include]\n\tpath = /home/r/.gitconfig\n[includeIf \"gitdir:/x\"]\n\tpath = /t/git-credentials-1.config\n[core]\n\tx = y", "[include]\n[includeIf \"gitdir:/x\"]\n[core]\n\tx = y"},
		"a mail server's":              {"[sendemail]\n\tsmtpPass = t\n\tsmtpServer = s\n", "[sendemail]\n\tsmtpServer = s\n"},
		"the ends of lines":            {"[http]\r\n\textraheader = t\r\n\ta = b\r\n", "[http]\r\n\ta = b\r\n"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.after, withoutCredentials(c.before)) })
	}
}
