// Compares the books of the outside world with those of the service, at rest: what a provider was asked is in a journal, in its run's usage, in
// the tenant's usage and in the budget of the day [B1, B3, B4, J2]. A chain: the provider's book → journals → the runs' usage → the tenant's.

import { z } from "zod"
import type { RunEvent } from "../../src/core/run/event.ts"
import { isEnd, type Client } from "./client.ts"
import { readEvent, type Check } from "./evidence.ts"

/** A call in a provider's book. */
export interface Asked {
  /** The case that it was about. */
  readonly name: string
  /** ms since 1970. */
  readonly at: number
  /** Billed, whether the answer arrives or not; 0: it was refused. */
  readonly tokens: number
}

/** A run as the service tells it. */
export interface Told {
  readonly id: string
  readonly name: string
  readonly usage: z.infer<typeof Usage>
  readonly events: readonly RunEvent[]
}

const Lost = z.object({ calls: z.number(), tokens: z.number() })
const Usage = z.looseObject({ tokens: z.number(), tool_calls: z.number(), lost: Lost.optional() })
const Total = z.looseObject({
  input: z.number(),
  output: z.number(),
  model_calls: z.number(),
  tool_calls: z.number(),
  lost: Lost,
})
const Sums = z.looseObject({ total: Total, complete: z.boolean() })
const Amount = z.looseObject({ usd: z.number().optional(), tokens: z.number().optional() })
const Today = z.looseObject({ day: z.string(), spent: Amount, held: Amount })

/** Reports on the way to the tenant arrive at the latest with a watchdog. */
const AT_REST_WITHIN_MS = 40_000
/** Rounding error of binary fractions. */
const DUST = 1e-6

const caseIn = (task: unknown): string => /case-[\w-]+/.exec(String(task))?.[0] ?? "no case"
const sum = <T>(list: readonly T[], of: (it: T) => number): number => list.reduce((all, it) => all + of(it), 0)
const countOf = (events: readonly RunEvent[], holds: (e: RunEvent) => boolean): number => events.filter(holds).length
const isModelCall = (e: RunEvent): boolean => e.type === "action.begun" && (e.kind === "model" || e.kind === "compact")
const isLostModel = (e: RunEvent): boolean => e.type === "action.lost" && (e.kind === "model" || e.kind === "compact")

/** A call that waits for its turn has ended too, unless a refusal had ended it before [R29, R31]. */
function endsOf(events: readonly RunEvent[]): number {
  const open = new Set<string>()
  return countOf(events, (e) => {
    if (e.type === "action.begun") open.add(e.key)
    if (e.type === "model.paced") return open.delete(e.key)
    if (e.type !== "model.replied" && e.type !== "model.failed" && !isLostModel(e)) return false
    if ("key" in e && e.key !== undefined) open.delete(e.key)
    return true
  })
}

/** Every run of the tenant that has ended. */
export async function toldBy(client: Client): Promise<Told[]> {
  const told: Told[] = []
  for (const { id, status } of await client.list()) if (isEnd(status)) told.push(await readTold(client, id, await client.journal(id)))
  return told
}

export async function readTold(client: Client, id: string, journal: readonly unknown[]): Promise<Told> {
  const run = await client.run(id)
  return { id, name: caseIn(run["task"]), usage: Usage.parse(run.usage), events: journal.map(readEvent) }
}

/** A provider's book against the journals and the runs' own usage, case by case: runs of one session share a case. */
export function checkAsked(told: readonly Told[], asked: readonly Asked[]): Check[] {
  const checks: Check[] = []
  const names = new Set([...told.map((it) => it.name), ...asked.map((it) => it.name)])
  for (const name of names) {
    const runs = told.filter((it) => it.name === name)
    const calls = asked.filter((it) => it.name === name)
    const events = runs.flatMap((it) => it.events)
    const check = (law: string, fault: string | undefined): void => void checks.push({ name: law, fault: fault && `${name}: ${fault}` })
    const begun = events.filter(isModelCall).map((e) => e.at)
    check("[J2] a provider is asked nothing before its action.begun is in the journal", lateOf(calls, begun))
    const ends = sum(runs, (it) => endsOf(it.events))
    check("[B3] a model call ends once: by its reply, its failure or its loss", same("calls begun", begun.length, "ended", ends))
    const lost = { calls: sum(runs, (it) => it.usage.lost?.calls ?? 0), tokens: sum(runs, (it) => it.usage.lost?.tokens ?? 0) }
    check("[B3] a run's usage has each lost call", same("lost in the journal", countOf(events, isLostModel), "in the usage", lost.calls))
    const counted = sum(runs, (it) => it.usage.tokens)
    const replied = sum(events, (e) => (e.type === "model.replied" ? e.usage.input + e.usage.output : 0))
    check("[B3] a run's usage has each reply", same("tokens replied", replied, "in the usage", counted))
    const billed = sum(calls, (it) => it.tokens)
    const most = counted + lost.tokens
    check(
      "[B3] what the provider billed is in the run's usage",
      billed > most || counted > billed ? `${billed} tokens billed, ${counted} counted and at most ${lost.tokens} lost` : undefined,
    )
  }
  return checks
}

/** The tenant's usage is the sum of its runs'. `rehearsed`: of the runs that no provider answered. */
export async function checkTotal(client: Client, told: readonly Told[], rehearsed = false): Promise<Check> {
  const events = told.flatMap((it) => it.events)
  const replies = events.flatMap((e) => (e.type === "model.replied" ? [e] : []))
  const wanted = JSON.stringify({
    input: sum(replies, (e) => e.usage.input),
    output: sum(replies, (e) => e.usage.output),
    model_calls: replies.length,
    tool_calls: countedBy(events),
    lost: {
      calls: sum(told, (it) => it.usage.lost?.calls ?? 0),
      tokens: sum(told, (it) => it.usage.lost?.tokens ?? 0),
    },
  })
  const found = await settled(async () => {
    const { total } = Sums.parse(await said(client, `/v1/usage?by=flow&rehearsed=${rehearsed ? 1 : 0}`))
    const { input, output, model_calls, tool_calls, lost } = total
    return JSON.stringify({ input, output, model_calls, tool_calls, lost: { calls: lost.calls, tokens: lost.tokens } })
  }, wanted)
  const name = "[B3] the tenant's usage is the sum of what its runs used"
  return { name, fault: found === wanted ? undefined : `${found} instead of ${wanted}` }
}

/** The tenant's day [B4]: nothing is held for runs that have ended, and what was billed is spent. `day`: as it was at the start. */
export async function checkDay(client: Client, told: readonly Told[], billedUsd: number, day: string): Promise<Check[]> {
  const today = async (): Promise<z.infer<typeof Today>> => Today.parse(await said(client, "/v1/settings/budget/today"))
  const held = await settled(async () => JSON.stringify((await today()).held), JSON.stringify({ usd: 0, tokens: 0 }))
  const now = await today()
  // The bill of one day is not another's.
  if (now.day !== day) return []
  const tokens = sum(told, (it) => it.usage.tokens + (it.usage.lost?.tokens ?? 0))
  const { usd = 0 } = now.spent
  return [
    { name: "[B4] the day holds nothing for runs that have ended", fault: held === '{"usd":0,"tokens":0}' ? undefined : held },
    { name: "[B4] the day has spent what its runs used", fault: same("tokens used", tokens, "spent", now.spent.tokens ?? 0) },
    {
      name: "[B1] [B4] the day has spent what was billed",
      fault: billedUsd > usd + DUST ? `${billedUsd} billed, ${usd} spent` : undefined,
    },
  ]
}

/** Calls of tools in a journal: `finish` is none. */
export const countedBy = (events: readonly RunEvent[]): number => countOf(events, (e) => e.type === "tool.called")

export async function dayOf(client: Client): Promise<string> {
  return Today.parse(await said(client, "/v1/settings/budget/today")).day
}

/** A request in a book that is ahead of the journal: the nth came before the nth was begun. */
export function lateOf(calls: readonly { readonly at: number }[], begun: readonly number[]): string | undefined {
  const starts = begun.toSorted((a, b) => a - b)
  for (const [n, { at }] of calls.toSorted((a, b) => a.at - b.at).entries()) {
    const start = starts[n]
    if (start === undefined) return `request ${n + 1} of ${calls.length} has no action.begun: there are ${starts.length}`
    if (at < start) return `request ${n + 1} of ${calls.length} came ${start - at} ms before its action.begun`
  }
  return undefined
}

export function same(what: string, wanted: number, where: string, found: number): string | undefined {
  return wanted === found ? undefined : `${wanted} ${what}, ${found} ${where}`
}

/** The answer once it is as wanted, or the last one. */
async function settled(ask: () => Promise<string>, wanted: string): Promise<string> {
  const until = Date.now() + AT_REST_WITHIN_MS
  for (;;) {
    const found = await ask()
    if (found === wanted || Date.now() > until) return found
    await new Promise((wake) => setTimeout(wake, 250))
  }
}

async function said(client: Client, path: string): Promise<unknown> {
  const answer = await client.ask("GET", path)
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
