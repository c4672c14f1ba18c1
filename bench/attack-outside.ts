// Lists attacks with input that is parsed, formatted, checked or sent in one piece: answers of the attacker's site, flows with many
// decisions, long journals, and stalled readers. A review measured the same attacks before this work was metered.

import { request } from "node:http"
import type { Attack, Attacker } from "./attacker.ts"
import { pause } from "./server.ts"

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const nested = (levels: number, leaves: number, leaf = "1"): string =>
  `${"[".repeat(levels)}${Array.from({ length: leaves }, () => leaf).join(",")}${"]".repeat(levels)}`
const filled = (text: string, size: number): string => text.repeat(Math.floor(size / text.length))

/** The pages that the attacker's site serves, as JSON or text by the name's ending. */
export const OUTSIDE_PAGES: Readonly<Record<string, () => string>> = {
  "/deep-3000.json": () => nested(3_000, 3_000),
  "/deep-1000.json": () => nested(1_000, 10_000),
  "/deep-500.json": () => nested(500, 100_000),
  "/flat.json": () => JSON.stringify(Object.fromEntries(range(230_000).map((n) => [`member ${n}`, n]))),
  "/percent.txt": () => filled("%2525", 4_900_000),
  "/entities.txt": () => filled("&#x41;", 4_800_000),
  "/escapes.txt": () => filled("\\u0041", 4_800_000),
  "/words.txt": () => filled("a b", 4_800_000),
}

const fetched =
  (name: string): Attack =>
  async (a) => {
    await a.must("PUT", "/v1/secrets/own", { value: "a secret of eight or more" })
    return a.act(["web.fetch"], [{ calls: [{ tool: "web.fetch", args: { url: `${a.site}/${name}` } }] }])
  }

const FORKS = `name: forks\ndescription: decides\nsteps:\n${range(100)
  .map(
    (i) =>
      `  - { id: f${i}, type: fork, question: "Which of them, ${i}?", options: [A, B, C], branches: { A: a${i}, B: b${i}, C: c${i} } }\n${["a", "b", "c"].map((x) => `  - { id: ${x}${i}, type: wait, for: 1 }\n`).join("")}`,
  )
  .join("")}`

const often = async (times: number, atOnce: number, work: () => Promise<{ readonly status: number }>): Promise<string> => {
  const seen = new Set<number>()
  for (let n = 0; n < times; n += atOnce) for (const { status } of await Promise.all(range(atOnce).map(work))) seen.add(status)
  return [...seen].join(", ")
}

/** A run whose journal has about two million characters; answers its id. */
async function longRun(a: Attacker): Promise<string> {
  const told = (n: number): object => ({ tool: "bash", args: { command: `seq ${n} ${9_000 + n}` } })
  await a.act(
    ["bash"],
    range(5).map((turn) => ({ calls: range(9).map((n) => told(turn * 9 + n)) })),
  )
  const { text } = await a.must("GET", "/v1/runs?limit=1")
  return /"id":"([^"]+)"/.exec(text)?.[1] ?? ""
}

/** Opens streams and takes nothing of them. */
async function unread(a: Attacker, run: string, count: number, ms: number): Promise<string> {
  let closed = 0
  const open = range(count).map(() => {
    const call = request(`${a.url}/v1/runs/${run}/events`, { agent: false, headers: { ...a.identity, accept: "text/event-stream" } })
    call.once("response", (answer) => answer.pause())
    call.once("close", () => closed++)
    call.once("error", () => {})
    call.end()
    return call
  })
  await pause(ms)
  const ended = closed
  for (const call of open) call.destroy()
  return `${ended} of ${count} closed`
}

export const OUTSIDE_ATTACKS: Readonly<Record<string, Attack>> = {
  "web.fetch: 12 KB of JSON, 3,000 levels": fetched("deep-3000.json"),
  "web.fetch: 22 KB of JSON, 1,000 levels": fetched("deep-1000.json"),
  "web.fetch: 200 KB of JSON, 500 levels": fetched("deep-500.json"),
  "web.fetch: 4.9 MB of flat JSON": fetched("flat.json"),
  "web.fetch: 4.9 MB of %2525": fetched("percent.txt"),
  "web.fetch: 4.8 MB of entities": fetched("entities.txt"),
  "web.fetch: 4.8 MB of JSON escapes": fetched("escapes.txt"),
  "web.fetch: 4.8 MB of words": fetched("words.txt"),
  "validate: a flow of 100 forks": (a) => often(1, 1, () => a.send("POST", "/v1/validate", { kind: "flow", content: FORKS })),
  "validate: a flow of 100 forks, 4 at a time": (a) => often(40, 4, () => a.send("POST", "/v1/validate", { kind: "flow", content: FORKS })),
  "graph: a flow of 100 forks, 2 at a time": async (a) => {
    await a.must("PUT", "/v1/flows/forks", FORKS, { "content-type": "application/yaml" })
    return often(40, 2, () => a.send("GET", "/v1/flows/forks/graph"))
  },
  "shell: a command line that writes 990 files": (a) =>
    a.act(["bash"], [{ calls: [{ tool: "bash", args: { command: "for i in $(seq 1 990); do echo $i > f$i.txt; done" } }] }]),
  "r2.sync: 5 MB of shared files": async (a) => {
    for (const n of range(50))
      await a.must("PUT", `/v1/objects/sync/${n}.txt`, filled("words and more of them. ", 100_000), { "content-type": "text/plain" })
    return a.act(["r2.sync"], [{ calls: [{ tool: "r2.sync", args: { prefix: "sync/", max_chars_per_object: 100_000 } }] }])
  },
  "catalog: 2,500 agents at once": async (a) => {
    const agents = Object.fromEntries(range(2_500).map((n) => [`a${n}.md`, `---\nname: a${n}\ndescription: one of many\n---\nGo.\n`]))
    return `${(await a.send("PUT", "/v1/catalog", { agents, flows: {}, skills: {} })).status}`
  },
  "events: 40 GETs of 2 MB": async (a) => {
    const run = await longRun(a)
    return often(40, 40, () => a.send("GET", `/v1/runs/${run}/events?limit=1000`))
  },
  "events: 60 readers that do not read": async (a) => unread(a, await longRun(a), 60, 20_000),
  "events: 150 readers that do not read": async (a) => unread(a, await longRun(a), 150, 40_000),
  "reads: five routes of a long run, 3 at a time": async (a) => {
    const run = await longRun(a)
    const routes = ["", "/events?limit=500", "/usage", "/files", "/receipt"]
    return often(60, 3, () => a.send("GET", `/v1/runs/${run}${routes[Math.floor(Math.random() * routes.length)] ?? ""}`))
  },
  "no key: openapi.json, 4 at a time": (a) => often(80, 4, () => a.send("GET", "/openapi.json")),
  "no key: docs, 4 at a time": (a) => often(80, 4, () => a.send("GET", "/docs")),
  "no key: keys that nobody has, 8 at a time": (a) =>
    often(400, 8, () => a.send("GET", "/v1/runs", undefined, { authorization: `Bearer sl_attacker_${"0".repeat(32)}` })),
}
