// The numbers above the plot of usage.

import type { Usage as Shown } from "../../../../src/api/doc/insight.doc.ts"
import { classes } from "../../parts/classes.ts"
import { counted, money, tokens } from "../../parts/figures.ts"
import { dayName, tookOf } from "./usage-days.ts"
import css from "./usage.module.css"

export function Headlines({
  usage: { total, from, to, data },
  isToday,
  limit,
  forecast,
}: {
  readonly usage: Shown
  readonly isToday: boolean
  readonly limit: number | undefined
  readonly forecast: number | undefined
}) {
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  const last = data.find(({ key }) => key === to)
  const share = (part: number, whole: number): string => (whole === 0 ? "–" : `${((part / whole) * 100).toFixed(1)}%`)
  return (
    <dl className={classes(css.heads, "panel")}>
      <Headline
        label="Spend"
        value={dollars(total.usd)}
        about={total.usd === null ? "no call had a price" : `${dollars(total.usd / days)} a day`}
      />
      <Headline
        label="Runs"
        value={total.runs.toLocaleString()}
        about={total.runs === 0 ? "none ended" : `${share(total.failed, total.runs)} failed`}
      />
      <Headline
        label="Tokens"
        value={tokens(total.input + total.output)}
        about={`${share(total.cached, total.input)} of input from cache`}
      />
      <Headline
        label="Tool calls"
        value={total.tool_calls.toLocaleString()}
        about={total.tool_calls === 0 ? "none" : `${share(total.tool_errors, total.tool_calls)} failed`}
      />
      <Headline
        label="People asked"
        value={(total.questions + total.approvals).toLocaleString()}
        about={
          total.questions + total.approvals === 0 ? "no run did" : `${counted(total.approvals, "approval")}; answered in ${tookOf(total)}`
        }
      />
      <Headline
        label={isToday ? "Today" : dayName(to)}
        value={dollars(last === undefined ? 0 : last.usd)}
        about={
          isToday && forecast !== undefined
            ? `about ${dollars(forecast)}${limit === undefined ? "" : ` of ${dollars(limit)}`} by midnight UTC`
            : limit === undefined
              ? `${counted(last?.runs ?? 0, "run")} ended`
              : `of ${dollars(limit)} daily budget`
        }
      />
    </dl>
  )
}

const dollars = (amount: number | null): string => (amount === null ? "–" : amount === 0 ? "$0" : money(amount))

function Headline({ label, value, about }: { readonly label: string; readonly value: string; readonly about: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
      <dd className="dim">{about}</dd>
    </div>
  )
}
