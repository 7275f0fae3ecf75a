const minutes = Number(process.argv.at(-1) ?? 30)
const end = Date.now() + minutes * 60_000
let requests = 0
let slow = 0

while (Date.now() < end) {
  const began = performance.now()
  await fetch("http://127.0.0.1:8080/quotes", { method: "POST", body: "{}" })
  requests += 1
  if (performance.now() - began > 250) {
    slow += 1
  }
}

console.log(JSON.stringify({ requests, slow }))
process.exit(slow / requests > 0.01 ? 1 : 0)
