// Acts as the other tenant in its own thread: requests its list of runs at fixed times, without waiting for earlier answers, so that a
// server that stalls for ten seconds delays two hundred requests and not one.

import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"

const { url, key, pid } = z.object({ url: z.string(), key: z.string(), pid: z.number() }).parse(workerData)
const INTERVAL_MS = 50
const START_MS = 500
const agent = new Agent({ keepAlive: false })

interface Wait {
  readonly took: number
  /** What workerd's thread computed meanwhile: how long B had waited on a machine with nothing else to do. */
  readonly busy: number
}

let waits: Wait[] = []
let wrong = 0
let starts: number[] = []
const open = new Map<number, number>()

/** CPU time of workerd's one thread for JavaScript, in ms. Linux only; zero elsewhere. */
function computed(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return 0
  }
}

setInterval(() => {
  const from = performance.now()
  const before = computed()
  open.set(from, before)
  const done = (isRight: boolean): void => {
    if (!open.delete(from)) return
    waits.push({ took: performance.now() - from, busy: computed() - before })
    if (!isRight) wrong++
  }
  const call = request(`${url}/v1/runs`, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
    answer.resume()
    answer.once("end", () => done(answer.statusCode === 200))
    answer.once("error", () => done(false))
  })
  call.once("error", () => done(false))
  call.end()
}, INTERVAL_MS)

/** A start of a short flow, until it is answered. */
setInterval(() => {
  const from = performance.now()
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const call = request(`${url}/v1/flows/bench-chain-10/runs`, { method: "POST", agent, headers }, (answer) => {
    answer.resume()
    answer.once("end", () => starts.push(performance.now() - from))
  })
  call.once("error", () => wrong++)
  call.end(JSON.stringify({ task: "go" }))
}, START_MS)

/** Any message: everything since the last one. Requests without an answer count with the time that they have waited so far. */
parentPort?.on("message", () => {
  const [now, busy] = [performance.now(), computed()]
  for (const [from, before] of open) waits.push({ took: now - from, busy: busy - before })
  open.clear()
  parentPort?.postMessage({ waits, starts, wrong })
  ;[waits, starts, wrong] = [[], [], 0]
})
