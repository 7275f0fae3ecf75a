"use strict";
(() => {
const page = document.documentElement.dataset
const $ = id => document.getElementById(id)
const overview = $("overview"), finder = $("attempts"), form = $("find"), shown = $("shown"), title = $("title"), crumbs = $("crumbs")
const verdictTitle = document.title

// Pieces are in this page, or in files beside it, which call benchPiece.
let generation = "", waiting = new Map()
globalThis.benchPiece = (name, text) => waiting.get(name)?.(text)

async function piece(name) {
  if ($("piece-index")) {
    if (!$("piece-" + name) && document.readyState === "loading") await new Promise(done => document.addEventListener("DOMContentLoaded", done, {once: true}))
    return $("piece-" + name).textContent
  }
  return new Promise((done, failed) => {
    const script = document.createElement("script")
    waiting.set(name, text => { script.remove(); done(text) })
    script.onerror = () => { script.remove(); failed(new Error("data/" + name + ".js is not there: the report's folder belongs together")) }
    script.src = "data/" + name + ".js" + generation
    document.head.append(script)
  })
}

async function unpacked(name) {
  const packed = atob((await piece(name)).trim()), bytes = new Uint8Array(packed.length)
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i)
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()
}

const kept = new Map()
function part(n) { // the last few are kept
  const name = n + generation
  if (!kept.has(name)) kept.set(name, unpacked(String(n)))
  if (kept.size > 8) kept.delete(kept.keys().next().value)
  return kept.get(name)
}

// make makes an element; texts are texts, whatever is in them.
function make(name, attributes = {}, ...inner) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value)
  element.append(...inner.filter(i => i != null))
  return element
}

const path = (...parts) => "#" + parts.map(p => encodeURIComponent(p)).join("/")
const many = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s")

let index, lines // lines[scenario][mode] are places of rows, by repetition

function take(read) {
  index = read
  lines = index.scenarios.map(() => index.modes.map(() => []))
  index.scenario.forEach((s, row) => lines[s][index.mode[row]].push(row))
  for (const modes of lines) for (const line of modes) line.sort((a, b) => index.iteration[a] - index.iteration[b])
  modeOrder = index.modes.map((_, i) => i).sort((a, b) => rank(a) - rank(b) || (index.modes[a] < index.modes[b] ? -1 : 1))
}
let modeOrder
const rank = mode => ["baseline", "candidate", ""].indexOf(index.roles[mode])
const cellOf = row => ({scenario: index.scenarios[index.scenario[row]].id, mode: index.modes[index.mode[row]], n: index.iteration[row], outcome: index.outcomes[index.outcome[row]]})
const attemptPath = row => { const c = cellOf(row); return path("attempt", c.scenario, c.mode, c.n) }
const find = (scenario, mode, n) => {
  const s = index.scenarios.findIndex(x => x.id === scenario), m = index.modes.indexOf(mode)
  return (lines[s]?.[m] ?? []).find(row => index.iteration[row] === Number(n) && index.part[row] >= 0)
}

// matcher returns what tells whether a row is looked for.
function matcher(want) {
  const holds = (name, list) => want[name] ? list.indexOf(want[name]) : -1
  const outcome = holds("outcome", index.outcomes.map(o => o.word)), mode = holds("mode", index.modes), class_ = holds("class", index.classes), bit = holds("mark", index.marks)
  const word = (want.tool ?? "").toLowerCase(), tools = word && new Set(index.tools.flatMap((tool, i) => tool.toLowerCase().includes(word) ? [i] : []))
  return row => (!want.outcome || index.outcome[row] === outcome) && (!want.mode || index.mode[row] === mode) && (!want.class || index.class[row] === class_) &&
    (!want.mark || bit >= 0 && index.mark[row] >> bit & 1) && (!word || index.tool[row].some(tool => tools.has(tool)))
}

const firstScenarios = 24, firstInLine = 60, firstInList = 200, noun = $("attempts").dataset.noun

// list shows the attempts that are looked for: a line for each scenario and mode, and
// those of one scenario in a table too.
function list(want, only) {
  const fits = matcher(want), place = new Map(index.scenarios.map((s, i) => [s, i])), named = (want.scenario ?? "").toLowerCase()
  let count = 0
  const chosen = index.scenarios.filter(s => only === undefined ? s.id.toLowerCase().includes(named) : s.id === only).flatMap(s => {
    const found = lines[place.get(s)].reduce((sum, line) => sum + line.filter(fits).length, 0)
    count += found
    return found ? [s] : []
  })
  const worse = s => s.worse?.[want.sort] ?? -Infinity
  chosen.sort((a, b) => want.sort && worse(b) !== worse(a) ? worse(b) - worse(a) : a.id < b.id ? -1 : 1)
  $("count").textContent = many(count, "attempt") + " of " + index.scenario.length.toLocaleString("en") + ", in " + many(chosen.length, noun)
  const body = $("matrix").tBodies[0]
  body.replaceChildren()
  const more = $("more-scenarios")
  const show = () => {
    for (const s of chosen.splice(0, firstScenarios)) body.append(...matrixRows(s, lines[place.get(s)], fits, want, only !== undefined))
    more.hidden = !chosen.length
    more.textContent = "Show more " + noun + "s (" + chosen.length.toLocaleString("en") + ")"
    if (!body.querySelector('a.cell[tabindex="0"]')) body.querySelector("a.cell")?.setAttribute("tabindex", "0")
  }
  more.onclick = show
  show()
  $("listed").replaceChildren(...only === undefined ? [] : table(lines[index.scenarios.findIndex(s => s.id === only)] ?? [], fits))
}

function matrixRows(scenario, modes, fits, want, all) {
  const rows = modeOrder.filter(m => modes[m].length)
  return rows.map((m, i) => {
    const line = make("td", {class: "line"}), most = all ? 20 * firstInLine : firstInLine
    for (const row of modes[m].slice(0, most)) {
      const c = cellOf(row), name = c.mode + ", repetition " + c.n + ": " + c.outcome.word, look = "cell " + c.outcome.tone + (fits(row) ? "" : " aside")
      line.append(index.part[row] < 0 ? make("span", {class: look, title: name, role: "img", "aria-label": name}, c.outcome.sign) : make("a", {class: look, href: attemptPath(row), title: name, "aria-label": name, tabindex: "-1"}, c.outcome.sign))
    }
    if (modes[m].length > most) line.append(make("a", {class: "rest", href: path("scenario", scenario.id)}, "and " + (modes[m].length - most).toLocaleString("en") + " more"))
    const solved = modes[m].filter(row => index.outcome[row] === 0).length
    const head = i === 0 && make("th", {scope: "rowgroup", rowspan: rows.length}, make("a", {href: path("scenario", scenario.id)}, scenario.id), scenario.text?.[want.sort] ? make("small", {}, scenario.text[want.sort]) : null)
    return make("tr", {class: i === 0 ? "first" : false}, head || null, make("th", {scope: "row"}, index.modes[m], make("small", {}, solved + " of " + modes[m].length + " passed")), line)
  })
}

function table(modes, fits) {
  const rows = modeOrder.flatMap(m => (modes[m] ?? []).filter(row => index.part[row] >= 0 && fits(row)))
  const body = make("tbody"), more = make("button", {type: "button"})
  const show = () => {
    for (const row of rows.splice(0, firstInList)) {
      const c = cellOf(row), [why, ...figures] = index.texts[row].map(w => index.words[w])
      body.append(make("tr", {}, make("th", {scope: "row"}, c.mode), make("td", {}, make("a", {href: attemptPath(row)}, String(c.n), make("span", {class: "unseen"}, " of " + c.mode))),
        make("td", {class: "why"}, make("span", {class: "pill " + c.outcome.tone}, c.outcome.sign + " " + c.outcome.word), why ? make("p", {class: "soft"}, why) : null), ...figures.map(f => make("td", {class: "figure"}, f))))
    }
    more.hidden = !rows.length
    more.textContent = "Show more attempts (" + rows.length.toLocaleString("en") + ")"
  }
  more.onclick = show
  show()
  const heads = ["Mode", "Repetition", "Result, and why it failed"].map(h => make("th", {scope: "col"}, h)).concat(index.columns.slice(1).map(([h, look]) => make("th", {scope: "col", class: look || false}, h)))
  return [make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Attempts, table"}, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body)), more]
}

// bodyOf returns what is shown of a row.
async function bodyOf(row) {
  const body = make("div", {class: "attempt"})
  body.innerHTML = (await part(index.part[row]))[index.at[row]] // a template has made it, and escaped what agents wrote
  return body
}

const pill = outcome => make("span", {class: "pill " + outcome.tone}, outcome.sign + " " + outcome.word)

async function attempt(scenario, mode, n, call) {
  const row = find(scenario, mode, n)
  if (row === undefined) return missing("There is no attempt of " + scenario + " in " + mode + ", repetition " + n + ".")
  const c = cellOf(row), line = lines[index.scenario[row]][index.mode[row]].filter(r => index.part[r] >= 0), at = line.indexOf(row), links = []
  const link = (text, to) => links.push(make("li", {}, make("a", {href: to}, text)))
  if (at > 0) link("Repetition before", attemptPath(line[at - 1]))
  if (at + 1 < line.length) link("Next repetition", attemptPath(line[at + 1]))
  for (const m of modeOrder) {
    const other = find(scenario, index.modes[m], n)
    if (other === undefined || other === row) continue
    link("In " + index.modes[m] + " (" + cellOf(other).outcome.word + ")", attemptPath(other))
    link("Side by side with " + index.modes[m], path("pair", scenario, n, ...rank(m) < rank(index.mode[row]) ? [index.modes[m], mode] : [mode, index.modes[m]]))
  }
  const body = await bodyOf(row)
  return {name: scenario + ", " + mode + ", repetition " + n, call, show: [make("p", {class: "outcome"}, pill(c.outcome)), make("nav", {class: "beside", "aria-label": "To compare with"}, make("ul", {}, ...links)), body]}
}

async function pair(scenario, n, ...modes) {
  const rows = modes.map(mode => find(scenario, mode, n))
  if (rows.length !== 2 || rows.includes(undefined)) return missing("There are no two attempts of " + scenario + ", repetition " + n + ", in " + modes.join(" and ") + ".")
  const sides = await Promise.all(rows.map(async row => {
    const c = cellOf(row), body = await bodyOf(row)
    for (const part of body.querySelectorAll("section")) part.removeAttribute("aria-labelledby") // there are two of each name
    for (const part of body.querySelectorAll("[role=region]")) part.setAttribute("aria-label", part.getAttribute("aria-label") + " of " + c.mode)
    return make("section", {class: "side", "aria-label": c.mode}, make("h2", {}, make("a", {href: attemptPath(row)}, c.mode), " ", pill(c.outcome)), body)
  }))
  return {name: scenario + ", repetition " + n + ": " + modes.join(" and "), show: [make("div", {class: "pair"}, ...sides)]}
}

const missing = why => ({name: "Not found", show: [make("p", {class: "note"}, why)]})

function crumb(...trail) {
  crumbs.hidden = !trail.length
  crumbs.firstElementChild.replaceChildren(...[["Verdict", "#"], ...trail].map(([text, to]) => make("li", {}, to ? make("a", {href: to}, text) : make("span", {"aria-current": "page"}, text))))
}

let turn = 0, was
async function route() {
  const mine = ++turn, [where, query] = location.hash.slice(1).split(/\?(.*)/s), want = Object.fromEntries(new URLSearchParams(query))
  let kind, rest
  try { [kind, ...rest] = where.split("/").map(decodeURIComponent) } catch { kind = "" }
  let view = null
  const page = rest?.[0]
  switch (kind) {
  case "attempt": {
    const call = rest[3]
    if (was === rest.slice(0, 3).join("/") && call) return toCall(call)
    view = await attempt(...rest).catch(failed)
    crumb(["Attempts", "#attempts"], [page, path("scenario", page)], [rest[1] + ", repetition " + rest[2]])
    break
  }
  case "pair":
    view = await pair(...rest).catch(failed)
    crumb(["Attempts", "#attempts"], [page, path("scenario", page)], ["Repetition " + rest[1] + ", side by side"])
    break
  case "scenario":
    crumb(["Attempts", "#attempts"], [page])
    break
  case "attempts":
    crumb(["Attempts"])
    break
  default:
    crumb()
  }
  if (mine !== turn) return
  was = kind === "attempt" ? rest.slice(0, 3).join("/") : undefined
  const only = kind === "scenario" ? page : undefined, listing = kind === "attempts" || kind === "scenario"
  overview.hidden = Boolean(view) || listing
  finder.hidden = Boolean(view)
  shown.hidden = !view
  title.hidden = !overview.hidden === true
  $("title-of-list").hidden = listing
  title.textContent = view?.name ?? only ?? "Attempts"
  document.title = overview.hidden ? title.textContent : verdictTitle
  shown.replaceChildren(...view?.show ?? [])
  if (!view) {
    for (const field of form.elements) if (field.name) { if (document.activeElement !== field) field.value = want[field.name] ?? "" }
    form.elements.scenario.closest("label").hidden = only !== undefined
    list(want, only)
  }
  if (overview.hidden && !form.contains(document.activeElement)) {
    title.focus()
    scrollTo(0, 0)
  }
  if (view?.call) toCall(view.call)
}

const failed = error => ({name: "Not shown", show: [make("p", {class: "note"}, error.message)]})

// toCall opens a tool call of the attempt that is shown.
function toCall(call) {
  const found = shown.querySelector('details[id$="-' + CSS.escape(call) + '"]')
  if (!found) return
  found.open = true
  found.scrollIntoView({block: "center"})
  found.querySelector("summary").focus({preventScroll: true})
}

const hashOf = () => { // what the form asks for
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)).toString().replaceAll("+", "%20")
  const [where] = location.hash.split("?")
  return (where.startsWith("#scenario/") ? where : "#attempts") + (query ? "?" + query : "")
}
form.addEventListener("submit", event => event.preventDefault())
form.addEventListener("input", () => { history.replaceState(null, "", hashOf()); route() })
form.addEventListener("reset", () => setTimeout(() => { history.replaceState(null, "", hashOf()); route() }))

// Arrow keys go from attempt to attempt; the matrix is one stop of the tab key.
$("matrix").addEventListener("keydown", event => {
  const cell = event.target.closest("a.cell")
  if (!cell || event.altKey || event.ctrlKey || event.metaKey) return
  const row = [...cell.parentElement.querySelectorAll("a.cell")], at = row.indexOf(cell)
  const beside = down => {
    for (let tr = cell.closest("tr"); (tr = down ? tr.nextElementSibling : tr.previousElementSibling);) {
      const cells = tr.querySelectorAll("a.cell")
      if (cells.length) return cells[Math.min(at, cells.length - 1)]
    }
  }
  const to = {ArrowRight: () => row[at + 1], ArrowLeft: () => row[at - 1], Home: () => row[0], End: () => row.at(-1), ArrowDown: () => beside(true), ArrowUp: () => beside(false)}[event.key]?.()
  if (!to) return
  event.preventDefault()
  $("matrix").querySelector('a.cell[tabindex="0"]')?.setAttribute("tabindex", "-1")
  to.setAttribute("tabindex", "0")
  to.focus()
})

// A call that is opened has an address; one that is led to is opened.
shown.addEventListener("click", event => {
  const link = event.target.closest("a"), to = link && /^#a\d+-(call-\d+)$/.exec(link.getAttribute("href"))
  const opened = event.target.closest("summary")?.parentElement
  const [, call] = /-(call-\d+)$/.exec(opened?.id ?? "") ?? []
  if (to) {
    event.preventDefault()
    if (!was) return document.querySelector(link.getAttribute("href")).scrollIntoView({block: "center"})
    history.pushState(null, "", path("attempt", ...was.split("/"), to[1]))
    toCall(to[1])
  } else if (call && was && !opened.open) {
    history.replaceState(null, "", path("attempt", ...was.split("/"), call))
  }
})
document.querySelector("a.skip").addEventListener("click", event => { event.preventDefault(); (finder.hidden ? title : $("title-of-list").hidden ? title : $("title-of-list")).focus() })
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => d.open = true))
addEventListener("hashchange", route)

// A run that goes on is asked about.
async function watch() {
  const told = JSON.parse(await piece("live")), status = $("live")
  status.hidden = false
  status.querySelector("span").textContent = told.text
  const bar = status.querySelector("progress")
  bar.max = Math.max(1, told.total)
  bar.value = told.done
  if (generation !== told.generation) {
    generation = told.generation
    overview.innerHTML = await unpacked("body")
    take(await unpacked("index"))
    if (!shown.hidden) return told.over
    await route()
  }
  return told.over
}

async function begin() {
  if (page.live !== undefined) {
    const again = async () => { if (!await watch().catch(error => { $("live").querySelector("span").textContent = "The server does not answer." })) setTimeout(again, 2000) }
    take(await unpacked("index"))
    await route()
    again()
  } else {
    take(await unpacked("index"))
    await route()
  }
  performance.mark("attempts shown")
  finder.dataset.ready = ""
}
begin().catch(error => { $("count").textContent = "The attempts cannot be shown: " + error.message })
})()
