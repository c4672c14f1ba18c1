// The flow as it is written, drawn beside its text: a step that is chosen here is chosen there. It is for the eye and the pointer; the text has
// the same content and the keyboard.

import { useId, useMemo } from "react"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { BOX, fittedLayout } from "../../../web/flow/draft-layout.ts"
import { counted } from "../parts/figures.ts"
import { lookOf } from "../parts/status.tsx"
import { ICON_PATHS, type IconName } from "../shell/icons.tsx"
import { classes } from "../parts/classes.ts"
import css from "./draft-graph.module.css"

interface Props {
  readonly graph: GraphView
  readonly chosen: string | undefined
  /** Step → how many errors and warnings its text has. */
  readonly faults: ReadonlyMap<string, { readonly errors: number; readonly warnings: number }>
  /** Step → how it ended when the flow was last tried here. */
  readonly tried: ReadonlyMap<string, string>
  readonly onChoose: (step: string) => void
  /** What the drawing may fill: it wraps to be seen as a whole. */
  readonly room: { readonly width: number; readonly height: number }
  /** How much larger than usual it may be. */
  readonly most: number
}

/** What kind of step it is, where that is worth a mark. */
const MARKS: Readonly<Record<string, IconName>> = {
  "agent-decision": "split",
  "code-decision": "split",
  conditional: "split",
  fork: "person",
  "agent-loop-decision": "loop",
  "flow-ref": "child",
  map: "child",
  code: "term",
  tool: "plug",
  wait: "clock",
}
/** Characters that fit into a box of a step. */
const FITS = 18

export function DraftGraph({ graph, chosen, faults, tried, room, most, onChoose }: Props) {
  const layout = useMemo(() => fittedLayout(graph, room), [graph, room.width, room.height])
  // Smaller than this it scrolls.
  const least = Math.max(0.6, Math.min(most, room.width / layout.width, room.height / layout.height))
  const types = useMemo(() => new Map(graph.nodes.map(({ id, type }) => [id, type])), [graph])
  const tip = useId()
  return (
    <svg
      className={css.dgraph}
      role="img"
      aria-label={`${counted(graph.nodes.length, "step")}; the text of the flow says the same`}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      style={{ width: Math.round(layout.width * least) }}
    >
      <defs>
        <marker id={tip} viewBox="0 0 8 8" refX="5" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M1 1 6 4 1 7" />
        </marker>
      </defs>
      {layout.edges.map(({ id, path, label, x, y }) => (
        <g key={id}>
          <path className={css.e} d={path} markerEnd={`url(#${tip})`} />
          {label !== undefined && (
            <text className={css.el} x={x} y={y}>
              {short(label)}
            </text>
          )}
        </g>
      ))}
      {layout.spots.map(({ id, x, y }) => {
        const { errors = 0, warnings = 0 } = faults.get(id) ?? {}
        const kind = MARKS[types.get(id) ?? ""]
        const end = tried.get(id)
        // No person is asked.
        const isPatient = kind === "clock" && end === "waiting"
        const state = errors > 0 ? "error" : warnings > 0 ? css.warned : isPatient ? "running" : end
        const icon = errors > 0 ? "failed" : warnings > 0 ? "warn" : end === undefined ? undefined : isPatient ? "clock" : lookOf(end).icon
        return (
          <g key={id} className={classes(css.bx, state, id === chosen && "sel")} onClick={() => onChoose(id)}>
            <title>{titleOf(id, errors, warnings, end)}</title>
            <rect x={x} y={y} width={BOX.width} height={BOX.height} rx="6" />
            {icon && <Mark name={icon} x={x + 8} y={y + 7} />}
            <text className={css.nn} x={x + (icon ? 27 : 11)} y={y + 18.5}>
              {short(id, icon === undefined ? FITS : FITS - 3)}
            </text>
            {kind && <Mark name={kind} x={x + BOX.width - 21} y={y + 7} className={css.kd} />}
          </g>
        )
      })}
    </svg>
  )
}

function Mark({
  name,
  x,
  y,
  className,
}: {
  readonly name: IconName
  readonly x: number
  readonly y: number
  readonly className?: string | undefined
}) {
  return (
    <svg className={className} x={x} y={y} width="14" height="14" viewBox="0 0 16 16">
      {ICON_PATHS[name]}
    </svg>
  )
}

const short = (words: string, most = FITS): string => (words.length <= most ? words : `${words.slice(0, most - 1)}…`)

function titleOf(id: string, errors: number, warnings: number, end: string | undefined): string {
  if (errors + warnings > 0) return `${id}: ${errors} errors, ${warnings} warnings`
  return end === undefined ? id : `${id}: ${lookOf(end).word}`
}
