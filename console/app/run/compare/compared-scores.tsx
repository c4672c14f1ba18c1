// Shows what scorers say of two runs, beside each other [V17].

import type { Comparison } from "../../../../src/api/doc/trust.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { scoreWords } from "../../../../web/quality/score-words.ts"
import { Score } from "../../quality/score.tsx"

export function ComparedScores({ found: { scores } }: { readonly found: Comparison }) {
  if (scores.length === 0) return null
  return (
    <section className="panel" aria-label="Scores">
      <div className="panel-head">
        <h2>Scores</h2>
        <span className="dim">the newest of each scorer</span>
      </div>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">Scorer</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col" className="num">
              B vs. A
            </th>
          </tr>
        </thead>
        <tbody>
          {scores.map(({ scorer, a, b }) => (
            <tr key={scorer}>
              <th scope="row">{visible(scorer)}</th>
              <td>{a === null ? <span className="dim">none</span> : <Score score={a} />}</td>
              <td>{b === null ? <span className="dim">none</span> : <Score score={b} />}</td>
              <td className="num">{a === null || b === null ? "–" : `${b < a ? "−" : "+"}${scoreWords(Math.abs(b - a))}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
