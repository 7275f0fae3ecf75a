package dashboard

// texts are the pages. They need no script; their style is the dashboard's.
const texts = `{{define "head"}}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Set up bench</title>
<link rel="stylesheet" href="/style.css">
<style>
main { max-width: 44rem }
.card p, .card ol, .card pre { margin: 0 0 .8rem }
.card ol { padding-left: 1.4rem }
.card label { display: block; margin-bottom: .3rem }
input { font: inherit; padding: .35rem; max-width: 100% }
pre { padding: .6rem .8rem; overflow-x: auto; background: var(--page) }
</style>
</head>
<body>
<nav class="bar" aria-label="Site"><a href="/">bench</a></nav>
<main>
<header class="head"><h1>Set up bench</h1></header>
{{end}}

{{define "tail"}}</main>
</body>
</html>
{{end}}

{{define "begin"}}{{template "head"}}
{{if .Near}}<section class="alert"><h2>GitHub cannot reach this server</h2>
<p><code>{{.Base}}</code> is an address of this machine or of its own network. Set
<code>BENCH_APP_PUBLIC_URL</code> to one that GitHub can reach, such as a tunnel's, and start the
server again.</p></section>{{end}}
<section class="card">
<p>GitHub makes an App for this server, which belongs to
{{if .Owner}}the organization <strong>{{.Owner}}</strong>{{else}}<strong>your own account</strong>{{end}},
and hands its keys to the server. GitHub asks for a name that no other App has: comments come
from it.</p>
<p>GitHub will deliver events to <code>{{.Base}}/webhook</code>.{{if not .Near}} If the address
is wrong, set <code>BENCH_APP_PUBLIC_URL</code> and start the server again.{{end}}</p>
<form method="post" action="{{.Target}}">
<input type="hidden" name="manifest" value="{{.Manifest}}">
<button>Make the App on GitHub</button>
</form>
</section>
<section class="card">
<form method="get" action="/setup">
<input type="hidden" name="token" value="{{.Token}}">
<label for="organization">If it is to belong to an organization, name it first:</label>
<input id="organization" name="organization" value="{{.Owner}}" autocomplete="off">
<button>Choose</button>
</form>
</section>
{{template "tail"}}{{end}}

{{define "next"}}<ol>
<li><a href="{{.}}">Install the App</a> in your repositories.</li>
<li>Put <code>.github/bench.yml</code> on a repository's default branch, for a trial without a
model:
<pre>model: scripted
executor: local</pre></li>
<li>Open a pull request there. The <a href="/">dashboard</a> shows its runs.</li>
</ol>{{end}}

{{define "done"}}{{template "head"}}
<section class="card">
<p>The App <strong>{{.Name}}</strong> is set up, and the server works with it. What remains:</p>
{{template "next" .Install}}
</section>
{{template "tail"}}{{end}}

{{define "already"}}{{template "head"}}
<section class="card">
<p>The App is set up already. What remains, if it has not been done:</p>
{{template "next" .}}
</section>
{{template "tail"}}{{end}}

{{define "problem"}}{{template "head"}}
<section class="card"><p>{{.}}</p></section>
{{template "tail"}}{{end}}
`
