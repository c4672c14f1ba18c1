// The flow as a graph: where the run is. Places are made once for a flow and a width; events and moments change only what the steps say. It is for
// the eye: the timeline and, on small screens, the list say the same and have the keyboard.

import { useMemo, useRef, type CSSProperties } from "react"
import { fitOf, layoutFor } from "../../../../web/run/layout.ts"
import type { Layout } from "../../../../web/run/places.ts"
import { loopsOf, roundsOf } from "../../../../web/run/rounds.ts"
import { placesIn } from "../../../../web/run/viewport.ts"
import type { StepOutline } from "../../../../src/core/run/views/outline.ts"
import { classes } from "../../parts/classes.ts"
import { useWidth } from "../../parts/use-width.ts"
import { useLongest } from "../timeline/rows.ts"
import { stepIn, type ShownRun } from "../use-run.ts"
import { keptFrame, loopFrames, loopLabel, parallelFrames, runsFrames } from "./frames.ts"
import css from "./graph.module.css"
import { FrameBox, lineOf, MARKS, StepBox } from "./step-box.tsx"
import { LEAST_ZOOM, useViewport, type Zoom } from "./use-viewport.ts"

interface Props {
  readonly shown: ShownRun
  readonly chosen: string | undefined
  /** Steps that a fork keeps, or has kept. */
  readonly kept: { readonly steps: ReadonlySet<string>; readonly events: number }
  readonly now: number
  readonly zoom: Zoom
  /** In px, where the pane was pulled. */
  readonly height: number | undefined
  readonly onChoose: (step: string) => void
}

export function RunGraph(props: Props) {
  const { graph } = props.shown
  const { height } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const pane = useMemo(
    () => ({ width: width * (1 - PADDING), height: (height ?? innerHeight * MOST_HEIGHT) * (1 - PADDING) }),
    [width, height],
  )
  const layout = useMemo(() => (width === 0 ? undefined : layoutFor(graph, pane)), [graph, pane, width])
  const scale = layout === undefined ? 1 : Math.max(LEAST_ZOOM, fitOf(layout, pane))
  const style: Tall = {
    "--tall": `${Math.ceil(((layout?.height ?? 0) * scale) / (1 - 2 * PADDING)) + 8}px`,
    ...(height === undefined ? {} : { height }),
  }
  return (
    <div className={css.gIn} style={style} ref={box}>
      {layout && <Drawing {...props} layout={layout} />}
    </div>
  )
}

type Tall = CSSProperties & { readonly "--tall": string }
const PADDING = 0.06
/** Of the window: the graph alone is never all that is seen. */
const MOST_HEIGHT = 0.4

function Drawing({ layout, shown, chosen, kept, now, zoom, onChoose }: Props & { readonly layout: Layout }) {
  const { graph, story, version } = shown
  const box = useRef<HTMLDivElement>(null)
  const { view, pane } = useViewport(box, layout, { chosen, zoom })
  const types = useMemo(() => new Map(graph.nodes.map(({ id, type }) => [id, type])), [graph])
  const keptAround = useMemo(() => keptFrame(layout, kept), [layout, kept])
  const frames = useMemo(
    () => [
      ...parallelFrames(layout, graph),
      ...loopFrames(layout, loopsOf(graph)),
      ...(keptAround ? [keptAround] : []),
      ...runsFrames(layout, story),
    ],
    [layout, graph, story, version, keptAround],
  )
  // At a past moment, a step that was at work then has worked until then.
  const at = shown.at === undefined ? now : story.at
  return (
    <div className={css.pan} ref={box}>
      {view && (
        <div className={css.all} style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}>
          {frames.map((frame) => (
            <FrameBox key={frame.id} frame={frame} />
          ))}
          <Ways shown={shown} layout={layout} now={now} />
          {placesIn(layout, pane, view).map(({ id, x, y }) => {
            const step = stepIn(story, id)
            return (
              <StepBox
                key={id}
                id={id}
                x={x}
                y={y}
                status={step.status}
                line={lineOf(step, at)}
                mark={MARKS[types.get(id) ?? ""]}
                isChosen={id === chosen}
                isKept={keptAround === undefined && kept.steps.has(id)}
                onChoose={onChoose}
              />
            )
          })}
        </div>
      )}
    </div>
  )
}

function Ways({ shown: { graph, story, at, version, ...shown }, layout, now }: Pick<Props, "shown" | "now"> & { readonly layout: Layout }) {
  // Seconds move only what runs.
  const isRunning = [...story.steps.values()].some(({ status }) => status === "running" || status === "waiting")
  const end = story.ended ?? (at === undefined && isRunning ? Math.floor(now / 1_000) * 1_000 : story.at)
  const { path, isMarked } = useLongest({ graph, story, at, version, ...shown }, end)
  return useMemo(() => {
    const loops = loopsOf(graph)
    const long = new Set(isMarked.size === 0 ? [] : path.slice(1).map(({ step }, i) => `${path[i]?.step ?? ""} ${step}`))
    const backLabel = (from: string, label: string | undefined): string | undefined => {
      const loop = loops.find(({ deciders }) => deciders.includes(from))
      return loop === undefined ? label : loopLabel(loop, roundsOf(loop, story).length)
    }
    return (
      <>
        <svg className={css.ways} width={layout.width} height={layout.height}>
          {layout.ways.map(({ id, from, to, path: line }) => (
            <path
              key={id}
              d={line}
              className={classes(
                css.way,
                long.has(`${from} ${to}`) ? css.long : isTaken(story.steps.get(from), story.steps.get(to)) ? undefined : css.todo,
              )}
            />
          ))}
        </svg>
        {layout.ways.map(({ id, from, label, isBack, x, y }) => {
          const said = isBack ? backLabel(from, label) : label
          return (
            said !== undefined && (
              <span key={id} className={css.el} style={{ left: x, top: y }}>
                {said}
              </span>
            )
          )
        })}
      </>
    )
  }, [graph, layout, story, version, path, isMarked])
}

const isTaken = (from: StepOutline | undefined, to: StepOutline | undefined): boolean =>
  from !== undefined && to !== undefined && from.passes.length > 0 && to.passes.length > 0
