// Reads what the page of usage shows: the sums of the days, by name, and by name in each day or hour where the plot is stacked by it.

import type { Usage } from "../../../../src/api/doc/insight.doc.ts"
import type { Overview } from "../../../../src/api/doc/overview.doc.ts"
import type { UsageBy } from "../../../../src/core/run/usage/run-usage.ts"
import { UsageClient, type UsageDays } from "../../../../src/client/insight.ts"
import { endOf, lineOf } from "../../../../web/overview/lines.ts"
import { useAsked, type Asked } from "../../parts/asked.ts"
import type { Api } from "../../shell/session.ts"
import { daysBefore, NOTHING, type NamedUsage } from "./usage-days.ts"

/** API keys and tags come from the measures, which have no more of them than ends, tokens and dollars. */
export type By = UsageBy | "key" | "tag"
export const isUse = (by: By): by is "key" | "tag" => by === "key" || by === "tag"

export interface UsageWish {
  readonly by: By
  readonly each: "hour" | "day"
  readonly days: Required<UsageDays>
}

/** `total` is that of all runs. */
export type NamedSums = Pick<Usage, "data" | "total" | "complete"> & { readonly by: By }

/** A row of a day or an hour: `slot` is the day, or when the hour begins. */
export type SlotUsage = NamedUsage & { readonly slot: string }

export interface UsageSeen {
  readonly all: Usage
  /** Of each hour, where the plot is by hour. */
  readonly hours: readonly SlotUsage[] | undefined
  readonly named: NamedSums
  /** By name; undefined: the plot is not stacked by it. */
  readonly slots: readonly SlotUsage[] | undefined
  /** Dollars that today comes to. */
  readonly forecast: number | undefined
}

export const useUsage = (api: Api, wish: UsageWish): Asked<UsageSeen> =>
  useAsked(["settings", "usage", JSON.stringify(wish)], () => readUsage(new UsageClient(api.transport), wish, Date.now()))

async function readUsage(usage: UsageClient, { by, each, days }: UsageWish, now: number): Promise<UsageSeen> {
  const byDay = usage.by("day", days)
  const isHourly = each === "hour"
  const isMeasured = isUse(by) || (isHourly && by === "model")
  const today = new Date(now).toISOString().slice(0, 10)
  const [all, hourly, measured, named, stacked, forecast] = await Promise.all([
    byDay,
    isHourly ? usage.by("day", { ...days, each }) : undefined,
    isMeasured ? usage.overview({ ...spanOf(days), each, names: 1 }) : undefined,
    isUse(by) || by === "day" ? undefined : usage.by(by, days),
    isMeasured || by === "day" || (isHourly && by !== "flow") ? undefined : usage.by(by, { ...days, each }),
    days.to === today && days.rehearsed === 0 ? forecastOf(usage, today, now).catch(() => undefined) : undefined,
  ])
  const slots = stacked ? slotsOf(stacked) : measured && isUsed(by) ? measuredSlots(measured, by, each) : undefined
  return {
    all,
    hours: hourly && slotsOf(hourly),
    named: isUse(by) && measured ? { by, data: measured.total[LISTS[by]].map(useOf), total: all.total, complete: true } : (named ?? all),
    slots,
    forecast,
  }
}

const LISTS = { key: "keys", tag: "tags", model: "models" } as const
const isUsed = (by: By): by is keyof typeof LISTS => by in LISTS

const slotsOf = ({ data }: Usage): readonly SlotUsage[] => data.map((row) => ({ ...row, slot: row.hour ?? row.day ?? row.key }))

function measuredSlots({ data }: Overview, by: keyof typeof LISTS, each: "hour" | "day"): readonly SlotUsage[] {
  return data.flatMap((slice) => {
    const rows = by === "model" ? (slice.models ?? []).map(modelOf) : (slice[LISTS[by]] ?? []).map(useOf)
    return rows.map((row) => ({ ...row, slot: each === "day" ? slice.at.slice(0, 10) : slice.at }))
  })
}

type Use = Overview["total"]["keys"][number]
const useOf = ({ name, runs, input, output, usd }: Use): NamedUsage => ({
  ...NOTHING,
  key: name,
  runs: runs.succeeded + runs.failed + runs.canceled,
  failed: runs.failed,
  input,
  output,
  usd,
})

const modelOf = ({ model, calls, input, cached, output, usd }: Overview["total"]["models"][number]): NamedUsage => ({
  ...NOTHING,
  key: model,
  model_calls: calls,
  input,
  cached,
  output,
  usd,
})

const midnight = (day: string): string => `${day}T00:00:00.000Z`
/** Days in UTC, as usage is kept. */
const spanOf = ({ from, to, rehearsed }: Required<UsageDays>) => ({ since: midnight(from), until: midnight(daysBefore(to, -1)), rehearsed })

async function forecastOf(usage: UsageClient, day: string, now: number): Promise<number | undefined> {
  const { data, numbers } = await usage.overview({ since: midnight(day), until: midnight(daysBefore(day, -1)), each: "hour" })
  return endOf(lineOf("usd", data, numbers?.usd, now)) ?? undefined
}
