// `npm run soak -- --minutes N`: a server makes tenants, runs and everything that comes with them, and deletes them, round after round, for N
// minutes (5 by default). After each round, at rest, it counts the files and bytes of the data folder, the rows of all databases in it, and the
// memory of the server's two processes. What was deleted must be gone: at the end each figure is where it was when the server was warm, with the
// allowance of `bounds.ts`. One line for each round, then a line for each figure, and `soak: N passed, M failed`, with a matching exit code.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { Victim } from "../crash/victim.ts"
import { sayVerdict } from "../crash/verdict.ts"
import { judged, shownAs, WARM_ROUNDS } from "./bounds.ts"
import { figuresOf, type Figures } from "./figures.ts"
import { LIVES, Round } from "./round.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { values } = parseArgs({ options: { minutes: { type: "string", default: "5" } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: say how many, as in --minutes 30`)

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const folder = await mkdtemp(path.join(tmpdir(), "sluice-soak-worker-"))
const worker = path.join(folder, "worker.js")
await buildWorker("src/index.ts", path.relative(root, worker))
const victim = await Victim.create(worker, { REQUEST_LOG: "off" })
const seen: Figures[] = []
let runs = 0
try {
  await victim.start()
  const until = Date.now() + minutes * 60_000
  // As many rounds as a comparison needs, however slow the machine is.
  for (let n = 0; Date.now() < until || n < WARM_ROUNDS * 2; n++) {
    const round = new Round(victim.url, n)
    runs += await round.play()
    seen.push(await figuresOf(victim))
    console.log(`round ${String(n + 1).padStart(3)}: ${runs} runs made and deleted; ${shownAs(seen.at(-1))}`)
  }
} finally {
  await victim.close()
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${seen.length} rounds of ${LIVES} tenants, ${runs} runs in all`)
process.exitCode = sayVerdict("soak", judged(seen)) ? 0 : 1
