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
import { stackedBy } from "./name-stack.ts"
import { daysBefore, daySlots, hourSlots, MEASURES, today } from "./usage-days.ts"
import { Headlines } from "./usage-heads.tsx"
import { UsagePlot } from "./usage-plot.tsx"
import { UsageTable } from "./usage-table.tsx"
import { isUse, useUsage } from "./use-usage.ts"
import { classes } from "../../parts/classes.ts"
import css from "./usage.module.css"

const BY = [
  ["day", "Day"],
  ["flow", "Flow"],
  ["model", "Model"],
  ["agent", "Agent"],
  ["tool", "Tool"],
  ["key", "API key"],
  ["tag", "Tag"],
] as const
/** The server has hours of so many days. */
const HOURLY_DAYS = 7
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
  const span = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  const each = query.get("each") === "hour" && span <= HOURLY_DAYS ? "hour" : "day"
  const loaded = useUsage(api, { by, each, days })
  const seen = loaded.value
  const slots = useMemo(() => seen && (seen.hours ? hourSlots(seen.all, seen.hours, Date.now()) : daySlots(seen.all, now)), [seen, now])
  const stack = useMemo(() => seen?.slots && stackedBy(seen.slots, by, measure), [seen, by, measure])
  const isAdmin = api.who.scopes.includes("admin")
  // A page without the limit is worth showing.
  const budget = useAsked(["settings", "budget of usage"], async () => (isAdmin ? await settingsOver(api.transport).budget.get() : {}))
  const download = (): void => {
    setCsvFault(undefined)
    if (isUse(by)) return
    usage.csv(by, days).then(
      (text) => saveAs(`usage-by-${by}-${from}-${to}.csv`, new Blob([text], { type: "text/csv" })),
      (error: unknown) => setCsvFault(faultOf(error)),
    )
  }
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
        {!isUse(by) && (
          <button className="btn" type="button" onClick={download}>
            CSV
          </button>
        )}
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
        {({ all, named, forecast }) => (
          <>
            <Headlines usage={all} isToday={all.to === now} limit={budget.value?.usd} forecast={forecast} />
            {slots && (
              <UsagePlot
                slots={slots}
                measure={stack ?? measure}
                limit={measure.name === "usd" ? budget.value?.usd : undefined}
                forecast={measure.name === "usd" ? forecast : undefined}
              >
                {span <= HOURLY_DAYS && (
                  <div className="pick" role="group" aria-label="Plot by">
                    {(["hour", "day"] as const).map((name) => (
                      <button
                        key={name}
                        type="button"
                        aria-pressed={name === each}
                        onClick={() => pick({ each: name === "hour" ? name : undefined })}
                      >
                        by {name}
                      </button>
                    ))}
                  </div>
                )}
              </UsagePlot>
            )}
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
              A run counts on the day in UTC on which it ended. Turns tried in a playground count in tokens and USD, not as runs. Calls
              without a price are left out of USD
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
