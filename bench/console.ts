// Measures the console in a real Chromium: a run of 200 steps and 5,000 events, and a list of 10,000 runs. `npm run bench:console` prints
// the table of FIGURES.md, after `npm run console`.

import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { runMain } from "../local/trouble.ts"
import { quantile, short, spread, sum, table } from "./figures.ts"

const ROUNDS = 5
/** A task that is longer is felt. */
const LONG_MS = 50
const FRAME_MS = 1_000 / 60
const HEAD = [`${ROUNDS} rounds`, "CPU, ms", "longest task, ms", `tasks over ${LONG_MS} ms`, "tasks over a frame", "first paint, ms (wall)"]

const MEASURE = fileURLToPath(new URL("../console/test/large/measure.ts", import.meta.url))

type Found = readonly (readonly [name: string, seen: readonly { readonly tasks: readonly number[]; readonly paint?: number }[]])[]

await runMain(() => {
  // Its packages are the console's.
  const measured = execFileSync(process.execPath, [MEASURE, String(ROUNDS)], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  const rows = (JSON.parse(measured.slice(measured.lastIndexOf("\n[") + 1)) as Found).map(([name, seen]) => {
    const over = seen.map(({ tasks }) => tasks.filter((ms) => ms > LONG_MS).length)
    const late = seen.map(({ tasks }) => (100 * tasks.filter((ms) => ms > FRAME_MS).length) / Math.max(1, tasks.length))
    const paints = seen.flatMap(({ paint }) => paint ?? [])
    return [
      name,
      spread(seen.map(({ tasks }) => sum(tasks))),
      spread(seen.map(({ tasks }) => Math.max(0, ...tasks))),
      `${Math.min(...over)}–${Math.max(...over)}`,
      `${short(quantile(late, 0.5))} %`,
      paints.length === 0 ? "–" : spread(paints),
    ]
  })
  console.log(table(HEAD, rows))
  return Promise.resolve()
})
