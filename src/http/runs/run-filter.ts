// Reads the filters of the list of runs and of its counts [H5] from the query, and those of a bulk [R42], which have the same names and forms.

import { defined } from "../../core/defined.ts"
import { RunStatus, Trigger } from "../../core/run/event-parts.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { wordsOf } from "../../core/text/plain-words.ts"
import type { RunFilter } from "../../ports/tenant/run-list.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"
import { moment, time, words } from "../middleware/query.ts"

export function filterOf(given: (name: string) => string | undefined, now = Date.now()): Result<RunFilter, Refusal> {
  const status = words("status", given("status"), RunStatus.options)
  if (!status.ok) return status
  const trigger = words("trigger", given("trigger"), Trigger.shape.kind.options)
  if (!trigger.ok) return trigger
  const range = rangeOf(given, now)
  if (!range.ok) return range
  const tag = given("tag")
  if (tag === "") return err(invalid([{ pointer: "?tag", message: "must be one tag" }]))
  const sought = given("q")
  const q = sought === undefined ? undefined : wordsOf(sought)
  if (q?.length === 0) return err(invalid([{ pointer: "?q", message: "must have a word; leave it out to list all runs" }]))
  const scored = scoredOf(given)
  if (!scored.ok) return scored
  const children = words("children", given("children"), ["0", "1"])
  if (!children.ok) return children
  return ok({
    ...(children.value?.[0] === "1" ? { children: true as const } : {}),
    ...defined({
      parent: given("parent"),
      forkOf: given("fork_of"),
      thread: given("thread"),
      session: given("session"),
      flow: given("flow")?.split(","),
      status: status.value,
      tag,
      trigger: trigger.value,
      hook: given("hook"),
      schedule: given("schedule"),
      apiKey: given("api_key"),
      scored: scored.value,
      q,
    }),
    ...range.value,
  })
}

/** [V17] */
function scoredOf(given: (name: string) => string | undefined): Result<RunFilter["scored"], Refusal> {
  const scorer = given("scorer")
  const bounds = { at_most: 1, at_least: 0 }
  for (const name of ["at_most", "at_least"] as const) {
    const text = given(name)
    if (text === undefined) continue
    const value = /^(?:0|1|0?\.\d+|[01]\.\d*)$/.test(text) ? Number(text) : Number.NaN
    if (!(value <= 1)) return err(invalid([{ pointer: `?${name}`, message: "must be a number from 0 to 1" }]))
    if (scorer === undefined) return err(invalid([{ pointer: `?${name}`, message: "needs a `scorer`" }]))
    bounds[name] = value
  }
  return ok(scorer === undefined ? undefined : { scorer, atMost: bounds.at_most, atLeast: bounds.at_least })
}

function rangeOf(
  given: (name: string) => string | undefined,
  now: number,
): Result<Pick<RunFilter, "createdAfter" | "createdBefore">, Refusal> {
  for (const [name, older] of [
    ["since", "created_after"],
    ["until", "created_before"],
  ] as const)
    if (given(name) !== undefined && given(older) !== undefined)
      return err(invalid([{ pointer: `?${older}`, message: `says the same as \`${name}\`: give one of the two` }]))
  const since = moment("since", given("since"), now)
  if (!since.ok) return since
  const until = moment("until", given("until"), now)
  if (!until.ok) return until
  const after = time("created_after", given("created_after"))
  if (!after.ok) return after
  const before = time("created_before", given("created_before"))
  if (!before.ok) return before
  return ok(defined({ createdAfter: since.value ?? after.value, createdBefore: until.value ?? before.value }))
}
