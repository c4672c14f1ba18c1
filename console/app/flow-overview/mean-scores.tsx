// Shows how good the runs of a revision were: a mean for each scorer, and of how many runs.

import { visible } from "../../../web/chat/wording.ts"
import type { MeanScore } from "../../../web/flow-overview/revision-scores.ts"
import { Score } from "../quality/score.tsx"
import css from "./flow-overview.module.css"
import { MOST_SCORED } from "./use-flow-overview.ts"

export function MeanScores({ scores }: { readonly scores: readonly MeanScore[] }) {
  if (scores.length === 0) return <span className="dim">–</span>
  return (
    <ul className={css.scores}>
      {scores.map(({ scorer, mean, n }) => (
        <li key={scorer} title={`the mean of ${n === 1 ? "1 run" : `${n.toLocaleString("en-US")} runs`}, of the newest ${MOST_SCORED}`}>
          <span className="cut">{visible(scorer)}</span> <Score score={mean} /> <span className="dim">{n.toLocaleString("en-US")}</span>
        </li>
      ))}
    </ul>
  )
}
