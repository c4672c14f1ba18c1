// Draws the steps of a run as a tree with what each has cost. Pure.

import type { RunOutline, StoryTurn } from "../src/core/run/views/outline.ts"
import { plain } from "../local/show-run.ts"

export function stepTree({ steps }: RunOutline): readonly string[] {
  const seen = [...steps.values()].filter(({ passes, skips }) => passes.length + skips > 0)
  if (seen.length === 0) return []
  const width = Math.max(...seen.map(({ id }) => plain(id).length))
  return [
    "",
    ...seen.map(({ id, type, status, skips, passes }, i) => {
      const branch = i === seen.length - 1 ? "└" : "├"
      const turns = repliesIn(passes)
      const last = passes.at(-1)
      const more = [
        turns.length === 0 ? "" : `${turns.length} turn${turns.length === 1 ? "" : "s"}`,
        turns.every(({ tokens }) => tokens === 0) ? "" : costOf(turns),
        last === undefined || last.pass < 2 ? "" : `${last.pass} passes`,
      ].filter((text) => text !== "")
      const ended = status === "skipped" ? undefined : passes.map((pass) => MARKS[pass.status]).findLast((mark) => mark !== undefined)
      const mark = ended ?? (skips > 0 ? "-" : "·")
      const what = last?.agent ?? type
      return `  ${branch} ${mark} ${plain(id).padEnd(width)}  ${plain(what)}${more.length === 0 ? "" : `  ${more.join(", ")}`}`
    }),
  ]
}

const MARKS: Readonly<Record<string, string>> = { complete: "✓", error: "✗", blocked: "✗" }

export const usageLine = ({ steps }: RunOutline): string => `  ${costOf([...steps.values()].flatMap(({ passes }) => repliesIn(passes)))}`

const repliesIn = (passes: readonly { readonly turns: readonly StoryTurn[] }[]): StoryTurn[] =>
  passes.flatMap(({ turns }) => turns.filter(({ endSeq }) => endSeq !== undefined))

/** A rehearsal uses nothing, and has no price to be unknown. */
function costOf(turns: readonly StoryTurn[]): string {
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  const usd = turns.reduce((sum, turn) => sum + (turn.usd ?? 0), 0)
  const isKnown = tokens === 0 || turns.every((turn) => turn.usd !== null)
  return `${tokens.toLocaleString("en-US")} tokens${isKnown ? `, $${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}` : ", price unknown"}`
}
