// Usage [H14]: what runs have used, by day and by name. The address says by what (`?by=`), of which days (`?from=`, `?to=`), what is plotted
// (`?plot=`), and whether rehearsed runs are shown instead (`?rehearsed=1`).

import { useMemo, useState } from "react"
import { UsageClient } from "../../../../src/client/insight.ts"
import { settingsOver } from "../../../../src/client/settings.ts"
import { faultOf } from "../../parts/fault.ts"
import { counted } from "../../parts/figures.ts"
import { saveAs } from "../../parts/save.ts"
import { useAsked } from "../../parts/asked.ts"
import { goQuery, useQuery } from "../../shell/place.ts"
import { Head } from "../parts/head.tsx"
import { AskedView } from "../../parts/asked-view.tsx"
import type { SectionProps } from "../section-props.ts"
import { stackedBy } from "./flow-stack.ts"
import { daysBefore, daySlots, MEASURES, today } from "./usage-days.ts"
import { Headlines } from "./usage-heads.tsx"
import { UsagePlot } from "./usage-plot.tsx"
import { UsageTable } from "./usage-table.tsx"
import { classes } from "../../parts/classes.ts"
import css from "./usage.module.css"

const BY = [
  ["day", "Day"],
  ["flow", "Flow"],
  ["model", "Model"],
  ["agent", "Agent"],
  ["tool", "Tool"],
] as const
const SPANS = [7, 30, 90] as const
const DEFAULT_SPAN = 30
const DAY = /^\d{4}-\d\d-\d\d$/

export function UsageSection({ api }: SectionProps) {
  const query = useQuery()
  const usage = new UsageClient(api.transport)
  const [by, label] = BY.find(([name]) => name === query.get("by")) ?? BY[0]
  const measure = MEASURES.find(({ name }) => name === query.get("plot")) ?? MEASURES[0]
  const rehearsed = query.get("rehearsed") === "1" ? 1 : 0
  const now = today()
  const to = dayOf(query.get("to")) ?? now
  const from = dayOf(query.get("from")) ?? daysBefore(to, DEFAULT_SPAN - 1)
  const days = { from, to, rehearsed } as const
  const [csvFault, setCsvFault] = useState<string>()
  const about = JSON.stringify([by, days])
  const loaded = useAsked(["settings", "usage", about], async () => {
    const byDay = usage.by("day", days)
    const [all, named, daily] = await Promise.all([
      byDay,
      by === "day" ? byDay : usage.by(by, days),
      by === "flow" ? usage.by(by, { ...days, each: "day" }) : undefined,
    ])
    return { all, named, daily }
  })
  const slots = useMemo(() => loaded.value && daySlots(loaded.value.all, now), [loaded.value, now])
  const stack = useMemo(() => loaded.value?.daily && stackedBy(loaded.value.daily, measure), [loaded.value, measure])
  const isAdmin = api.who.scopes.includes("admin")
  // A page without the limit is worth showing.
  const budget = useAsked(["settings", "budget of usage"], async () => (isAdmin ? await settingsOver(api.transport).budget.get() : {}))
  const download = (): void => {
    setCsvFault(undefined)
    usage.csv(by, days).then(
      (text) => saveAs(`usage-by-${by}-${from}-${to}.csv`, new Blob([text], { type: "text/csv" })),
      (error: unknown) => setCsvFault(faultOf(error)),
    )
  }
  const span = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  const pick = (change: Readonly<Record<string, string | undefined>>): void => goQuery(change)
  return (
    <>
      <Head title="Usage">
        <div className="pick" role="group" aria-label="Days">
          {SPANS.map((count) => (
            <button
              key={count}
              type="button"
              aria-pressed={to === now && span === count}
              onClick={() => pick({ from: count === DEFAULT_SPAN ? undefined : daysBefore(now, count - 1), to: undefined })}
            >
              {count} days
            </button>
          ))}
        </div>
        <button className="btn" type="button" onClick={download}>
          CSV
        </button>
      </Head>
      <div className="bar">
        <input
          className={classes("input", css.sday)}
          type="date"
          aria-label="First day"
          value={from}
          max={to}
          onChange={({ target }) => target.value !== "" && pick({ from: target.value, to })}
        />
        <span className="dim">to</span>
        <input
          className={classes("input", css.sday)}
          type="date"
          aria-label="Last day"
          value={to}
          min={from}
          onChange={({ target }) => target.value !== "" && pick({ from, to: target.value })}
        />
        <span className="dim nowrap">UTC</span>
        <label className="check">
          <input
            type="checkbox"
            checked={rehearsed === 1}
            onChange={({ target }) => pick({ rehearsed: target.checked ? "1" : undefined })}
          />
          <span>Rehearsed runs</span>
        </label>
        <span className="grow" />
        <div className="pick" role="group" aria-label="Plot">
          {MEASURES.map(({ name, label: words }) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === measure.name}
              onClick={() => pick({ plot: name === MEASURES[0].name ? undefined : name })}
            >
              {words}
            </button>
          ))}
        </div>
      </div>
      {csvFault !== undefined && (
        <p className="msg error" role="alert">
          {csvFault}
        </p>
      )}
      <AskedView what="the usage" of={loaded}>
        {({ all, named }) => (
          <>
            <Headlines usage={all} isToday={all.to === now} limit={budget.value?.usd} />
            {slots && <UsagePlot slots={slots} measure={stack ?? measure} limit={measure.name === "usd" ? budget.value?.usd : undefined} />}
            <div className={classes("pick", css.sby)} role="group" aria-label="Sum by">
              {BY.map(([name, words]) => (
                <button key={name} type="button" aria-pressed={name === by} onClick={() => pick({ by: name === "day" ? undefined : name })}>
                  {words}
                </button>
              ))}
            </div>
            {named.data.length === 0 ? (
              <p className="panel empty-state mid">No runs in these days.</p>
            ) : (
              <UsageTable
                label={BY.find(([name]) => name === named.by)?.[1] ?? label}
                rows={named.by === "day" ? named.data.toReversed() : named.data}
                usage={named}
                measure={measure}
                stack={stack}
              />
            )}
            <p className="dim small">
              A run counts on the day in UTC on which it ended. Turns tried in a playground are in tokens and USD, and are no runs. What had
              no price is left out of USD
              {all.total.unpriced > 0 && ` (${counted(all.total.unpriced, "model call")})`}. The table has every number of the plot.
            </p>
          </>
        )}
      </AskedView>
    </>
  )
}

const dayOf = (text: string | null): string | undefined =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
