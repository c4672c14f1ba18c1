// [N4] One tenant floods with starts: what does another one's run take, beside what it takes in quiet? Windows of both in turn, in one
// session on one workerd, so that a slow minute of the machine hits both. The flood comes from a thread of its own (flood.ts), as fast as it
// is answered; the quiet tenant starts one run after another on four lanes and waits for each.

import { Worker } from "node:worker_threads"
import { LOCAL_ADMIN_KEY } from "../local/settings.ts"
import { Api } from "./api.ts"
import { median, quantile, short, sum, table } from "./figures.ts"
import { chain, slowProvider } from "./flows.ts"

const WINDOW_MS = 8_000
/** Runs of the quiet tenant at a time. */
const LANES = 4
/** Until the flood flows, and until what it left has drained. */
const SETTLE_MS = 1_000
const CONNECTIONS = 32
const FLOW = "bench-chain-10"
/** A model's turn that is far shorter than any real one's. */
const TURN_MS = 250
/** What one thread bears beside others; a deployed Worker spreads its objects over many. */
const QUOTAS = { concurrent_runs: 20, starts_per_minute: 300 }
/** The quiet tenant is held back by nothing. */
const UNLIMITED = { concurrent_runs: 100_000, starts_per_minute: 1_000_000 }

interface Case {
  readonly label: string
  readonly quiet: Api
  readonly flooding: Api
}

export async function fairness(url: string, rounds: number): Promise<string> {
  const admin = new Api(url, LOCAL_ADMIN_KEY)
  const slow = slowProvider(TURN_MS)
  const made = async (id: string, quotas: object, provider?: object): Promise<Api> => {
    const api = await admin.tenant(id, quotas)
    await api.setUp([chain(10)], provider)
    return api
  }
  const cases: Case[] = [
    {
      label: `turns of ${TURN_MS} ms each`,
      quiet: await made("quiet-a", UNLIMITED, slow),
      flooding: await made("flood-a", QUOTAS, slow),
    },
    { label: "no model time at all", quiet: await made("quiet-b", UNLIMITED), flooding: await made("flood-b", QUOTAS) },
  ]
  const rows: string[][] = []
  for (const { label, quiet, flooding } of cases) {
    const alone: number[] = []
    const beside: number[] = []
    const asked: number[] = []
    const begun: number[] = []
    const flood = new Flood(flooding)
    await window(quiet, SETTLE_MS)
    for (let n = 0; n < rounds; n++) {
      alone.push(...(await window(quiet, WINDOW_MS)))
      await flood.say("on")
      await window(quiet, SETTLE_MS)
      const before = await flood.say("count")
      beside.push(...(await window(quiet, WINDOW_MS)))
      const after = await flood.say("count")
      asked.push((after.asked - before.asked) / (WINDOW_MS / 1000))
      begun.push((after.begun - before.begun) / (WINDOW_MS / 1000))
      await flood.say("off")
      await window(quiet, SETTLE_MS)
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
    "A's starts a second (begun)",
    "B quiet, ms: p50 / p95",
    "B beside the flood",
    "ratio p50",
    "ratio p95",
    "runs measured",
  ]
  return table(head, rows)
}

/** One run after another on each lane for so long; how long each took from the request to its end. */
async function window(api: Api, ms: number): Promise<number[]> {
  const took: number[] = []
  const until = performance.now() + ms
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const from = performance.now()
      await api.run(FLOW)
      took.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
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
