// What the run was started with.

import type { RunView } from "../../../../src/core/run/views/view.ts"
import { mergedWords } from "../../../../web/start/merged-words.ts"
import { Code } from "../../parts/code.tsx"
import { shortTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import css from "./detail.module.css"

interface Props {
  readonly view: RunView
  /** The flow collects starts: the run has what each of them brought. */
  readonly isBatch: boolean
}

export function RunInput({ view, isBatch }: Props) {
  const { merged } = view.start ?? {}
  return (
    <>
      {view.start !== undefined && merged !== undefined && (
        <p className="note pending" aria-label="Starts">
          <Icon name="merge" kind="i-s" />
          <span>{mergedWords({ ...view.start, merged }, isBatch, shortTime)}</span>
        </p>
      )}
      <section className={css.blk}>
        <h3>Task</h3>
        <Code value={view.task} label="Task" />
      </section>
      <section className={css.blk}>
        <h3>Inputs</h3>
        <Code value={view.inputs} label="Inputs" />
      </section>
      <section className={css.blk}>
        <h3>Definitions</h3>
        <Code value={view.pinned} label="Definitions" />
      </section>
    </>
  )
}
