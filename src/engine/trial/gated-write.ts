// Writes to the catalog through the gate [K24]: if the tenant's object requires a proof, the tests of the affected flows run, and the write
// is repeated with the proof. If the catalog has changed in the meantime, this repeats.

import type { TestReport } from "../../core/case/test-report.ts"
import { defined } from "../../core/defined.ts"
import type { GateVerdict, PassedOver } from "../../ports/tenant/authoring/apply.ts"
import type { CatalogChange } from "../../ports/tenant/catalog.ts"
import type { BacktestRow } from "../../ports/tenant/authoring/backtests.ts"
import {
  CatalogMoved,
  GateFailed,
  GatePending,
  type GateReport,
  type Held,
  type HeldFlow,
  type WriteAs,
} from "../../ports/tenant/authoring/gate.ts"
import type { EvidenceFound } from "../../ports/tenant/quality/experiments.ts"
import type { ScoredRule } from "../../core/score/gate-score.ts"
import { pause } from "../../ports/timers.ts"
import type { TrialReady } from "../../ports/tenant/authoring/trials.ts"
import type { TrialDeps } from "./run-case.ts"
import { runTests, TESTS_MS } from "./run-tests.ts"

const WAIT_MS = 20_000 // limit: milliseconds that a write waits for an experiment of the gate → 409 `gate_pending`
/** How often a write that waits looks. */
const LOOK_MS = 500
const MAX_TRIES = 3 // limit: times that a write is tested while the catalog changes → 409 `catalog_moved`

export interface GateDeps extends TrialDeps {
  /** The flow's newest ended runs on the catalog as it would be. */
  backtest(wish: {
    readonly flow: string
    readonly last: number
    readonly changes: readonly CatalogChange[]
  }): Promise<readonly BacktestRow[]>
  /** [V42] What is known of the flow by the rule. Absent where no gate can ask for it. */
  readonly evidence?: (wish: EvidenceWish) => Promise<Evidence>
}

export interface EvidenceWish extends Pick<Held, "changes" | "models"> {
  readonly flow: string
  readonly rule: ScoredRule
  readonly isNew?: true
}

/** What an experiment has shown, or may show. `begins`: one is begun if there is none. */
export interface Evidence {
  look(begins: boolean): Promise<EvidenceFound>
}

export type HeldOr<T> = T | { readonly held: Held }

const isHeld = <T>(done: HeldOr<T>): done is { readonly held: Held } => typeof done === "object" && done !== null && "held" in done

/** Throws `GateFailed` or `CatalogMoved`; then nothing was written. */
export async function gatedWrite<T>(deps: GateDeps, as: WriteAs, write: (as: WriteAs) => Promise<HeldOr<T>>): Promise<T> {
  let proof = {}
  for (let tries = 0; ; tries++) {
    const done = await write({ ...as, ...proof })
    if (!isHeld(done)) return done
    if (tries === MAX_TRIES) throw new CatalogMoved("the catalog changed while the tests of the gate ran: write again")
    const broken = await brokenBy(deps, done.held)
    if (broken.length > 0) throw new GateFailed({ flows: broken })
    const { failed, pending, experiment } = await scored(deps, done.held, deps.now() + WAIT_MS)
    if (failed.length > 0) throw new GateFailed({ flows: failed })
    if (pending.length > 0) throw new GatePending(pending, experiment)
    proof = { proof: done.held.proof }
  }
}

/** [F78] The gate's verdict on a planned write. */
export async function judged(deps: GateDeps, held: Held | undefined): Promise<GateVerdict> {
  if (!held) return { passed: true, reached: [], report: { flows: [] } }
  const unread: PassedOver[] = []
  const tested = await brokenBy(deps, held, unread)
  // [V42] A plan begins none.
  const { failed, pending } = tested.length > 0 ? { failed: [], pending: [] } : await scored(deps, held)
  const broken = [...tested, ...failed]
  return {
    passed: broken.length === 0,
    ...(pending.length > 0 ? { pending } : {}),
    reached: held.flows.map(({ flow }) => flow),
    report: { flows: broken },
    ...(unread.length > 0 ? { passed_over: unread } : {}),
  }
}

interface Scored {
  readonly failed: GateReport["flows"]
  /** Flows. */
  readonly pending: readonly string[]
  readonly experiment?: string
}

/** [V42] `until`: experiments are begun, and waited for until then. */
async function scored(deps: GateDeps, { flows, changes, models }: Held, until?: number): Promise<Scored> {
  const { evidence } = deps
  const wishes = flows.flatMap(({ flow, scores = [], isNew }) =>
    scores.map((rule) => ({ flow, rule, ...defined({ isNew, changes, models }) })),
  )
  if (!evidence || wishes.length === 0) return { failed: [], pending: [] }
  let open: { readonly flow: string; readonly of: Evidence }[] = []
  for (const wish of wishes) open.push({ flow: wish.flow, of: await evidence(wish) })
  const failed: GateReport["flows"][number][] = []
  for (let begins = until !== undefined; ; begins = false) {
    const pending: typeof open = []
    let experiment: string | undefined
    for (const one of open) {
      const found = await one.of.look(begins)
      if ("pending" in found) {
        pending.push(one)
        experiment ??= found.experiment
      } else if (found.decision !== "passed") failed.push({ flow: one.flow, score: found })
    }
    open = pending
    if (open.length === 0 || failed.length > 0 || until === undefined || deps.now() >= until)
      return { failed, pending: [...new Set(open.map(({ flow }) => flow))], ...defined({ experiment }) }
    await pause(LOOK_MS)
  }
}

/** `unread`: gets the runs that could not be tried, and so protect nothing. */
async function brokenBy(deps: GateDeps, { flows, changes = [] }: Held, unread: PassedOver[] = []): Promise<GateReport["flows"]> {
  const until = deps.now() + TESTS_MS
  const broken: GateReport["flows"][number][] = []
  for (const held of flows) {
    const tests = await testsOf(deps, held, until)
    const runs = held.backtest ? await deps.backtest({ flow: held.flow, last: held.backtest.last, changes }) : []
    for (const { run, result, message = "" } of runs) if (result === "failed") unread.push({ flow: held.flow, run, message })
    const isBroken = runs.some((row) => row.why !== undefined && held.backtest?.allow.includes(row.why) !== true)
    if ((tests?.failed ?? 0) > 0 || isBroken)
      broken.push({ flow: held.flow, ...defined({ tests }), ...(held.backtest ? { backtest: { usage: { tokens: 0 }, runs } } : {}) })
  }
  return broken
}

async function testsOf(deps: TrialDeps, { flow, tests, lost }: HeldFlow, until: number): Promise<TestReport | undefined> {
  if (lost) return failed(flow, "the tests that the gate requires", "the change removes them")
  if (tests === undefined || (!tests.ok && tests.code === "no_tests")) return undefined
  return tests.ok ? runTests(deps, tests, undefined, until) : failed(flow, "a flow whose tests can be run", whyNotReady(tests))
}

/** A flow that cannot even start fails as a whole. */
const failed = (flow: string, expected: string, found: string): TestReport => ({
  flow,
  passed: 0,
  failed: 1,
  cases: [{ name: flow, passed: false, run: null, ms: 0, failures: [{ at: "", expected, found }] }],
})

export function whyNotReady(tests: Extract<TrialReady, { ok: false }>): string {
  if (tests.code === "not_pinned") return tests.why.code === "not_found" ? "there is no such flow" : tests.why.message
  if (tests.code !== "faults") return tests.code
  const [[path, list] = ["", []]] = Object.entries(tests.diagnostics)
  const first = list.find((d) => d.severity === "error")
  return first ? `${path}: line ${first.line}: ${first.message}` : path
}
