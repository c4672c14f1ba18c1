// The steps as a list: the graph's twin, on small screens.

import { duration } from "../parts/figures.ts"
import { StatusMark } from "../parts/status.tsx"
import { stepIn, type Shown } from "./use-run.ts"

interface Wish {
  readonly shown: Shown
  readonly chosen: string | undefined
  readonly now: number
  readonly onChoose: (step: string) => void
}

export function StepsList({ shown: { graph, story }, chosen, now, onChoose }: Wish) {
  return (
    <ul className="twin" aria-label="Steps">
      {graph.nodes.map(({ id, segment }, i) => {
        const { status, passes } = stepIn(story, id)
        const last = passes.at(-1)
        const asks = last?.asks.some(({ ended }) => ended === undefined)
        const isBeside = graph.nodes[i - 1]?.segment === segment || graph.nodes[i + 1]?.segment === segment
        return (
          <li key={id}>
            <button
              className={id === chosen ? "tw sel" : "tw"}
              type="button"
              aria-current={id === chosen ? "true" : undefined}
              onClick={() => onChoose(id)}
            >
              <span className={isBeside ? "rail on" : "rail"} />
              <StatusMark status={status} />
              <span className="cut">{id}</span>
              {passes.length > 1 && <span className="tag">pass {passes.length}</span>}
              {asks === true && <span className="tag waiting">asks you</span>}
              <span className="num dim">
                {last === undefined ? (status === "skipped" ? "skipped" : "to come") : duration((last.ended ?? now) - last.begun)}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
