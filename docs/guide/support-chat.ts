// A support chat: the server that a page talks to, and the page. The key stays here; the page gets a token for one run [H1].
//
//   PORT=3001 node docs/guide/support-chat.ts

import { createHash } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { Sluice } from "../../src/client/sluice.ts"

const url = process.env["SLUICE_URL"] ?? "http://127.0.0.1:8787"
const sluice = new Sluice({ url, key: process.env["SLUICE_KEY"] ?? "sl_local_dev" })

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Support</title>
<h1>Support</h1><ol id="talk"></ol>
<form><label>Your question <input name="text" required></label> <button>Send</button></form>
<script type="module">
const talk = document.querySelector("#talk")
const visitor = (localStorage.visitor ??= crypto.randomUUID())
const say = (text) => (talk.appendChild(document.createElement("li")).textContent = text)
document.forms[0].addEventListener("submit", async (event) => {
  event.preventDefault()
  const text = new FormData(event.target).get("text")
  event.target.reset()
  say(text)
  const asked = await fetch("/messages", { method: "POST", body: JSON.stringify({ text, visitor }) })
  if (!asked.ok) return say("We cannot answer now. Please try again.")
  const stream = new EventSource((await asked.json()).events)
  stream.addEventListener("run.ended", ({ data }) => {
    const { status, output } = JSON.parse(data)
    say(status === "succeeded" ? output.answer : "We cannot answer this. A person will write to you.")
    stream.close()
  })
})
</script></html>`

createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(PAGE)
    return
  }
  ask(request).then(
    (answer) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer)),
    (error: unknown) => {
      console.error(error)
      response.writeHead(503).end()
    },
  )
}).listen(Number(process.env["PORT"] ?? 3001), "127.0.0.1")

async function ask(request: IncomingMessage): Promise<{ readonly events: string }> {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  const { text, visitor } = JSON.parse(body) as { readonly text: string; readonly visitor: string }
  // A session's name is chosen here, so that no visitor can name another's.
  const session = `visitor-${createHash("sha256").update(visitor).digest("hex").slice(0, 32)}`
  const run = await sluice.flows.run("support", { task: text.slice(0, 2_000), session, rehearse: true }).id
  const { token } = await sluice.runs.token(run, { view: "public" })
  return { events: `${url}/v1/runs/${run}/events?token=${token}` }
}
