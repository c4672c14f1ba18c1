// Says how long people have been asked: in fixed steps, the last of which somebody forgot.

import type { Overview } from "../../../src/api/doc/overview.doc.ts"
import { AGES, countByAge } from "../../../web/overview/ages.ts"
import { classes } from "../parts/classes.ts"
import { age, counted, shortDuration } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import css from "./overview.module.css"
import type { Range, Seen } from "./use-overview.ts"

interface Props {
  readonly asks: Seen["asks"]
  readonly total: Overview["total"]
  readonly range: Range
  readonly now: number
}

export function AsksByAge({ asks, total, range, now }: Props) {
  const counts = countByAge(asks, now)
  const most = Math.max(1, ...counts)
  const oldest = asks.toSorted((a, b) => a.created.localeCompare(b.created))[0]
  const flow = mostOf(asks)
  const answered = total.people.reduce((sum, one) => sum + one.answered, 0)
  const half = [total.approvals.ms, total.questions.ms].filter((ms) => ms !== null).toSorted((a, b) => b.n - a.n)[0]
  return (
    <section className={classes("panel", css.asks)} aria-labelledby="asks-by-age">
      <div className={css.head}>
        <h2 id="asks-by-age">Open asks by age</h2>
        <span className="grow" />
        <Link className="link" href={addressOf("inbox")}>
          All {asks.length}
        </Link>
      </div>
      <ul className={css.ages}>
        {AGES.map(({ label }, i) => (
          <li key={label}>
            <span>{label}</span>
            <span className={css.track} aria-hidden="true">
              {(counts[i] ?? 0) > 0 && (
                <i className={i === AGES.length - 1 ? css.old : css.asked} style={{ width: `${((counts[i] ?? 0) / most) * 100}%` }} />
              )}
            </span>
            <b className="num">{counts[i] ?? 0}</b>
          </li>
        ))}
      </ul>
      <dl className={css.facts}>
        {oldest && (
          <>
            <dt>Oldest</dt>
            <dd className="cut">
              <Link className="link" href={oldest.run === null ? addressOf("inbox") : addressOf("inbox", oldest.run, oldest.id)}>
                {questionOf(oldest)}
              </Link>
              , {age(Date.parse(oldest.created), now)}
            </dd>
          </>
        )}
        <dt>Answered</dt>
        <dd>
          {answered === 0 ? "none" : answered.toLocaleString("en-US")} {range === "day" ? "today" : "in 7 days"}
          {half && answered > 0 && `, half within ${shortDuration(half.p50)}`}
        </dd>
        {flow && (
          <>
            <dt>Most</dt>
            <dd className="cut">
              {flow.flow}, {counted(flow.count, "ask")}
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function questionOf({ kind, payload }: Seen["asks"][number]): string {
  const text = payload["question"] ?? payload["tool"]
  return typeof text === "string" && text !== "" ? text : (KINDS[kind] ?? kind)
}

const KINDS: Readonly<Record<string, string>> = {
  ask_user: "A question",
  fork: "Which branch?",
  "approval.plan": "A plan",
  budget: "Budget used",
  effects: "Held effects",
  elicitation: "A tool’s question",
}

/** The flow that asks most. */
export function mostOf(asks: Seen["asks"]): { readonly flow: string; readonly count: number } | undefined {
  const counts = new Map<string, number>()
  for (const ask of asks) if ("flow" in ask) counts.set(ask.flow, (counts.get(ask.flow) ?? 0) + 1)
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1])
  return most && { flow: most[0], count: most[1] }
}
