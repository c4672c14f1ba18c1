// The pane of when: the timeline, or, of a map, its items as squares.

import { useState } from "react"
import { itemsWords, type ItemState, type MapItem } from "../../../../web/run/map-items.ts"
import { classes } from "../../parts/classes.ts"
import { Squares } from "../map/squares.tsx"
import type { Selection } from "../selection.ts"
import type { ShownRun } from "../use-run.ts"
import type { Folds } from "./rows.ts"
import { Legend, Timeline } from "./timeline.tsx"
import css from "./timeline.module.css"

interface Props {
  readonly className: string | undefined
  readonly shown: ShownRun
  readonly selection: Selection
  readonly chosen: string
  readonly folds: Folds
  readonly now: number
  /** Of a map. */
  readonly items: readonly MapItem[] | undefined
  readonly only: ItemState | undefined
  readonly onOnly: (state: ItemState | undefined) => void
}

export function TimePane({ className, items, only, onOnly, ...rest }: Props) {
  const { shown, selection, chosen, now } = rest
  const [isTimeline, setTimeline] = useState(false)
  const end = shown.at === undefined ? now : shown.story.at
  const isSquares = items !== undefined && !isTimeline
  return (
    <section className={classes("panel", className, css.timep)} aria-label={isSquares ? "Items" : "Timeline"}>
      <div className="panel-head">
        <h2 className="cut">{isSquares ? chosen : "Timeline"}</h2>
        {isSquares && <span className={classes("dim nowrap", css.counted)}>{itemsWords(items)}</span>}
        <span className="grow" />
        {items === undefined ? (
          <Legend story={shown.story} />
        ) : (
          <span className="pick" role="group" aria-label="Show the map as">
            <button type="button" aria-pressed={isSquares} onClick={() => setTimeline(false)}>
              Squares
            </button>
            <button type="button" aria-pressed={!isSquares} onClick={() => setTimeline(true)}>
              Timeline
            </button>
          </span>
        )}
      </div>
      {isSquares ? (
        <Squares step={chosen} items={items} selection={selection} now={end} only={only} onOnly={onOnly} />
      ) : (
        <Timeline {...rest} />
      )}
    </section>
  )
}
