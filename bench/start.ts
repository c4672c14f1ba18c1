// `npm run bench:start [-- --starts=60]`: measures the time from the request that starts a run to the first event at a client, compared
// with the minimum: a bare object that stores one row, answers, and streams it. Each takes two requests on separate connections: the start,
// and the stream of the run's events until its first frame. They take turns, on disk and on tmpfs, with no other load.

import { Agent, request } from "node:http"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { LOCAL_KEY } from "../local/settings.ts"
import { Api } from "./api.ts"
import { median, quantile, short, table } from "./figures.ts"
import { chain, slowProvider } from "./flows.ts"
import { start } from "./peers/processes.ts"
import { Server } from "./server.ts"

const { values } = parseArgs({ options: { starts: { type: "string", default: "60" } } })
const starts = Number(values.starts)
/** Late compilation of what starts and streams is over by then. */
const WARM = 30

/** The run's one agent waits this long for its model, so nothing of what follows a start is in the figures, as nothing follows the floor's. */
const MODEL_MS = 250

const Begun = z.object({ id: z.string() })
const agent = new Agent({ keepAlive: false })

interface Side {
  readonly name: string
  /** Starts one, and gives its id. */
  readonly begin: () => Promise<string>
  readonly stream: (id: string) => Promise<void>
  readonly seen: { readonly begun: number; readonly first: number }[]
}

const rows: string[][] = []
for (const [name, where] of [
  ["disk", tmpdir()],
  ["tmpfs", "/dev/shm"],
] as const)
  if (existsSync(where)) rows.push(...(await measured(name, where)))
console.log(table(["start → first event, ms", "storage", "answer p50", "p95", "first event p50", "p95", "× floor, p50"], rows))
console.log(`\n${starts} starts each, in turn; load average ${loadavg()[0]?.toFixed(1)}.`)

async function measured(place: string, where: string): Promise<string[][]> {
  const folder = mkdtempSync(path.join(where, "sluice-bench-start-"))
  const server = await Server.start(path.join(folder, "sluice"))
  const floor = await start("bare/server.mjs", { data: mkdtempSync(path.join(folder, "bare-")), model: "http://127.0.0.1:9" })
  try {
    const [sluice, bare] = [sluiceOf(server.url), bareOf(floor.url.replace("/{work}/{id}", ""))]
    await new Api(server.url).setUp([chain(1)], slowProvider(MODEL_MS))
    for (let n = 0; n < WARM + starts; n++)
      for (const side of n % 2 === 0 ? [sluice, bare] : [bare, sluice]) {
        const seen = await once(side)
        if (n >= WARM) side.seen.push(seen)
      }
    const [low, own] = [bare, sluice].map(({ seen }) => median(seen.map(({ first }) => first)))
    return [bare, sluice].map(({ name, seen }, i) => {
      const [begun, first] = [seen.map((one) => one.begun), seen.map((one) => one.first)]
      const cells = [median(begun), quantile(begun, 0.95), median(first), quantile(first, 0.95), i === 0 ? 1 : (own ?? 0) / (low ?? 0)]
      return [name, place, ...cells.map(short)]
    })
  } finally {
    await floor.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function once(side: Side): Promise<Side["seen"][number]> {
  const from = performance.now()
  const id = await side.begin()
  const begun = performance.now() - from
  await side.stream(id)
  return { begun, first: performance.now() - from }
}

function sluiceOf(url: string): Side {
  const headers = { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json" }
  return {
    name: "Sluice",
    begin: async () => {
      const body = JSON.stringify({ task: "go", autonomous: true })
      return Begun.parse(JSON.parse(await read("POST", `${url}/v1/flows/bench-chain-1/runs`, headers, body))).id
    },
    stream: async (id) => void (await read("GET", `${url}/v1/runs/${id}/events`, { ...headers, accept: "text/event-stream" })),
    seen: [],
  }
}

function bareOf(url: string): Side {
  let count = 0
  return {
    name: "bare object",
    begin: async () => Begun.parse(JSON.parse(await read("POST", `${url}/begin/one-${count++}`))).id,
    stream: async (id) => void (await read("GET", `${url}/events/${id}`)),
    seen: [],
  }
}

/** The whole body; of a stream of events its first part, and then the connection is closed. */
function read(method: string, url: string, headers: Readonly<Record<string, string>> = {}, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, agent, headers: { ...headers, "content-length": Buffer.byteLength(body) } })
    call.once("error", reject)
    call.once("response", (answer) => {
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") === true
      const parts: Buffer[] = []
      const done = (): void => {
        const text = Buffer.concat(parts).toString()
        if ((answer.statusCode ?? 500) > 299) reject(new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 500)}`))
        else resolve(text)
      }
      answer.on("data", (part: Buffer) => {
        parts.push(part)
        if (!isStream || !Buffer.concat(parts).includes("data:")) return
        done()
        answer.destroy()
      })
      answer.once("end", done)
      answer.once("error", () => undefined)
    })
    call.end(body)
  })
}
