// `npm run trials`: a server under stress, one trial after another, each with a data folder of its own: full disks, outages, damage, floods,
// readers that take nothing, deletion. `npm run trials -- outage deletion` plays these alone. One line for each trial, and then
// `N passed, M failed`, with a matching exit code; what cannot be tried on this machine is skipped, with the reason.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildWorker } from "../../local/build.ts"
import { TRIALS } from "./list.ts"
import { trialModel } from "./model.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in TRIALS))
if (unknown.length > 0) {
  console.error(`there is no trial ${unknown.join(", ")}; known: ${Object.keys(TRIALS).join(", ")}`)
  process.exit(2)
}
// Each trial's server is ended with the process.
process.setMaxListeners(Object.keys(TRIALS).length + 20)
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const folder = await mkdtemp(path.join(tmpdir(), "sluice-trials-worker-"))
const model = await trialModel()
let [passed, failed] = [0, 0]
try {
  const worker = path.join(folder, "worker.js")
  await buildWorker("src/index.ts", path.relative(root, worker))
  for (const [name, trial] of Object.entries(TRIALS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const from = performance.now()
    const outcome = await trial({ worker, model }).catch((e: unknown) => [e instanceof Error ? e.message.slice(0, 500) : String(e)])
    const seconds = `${Math.round((performance.now() - from) / 1_000)} s`
    if (typeof outcome === "string") console.log(`skipped ${name}: ${outcome}`)
    else {
      console.log(`${outcome.length === 0 ? "ok" : "FAIL"} ${name} (${seconds})${outcome.map((fault) => `\n  ${fault}`).join("")}`)
      if (outcome.length === 0) passed++
      else failed++
    }
  }
} finally {
  model.close()
  await rm(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
