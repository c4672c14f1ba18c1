// A thread that is the other tenant: it asks for its list of runs at fixed times, whether earlier requests have been answered or not, so that
// a server that stands still for ten seconds delays two hundred requests and not one.

import { Agent, request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"

const { url, key } = z.object({ url: z.string(), key: z.string() }).parse(workerData)
const INTERVAL_MS = 50
const agent = new Agent({ keepAlive: false })

let took: number[] = []
let wrong = 0
const open = new Set<number>()

setInterval(() => {
  const from = performance.now()
  open.add(from)
  const done = (isRight: boolean): void => {
    if (!open.delete(from)) return
    took.push(performance.now() - from)
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

/** Any message: everything since the last one. Requests without an answer count with the time that they have waited so far. */
parentPort?.on("message", () => {
  const now = performance.now()
  for (const from of open) took.push(now - from)
  open.clear()
  parentPort?.postMessage({ took, wrong })
  ;[took, wrong] = [[], 0]
})
