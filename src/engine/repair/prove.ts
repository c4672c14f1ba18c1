// Tries the proposal of a repair [13.7] before a person accepts it: the failed run continues from the failed step, staged; the flow's tests
// run; and its recorded runs are played again. A run with a low score begins anew, dry, and is scored again when it has ended [V18]. Each result is stored at once, so nothing is done twice after a crash. Never rejects for a
// fault of the proposal: that is a result.

import { noPrice } from "../catalog/pin/start-money.ts"
import type { TestReport } from "../../core/case/test-report.ts"
import { defined } from "../../core/defined.ts"
import { faultsText, messageOf } from "../../core/text/fault-text.ts"
import { SUBAGENT_PREFIX } from "../catalog/pin/subagent-flow.ts"
import type { ForkResult, ForkWish } from "../../ports/fork.ts"
import { isWhole, unscored, type RepairEvidence, type ProvenTests, type Repair } from "../../ports/tenant/authoring/repairs.ts"

export interface ProofDeps {
  now(): number
  /** false: the session went on without this proof. */
  keep(proof: RepairEvidence): Promise<boolean>
  /** Path → text of what the session would write. */
  texts(): Promise<Readonly<Record<string, string>> | undefined>
  /** The same wish is the same fork. `definitions` are tried over the catalog of now. */
  fork(wish: Pick<ForkWish, "from" | "budget" | "rehearse" | "effects">, definitions: Readonly<Record<string, string>>): Promise<ForkResult>
  /** undefined: the flow has no tests. A text: they cannot be run. */
  tests(definitions: Readonly<Record<string, string>>): Promise<TestReport | string | undefined>
  /** The id of a backtest on the flow's newest runs with the session's files. undefined: it has none. A text in `error`: it cannot begin. */
  backtest(): Promise<{ readonly id: string } | { readonly error: string } | undefined>
  /** [V18] Asks the scorer about the fork. undefined: the fork has not ended. */
  score(fork: string, scorer: string): Promise<NonNullable<RepairEvidence["score"]> | undefined>
}

type Asked = Pick<Repair, "flow" | "step" | "budget" | "rehearsed" | "low" | "proof">

/** Failing cases that are stored. */
const SHOWN_CASES = 20
/** Failures of each. */
const SHOWN_FAILURES = 5

/** `run`: the session's run that wrote the files. */
export async function prove(deps: ProofDeps, run: string, repair: Asked): Promise<void> {
  const before = repair.proof?.run === run ? repair.proof : undefined
  const now = deps.now()
  if (isWhole(before) && !unscored(repair, now)) return
  let proof: RepairEvidence = { ...(before ?? { run, begun: now }), at: now }
  const add = async (more: Partial<RepairEvidence>): Promise<boolean> => {
    proof = { ...proof, ...more, at: deps.now() }
    return deps.keep(proof)
  }
  if (!(await add({}))) return
  const texts = await deps.texts()
  if (!texts) return
  if (proof.fork === undefined && !(await add({ fork: await told(() => forked(deps, repair, texts)) }))) return
  if (proof.tests === undefined && !(await add({ tests: await told(() => tested(deps, repair.flow, texts)) }))) return
  if (proof.backtest === undefined && !(await add({ backtest: await told(() => backtested(deps, repair.flow)) }))) return
  const { low } = repair
  const fork = unscored({ ...repair, proof }, deps.now())
  const score = low && fork && (await told(() => deps.score(fork.run, low.scorer)))
  if (score) await add({ score })
}

type Texts = Readonly<Record<string, string>>

async function told<T>(work: () => Promise<T>): Promise<T | { readonly error: string }> {
  try {
    return await work()
  } catch (e) {
    return { error: messageOf(e) }
  }
}

/** A change that does not fit what had run is tried from the start. */
async function forked(
  deps: ProofDeps,
  { step, budget, rehearsed, low }: Asked,
  texts: Texts,
): Promise<NonNullable<RepairEvidence["fork"]>> {
  // Nobody is asked about the kept calls of a dry run, so it ends, and what has ended can be scored.
  const wish = { ...defined({ budget }), ...(rehearsed ? { rehearse: true } : {}), effects: low ? ("dry" as const) : ("staged" as const) }
  const places = [...(step === undefined ? [] : [["step", { step }] as const]), ["start", {}] as const]
  for (const [from, place] of places) {
    const done = await deps.fork({ ...wish, from: place }, texts)
    if (done.ok) return "view" in done ? { run: done.view.id, from } : { error: "it was only checked" }
    if (done.code !== "patch_conflict") return { error: whyNot(done) }
  }
  return { error: "the change does not fit the run" }
}

function whyNot(done: Extract<ForkResult, { ok: false }>): string {
  switch (done.code) {
    case "not_found":
      return "the run was deleted"
    case "not_forkable":
      return done.what ?? "the run cannot be forked there"
    case "patch_conflict":
      return `these steps have run with another type: ${done.steps.join(", ")}`
    case "invalid":
      return faultsText(done.errors)
    case "no_price":
      return noPrice(done.models)
    case "definitions_lost":
      return done.why
    case "key_busy":
      return `another run of its key ${JSON.stringify(done.key)} is at work`
    case "refused":
      return done.why.code === "not_found" ? "the flow is not in the catalog" : done.why.message
  }
}

async function tested(deps: ProofDeps, flow: string, texts: Texts): Promise<NonNullable<RepairEvidence["tests"]> | null> {
  if (flow.startsWith(SUBAGENT_PREFIX)) return null
  const report = await deps.tests(texts)
  if (report === undefined) return null
  if (typeof report === "string") return { error: report }
  const { passed, failed, cases } = report
  const failures = cases
    .filter((one) => !one.passed)
    .slice(0, SHOWN_CASES)
    .map(({ name, run, failures: all }) => ({ name, run, failures: all.slice(0, SHOWN_FAILURES) }))
  return { passed, failed, failures } satisfies ProvenTests
}

const backtested = async (deps: ProofDeps, flow: string): Promise<NonNullable<RepairEvidence["backtest"]> | null> =>
  flow.startsWith(SUBAGENT_PREFIX) ? null : ((await deps.backtest()) ?? null)
