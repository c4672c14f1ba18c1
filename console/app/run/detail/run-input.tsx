// What the run was started with.

import type { RunView } from "../../../../src/core/run/views/view.ts"
import { Code } from "../../parts/code.tsx"
import css from "./detail.module.css"

export function RunInput({ view }: { readonly view: RunView }) {
  return (
    <>
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
