// Says how far a bulk is: one bar, and its parts in numbers.

import type { BulkRow } from "../../../../src/api/doc/run/bulk.doc.ts"
import type { ProgressPart } from "../../../../web/runs/progress.ts"
import css from "./bulk.module.css"

interface Props {
  readonly parts: readonly ProgressPart[]
  readonly count: number
  readonly status: BulkRow["status"]
}

export function Progress({ parts, count, status }: Props) {
  const open = parts.reduce((sum, part) => sum + (part.kind === "toCome" ? part.count : 0), 0)
  const over = count - open
  return (
    <section className="panel" aria-label="Progress">
      <div className={css.progress}>
        <p>
          <b>
            {over.toLocaleString()} of {count.toLocaleString()}
          </b>{" "}
          <span className="dim">
            {status === "running"
              ? "ten at a time, after today’s other runs"
              : status === "stopped"
                ? "No more will start. Those under way finish on their own."
                : ""}
          </span>
        </p>
        <div
          className={css.track}
          role="progressbar"
          aria-valuemin={0}
          aria-valuemax={count}
          aria-valuenow={over}
          aria-label={`${over.toLocaleString()} of ${count.toLocaleString()} done`}
        >
          {parts.map(
            (part) =>
              part.count > 0 && (
                <i key={part.kind} className={css[part.kind]} style={{ width: `${(part.count / Math.max(1, count)) * 100}%` }} />
              ),
          )}
        </div>
        <dl className={css.figures}>
          {parts.map((part) => (
            <div key={part.kind}>
              <dt>
                <i className={css[part.kind]} />
                {part.words}
              </dt>
              <dd>{part.count.toLocaleString()}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}
