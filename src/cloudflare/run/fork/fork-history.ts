// Reads the history of a fork's source [K9], and folds it once, each event under the definitions that it had.

import type { RunEvent } from "../../../core/run/event.ts"
import { Fold, type Era } from "../../../core/run/fork/fold.ts"
import type { Run } from "../../../core/run/state.ts"
import { filesChangedBy } from "../../../core/run/steps/changed-files.ts"
import { MemoryIndex } from "../../../engine/run/memory-store.ts"
import type { ForkSource, ForkSourcePort } from "../../../ports/fork.ts"
import type { JournalRow } from "../../../ports/journal.ts"
import { loadPlan } from "../../definitions/plan.ts"
import { sha256 } from "../../platform/sha256.ts"
import type { RunResources } from "../run-resources.ts"

/** The source's history, and the run that it folds to. */
export interface ForkHistory {
  readonly rows: readonly JournalRow[]
  readonly run: Run
  readonly files: MemoryIndex
  /** Rows of the sealed states that the open conversations need. */
  readonly states: readonly string[]
}

/** The rows up to the cut. */
export async function readRows(door: ForkSourcePort, { cut }: ForkSource): Promise<readonly JournalRow[]> {
  const rows: JournalRow[] = []
  for (let at = 0; at < cut; at = rows.at(-1)?.last ?? cut) {
    const page = await door.prefix(at, cut)
    if (page.length === 0) throw new Error("the source's history ended before the cut")
    rows.push(...page)
  }
  return rows
}

export async function historyOf(
  resources: RunResources,
  { eras }: ForkSource,
  rows: readonly JournalRow[],
  tenant: string,
): Promise<ForkHistory> {
  const plans = await Promise.all(
    eras.map(async ({ from, pins }): Promise<Era> => ({ from, plan: await loadPlan(resources, { tenant, pins }) })),
  )
  const [first, ...more] = plans
  if (!first) throw new Error("the source has no definitions")
  const fold = new Fold([first, ...more])
  const files = new MemoryIndex()
  const sealed = new Map<number, string>()
  for (const { body } of rows)
    for (const e of JSON.parse(body) as RunEvent[]) {
      fold.take(e)
      files.take(filesChangedBy(e), e.at)
      if (e.type === "model.replied" && e.state) sealed.set(e.seq, e.key)
    }
  const last = rows.at(-1)
  const text = last && lastText(last.body)
  fold.run.head = text === undefined ? fold.run.head : sha256(text)
  const open = Object.values(fold.run.steps).flatMap(({ session }) => session?.seqs ?? [])
  return { rows, run: fold.run, files, states: open.flatMap((seq) => sealed.get(seq) ?? []) }
}

/** The text of the last event of a row. */
const lastText = (body: string): string => JSON.stringify((JSON.parse(body) as RunEvent[]).at(-1))
