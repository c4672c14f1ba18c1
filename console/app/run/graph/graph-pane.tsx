// The pane of where: the flow as a graph, or as a list where there is little room; of a run with a source or forks, also its family. Its lower
// edge can be pulled.

import { Suspense, useRef, useState, type KeyboardEvent, type PointerEvent } from "react"
import { classes } from "../../parts/classes.ts"
import { counted } from "../../parts/figures.ts"
import { Guard } from "../../parts/guard.tsx"
import { later } from "../../parts/later.ts"
import type { Api } from "../../shell/session.ts"
import { RUN, type Selection } from "../selection.ts"
import { StepsList } from "../steps-list.tsx"
import type { Folds } from "../timeline/rows.ts"
import type { ShownRun } from "../use-run.ts"
import { useForks } from "./use-family.ts"
import type { Zoom } from "./use-viewport.ts"
import css from "../run-page.module.css"

const RunGraph = later(async () => (await import("./graph.tsx")).RunGraph)
const ForkTree = later(async () => (await import("./fork-tree.tsx")).ForkTree)

interface Props {
  readonly api: Api
  readonly shown: ShownRun
  readonly selection: Selection
  readonly folds: Folds
  readonly chosen: string
  readonly kept: { readonly steps: ReadonlySet<string>; readonly events: number }
  readonly now: number
  readonly zoom: Zoom
  readonly isNarrow: boolean
  readonly onScale: (by: Zoom["by"]) => void
  readonly onChoose: (step: string) => void
}

export function GraphPane(props: Props) {
  const { api, shown, selection, folds, chosen, kept, now, zoom, isNarrow, onScale, onChoose } = props
  const [isFamily, setFamily] = useState(false)
  const { height, grip } = useGrip()
  const { value: forks = [] } = useForks(api, shown.view.id)
  const hasFamily = shown.view.fork !== undefined || forks.length > 0
  const isTree = isFamily && hasFamily
  const name = isNarrow ? "Steps" : "Graph"
  return (
    <section className={classes("panel", css.pane, css.graphp)} aria-label={isTree ? "Forks" : name}>
      <div className="panel-head">
        {hasFamily ? (
          <span className="pick" role="group" aria-label="Show">
            <button type="button" aria-pressed={!isTree} onClick={() => setFamily(false)}>
              {name}
            </button>
            <button type="button" aria-pressed={isTree} onClick={() => setFamily(true)}>
              Forks
            </button>
          </span>
        ) : (
          <h2>{name}</h2>
        )}
        {!isTree && <span className="dim nowrap">{counted(shown.graph.nodes.length, "step")}</span>}
        <span className="grow" />
        <button className="chip" type="button" aria-pressed={chosen === RUN} onClick={() => onChoose(RUN)}>
          The run
        </button>
        {!isNarrow && !isTree && (
          <span className="bar" role="group" aria-label="Size of the graph">
            <button className="btn bare" type="button" aria-label="Smaller" onClick={() => onScale("out")}>
              −
            </button>
            <button className="btn bare" type="button" aria-label="Larger" onClick={() => onScale("in")}>
              +
            </button>
            <button className="btn bare" type="button" onClick={() => onScale("fit")}>
              Fit <kbd>0</kbd>
            </button>
          </span>
        )}
      </div>
      {isTree ? (
        <div className={css.gWrap} style={height === undefined ? undefined : { height }}>
          <Suspense fallback={null}>
            <ForkTree api={api} shown={shown} />
          </Suspense>
        </div>
      ) : isNarrow ? (
        <StepsList shown={shown} selection={selection} folds={folds} chosen={chosen} kept={kept.steps} now={now} onChoose={onChoose} />
      ) : (
        <Guard of={shown.view.id} what="The graph">
          <div className={css.gWrap} aria-hidden="true">
            <Suspense fallback={null}>
              <RunGraph shown={shown} chosen={chosen} kept={kept} now={now} zoom={zoom} height={height} onChoose={onChoose} />
            </Suspense>
          </div>
        </Guard>
      )}
      {!isNarrow && (
        <div
          className={css.grip}
          role="separator"
          aria-orientation="horizontal"
          aria-label="Height of the graph"
          aria-valuemin={LEAST}
          aria-valuemax={mostHeight()}
          aria-valuenow={height ?? LEAST}
          title="Drag to make the graph taller; double-click for its own height"
          tabIndex={0}
          {...grip}
        />
      )}
    </section>
  )
}

/** In px: of the graph alone, and of one press of a key. */
const [LEAST, STEP] = [208, 32]
const NAME = "sluice-graph-height"
/** Something of the timeline is always seen. */
const mostHeight = (): number => Math.max(LEAST, Math.round(innerHeight * 0.7))

/** The height that was pulled is kept in this browser; undefined: as the graph needs it. */
function useGrip() {
  const [height, setHeight] = useState<number | undefined>(() => Number(localStorage.getItem(NAME)) || undefined)
  const from = useRef<{ readonly y: number; readonly height: number }>(undefined)
  const put = (to: number | undefined): void => {
    const next = to === undefined ? undefined : Math.round(Math.min(mostHeight(), Math.max(LEAST, to)))
    setHeight(next)
    if (next === undefined) localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, String(next))
  }
  const now = (target: Element): number => target.previousElementSibling?.getBoundingClientRect().height ?? LEAST
  const end = (): void => void (from.current = undefined)
  return {
    height,
    grip: {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { y: event.clientY, height: now(event.currentTarget) }
      },
      onPointerMove({ clientY }: PointerEvent) {
        if (from.current) put(from.current.height + clientY - from.current.y)
      },
      onPointerUp: end,
      onPointerCancel: end,
      onDoubleClick: () => put(undefined),
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        const by = { ArrowUp: -STEP, ArrowDown: STEP }[event.key]
        if (by === undefined) return
        event.preventDefault()
        event.stopPropagation()
        put(now(event.currentTarget) + by)
      },
    },
  }
}
