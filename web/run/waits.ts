// Says what a step waits for where no person is asked: a signal by its name, or a time.

import type { Pass, RunOutline, Work } from "../../src/core/run/views/outline.ts"

export const openWait = (pass: Pick<Pass, "works"> | undefined): Work | undefined =>
  pass?.works.find(({ kind, ended }) => kind === "wait" && ended === undefined)

interface Waits {
  readonly step: string
  readonly work: Work
}

/** The first step that waits now. */
export function waitIn({ steps }: Pick<RunOutline, "steps">): Waits | undefined {
  for (const [step, { passes }] of steps) {
    const work = openWait(passes.at(-1))
    if (work) return { step, work }
  }
  return undefined
}
