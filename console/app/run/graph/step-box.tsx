// A step in the graph, and the frame around several.

import { memo } from "react"
import type { StepOutline } from "../../../../src/core/run/views/outline.ts"
import { classes } from "../../parts/classes.ts"
import { duration } from "../../parts/figures.ts"
import { lookOf, StatusMark } from "../../parts/status.tsx"
import { Icon, type IconName } from "../../shell/icons.tsx"
import type { GraphFrame } from "./frames.ts"
import css from "./graph.module.css"

interface Props {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly status: string
  readonly line: string
  readonly mark: IconName | undefined
  readonly isChosen: boolean
  readonly isKept: boolean
  readonly onChoose: (step: string) => void
}

export const StepBox = memo(function StepBox({ id, x, y, status, line, mark, isChosen, isKept, onChoose }: Props) {
  const isPatient = status === "running" && mark === "clock"
  return (
    <div
      className={classes(css.nd, status, isChosen && "sel", isKept && css.kept)}
      style={{ left: x, top: y }}
      title={`${id}: ${lookOf(status).word}`}
      onClick={() => onChoose(id)}
    >
      <span className={css.ndH}>
        <StatusMark status={status} kind="i-s" isPatient={isPatient} />
        <b className="cut">{id}</b>
      </span>
      <span className={css.ns}>
        <span className="cut">{line}</span>
        {mark && !isPatient && <Icon name={mark} kind="i-s" />}
      </span>
    </div>
  )
})

export const FrameBox = memo(function FrameBox({ frame: { kind, label, x, y, width, height } }: { readonly frame: GraphFrame }) {
  return (
    <div className={classes(css.fr, css[kind])} style={{ left: x, top: y, width, height }}>
      {label !== undefined && <span>{label}</span>}
    </div>
  )
})

/** What a step is, where it does more than run an agent. */
export const MARKS: Readonly<Record<string, IconName>> = {
  fork: "split",
  conditional: "split",
  "agent-decision": "split",
  "code-decision": "split",
  "agent-loop-decision": "loop",
  "flow-ref": "child",
  map: "child",
  tool: "plug",
  wait: "clock",
}

export function lineOf({ status, passes, skips }: StepOutline, now: number): string {
  const last = passes.at(-1)
  const children = last?.works.filter(({ kind }) => kind === "child") ?? []
  if (children.length > 1 && last?.ended === undefined)
    return `${children.filter(({ ended }) => ended !== undefined).length} of ${children.length} runs`
  if (status === "waiting" && last?.asks.some(({ ended }) => ended === undefined)) return "asks you"
  if (last === undefined || status === "pending")
    return passes.length > 0 ? `pass ${passes.length} done` : skips > 0 ? "skipped" : "to come"
  if (status === "skipped") return "skipped"
  const time = last.cached === undefined ? duration((last.ended ?? now) - last.begun) : "cached"
  const word = status === "error" || status === "blocked" ? `${lookOf(status).word.toLowerCase()}, ${time}` : time
  return passes.length > 1 ? `pass ${passes.length}, ${word}` : word
}
