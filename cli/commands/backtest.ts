// `sluice backtest`: a change tried on recorded runs [K23].

import type { Backtest } from "../../src/api/doc/tests.doc.ts"
import type { BacktestAsked } from "../../src/api/tests.ts"
import { Trouble } from "../../local/trouble.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"
import { sendable } from "../handlers/packed.ts"
import { difference, filesOf } from "../project/difference.ts"
import { backtestLine } from "../shown/backtest-lines.ts"
import { projectAround } from "../project/project.ts"
import { untilDone } from "../until-done.ts"

const MOST_S = 600

export const backtest: Command = {
  name: "backtest",
  says: "try the project's changes on the last recorded runs of a flow; nothing is written",
  words: ["<flow>"],
  options: [{ flags: "--last <n>", says: "this many runs; 10 by default" }],
  examples: ["backtest triage", "backtest triage --last 50 --json"],
  async run(context, words, given) {
    const client = await context.client()
    const root = (await projectAround(context.world.cwd)) ?? context.world.cwd
    const folder = await sendable(root, (await context.bundle(root)).bundle)
    const { added, changed } = difference(folder, await client.catalog.export())
    const texts = filesOf(folder)
    const definitions = Object.fromEntries([...added, ...changed].map((path) => [path, texts.get(path) ?? null]))
    if (Object.keys(definitions).length === 0) throw new Trouble("the project is as on the server: change something first", EXIT.usage)
    const wish: BacktestAsked = { against: { last: given.number("last", 1) ?? 10 }, change: { definitions } }
    const { id } = await client.flows.backtest(words.text(0), wish)
    const found = await untilDone(
      async () => {
        const now = await client.flows.backtestResult(id)
        return now.status === "running" ? undefined : now
      },
      MOST_S,
      `the backtest ${id} is not done`,
    )
    context.show(found, () => [...found.runs.map(backtestLine), summary(found)])
    return found.status === "done" ? EXIT.ok : EXIT.failed
  },
}

/** Of the outcomes that there are, in this order. */
const OUTCOMES = ["same", "changed", "diverged", "failed"] as const
const WORDS = { same: "as before", changed: "as before with other texts", diverged: "parted", failed: "unknown" } as const

function summary({ runs }: Backtest): string {
  const counts = OUTCOMES.flatMap((one) => {
    const count = runs.filter(({ result }) => result === one).length
    return count === 0 ? [] : [`${count} ${WORDS[one]}`]
  })
  return counts.length === 0 ? "there is no recorded run to try it on" : counts.join(", ")
}
