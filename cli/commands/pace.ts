// Prints how the tenant's models stand against what their providers allow [R31].

import type { PacingNow } from "../../src/api/doc/settings.doc.ts"
import { plain } from "../../local/show-run.ts"
import type { Command } from "../command.ts"
import { EXIT } from "../exit.ts"

export const pace: Command = {
  name: "pace",
  says: "show how fast each model is asked, what bounds it, and what waits",
  examples: ["pace", "pace --json | jq '.data[] | select(.waiting > 0)'"],
  async run(context) {
    const seen = await (await context.client()).settings.pacingNow()
    context.show(seen, () => linesOf(seen))
    return EXIT.ok
  },
}

type Row = PacingNow["data"][number]

function linesOf({ data }: PacingNow): string[] {
  return data.length === 0 ? ["no model was asked in the last minute, and none is limited"] : data.flatMap(rowOf)
}

const KINDS = [
  ["rpm", "requests", ({ requests }: Row["used"]) => requests],
  ["tpm", "tokens", ({ input, output }: Row["used"]) => input + output],
  ["itpm", "input tokens", ({ input }: Row["used"]) => input],
  ["otpm", "output tokens", ({ output }: Row["used"]) => output],
] as const

function rowOf({ model, set, learned, used, waiting, longest_ms: longest, stopped_until: stopped }: Row): string[] {
  const bounds = KINDS.flatMap(([kind, noun, count]) => {
    const [ours, theirs] = [set[kind], learned[kind]]
    if (ours === undefined && theirs === undefined) return []
    const isSet = ours !== undefined && ours <= (theirs ?? Number.POSITIVE_INFINITY)
    return [`${whole(count(used))} of ${whole(isSet ? ours : (theirs ?? 0))} ${noun} a minute (${isSet ? "set" : "learned"})`]
  })
  const waits = waiting === 0 && longest === 0 ? [] : [`${whole(waiting)} waiting, the longest ${(longest / 1_000).toFixed(1)} s`]
  const stop = stopped === undefined ? [] : [`stopped by its provider until ${stopped}`]
  const said = bounds.length === 0 ? [`${whole(used.requests)} requests in the last minute, no limit`] : bounds
  return [plain(model), ...[...said, ...waits, ...stop].map((line) => `  ${line}`)]
}

const whole = (n: number): string => n.toLocaleString("en-US")
