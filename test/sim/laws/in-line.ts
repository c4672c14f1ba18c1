// [R5], [R9–R13] What came of starts that stand in line: each is in the run that it was answered with, or was followed by one that is; none waits
// for ever; and no period has more beginnings than its limit.

import { RATE } from "../world/line-flows.ts"
import type { Join } from "../people/told.ts"
import type { Journal } from "./journals.ts"
import { A_CLOCK_REORDERS_DELIVERIES } from "./known.ts"
import type { Rest } from "./rest.ts"

export function inLineOf(rest: Rest): string[] {
  const { joins } = rest.story.told as { readonly joins?: readonly Join[] }
  const wrong: string[] = []
  const of = new Map<string, Join[]>()
  for (const join of joins ?? []) of.set(join.run, [...(of.get(join.run) ?? []), join])
  for (const [run, starts] of of) {
    if (rest.isDeleted(run)) continue
    const journal = rest.journals.of(rest.tenant, run)
    const name = starts.map((one) => one.name).join(", ")
    if (!journal) wrong.push(`[R5] the start of ${name} (${run}) was answered 202, and waits for ever`)
    else if (!journal.standing.isOver) wrong.push(`[R5] ${name} (${run}) stays ${journal.standing.status}`)
    else wrong.push(...(starts[0]?.flow === "lot" ? itemsOf(journal, starts) : lastOf(journal, starts)))
  }
  return [...wrong, ...twice(rest), ...ratesOf(rest)]
}

const hasOrder = (a: Join, b: Join): boolean => !(A_CLOCK_REORDERS_DELIVERIES && (a.delivered === true || b.delivered === true))

/** [R9] The last start of a window counts; one that came after it has another run. */
function lastOf({ run, standing }: Journal, starts: readonly Join[]): string[] {
  const task = standing.started?.task
  const counts = starts.find(({ name }) => name === task)
  // Nobody was told of the one that counts: its answer was lost with its client.
  if (!counts) return starts.length === 1 ? [`[R11] ${starts[0]?.name} was answered with ${run}, whose task is ${task}`] : []
  return starts
    .filter((one) => one.asked > counts.at && hasOrder(counts, one))
    .map(({ name }) => `[R9] ${run} has the task ${task}, and ${name} joined it later`)
}

/** [R10] Every start of a batch is an item once, in the order of their arrival. */
function itemsOf({ run, standing }: Journal, starts: readonly Join[]): string[] {
  const items = itemsIn(standing.started?.inputs)
  const wrong = starts
    .filter(({ name }) => !items.includes(name))
    .map(({ name }) => `[R11] ${name} was answered with ${run}, whose items are ${items.join(", ")}`)
  for (const one of starts)
    for (const other of starts)
      if (one.at < other.asked && hasOrder(one, other) && items.includes(one.name) && items.indexOf(one.name) > items.indexOf(other.name))
        wrong.push(`[R10] ${run} has ${other.name} before ${one.name}, which came earlier`)
  return wrong
}

/** [R11] However often it is sent: a start is an item of one run, once. */
function twice({ own }: Rest): string[] {
  const seen = new Map<string, string>()
  const wrong: string[] = []
  for (const { run, standing } of own) {
    if (standing.started?.flow !== "lot") continue
    for (const item of itemsIn(standing.started.inputs)) {
      const before = seen.get(item)
      if (before !== undefined) wrong.push(`[R11] ${item} is an item of ${before} and of ${run}`)
      seen.set(item, run)
    }
  }
  return wrong
}

const itemsIn = (inputs: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  Array.isArray(inputs["items"]) ? inputs["items"].map(String) : []

/** [R1] By the words of the tenant's object. */
function ratesOf({ own }: Rest): string[] {
  const begun = new Map<string, number[]>()
  for (const { standing } of own) {
    const { throttle, began } = standing.started?.start ?? {}
    if (throttle === undefined || began === undefined) continue
    const name = `${throttle.pool} ${throttle.key}`
    begun.set(name, [...(begun.get(name) ?? []), began])
  }
  return [...begun].flatMap(([name, times]) => {
    const inOrder = times.toSorted((a, b) => a - b)
    const first = inOrder.find((from, i) => (inOrder[i + RATE.limit] ?? Infinity) - from < RATE.period)
    return first === undefined ? [] : [`[R1] ${name}: more than ${RATE.limit} runs began within ${RATE.period} ms from ${first} on`]
  })
}
