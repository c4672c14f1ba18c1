// Sets the initial state of a fork [K9–K11]: the source's state at the cut, without the parts that belong to the source alone. Part of `apply`.

import { unpaced } from "../session/paced.ts"
import { defined } from "../../defined.ts"
import { minus, unitsOf, type Amount } from "../../money/amount.ts"
import { tidy } from "../../money/tidy.ts"
import { newLedger, type Ledger } from "../budget/budget-state.ts"
import type { EventOf } from "../event.ts"
import { become, type Run, type StepState } from "../state.ts"
import { closed } from "../steps/touch.ts"

export function forked(run: Run, e: EventOf<"run.forked">): void {
  own(run, e)
  count(run)
  spend(run, e.budget)
  for (const id of Object.keys(run.steps)) run.touched.add(id)
  for (const s of Object.values(run.steps)) beginAnew(s, e.at, e.source.at)
  for (const id of run.pending) ask(run, id, e.at)
  // Each is about to be lost, and what is tried again is tried for the first time here.
  for (const [key, u] of Object.entries(run.underway)) {
    if (u.kind === "lease") delete run.underway[key]
    else u.attempt = 1
  }
  run.begun = Object.fromEntries(Object.keys(run.underway).map((key) => [key, 1]))
  if (e.unaccepted) unaccepted(run)
}

/** [F77] Whoever wrote the definitions had read the source: what they had read is in them, and everything that goes on from here has read it. */
function unaccepted(run: Run): void {
  run.unaccepted = true
  run.tainted = true
  run.private = true
  for (const s of Object.values(run.steps))
    for (const session of [s.session, s.decider]) if (session) Object.assign(session, { tainted: true, private: true })
}

/** What a run has of its own. A pause, a parent and a callback are the source's [K9, K10, K14]. */
function own(run: Run, e: EventOf<"run.forked">): void {
  run.cause ??= run.trigger
  run.id = e.run
  run.fork = { run: e.source.run, seq: e.source.seq }
  run.trigger = e.trial ? { kind: "experiment", test: true, key: e.by } : { kind: "fork", key: e.by }
  delete run.trial
  if (e.trial) run.trial = e.trial
  run.tags = e.tags ?? []
  run.status = "running"
  run.started = e.at
  run.children = []
  run.transcripts = []
  run.orphans = []
  run.notices = []
  run.heard = []
  for (const name of [
    "asks",
    "said",
    "moved",
    "askedAnew",
    "reason",
    "pausedAt",
    "pausedFor",
    "asking",
    "askedFor",
    "parent",
    "callback",
    "callbacks",
    "starters",
    "address",
    "trace",
    // [R37] Its calls are its own, and nobody above it takes them.
    "batch",
    "batched",
    // [R15] Nor was it in line, unless it says so.
    "start",
    "superseded",
  ] as const)
    delete run[name]
  if (e.trace) run.trace = e.trace
  if (e.start) {
    run.start = e.start
    run.obeyed = defined({ concurrency: e.start.concurrency, throttle: e.start.throttle })
  }
  if (e.pinned) run.pins = e.pinned
  if (e.prices) run.prices = e.prices
  if (e.autonomous !== undefined) run.autonomous = e.autonomous
  if (e.rehearsed !== undefined) run.rehearsed = e.rehearsed
  if (e.task !== undefined) run.task = e.task
  if (e.inputs !== undefined) run.inputs = e.inputs
  if (e.payload !== undefined) run.payload = e.payload
  if (e.effects === "live") delete run.effects
  else run.effects = e.effects
}

/** [K11] Usage counts from the cut. */
function count(run: Run): void {
  const { input, output, children, usd, tool_calls, steps } = run.usage
  const before = run.inherited ?? { tokens: 0, usd: null, tool_calls: 0, steps: 0 }
  run.inherited = {
    tokens: before.tokens + input + output + children,
    usd: before.usd === null && usd === null ? null : tidy((before.usd ?? 0) + (usd ?? 0)),
    tool_calls: before.tool_calls + tool_calls,
    steps: before.steps + steps,
  }
  run.usage = { input: 0, output: 0, children: 0, usd: null, tool_calls: 0, steps: 0 }
  delete run.tally
}

/** [K11] What the source had left, with what it held back, or what the fork is given. Its slice of the day follows in a fact of its own. */
function spend(run: Run, given: Amount | undefined): void {
  const limit = given ?? (run.budget.run && left(run.budget.run))
  const steps = Object.entries(run.budget.steps).map(([id, ledger]) => [id, newLedger(left(ledger))] as const)
  run.budget = {
    steps: Object.fromEntries(steps),
    holds: {},
    ...(limit && unitsOf(limit).length > 0 ? { run: newLedger(limit) } : {}),
  }
}

/** The unspent part of a limit. */
export const left = ({ limit, spent }: Ledger): Amount => {
  const rest = minus(limit, spent)
  return Object.fromEntries(unitsOf(limit).map((unit) => [unit, rest[unit] ?? 0]))
}

/** [K10, K11] Timeouts begin anew, a retry is due at once, a wait has left what it had, and children that had not ended begin again. */
function beginAnew(s: StepState, now: number, since: number): void {
  delete s.pausedBefore
  delete s.askedFor
  delete s.usd
  delete s.took
  delete s.pacedMs
  delete s.notBefore
  if (s.retry) s.retry = { notBefore: now }
  if (s.status === "running") s.timed = now
  const { session, children, until } = s
  if (until !== undefined) become(s, { until: now + Math.max(0, until - since) })
  if (children) {
    children.starting = [...new Set([...children.starting, ...Object.keys(children.open).map(Number)])].toSorted((a, b) => a - b)
    children.open = {}
    delete children.still
    delete children.batches
  }
  for (const one of [session, s.decider]) {
    if (!one) continue
    delete one.retryAt
    unpaced(one)
    delete one.firstFailure
    // [K14] The tenant's session stays with its owner: the conversation so far is a copy.
    if (one.sticky?.chunks !== undefined) one.sticky = { ...one.sticky, isCopy: true }
  }
}

/** [K10, K11] An open question stays open under its id. One about a budget was asked in the source's figures. */
function ask(run: Run, id: string, now: number): void {
  const i = run.interactions[id]
  if (!i) return
  if (i.kind === "budget") {
    i.status = "withdrawn"
    closed(run, id)
    return
  }
  if (i.expires !== undefined) i.expires = now + (i.expires - i.created)
  i.created = now
}
