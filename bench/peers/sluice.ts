// Runs Sluice from a checkout of this repository with its dist/worker.js: this checkout, or an older one for comparison. Steps are agents
// with a scripted model that answers at once, or code; the agents of w4 call the model server.

import { readFileSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { z } from "zod"
import { LOCAL_KEY } from "../../local/settings.ts"
import { catalog, PROVIDER } from "../flows.ts"
import type * as Servers from "../server.ts"
import { bodyOf } from "./ask.ts"
import { type Contender, type Work, WORKS } from "./contender.ts"
import { FLOWS, flowOf, HANDLERS, PEER_AGENT } from "./sluice-flows.ts"

const Ended = z.object({
  id: z.string(),
  status: z.literal("succeeded"),
  ended: z.string().optional(),
  start: z.object({ began: z.number().optional() }).optional(),
})
const Page = z.object({ data: z.array(z.object({ seq: z.number(), at: z.number(), type: z.string() })) })

export interface Checkout {
  readonly name: string
  readonly root: string
}

export function sluice({ name, root }: Checkout, kind: "agents" | "code" = "agents"): Contender {
  return {
    name: kind === "code" ? `${name}, code steps` : name,
    note: "each commit waits for its fsync",
    works: kind === "code" ? ["w1", "w2"] : WORKS,
    async start(data, model) {
      const file: unknown = pathToFileURL(path.join(root, "bench/server.ts")).href
      const { Server }: typeof Servers = await import(String(file))
      const server = await Server.start(data)
      await setUp(server.url, model)
      return { pid: parentOf(server.pid), run: (work, key) => run(server.url, work, kind, key), stop: () => server.stop() }
    },
  }
}

export async function setUp(url: string, model: string): Promise<void> {
  await put(url, "/v1/settings/providers/bench", PROVIDER)
  await put(url, "/v1/settings/providers/peer", { kind: "openai-compatible", baseUrl: model, apiKey: "none" })
  const { agents } = catalog([])
  await put(url, "/v1/catalog", { agents: { ...agents, "peer.md": PEER_AGENT }, flows: FLOWS, skills: {}, code: HANDLERS })
}

export async function run(url: string, work: Work, kind: "agents" | "code", key = "key-0"): Promise<readonly number[]> {
  const body = { task: "go", autonomous: true, ...(work === "w5" ? { inputs: { key } } : {}) }
  const start = { method: "POST", target: `/v1/flows/${flowOf(work, kind)}/runs`, body }
  const { id, start: line, ended } = Ended.parse(await send(url, { ...start, more: { prefer: "wait=80" } }))
  if (work === "w5") return line?.began === undefined || ended === undefined ? [] : [line.began, Date.parse(ended)]
  return work === "w2" ? finished(url, id) : []
}

/** When each step ended, from the journal. */
async function finished(url: string, id: string): Promise<readonly number[]> {
  const at: number[] = []
  for (let after = 0; ;) {
    const { data } = Page.parse(await send(url, { method: "GET", target: `/v1/runs/${id}/events?after=${after}&limit=1000` }))
    if (data.length === 0) return at
    for (const event of data) if (event.type === "step.finished") at.push(event.at)
    after = data.at(-1)?.seq ?? after
  }
}

const put = (url: string, target: string, body: object): Promise<unknown> => send(url, { method: "PUT", target, body })

interface Call {
  readonly method: string
  readonly target: string
  readonly body?: object
  readonly more?: Readonly<Record<string, string>>
}

async function send(url: string, { method, target, body, more }: Call): Promise<unknown> {
  const headers = { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json", ...more }
  const text = await bodyOf(method, url + target, body === undefined ? "" : JSON.stringify(body), headers)
  return text === "" ? undefined : JSON.parse(text)
}

/** workerd is started by the launcher, whose time counts too. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
}
