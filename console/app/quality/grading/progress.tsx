// Shows how far the queue is worked, in words and as a row of marks.

import { keyOf, type Queue } from "../../../../web/quality/grading.ts"
import type { GradingEntry } from "../../../../src/api/doc/quality.doc.ts"
import { classes } from "../../parts/classes.ts"
import css from "./grading.module.css"

/** More marks would be too thin to see. */
const MOST = 40

export function Progress({ queue: { entries, marks, at } }: { readonly queue: Queue<GradingEntry> }) {
  const count = Object.keys(marks).length
  return (
    <>
      <span className="dim nowrap">
        {count} of {entries.length} done
      </span>
      {entries.length <= MOST && (
        <span className={css.marks} aria-hidden="true">
          {entries.map((entry, place) => (
            <i key={keyOf(entry)} className={classes(place === at ? css.now : marks[keyOf(entry)] !== undefined && css.done)} />
          ))}
        </span>
      )}
    </>
  )
}
