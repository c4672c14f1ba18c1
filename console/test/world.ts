// What the browser meets: the built Worker with a tenant and its flows, the model and the tools on loopback, and another company's page, which
// makes chat tokens with a key that it shows to nobody and has a strict policy of its own.

import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { buildWorker } from "../../local/build.ts"
import { startServer } from "../../local/server.ts"
import { readSettings } from "../../local/settings.ts"
import { ARCHITECT_SCENES } from "./flowside/architect-world.ts"
import { INBOX_FLOWS, INBOX_SCENES } from "./inbox/inbox-world.ts"
import { startModel, type Model } from "./model.ts"
import { QUALITY_SCENES } from "./quality/quality-scenes.ts"
import { RUN_SCENES } from "./run/run-world.ts"
import { ATTACK, SCENES } from "./scenes.ts"

export interface World {
  /** The Worker. */
  readonly url: string
  /** The page of another origin. */
  readonly page: string
  readonly key: string
  readonly model: Model
  /** Bodies that the refund tool was sent. */
  readonly refunds: readonly unknown[]
  api(method: string, path: string, body?: unknown): Promise<unknown>
  /** Kills the server; what is awaited then starts it anew, at the same address and with the same data. */
  kill(): Promise<() => Promise<void>>
  close(): Promise<void>
}

const KEY = "sl_local_dev"

export async function startWorld(): Promise<World> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-console-"))
  const worker = await buildWorker("src/index.ts", "dist/console-worker.js")
  const model = await startModel({ ...SCENES, ...INBOX_SCENES, ...ARCHITECT_SCENES, ...RUN_SCENES, ...QUALITY_SCENES })
  const refunds: unknown[] = []
  const tools = await listen(async (incoming) => {
    const body = await read(incoming)
    if (incoming.url?.startsWith("/send") === true) refunds.push(JSON.parse(body))
    const isAttack = decodeURIComponent(incoming.url ?? "").includes("onerror")
    return { type: "application/json", body: JSON.stringify(isAttack ? { note: ATTACK } : { charges: ["ch_3QF1kT", "ch_3QF1kV"] }) }
  })
  const start = (port: string) =>
    startServer(
      readSettings({ ...process.env, HOST: "", PORT: port, SLUICE_DATA: data, ALLOWED_PRIVATE_HOSTS: "127.0.0.1,localhost" }),
      worker,
    )
  let server = await start("0")
  const api = async (method: string, place: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" }
    const answer = await fetch(server.url + place, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${text.slice(0, 600)}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  const host = await listen(async (incoming) => {
    const url = new URL(incoming.url ?? "/", "http://host")
    if (incoming.method === "POST" && url.pathname === "/chat-token") {
      const { flow = "assist", thread } = JSON.parse(await read(incoming)) as { readonly flow?: string; readonly thread?: string }
      const may = { answer: url.searchParams.get("answer") === "yes", feedback: url.searchParams.get("feedback") === "yes" }
      const wish = { ...may, ttl: 3_600, ...(thread === undefined ? {} : { thread }) }
      return { type: "application/json", body: JSON.stringify(await api("POST", `/v1/flows/${flow}/chat-token`, wish)) }
    }
    return { type: "text/html; charset=utf-8", body: hostPage(server.url, url), policy: policyOf(server.url) }
  })
  await api("PUT", "/v1/settings/providers/scenes", { kind: "openai-compatible", baseUrl: model.url, apiKey: "not-needed-here" })
  await api("PUT", "/v1/settings/roles", { default: "scenes/m" })
  const id = { type: "object", properties: { id: { type: "string" } }, additionalProperties: false }
  await api("PUT", "/v1/tools/charges", {
    description: "Reads charges.",
    parameters: id,
    request: { method: "GET", url: `${tools.url}/charges?of=\${{args.id}}` },
    effect: "read",
    untrusted: false,
  })
  await api("PUT", "/v1/tools/refund", {
    description: "Refunds a charge.",
    parameters: {
      type: "object",
      properties: { to: { type: "string" }, text: { type: "string" }, amount: { type: "number" } },
      required: ["to"],
      additionalProperties: false,
    },
    request: { method: "POST", url: `${tools.url}/send`, body: { to: "${{args.to}}", text: "${{args.text}}", amount: "${{args.amount}}" } },
    effect: "write",
    untrusted: false,
    approval: "always",
  })
  await api("PUT", "/v1/catalog", {
    agents: {
      "helper.md": "---\nname: helper\ndescription: Helps\ntools: [charges, refund, ask_user]\n---\nSECRET-PROMPT. Help with ${{task}}\n",
    },
    flows: {
      ...INBOX_FLOWS,
      "assist.yaml":
        "name: assist\ndescription: Answers questions about invoices.\nautonomous: false\nsteps:\n  - { id: help, type: agent, agent: helper }\n",
      "pair.yaml":
        'name: pair\ndescription: Looks, then writes.\nautonomous: false\ntask_required: true\ninputs:\n  who: { type: string, required: true, description: Whom it is for }\n  often: { type: number, required: false, default: 2 }\nsteps:\n  - { id: look, type: agent, agent: helper, task: "scene:hello" }\n  - { id: write, type: agent, agent: helper, blockedBy: look, task: "${{task}}" }\n',
      "desk.yaml":
        "name: desk\ndescription: Hands everything on.\nautonomous: false\nsteps:\n  - { id: on, type: flow-ref, flow: assist }\n",
      "other.yaml": "name: other\ndescription: Another flow.\nautonomous: false\nsteps:\n  - { id: help, type: agent, agent: helper }\n",
    },
  })
  await api("PUT", "/v1/settings/cors", { origins: [host.url] })
  return {
    url: server.url,
    page: host.url,
    key: KEY,
    model,
    refunds,
    api,
    async kill() {
      const { port } = new URL(server.url)
      await server.close()
      return async () => {
        server = await start(port)
      }
    },
    async close() {
      await Promise.allSettled([server.close(), model.close(), tools.close(), host.close()])
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** What docs/guide/14-embed-a-chat.md says a page needs, and nothing more. */
const policyOf = (server: string): string =>
  `default-src 'none'; script-src ${server}; connect-src 'self' ${server}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`

function hostPage(server: string, url: URL): string {
  const may = ["answer", "feedback"].filter((right) => url.searchParams.get(right) === "yes")
  const answer = may.length === 0 ? "" : `?${may.map((right) => `${right}=yes`).join("&amp;")}`
  const more = url.searchParams.get("theme") === null ? "" : ` theme="${url.searchParams.get("theme") === "dark" ? "dark" : "light"}"`
  const shown =
    url.searchParams.get("shut") === null
      ? "open"
      : `color="${encodeURIComponent(url.searchParams.get("color") ?? "").replace("%23", "#")}" corner="bottom-left"`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Acme</title><script type="module" src="${server}/sluice-chat.js"></script></head>
<body><main><h1>Acme</h1><p>Another company's page.</p>
<sluice-chat floating ${shown} flow="assist" token-src="/chat-token${answer}" label="Ask Acme" agent="Acme"${more}></sluice-chat></main></body></html>`
}

interface Answer {
  readonly type: string
  readonly body: string
  readonly policy?: string
}

async function listen(answer: (incoming: IncomingMessage) => Promise<Answer>): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    answer(incoming).then(
      ({ type, body, policy }) => {
        response.writeHead(200, { "content-type": type, ...(policy === undefined ? {} : { "content-security-policy": policy }) })
        response.end(body)
      },
      (error: unknown) => {
        response.writeHead(500)
        response.end(String(error))
      },
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

async function read(incoming: IncomingMessage): Promise<string> {
  let body = ""
  for await (const chunk of incoming.setEncoding("utf8")) body += String(chunk)
  return body
}
