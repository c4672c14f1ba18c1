// The scores of a run, each with why, by whom, and the run of its judge.

import type { RunScores } from "../../../../src/api/doc/quality.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { byWords } from "../../../../web/quality/score-words.ts"
import { counted, fullTime, shortTime } from "../../parts/figures.ts"
import { Score } from "../../quality/score.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "./scores.module.css"

type Row = RunScores["scores"][number]

export function ScoreList({ scores }: { readonly scores: readonly { readonly row: Row; readonly before: number }[] }) {
  return (
    <ul className={css.list} aria-label="Scores">
      {scores.map(({ row: { scorer, score, level, reason, error, by, at, judge, current }, before }) => (
        <li key={scorer} data-scorer={scorer}>
          <Link className="link" href={addressOf("quality", "scorers", scorer)}>
            <b>{scorer}</b>
          </Link>
          <Score score={score} error={error} />
          {(level !== undefined || reason !== undefined || error !== undefined) && (
            <p className="mid" dir="auto">
              {level !== undefined && <b>{visible(level)}. </b>}
              {visible(error ?? reason ?? "")}
            </p>
          )}
          <span className={`${css.by} dim small`}>
            <span title={fullTime(at)}>
              {byWords(by)}, {shortTime(at)}
            </span>
            {!current && <span>by an earlier version of the scorer</span>}
            {before > 0 && <span>{counted(before, "earlier score")}</span>}
            {judge !== undefined && (
              <Link className="link" href={addressOf("runs", judge)}>
                Open the judge’s run
              </Link>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
