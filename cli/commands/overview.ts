// How a tenant's runs go: the numbers of a range, and whether they are usual.

import type { Overview } from "../../src/api/doc/overview.doc.ts"
import { defined } from "../../src/core/defined.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"

export const overview: Command = {
  name: "overview",
  says: "show how many runs began, failed and what they cost, and what is usual",
  options: [
    { flags: "--since <time>", says: "the first hour, such as 2026-11-24T00:00:00Z; by default 24 hours ago" },
    { flags: "--until <time>", says: "the end; by default now" },
    { flags: "--rehearsed", says: "rehearsed runs, and only these" },
  ],
  examples: ["overview", "overview --since 2026-11-23T23:00:00Z", "overview --json | jq .numbers"],
  async run(context, _, given) {
    const [since, until] = [given.text("since"), given.text("until")]
    const { usage } = await context.client()
    const seen = await usage.overview({ ...defined({ since, until }), ...(given.flag("rehearsed") ? { rehearsed: 1 as const } : {}) })
    context.show(seen, () => linesOf(seen))
    return EXIT.ok
  },
}

type Numbers = NonNullable<Overview["numbers"]>

const SAID: Readonly<Record<keyof Numbers, readonly [name: string, says: (value: number) => string]>> = {
  runs: ["runs begun", (n) => whole(n)],
  ended: ["runs ended", (n) => whole(n)],
  success: ["success", (share) => `${(share * 100).toFixed(1)} %`],
  usd: ["cost", (usd) => `$${usd.toFixed(2)}`],
  p95: ["95 of 100 within", (ms) => `${(ms / 1_000).toFixed(1)} s`],
  open: ["open asks", (n) => whole(n)],
}
const whole = (n: number): string => n.toLocaleString("en-US")

function linesOf({ since, until, numbers, total }: Overview): string[] {
  const head = `${since} to ${until}`
  if (!numbers) return [head, `runs begun ${total.began}, succeeded ${total.runs.succeeded}, failed ${total.runs.failed}`]
  const lines = (Object.keys(SAID) as (keyof Numbers)[]).map((name) => {
    const [label, says] = SAID[name]
    const { value, usual, unusual } = numbers[name]
    const range = usual ? `${unusual === true ? "unusual: " : ""}usual ${says(usual[0])} to ${says(usual[1])}` : ""
    return `${label.padEnd(18)}${(value === null ? "–" : says(value)).padEnd(12)}${range}`.trimEnd()
  })
  return [head, ...lines]
}
