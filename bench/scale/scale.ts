// `npm run scale`: what the model predicts for 10, 1,000 and 100,000 starts a second by one tenant. `-- --check` measures the local server
// and fails when the model of it is off by more than 20 %; `--rounds=5 --runs=60 --place=disk` are its options. `-- --stored` measures what
// runs leave on disk, `-- --tenant` what a start and a report cost the tenant's object. docs/SCALE.md has the results.

import { parseArgs } from "node:util"
import { short, table } from "../figures.ts"
import { check } from "./check.ts"
import { ALONE, DESKS, MEASURED, SHARDED } from "./costs.ts"
import { ceiling, platform } from "./platform.ts"
import { stored } from "./stored.ts"
import { tenantCosts } from "./tenant.ts"

const RATES = [10, 1_000, 100_000] as const
const STARTS = 20_000

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    stored: { type: "boolean", default: false },
    tenant: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    runs: { type: "string", default: "60" },
    place: { type: "string", default: "disk" },
    seed: { type: "string", default: "1" },
  },
})

if (values.check) {
  const size = { rounds: Number(values.rounds), runs: Number(values.runs) }
  const { text, holds } = await check(size, values.place === "tmpfs" ? "tmpfs" : "disk")
  console.log(text)
  if (!holds) {
    console.error("scale: the model is off by more than 20 %. On a busy machine, try again with more rounds (--rounds=10).")
    process.exitCode = 1
  }
} else if (values.tenant) console.log(await tenantCosts())
else if (values.stored) console.log(await stored(Number(values.runs)))
else console.log(said(Number(values.seed)))

function said(seed: number): string {
  const rows = [ALONE, DESKS, SHARDED].flatMap((design) =>
    RATES.map((rate) => {
      const { stations, bottleneck, waited, longest } = platform(MEASURED, design, { rate, starts: STARTS }, seed)
      const most = stations[0]
      return [
        design.name,
        rate.toLocaleString("en-US"),
        bottleneck ?? "none",
        `${most?.name ?? "–"}: ${short((most?.offered ?? 0) * 100)} %`,
        bottleneck === undefined ? short(waited) : "grows",
        bottleneck === undefined ? short(longest) : "grows",
        short(ceiling(MEASURED, design)),
      ]
    }),
  )
  return table(["design", "starts/s", "bottleneck", "busiest thread", "mean wait, ms", "longest start, ms", "most starts/s"], rows)
}
