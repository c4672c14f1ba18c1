// `npm run own-server`: a server on a machine of one's own [O50–O54], with the Worker of this tree. It is attacked with the keys that everyone knows,
// stopped, backed up while runs are under way, and its backups are killed; what they made is restored, and each run in it must end as a run that
// nobody disturbed, by the checks of the crash suite. `-- --image` executes the lines of deploy/ as well (image.ts), for which it makes the package.
// Ends with "own-server: N passed, M failed".

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { buildWorker } from "../../local/build.ts"
import type { Check } from "../crash/evidence.ts"
import { sayVerdict } from "../crash/verdict.ts"
import { attack } from "./attack.ts"
import { copyUnderRuns } from "./copies.ts"
import { executeImage } from "./image.ts"

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const { values } = parseArgs({ options: { image: { type: "boolean" }, only: { type: "string" }, built: { type: "boolean" } } })
const checks: Check[] = []
const check = (name: string, fault: string | undefined): void => void checks.push({ name, fault })
const home = await mkdtemp(path.join(tmpdir(), "sluice-own-server-"))
const parts: Readonly<Record<string, () => Promise<void>>> = {
  attack: () => attack(path.join(home, "attack"), check),
  copies: async () => void checks.push(...(await copyUnderRuns(path.join(home, "copies")))),
  ...(values.image ? { image: () => executeImage(path.join(home, "image"), check) } : {}),
}
try {
  if (values.built !== true) await buildWorker()
  for (const [name, play] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue
    try {
      await play()
    } catch (error) {
      check(`${name} reached its end`, error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
} finally {
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
process.exitCode = sayVerdict("own-server", checks) ? 0 : 1
