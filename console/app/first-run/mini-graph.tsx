// The steps of a run in a row: what is done, what failed, what asks and what is to come. The words beside it say the same.

import type { ToldRun } from "./use-first-run.ts"
import css from "./mini-graph.module.css"

const [WIDTH, BOX, HEIGHT] = [300, 22, 18]
const TOP = 4

export function MiniGraph({ told: { view, graph, row } }: { readonly told: ToldRun }) {
  const ids = graph.nodes.map(({ id }) => id).filter((id) => view.steps[id]?.status !== "skipped")
  const gap = ids.length < 2 ? 0 : (WIDTH - BOX) / (ids.length - 1)
  const kindOf = (id: string) => {
    const status = view.steps[id]?.status
    if (status === "complete") return "kept"
    if (status === "error" || status === "blocked") return "bad"
    if (row.now?.step === id && row.now.asks !== undefined) return "ask"
    return status === undefined || status === "pending" ? "todo" : "now"
  }
  return (
    <svg className={css.miniG} viewBox="-2 -2 304 30" aria-hidden="true">
      {ids.map((id, at) => (
        <g key={id}>
          {at > 0 && <line x1={(at - 1) * gap + BOX} y1={TOP + HEIGHT / 2} x2={at * gap} y2={TOP + HEIGHT / 2} />}
          <rect className={css[kindOf(id)]} x={at * gap} y={TOP} width={BOX} height={HEIGHT} rx="4" />
        </g>
      ))}
    </svg>
  )
}
