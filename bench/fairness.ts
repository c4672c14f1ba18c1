// Compares the duration of a tenant's runs while another tenant floods the server with starts, and without the flood [N4]. Windows of both
// alternate in one session on one workerd, so a slow minute of the machine affects both. The flood comes from its own thread (flood.ts), as
// fast as it is answered, with the default quotas of a tenant; the quiet tenant starts one run after another on several lanes and waits for
// each.

import { Worker } from "node:worker_threads"
import { LOCAL_ADMIN_KEY } from "../local/settings.ts"
import { Api } from "./api.ts"
import { median, quantile, short, sum, table } from "./figures.ts"
import { chain, slowProvider } from "./flows.ts"

const WINDOW_MS = 8_000
/** Time for the flood to build up, and for its runs to drain. */
const SETTLE_MS = 1_000
const CONNECTIONS = 32
const FLOW = "bench-chain-10"
/** Duration of model turns, far shorter than real ones; 0: only Sluice's own work. Four such lanes alone fill the thread. */
const CASES = [
  { turn: 250, lanes: 4 },
  { turn: 50, lanes: 4 },
  { turn: 0, lanes: 1 },
  { turn: 0, lanes: 4 },
]
/** The quiet tenant has no quotas. */
const UNLIMITED = { concurrent_runs: 100_000, starts_per_minute: 1_000_000 }

interface Case {
  readonly label: string
  readonly lanes: number
  readonly quiet: Api
  readonly flooding: Api
}

export async function fairness(url: string, rounds: number): Promise<string> {
  const admin = new Api(url, LOCAL_ADMIN_KEY)
  const made = async (id: string, quotas: object, turn: number): Promise<Api> => {
    const api = await admin.tenant(id, quotas)
    await api.setUp([chain(10)], turn > 0 ? slowProvider(turn) : undefined)
    return api
  }
  const cases: Case[] = []
  for (const [n, { turn, lanes }] of CASES.entries())
    cases.push({
      label: `${turn > 0 ? `turns of ${turn} ms` : "no model time"}, ${lanes} at a time`,
      lanes,
      quiet: await made(`quiet-${n}`, UNLIMITED, turn),
      flooding: await made(`flood-${n}`, {}, turn),
    })
  const rows: string[][] = []
  for (const { label, lanes, quiet, flooding } of cases) {
    const alone: number[] = []
    const beside: number[] = []
    const asked: number[] = []
    const begun: number[] = []
    const flood = new Flood(flooding)
    await window(quiet, lanes, SETTLE_MS)
    for (let n = 0; n < rounds; n++) {
      alone.push(...(await window(quiet, lanes, WINDOW_MS)))
      await flood.say("on")
      await window(quiet, lanes, SETTLE_MS)
      const before = await flood.say("count")
      beside.push(...(await window(quiet, lanes, WINDOW_MS)))
      const after = await flood.say("count")
      asked.push((after.asked - before.asked) / (WINDOW_MS / 1000))
      begun.push((after.begun - before.begun) / (WINDOW_MS / 1000))
      await flood.say("off")
      await window(quiet, lanes, SETTLE_MS)
    }
    await flood.end()
    const p = (list: readonly number[], q: number): string => short(quantile(list, q))
    rows.push([
      label,
      `${short(median(asked))} (${short(sum(begun) / begun.length)})`,
      `${p(alone, 0.5)} / ${p(alone, 0.95)}`,
      `${p(beside, 0.5)} / ${p(beside, 0.95)}`,
      short(quantile(beside, 0.5) / quantile(alone, 0.5)),
      short(quantile(beside, 0.95) / quantile(alone, 0.95)),
      `${alone.length} / ${beside.length}`,
    ])
  }
  const head = [
    "B's runs of 10 steps",
    "A's starts per second (begun)",
    "B quiet, ms: p50 / p95",
    "B during the flood",
    "ratio p50",
    "ratio p95",
    "runs measured",
  ]
  return table(head, rows)
}

/** Starts one run after another on each lane for the given time; returns each run's time from request to end. */
async function window(api: Api, lanes: number, ms: number): Promise<number[]> {
  const took: number[] = []
  const until = performance.now() + ms
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const from = performance.now()
      await api.run(FLOW)
      took.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return took
}

interface Count {
  readonly asked: number
  readonly begun: number
}

class Flood {
  readonly #thread: Worker

  constructor(api: Api) {
    const workerData = { ...api.address, path: `/v1/flows/${FLOW}/runs`, connections: CONNECTIONS }
    this.#thread = new Worker(new URL("./flood.ts", import.meta.url), { workerData })
  }

  say(word: "on" | "off" | "count"): Promise<Count> {
    return new Promise((resolve, reject) => {
      this.#thread.once("error", reject)
      this.#thread.once("message", (count: Count) => {
        this.#thread.off("error", reject)
        resolve(count)
      })
      this.#thread.postMessage(word)
    })
  }

  async end(): Promise<void> {
    await this.#thread.terminate()
  }
}
