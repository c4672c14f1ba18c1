// `npm run lines`: the line of starts at a real server that is killed: measures 1 to 3 of flow control, and 10. `-- --starts N --kills N` (10,000
// and 20), `--windows-kills N --period P` (3 and 5s), `--bulk N --bulk-kills N` (2,000 and 3), `--only exclusion|windows|supersede|bulk`; SEED=N repeats its choices. Ends with
// `lines: N passed, M failed`, and a matching exit code.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import { LOCAL_ADMIN_KEY } from "../../local/settings.ts"
import { Client } from "../crash/client.ts"
import type { Check } from "../crash/evidence.ts"
import { Scene } from "../crash/scene.ts"
import { sayVerdict } from "../crash/verdict.ts"
import { Victim } from "../crash/victim.ts"
import { playBulk } from "./bulk.ts"
import { playExclusion, SECRET } from "./exclusion.ts"
import { FLOWS } from "./line-flows.ts"
import { playSupersede } from "./supersede.ts"
import { playWindows } from "./windows.ts"

const { values } = parseArgs({
  options: {
    starts: { type: "string", default: "10000" },
    kills: { type: "string", default: "20" },
    "windows-kills": { type: "string", default: "3" },
    period: { type: "string", default: "5s" },
    bulk: { type: "string", default: "2000" },
    "bulk-kills": { type: "string", default: "3" },
    only: { type: "string" },
  },
})
const ROUNDS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  supersede: playSupersede,
  windows: (scene) => playWindows(scene, Number(values["windows-kills"]), values.period),
  bulk: (scene) => playBulk(scene, Number(values.bulk), Number(values["bulk-kills"])),
  exclusion: (scene) => playExclusion(scene, Number(values.starts), Number(values.kills)),
}
const QUOTAS = { concurrent_runs: 100_000, starts_per_minute: 1_000_000 }

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), "sluice-lines-"))
const checks: Check[] = []
const worker = path.join(folder, "worker.js")
console.log(`SEED=${seed}`)
try {
  await buildWorker("src/index.ts", path.relative(root, worker))
  for (const [name, play] of Object.entries(ROUNDS)) {
    if (values.only !== undefined && values.only !== name) continue
    const began = Date.now()
    const victim = await Victim.create(worker)
    const scene = new Scene(victim, seed)
    try {
      await victim.start()
      await new Client(victim.url, LOCAL_ADMIN_KEY).put("/v1/tenants/local/quotas", QUOTAS)
      await scene.client.put("/v1/secrets/hs", { value: SECRET })
      await scene.client.put("/v1/catalog", { flows: FLOWS })
      await play(scene)
      scene.check(`the round of ${name} reached its end`, undefined)
    } catch (error) {
      scene.check(`the round of ${name} reached its end`, error instanceof Error ? (error.stack ?? error.message) : String(error))
    } finally {
      await victim.close()
    }
    checks.push(...scene.checks)
    const down = scene.kills.map(({ downMs }) => downMs)
    console.log(
      `round ${name}: ${Math.round((Date.now() - began) / 1_000)} s, ${down.length} kills, down for ${Math.max(0, ...down)} ms at most`,
    )
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = sayVerdict("lines", checks) ? 0 : 1
