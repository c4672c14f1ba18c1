// What must hold for a staged run that was killed: its family's ledgers against what really reached the world [K31–K33, J11].

import { countedBy, lateOf, same as sameCount } from "../books.ts"
import { checkJournal, type Check } from "../evidence.ts"
import { belowKey } from "../../../src/core/run/effects/outside.ts"
import { isCallKey } from "../../../src/core/run/key.ts"
import { OWN, SHOWN } from "./flows.ts"
import type { Played, Row } from "./wave.ts"
import type { Arrival, World } from "./world.ts"

export interface Counted {
  committed: number
  confirmed: number
  uncertain: number
  /** Keys that reached the service more than once. */
  sentAgain: number
}

/** One run's checks; what it sent is taken from `left`, which must be empty in the end. */
export function judge(run: Played, world: World, left: Map<string, Arrival[]>, counted: Counted): Check[] {
  const checks: Check[] = []
  const check = (name: string, fault: string | undefined): void =>
    void checks.push({ name, fault: fault && `${run.kind} ${run.id} (${run.choice}): ${fault}` })

  const wanted = run.choice === "cancel" && run.kind !== "dry" ? "canceled" : "succeeded"
  check("[K32] a staged run ends as its person chose", run.status === wanted ? undefined : run.status)
  if (run.kind !== "dry") check("[K32] the question shows each kept call once, in order", same(run.shown, SHOWN[run.kind]))
  const tools = run.kind === "family" ? [...OWN.keyed, ...OWN.family] : OWN[run.kind]
  check(
    "[K31] the ledgers have each call once, in order",
    same(
      run.rows.map((it) => it.tool),
      tools,
    ),
  )

  let last = -1
  for (const [n, row] of run.rows.entries()) {
    const arrivals = left.get(row.sent) ?? []
    left.delete(row.sent)
    const done = world.done.get(row.sent) ?? 0
    const isChosen = run.kind !== "dry" && run.choice !== "cancel" && run.chosen[n] === true
    const what = `${row.tool} is ${row.state} (${row.reason}), arrived ${arrivals.length} times and was done ${done} times`
    if (run.kind === "dry")
      check("[K33] a dry run sends nothing but reads", arrivals.length > 0 || row.state !== "discarded" ? what : undefined)
    else if (!isChosen) check("[K32] what nobody chose never leaves", arrivals.length > 0 || row.state !== "discarded" ? what : undefined)
    else if (row.tool === "send_keyed")
      check(
        "[J11] [K32] a chosen effect of an idempotent service happens exactly once",
        done === 1 && row.state === "confirmed" ? undefined : what,
      )
    else
      check("[J11] [K32] a chosen effect of another service happens once, or is told as uncertain", plainFault(row, arrivals, done, what))
    check("[J2] an effect leaves after its action.begun is in the journal", late(run, row, arrivals))
    if (arrivals.length > 0) {
      check("[K32] a call leaves exactly as shown", badBody(arrivals, n, run))
      const first = arrivals[0]?.order ?? 0
      check("[K32] calls leave in the order shown", first > last ? undefined : what)
      last = first
    }
    counted.committed += isChosen ? 1 : 0
    counted.confirmed += row.state === "confirmed" ? 1 : 0
    counted.uncertain += row.state === "uncertain" ? 1 : 0
    counted.sentAgain += arrivals.length > 1 ? 1 : 0
  }
  // What its children called is in a run's usage too.
  const calls = countedBy(run.told.flatMap((it) => it.events))
  check(
    "[B3] the usage counts each tool call once",
    sameCount("calls in the journals", calls, "in the usage", run.told.at(-1)?.usage.tool_calls ?? 0),
  )
  for (const journal of run.journals) checks.push(...checkJournal(`${run.kind} ${run.id}`, journal.slice(0, endOf(journal))))
  return checks
}

/** What follows the end is a postscript [K34]. */
function endOf(journal: readonly unknown[]): number {
  const at = journal.findIndex((it) => typeof it === "object" && it !== null && "type" in it && it.type === "run.ended")
  return at < 0 ? journal.length : at + 1
}

function plainFault(row: Row, arrivals: readonly Arrival[], done: number, what: string): string | undefined {
  if (row.state === "confirmed") return arrivals.length === 1 && done === 1 ? undefined : what
  return row.state === "uncertain" && arrivals.length <= 1 ? undefined : what
}

/** A child's journal is over when its effects are carried out: its parent's says when that begins, and the child alone how often. */
function late(run: Played, { tool, state, key, run: maker }: Row, arrivals: readonly Arrival[]): string | undefined {
  const isOwn = maker === run.id
  const name = isOwn ? key : belowKey({ run: maker, key })
  const events = run.told.at(-1)?.events ?? []
  const begun = events.flatMap((e) => (e.type === "action.begun" && e.kind === "effect" && e.key === name ? [e.at] : []))
  const fault = lateOf(isOwn ? arrivals : arrivals.slice(0, 1), begun)
  return fault && `${tool} is ${state}: ${fault}`
}

/** Reads carry no key: those of a path are compared with all calls that read it. */
export function checkReads(runs: readonly Played[], reads: ReadonlyMap<string, readonly { readonly at: number }[]>): Check[] {
  const told = runs.flatMap((run) => run.told)
  const begun = new Map<string, number[]>()
  for (const { events } of told)
    for (const { step, callId, args } of events.flatMap((e) => (e.type === "tool.called" && e.tool === "look" ? [e] : []))) {
      const path = `/look/${String(args["at"])}`
      const times = events.flatMap((e) => (e.type === "action.begun" && e.step === step && isCallKey(e.key, callId) ? [e.at] : []))
      begun.set(path, [...(begun.get(path) ?? []), ...times])
    }
  return [...reads].map(([path, arrivals]) => {
    const fault = lateOf(arrivals, begun.get(path) ?? [])
    return { name: "[J2] a read leaves after its action.begun is in the journal", fault: fault && `${path}: ${fault}` }
  })
}

function badBody(arrivals: readonly Arrival[], n: number, { kind }: Played): string | undefined {
  // The third of a family is the parent's own first.
  const body = JSON.stringify({ n: kind === "family" && n === 2 ? 1 : n + 1 })
  return arrivals.find((it) => it.body !== body)?.body
}

function same(found: readonly string[], wanted: readonly string[]): string | undefined {
  return found.join() === wanted.join() ? undefined : `${found.join()} instead of ${wanted.join()}`
}
