// Reads a `start` block that its schema has accepted: durations become milliseconds, times become instants [R1].

import { defined } from "../defined.ts"
import { parseDuration } from "../text/duration.ts"
import type { z } from "zod"
import type { SaidStart, StartDelay } from "./start-block.ts"
import { timeOf, type FlowStart, type GivenStart, type TriggerStart } from "./start-schema.ts"

type Written = z.output<typeof FlowStart> | z.output<typeof TriggerStart> | z.output<typeof GivenStart>

export function saidStart({ concurrency, throttle, debounce, batch, priority, delay, expires }: Written): SaidStart {
  return defined({
    concurrency,
    throttle: throttle && { ...throttle, period: ms(throttle.period) },
    debounce: debounce && { ...defined({ key: debounce.key }), ...timesOf(debounce) },
    batch: batch && { ...batch, timeout: ms(batch.timeout) },
    priority,
    delay: delay === undefined ? undefined : delayOf(delay),
    expires: expires === undefined ? undefined : ms(expires),
  })
}

/** The schema has accepted it. */
const ms = (said: string | number): number => parseDuration(said) ?? 0

const timesOf = ({ period, timeout }: { readonly period: string | number; readonly timeout?: string | number }) => ({
  period: ms(period),
  ...defined({ timeout: timeout === undefined ? undefined : ms(timeout) }),
})

function delayOf(said: string | number): StartDelay {
  const after = parseDuration(said)
  return after === undefined ? { at: timeOf(String(said)) ?? 0 } : { ms: after }
}
