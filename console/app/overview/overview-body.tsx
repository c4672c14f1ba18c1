// Says what the overview says: the verdict, the numbers against the usual day, runs by hour, and the lists of what needs somebody.

import { useMemo } from "react"
import { effectOf, type ChangeEffect } from "../../../web/overview/changes.ts"
import { lineOf } from "../../../web/overview/lines.ts"
import { NUMBERS, verdictOf, type NumberName, type Suspects } from "../../../web/overview/verdict.ts"
import type { PlotMark } from "../../../web/plot/plot.ts"
import { duration, timeOfDay } from "../parts/figures.ts"
import { addressOf } from "../shell/place.ts"
import { AsksByAge, mostOf } from "./asks-by-age.tsx"
import { Failing, failingIn } from "./failing.tsx"
import { NextFires } from "./next-fires.tsx"
import { NumberCard } from "./number-card.tsx"
import css from "./overview.module.css"
import { RunsPlot } from "./runs-plot.tsx"
import type { Change, Seen } from "./use-overview.ts"
import { VerdictLine } from "./verdict-line.tsx"
import { changeWords, WhatChanged, type Told } from "./what-changed.tsx"

export const HREFS: Readonly<Record<NumberName, string>> = {
  runs: addressOf("runs"),
  success: addressOf("runs", "failures"),
  usd: addressOf("settings", "usage"),
  p95: addressOf("runs"),
  open: addressOf("inbox"),
}

export function OverviewBody({ seen, now }: { readonly seen: Seen; readonly now: number }) {
  const { range, overview, plotted, asks, groups, changes, fires, limit } = seen
  const day = new Date(now).toLocaleDateString("en-US", { weekday: "long" })
  const told = useMemo(() => changes.map((change): Told => ({ ...change, effect: effectIn(change) })), [changes])
  const failing = useMemo(() => failingIn(groups, range), [groups, range])
  const marks = useMemo(() => told.flatMap(markOf), [told])
  const suspect = suspectsOf(told, failing, asks)
  const verdict = verdictOf(overview, day, suspect)
  const change = told.find(({ revision }) => revision.revision === suspect.failing?.change?.revision)
  return (
    <>
      {range === "day" && <VerdictLine verdict={verdict} change={verdict.kind === "unusual" ? change : undefined} />}
      <div
        className={`panel ${css.numbers}`}
        role="group"
        aria-label={`${range === "day" ? "Today" : "7 days"} against the last 8 ${day}s`}
      >
        {NUMBERS.map(({ name, label }) => {
          const judged = overview.numbers?.[name] ?? plain(overview, asks.length)[name]
          return (
            <NumberCard
              key={name}
              name={name}
              label={label}
              judged={judged}
              href={HREFS[name]}
              line={lineOf(name, overview.data, judged, now)}
              ends={range === "day" ? ["midnight", "noon", "midnight"] : [dayName(overview.since), "", "today"]}
              limit={range === "day" ? limit : undefined}
            />
          )
        })}
      </div>
      <div className={css.columns}>
        <RunsPlot overview={plotted} marks={marks} now={now} />
        <AsksByAge asks={asks} total={overview.total} range={range} now={now} />
      </div>
      <div className={css.three}>
        <Failing groups={failing} range={range} />
        <WhatChanged changes={told} now={now} />
        <NextFires fires={fires} now={now} />
      </div>
      <p className="dim small">
        Usual means the same hours of the last 8 {day}s, without days on which nothing ran. Rehearsals are not counted.
      </p>
    </>
  )
}

const effectIn = ({ flow, revision, revisions }: Change): ChangeEffect | undefined =>
  flow === undefined ? undefined : effectOf(revisions, revision.revision, duration)

function markOf({ flow, revision }: Told): PlotMark[] {
  if (flow === undefined) return []
  return [
    {
      at: Date.parse(revision.at),
      label: `${flow} r${revision.revision}`,
      href: `${addressOf("flows", flow)}?tab=revisions&from=${revision.revision - 1}&to=${revision.revision}`,
      about: changeWords(revision),
      isLive: true,
    },
  ]
}

function suspectsOf(told: readonly Told[], failing: ReturnType<typeof failingIn>, asks: Seen["asks"]): Suspects {
  const [worst] = failing
  const change = told.find(({ flow, effect }) => worst !== undefined && flow === worst.flow && effect?.kind === "worse")
  const asking = mostOf(asks)
  return {
    ...(worst
      ? {
          failing: {
            flow: worst.flow,
            count: failing.reduce((sum, { flow, inRange }) => sum + (flow === worst.flow ? inRange : 0), 0),
            ...(change?.effect
              ? { change: { revision: change.revision.revision, clock: timeOfDay(change.revision.at, Date.now()), effect: change.effect } }
              : {}),
          },
        }
      : {}),
    ...(asking ? { asking } : {}),
  }
}

const dayName = (at: string): string => new Date(at).toLocaleDateString("en-US", { weekday: "short" })

/** The numbers of a range for which nothing is usual. */
function plain({ total }: Seen["overview"], open: number): Record<NumberName, { value: number | null; usual: null; unusual: null }> {
  const of = (value: number | null) => ({ value, usual: null, unusual: null })
  return { runs: of(total.began), success: of(total.success), usd: of(total.usd), p95: of(total.ms?.p95 ?? null), open: of(open) }
}
