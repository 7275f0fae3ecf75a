package setup

// texts are the pages. They need no script, and follow the system's colours.
const texts = `{{define "head"}}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Set up bench</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem }
input { font: inherit; padding: .4rem; max-width: 100% }
code { overflow-wrap: anywhere }
</style>
</head>
<body>
<h1>Set up bench</h1>
{{end}}

{{define "begin"}}{{template "head"}}
<p>GitHub makes an App for this server, for
{{if .Owner}}the organization <strong>{{.Owner}}</strong>{{else}}your own account{{end}},
and hands its keys to the server. GitHub will deliver events to
<code>{{.Base}}/webhook</code>, so it must be able to reach that address. If the
address is wrong, set <code>BENCH_APP_PUBLIC_URL</code> and start the server again.</p>
<form method="post" action="{{.Target}}">
<input type="hidden" name="manifest" value="{{.Manifest}}">
<button>Make the App on GitHub</button>
</form>
<h2>For an organization</h2>
<form method="get" action="/setup">
<input type="hidden" name="token" value="{{.Token}}">
<label>Name of the organization <input name="organization" value="{{.Owner}}"></label>
<button>Choose</button>
</form>
</body></html>
{{end}}

{{define "done"}}{{template "head"}}
<p>The App <strong>{{.Name}}</strong> is set up, and the server works with it.</p>
<p><a href="{{.Install}}">Install it in your repositories</a>, and say in
<code>.github/bench.yml</code> what it shall do.</p>
</body></html>
{{end}}

{{define "problem"}}{{template "head"}}
<p>{{.}}</p>
</body></html>
{{end}}
`
