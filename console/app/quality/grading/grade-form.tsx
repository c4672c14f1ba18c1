// The grade of one run: a level, and if wanted why, and what the answer should have been.

import type { GradingEntry } from "../../../../src/api/doc/quality.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import type { Level } from "../../../../src/core/flow/scorer.ts"
import { classes } from "../../parts/classes.ts"
import { LinesField } from "../../settings/parts/fields.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "./grading.module.css"

export interface Grade {
  readonly score?: number
  readonly comment: string
  readonly correction: string
}

interface Props {
  readonly entry: GradingEntry
  readonly levels: readonly Level[]
  readonly grade: Grade
  readonly fault: string | undefined
  readonly isOff: boolean
  readonly isFirst: boolean
  readonly onChange: (grade: Grade) => void
  readonly onGrade: () => unknown
  readonly onSkip: () => void
  readonly onBack: () => unknown
}

export function GradeForm({ entry, levels, grade, fault, isOff, isFirst, onChange, onGrade, onSkip, onBack }: Props) {
  return (
    <section className={classes("panel", css.form)} aria-label="Your grade">
      <div className="panel-head">
        <h2>{entry.scorer}</h2>
      </div>
      <div className={css.body}>
        {entry.rubric !== undefined && (
          <p className={classes("mid", css.rubric)} dir="auto">
            {visible(entry.rubric)}
          </p>
        )}
        <div className={css.levels} role="radiogroup" aria-label="Level">
          {levels.map(({ score, text }, at) => (
            <label key={score} className={classes(grade.score === score && css.on)}>
              <input
                className="vh"
                type="radio"
                name="level"
                disabled={isOff}
                checked={grade.score === score}
                onChange={() => onChange({ ...grade, score })}
              />
              <kbd>{at + 1}</kbd>
              <b dir="auto">{visible(text)}</b>
              <span className="num dim">{score}</span>
            </label>
          ))}
        </div>
        <div className={css.words}>
          <LinesField
            label="Note (optional)"
            isMono={false}
            rows={3}
            value={grade.comment}
            onChange={(comment) => onChange({ ...grade, comment })}
          />
          <LinesField
            label="What it should have said (optional)"
            hint="A dataset’s row made of this run expects it."
            isMono={false}
            rows={2}
            value={grade.correction}
            onChange={(correction) => onChange({ ...grade, correction })}
          />
        </div>
        {fault !== undefined && (
          <p className="msg error" role="alert">
            <span>{fault}</span>
          </p>
        )}
        {isOff && <p className="mid">This session may not grade: it needs runs:write and interactions:answer.</p>}
        <div className="bar">
          <button className="btn first" type="button" aria-disabled={isOff} onClick={() => onGrade()}>
            Grade <kbd>Enter</kbd>
          </button>
          <button className="btn" type="button" aria-disabled={isOff} onClick={onSkip}>
            Skip <kbd>S</kbd>
          </button>
          <button className="btn bare" type="button" aria-disabled={isFirst} onClick={() => onBack()}>
            Back <kbd>Backspace</kbd>
          </button>
        </div>
        <p className={classes("dim small", css.words)}>
          The judge’s score stays hidden. How well it agrees with people is told in{" "}
          <Link className="link" href={addressOf("quality", "scorers", entry.scorer)}>
            Scorers
          </Link>
          .
        </p>
      </div>
    </section>
  )
}
