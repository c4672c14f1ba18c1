// The flow's drawing beside its text. It wraps to be seen as a whole, and can take the place of what stands below it.

import { useRef } from "react"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { classes } from "../parts/classes.ts"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { useWidth } from "../parts/use-width.ts"
import { DraftGraph } from "./draft-graph.tsx"
import type { StepFaults } from "./use-problems.ts"
import css from "./flow-page.module.css"

interface Props {
  readonly graph: GraphView | undefined
  /** Of what it is the drawing. */
  readonly words: string
  readonly chosen: string | undefined
  readonly faults: ReadonlyMap<string, StepFaults>
  readonly tried: ReadonlyMap<string, string>
  readonly isLarge: boolean
  readonly onLarge: () => void
  readonly onChoose: (step: string) => void
}

/** In px, without edges: its height above the other pane, what stands above and below it when it is large, and on a page that scrolls. */
const LOW = 318
const AROUND = 200
const ENDLESS = 4_000
const EDGES = 24
/** Larger than this nothing is read better. */
const MOST = 1.4

export function GraphPanel({ graph, words, chosen, faults, tried, isLarge, onLarge, onChoose }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const isSmall = useMedia(SMALL)
  const height = isSmall ? ENDLESS : isLarge ? Math.max(LOW, window.innerHeight - AROUND) : LOW
  const room = { width: Math.max(200, width - EDGES), height }
  return (
    <section className={classes("panel", css.pane, css.eg)} aria-label="Graph">
      <div className="panel-head">
        <h2>Graph</h2>
        <span className="dim">{words}</span>
        <span className="grow" />
        <button className={classes("btn bare tiny", css.enlarge)} type="button" aria-pressed={isLarge} onClick={onLarge}>
          {isLarge ? "Smaller" : "Enlarge"}
        </button>
      </div>
      <div ref={place} className={css.egW} role="region" aria-label="Drawing of the flow" tabIndex={0}>
        {graph === undefined ? (
          <p className={classes(css.noGraph, "dim")}>The graph appears once the file can be read.</p>
        ) : (
          width > 0 && (
            <DraftGraph
              graph={graph}
              chosen={chosen}
              faults={faults}
              tried={tried}
              room={room}
              most={isLarge ? MOST : 1}
              onChoose={onChoose}
            />
          )
        )}
      </div>
    </section>
  )
}
