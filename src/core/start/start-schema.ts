// Defines the members of a `start` block and their bounds [R1, R2], for every place that takes one: a flow's file, a hook, a schedule, a start's body.

import { z } from "zod"
import { later } from "../schema/later.ts"
import { parseDuration } from "../text/duration.ts"
import { parseIsoTime } from "../text/iso-time.ts"
import { isFlowId } from "../text/names.ts"
import { KEY_OVERLAPS, PRIORITIES, START_BOUNDS, type Bounds } from "./start-block.ts"
import { durationText } from "../text/duration.ts"

const MAX_KEY_TEMPLATE = 20_000 // limit: characters of a key of a `start` block, as it is written → 422 at the member
const MAX_DURATION = 100 // limit: characters of a duration of a `start` block → 422 at the member

/** A duration as text, or milliseconds. */
const textOrMs = ({ least, most }: Bounds, words: string) =>
  z.union([z.string().max(MAX_DURATION), z.number().min(least, { error: words, abort: true }).max(most, { error: words, abort: true })], {
    error: words,
  })

const fits = (ms: number | undefined, { least, most }: Bounds): boolean => ms !== undefined && ms >= least && ms <= most

const duration = (bounds: Bounds, said = "milliseconds, or a number with a unit, such as 30s") => {
  const words = `must be a duration from ${durationText(bounds.least)} to ${durationText(bounds.most)}: ${said}`
  return textOrMs(bounds, words).refine((value) => fits(parseDuration(value), bounds), { error: words, abort: true })
}

/** [R1] ISO 8601 with `Z` or an offset. */
export const timeOf = (text: string): number | undefined =>
  /[Tt ].*(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(text) ? parseIsoTime(text) : undefined

const delayOrTime = () => {
  const words = `must be a duration of at most ${durationText(START_BOUNDS.delay.most)}, such as 30s, or a time with Z or an offset, such as 2026-12-01T09:00:00Z`
  return textOrMs(START_BOUNDS.delay, words).refine(
    (value) => fits(parseDuration(value), START_BOUNDS.delay) || (typeof value === "string" && timeOf(value) !== undefined),
    {
      error: words,
    },
  )
}

const whole = ({ least, most }: Bounds) => {
  const words = `must be a whole number from ${least} to ${most}`
  return z
    .int({ error: ({ input }) => (input === undefined ? "is required" : words) })
    .min(least, { error: words })
    .max(most, { error: words })
}

const key = z.string().max(MAX_KEY_TEMPLATE)

const POOL = /^[a-z0-9:_-]{1,64}$/
const pool = z
  .string()
  .max(300)
  .refine((text) => POOL.test(text) || isFlowId(text), {
    error: "must be a flow's id, or 1 to 64 lowercase letters, digits, `:`, `_` or `-`",
  })

const concurrency = () => ({
  key: key.exactOptional(),
  limit: whole(START_BOUNDS.limit).exactOptional(),
  overlap: z.enum(KEY_OVERLAPS).exactOptional(),
})
const throttle = () => ({ key: key.exactOptional(), limit: whole(START_BOUNDS.limit), period: duration(START_BOUNDS.throttle_period) })

const debounce = () =>
  z
    .strictObject({
      key: key.exactOptional(),
      period: duration(START_BOUNDS.debounce_period),
      timeout: duration(START_BOUNDS.window).exactOptional(),
    })
    .refine(({ period, timeout }) => timeout === undefined || (parseDuration(timeout) ?? 0) >= (parseDuration(period) ?? 0), {
      path: ["timeout"],
      error: "must be at least as long as `period`",
    })

const batch = () =>
  z.strictObject({
    key: key.exactOptional(),
    size: whole(START_BOUNDS.size),
    timeout: duration(START_BOUNDS.window),
    into: z.string().max(300),
  })

const common = () => ({
  debounce: debounce().exactOptional(),
  batch: batch().exactOptional(),
  priority: z.enum(PRIORITIES).exactOptional(),
  expires: duration(START_BOUNDS.expires).exactOptional(),
})

const oneWindow = ({ debounce, batch }: { readonly debounce?: unknown; readonly batch?: unknown }): boolean =>
  debounce === undefined || batch === undefined
const BOTH = { path: ["batch"], error: "cannot stand beside `debounce`: a start joins one window" }

/** Only a flow's own block names a pool [R6]. */
export const FlowStart = later(() =>
  z
    .strictObject({
      concurrency: z.strictObject({ ...concurrency(), pool: pool.exactOptional() }).exactOptional(),
      throttle: z.strictObject({ ...throttle(), pool: pool.exactOptional() }).exactOptional(),
      ...common(),
      delay: duration(START_BOUNDS.delay).exactOptional(),
    })
    .refine(oneWindow, BOTH),
)

/** Of a hook or a schedule. */
export const TriggerStart = later(() =>
  z
    .strictObject({
      concurrency: z.strictObject(concurrency()).exactOptional(),
      throttle: z.strictObject(throttle()).exactOptional(),
      ...common(),
      delay: duration(START_BOUNDS.delay).exactOptional(),
    })
    .refine(oneWindow, BOTH),
)

/** Of a start's body. */
export const GivenStart = later(() =>
  z
    .strictObject({
      concurrency: z.strictObject(concurrency()).exactOptional(),
      throttle: z.strictObject(throttle()).exactOptional(),
      ...common(),
      delay: delayOrTime().exactOptional(),
    })
    .refine(oneWindow, BOTH),
)

export type TriggerStart = z.output<typeof TriggerStart>
export type GivenStart = z.output<typeof GivenStart>
