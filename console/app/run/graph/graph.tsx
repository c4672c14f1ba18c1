// The flow as a graph: where the run is. Places are made once for a flow and a width; events and moments change only what the steps say. It is for the eye:
// the timeline and, on small screens, the list say the same and have the keyboard.

import {
  BaseEdge,
  EdgeLabelRenderer,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
  type Viewport,
} from "@xyflow/react"
import { memo, useEffect, useMemo, useRef, type CSSProperties } from "react"
import { duration } from "../../parts/figures.ts"
import { useWidth } from "../../parts/use-width.ts"
import { lookOf, StatusMark } from "../../parts/status.tsx"
import { fitOf, layoutFor } from "../../../../web/run/layout.ts"
import { NODE, type EdgeLine, type Layout, type NodePlace } from "../../../../web/run/places.ts"
import { loopsOf, roundsOf } from "../../../../web/run/rounds.ts"
import type { StepOutline } from "../../../../src/core/run/views/outline.ts"
import { Icon, type IconName } from "../../shell/icons.tsx"
import { keptFrame, loopFrames, loopLabel, parallelFrames, runsFrames, type GraphFrame } from "./frames.ts"
import { useLongest } from "../timeline/rows.ts"
import { stepIn, type ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import css from "./graph.module.css"

type StepNode = Node<
  {
    readonly id: string
    readonly status: string
    readonly line: string
    readonly mark: IconName | undefined
    readonly isChosen: boolean
    readonly isKept: boolean
  },
  "step"
>
type FrameNode = Node<{ readonly kind: GraphFrame["kind"]; readonly label: string | undefined }, "frame">
type WayEdge = Edge<
  {
    readonly label: string | undefined
    readonly isBack: boolean
    readonly isTaken: boolean
    readonly isLong: boolean
    readonly line: EdgeLine
  },
  "way"
>

interface Props {
  readonly shown: ShownRun
  readonly chosen: string | undefined
  /** Steps that a fork keeps, or has kept. */
  readonly kept: { readonly steps: ReadonlySet<string>; readonly events: number }
  readonly now: number
  readonly zoom: { readonly by: "in" | "out" | "fit"; readonly turn: number }
  readonly onChoose: (step: string) => void
}

export function RunGraph(props: Props) {
  const { graph } = props.shown
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const pane = useMemo(() => ({ width: width * (1 - PADDING), height: innerHeight * MOST_HEIGHT * (1 - PADDING) }), [width])
  const layout = useMemo(() => (width === 0 ? undefined : layoutFor(graph, pane)), [graph, pane, width])
  const scale = layout === undefined ? 1 : Math.max(LEAST_ZOOM, fitOf(layout, pane))
  const style: Tall = { "--tall": `${Math.ceil(((layout?.height ?? 0) * scale) / (1 - 2 * PADDING)) + 8}px` }
  return (
    <div className={css.gIn} style={style} ref={box}>
      {layout && (
        <ReactFlowProvider>
          <Flow {...props} layout={layout} />
        </ReactFlowProvider>
      )}
    </div>
  )
}

type Tall = CSSProperties & { readonly "--tall": string }
/** Names of steps are still read at it. */
const LEAST_ZOOM = 0.55
const PADDING = 0.06
/** Of the window: the graph alone is never all that is seen. */
const MOST_HEIGHT = 0.4

function Flow({ layout, shown, chosen, kept, now, zoom, onChoose }: Props & { readonly layout: Layout }) {
  const { graph, story, version } = shown
  const loops = useMemo(() => loopsOf(graph), [graph])
  const besides = useMemo(() => parallelFrames(layout, graph), [layout, graph])
  const types = useMemo(() => new Map(graph.nodes.map(({ id, type }) => [id, type])), [graph])
  // Seconds move only what runs.
  const isRunning = [...story.steps.values()].some(({ status }) => status === "running" || status === "waiting")
  const tick = isRunning && shown.at === undefined ? Math.floor(now / 1_000) : 0
  const keptAround = useMemo(() => keptFrame(layout, kept), [layout, kept])
  const started = useMemo(() => runsFrames(layout, story), [layout, story, version])
  const frames = useMemo(() => {
    const around = loopFrames(layout, loops)
    return [...(keptAround ? [keptAround] : []), ...around, ...besides, ...started].map(
      ({ id, kind, label, x, y, width, height }): FrameNode => ({
        id: `frame ${id}`,
        type: "frame",
        position: { x, y },
        width,
        height,
        handles: [],
        zIndex: -1,
        data: { kind, label },
      }),
    )
  }, [layout, loops, besides, started, keptAround])
  const end = story.ended ?? (shown.at === undefined ? tick * 1_000 || story.at : story.at)
  const { path, isMarked } = useLongest(shown, end)
  const longWays = useMemo(
    () => new Set(isMarked.size === 0 ? [] : path.slice(1).map(({ step }, i) => `${path[i]?.step ?? ""} ${step}`)),
    [path, isMarked],
  )
  const steps = useMemo(
    () =>
      layout.places.map(({ id, x, y }): StepNode => {
        const step = stepIn(story, id)
        return {
          id,
          type: "step",
          position: { x, y },
          width: NODE.width,
          height: NODE.height,
          handles: HANDLES,
          data: {
            id,
            status: step.status,
            // At a past moment, a step that was at work then has worked until then.
            line: lineOf(step, shown.at === undefined ? now : story.at),
            mark: MARKS[types.get(id) ?? ""],
            isChosen: false,
            isKept: keptAround === undefined && kept.steps.has(id),
          },
        }
      }),
    [layout, story, version, tick, kept, keptAround, types],
  )
  // A choice makes one box anew: the others are the same objects, which the graph passes over.
  const nodes = useMemo(
    () => steps.map((node): StepNode => (node.id === chosen ? { ...node, data: { ...node.data, isChosen: true } } : node)),
    [steps, chosen],
  )
  const backLabel = (from: string, label: string | undefined): string | undefined => {
    const loop = loops.find(({ deciders }) => deciders.includes(from))
    return loop === undefined ? label : loopLabel(loop, roundsOf(loop, story).length)
  }
  const edges = useMemo(
    () =>
      layout.ways.map((line): WayEdge => {
        const { id, from, to, label, isBack } = line
        return {
          id,
          source: from,
          target: to,
          type: "way",
          data: {
            label: isBack ? backLabel(from, label) : label,
            isBack,
            isTaken: isTaken(story.steps.get(from), story.steps.get(to)),
            isLong: longWays.has(`${from} ${to}`),
            line,
          },
        }
      }),
    [layout, loops, story, version, longWays],
  )
  return (
    <ReactFlow
      nodes={useMemo(() => [...frames, ...nodes], [frames, nodes])}
      edges={edges}
      nodeTypes={NODES}
      edgeTypes={EDGES}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      onlyRenderVisibleElements
      panOnScroll
      zoomOnScroll={false}
      zoomOnDoubleClick={false}
      minZoom={0.2}
      maxZoom={1.5}
      proOptions={PRO}
      onNodeClick={(_, { id, type }) => {
        if (type === "step") onChoose(id)
      }}
    >
      <View layout={layout} chosen={chosen} zoom={zoom} />
    </ReactFlow>
  )
}

/** Said beforehand, so that no box is drawn to be measured: a box whose ends are not known is drawn even where it is out of view. */
const HANDLES: NonNullable<StepNode["handles"]> = [
  { type: "target", position: Position.Left, x: 0, y: NODE.height / 2, width: 1, height: 1 },
  { type: "source", position: Position.Right, x: NODE.width, y: NODE.height / 2, width: 1, height: 1 },
]
const PRO = { hideAttribution: true }

/** All of it where that can be read; the chosen step and what is around it otherwise. */
function View({ layout, chosen, zoom }: Pick<Props, "chosen" | "zoom"> & { readonly layout: Layout }) {
  const flow = useReactFlow()
  const store = useStoreApi()
  const isMeasured = useStore(({ width, height }) => width > 0 && height > 0)
  const place = layout.places.find(({ id }) => id === chosen)
  useEffect(() => {
    if (!isMeasured) return
    if (zoom.by === "in") void flow.zoomIn()
    else if (zoom.by === "out") void flow.zoomOut()
    else {
      const { width, height } = store.getState()
      const fit = fitOf(layout, { width: width - 2 * EDGE, height: height - 2 * EDGE })
      void flow.setViewport(viewOf(layout, { width, height }, layout.places[0], Math.max(LEAST_ZOOM, fit)))
    }
  }, [flow, store, isMeasured, layout, zoom])
  useEffect(() => {
    if (!isMeasured || place === undefined) return
    const screen = store.getState()
    const { x, y, zoom: scale } = flow.getViewport()
    if (!isSeen(place, screen, { x, y, zoom: scale })) void flow.setViewport(viewOf(layout, screen, place, scale))
  }, [flow, store, isMeasured, layout, place])
  return null
}

/** Whether a step is in view as a whole. */
function isSeen(place: NodePlace, screen: { readonly width: number; readonly height: number }, { x, y, zoom }: Viewport): boolean {
  const [left, top] = [x + place.x * zoom, y + place.y * zoom]
  return left >= 0 && top >= 0 && left + NODE.width * zoom <= screen.width && top + NODE.height * zoom <= screen.height
}

/** The step in the middle, but nothing empty beside a graph that is larger than the screen. */
function viewOf(
  layout: Layout,
  screen: { readonly width: number; readonly height: number },
  place: NodePlace | undefined,
  zoom: number,
): Viewport {
  const along = (side: "width" | "height", at: number): number => {
    const [seen, whole] = [screen[side], layout[side] * zoom]
    const [first, last] = [EDGE, seen - whole - EDGE]
    return last > first ? (seen - whole) / 2 : Math.min(first, Math.max(last, seen / 2 - (at + NODE[side] / 2) * zoom))
  }
  return { x: along("width", place?.x ?? 0), y: along("height", place?.y ?? 0), zoom }
}
/** Pixels beside the graph, in which frames and the lines that lead back stand. */
const EDGE = 24

/** What a step is, where it does more than run an agent. */
const MARKS: Readonly<Record<string, IconName>> = {
  fork: "split",
  conditional: "split",
  "agent-decision": "split",
  "code-decision": "split",
  "agent-loop-decision": "loop",
  "flow-ref": "child",
  map: "child",
}

function lineOf({ status, passes, skips }: StepOutline, now: number): string {
  const last = passes.at(-1)
  const children = last?.works.filter(({ kind }) => kind === "child") ?? []
  if (children.length > 1 && last?.ended === undefined)
    return `${children.filter(({ ended }) => ended !== undefined).length} of ${children.length} runs`
  if (status === "waiting" && last?.asks.some(({ ended }) => ended === undefined)) return "asks you"
  if (last === undefined || status === "pending")
    return passes.length > 0 ? `pass ${passes.length} done` : skips > 0 ? "skipped" : "to come"
  if (status === "skipped") return "skipped"
  const time = duration((last.ended ?? now) - last.begun)
  const word = status === "error" || status === "blocked" ? `${lookOf(status).word.toLowerCase()}, ${time}` : time
  return passes.length > 1 ? `pass ${passes.length}, ${word}` : word
}

const isTaken = (from: StepOutline | undefined, to: StepOutline | undefined): boolean =>
  from !== undefined && to !== undefined && from.passes.length > 0 && to.passes.length > 0

const FrameBox = memo(function FrameBox({ data: { kind, label } }: NodeProps<FrameNode>) {
  return <div className={classes(css.fr, css[kind])}>{label !== undefined && <span>{label}</span>}</div>
})

const StepBox = memo(function StepBox({ data: { id, status, line, mark, isChosen, isKept } }: NodeProps<StepNode>) {
  return (
    <div className={classes(css.nd, status, isChosen && "sel", isKept && css.kept)} title={`${id}: ${lookOf(status).word}`}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <span className={css.ndH}>
        <StatusMark status={status} kind="i-s" />
        <b className="cut">{id}</b>
      </span>
      <span className={css.ns}>
        <span className="cut">{line}</span>
        {mark && <Icon name={mark} kind="i-s" />}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
})

const WayLine = memo(function WayLine({ data }: EdgeProps<WayEdge>) {
  if (data === undefined) return null
  const {
    isTaken: taken,
    isLong,
    label,
    line: { path, x, y },
  } = data
  return (
    <>
      <BaseEdge path={path} className={isLong ? css.long : taken ? undefined : css.todo} />
      {label !== undefined && (
        <EdgeLabelRenderer>
          <span className={css.el} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
})

const NODES = { step: StepBox, frame: FrameBox }
const EDGES = { way: WayLine }
