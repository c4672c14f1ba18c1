// Connects parents and children across objects [F23]. A child's id is derived from its parent and its key, so that repeated starts make
// only one run. A child reports its end until the report arrives at its parent. When a parent ends, its open children are canceled.

import { rankOf } from "../../../core/pacing/rank.ts"
import { stricter } from "../../../core/money/amount.ts"
import { childAt } from "../../../core/case/play.ts"
import { defined } from "../../../core/defined.ts"
import { literalsOf } from "../../../core/flow/flow-face.ts"
import { ownBudget } from "../../../core/run/budget/budget.ts"
import type { ChildWish } from "../../../core/run/action.ts"
import type { ChildAsks, ChildAskSignal } from "../../../core/run/steps/child-questions.ts"
import { BATCH } from "../../../core/run/shown-status.ts"
import type { TrialBelow } from "../trial-recordings.ts"
import { lazy } from "../../../core/lazy.ts"
import { MAX_DEPTH, type ChildReport } from "../../../core/run/steps/children.ts"
import type { Run } from "../../../core/run/state.ts"
import { atOnce, failedOf, type Failed } from "../../../engine/at-once.ts"
import { childPins } from "../../../engine/run/begin/child-pins.ts"
import { childStartOf, inheritedBy } from "../../../engine/run/begin/start.ts"
import { needsOf, startable, unstartableText } from "../../../engine/catalog/pin/startable.ts"
import { SUBAGENT_PREFIX } from "../../../engine/catalog/pin/subagent-flow.ts"
import { loadDefinitions } from "../../../engine/catalog/definitions.ts"
import type { Blobs } from "../../../ports/blobs.ts"
import type { Settled } from "../../../ports/tenant/effects.ts"
import { Breath } from "../../../ports/breath.ts"
import { portOf } from "../../platform/port-of.ts"
import { derivedId } from "../../platform/clock.ts"
import type { Env } from "../../platform/env.ts"
import { runIdOf } from "../../platform/run-id.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import { runPort, runRooms } from "../../clients/run-port.ts"
import { sha256 } from "../../platform/sha256.ts"
import { childInLine } from "./child-line.ts"
import { passOf, isKey } from "../../../core/run/key.ts"

/** [V35] */
const below: TrialBelow = async (trial, ...of) => trial && (await recordings()).trialBelow(trial, ...of)
const recordings = lazy(() => import("../trial-recordings.ts"))

export interface ChildDeps {
  readonly env: Env
  readonly tenant: string
  readonly blobs: Blobs
  /** [R27] Whether somebody has a request or a stream of the parent open. */
  readonly isFollowed?: () => boolean
  /** [V27] Of a judge: its task. */
  readonly asked?: () => Promise<string>
  /** Cancels this child of this parent, and repeats the cancel until it arrives. */
  readonly cancelOrphan: (parent: string, child: string) => void
}

/** Starts a child run. `fault`: the reason why it cannot be started. */
export async function startChild(
  { env, tenant, blobs, cancelOrphan, isFollowed, asked }: ChildDeps,
  parent: Run,
  wish: ChildWish,
  signal: AbortSignal,
): Promise<{ run: string; fault?: string }> {
  // Read before the first await: the step may have ended by the time the child's definitions are loaded.
  const step = parent.steps[wish.step]
  const heritage = inheritedBy(parent, {
    step: wish.step,
    pass: passOf(wish.key),
    tainted: step?.tainted === true,
    ...defined({ origins: step?.origins }),
    private: step?.private === true,
    waited: rankOf(parent, isFollowed?.() === true, Date.now()) === "attended",
  })
  const { session, trial: above } = parent
  const budget = stricter(wish.budget ?? {}, ownBudget(parent.pins, wish.flow) ?? {})
  const pins = parent.pins && childPins(parent.pins, wish.flow, childAt(wish.step, passOf(wish.key), wish.index))
  const run = await childId(env, tenant, parent.id, wish.key)
  if (!pins) return { run, fault: `the flow "${wish.flow}" did not exist when this run began` }
  // [V27] A judge starts nothing, and counts for no depth.
  if (asked === undefined && heritage.depth + 1 > MAX_DEPTH)
    return { run, fault: `runs nest at most ${MAX_DEPTH} deep: "${wish.flow}" would be one more` }
  const { flow } = await loadDefinitions(pins, blobs)
  const ready = startable({ flow: needsOf(flow) }, { inputs: literalsOf(flow.inputs, wish.inputs) })
  if (!ready.ok) return { run, fault: `"${wish.flow}" does not take these inputs: ${unstartableText(ready.error)}` }
  // [N4] A hundred children that begin at once would compute for a second before anyone else has a turn.
  await new Breath().begin()
  try {
    const { index } = wish
    const task = asked ? await asked() : wish.task
    const place = { step: wish.step, pass: heritage.pass, index }
    const trial = asked === undefined ? await below(above, place, (id) => runPort(env, tenant, id)) : undefined
    const request = childStartOf(heritage, { tenant, run, pins, task, inputs: ready.value.inputs, index, session, budget, trial }, sha256)
    const stands = await childInLine({ env, tenant }, parent, flow, request)
    if (stands.fault !== undefined) return { run, fault: stands.fault }
    await runPort(env, tenant, run).start(
      stands.block ? { ...request, held: true, block: stands.block, above: stands.above ?? [] } : request,
    )
  } finally {
    // The step ended during the start, so nothing asks for the child again. A failed start may still have begun the child.
    if (signal.aborted) cancelOrphan(parent.id, run)
  }
  return { run }
}

/** Resolves when the parent has the report, or does not need it. false: nobody will decide about the run's kept effects [K32]. */
export async function tellParent(
  env: Env,
  tenant: string,
  run: Run,
  { report, isBelow }: { readonly report: ChildReport; readonly isBelow: boolean },
): Promise<boolean> {
  const { parent } = run
  if (!parent) return true
  const { takesEffects } = await runRooms(env, tenant, parent.run).signals.childEnded({
    step: parent.step,
    pass: parent.pass,
    index: parent.index,
    run: run.id,
    report: JSON.parse(JSON.stringify(report)),
    ...(isBelow ? { below: true as const } : {}),
  })
  // [T42] The call that started the run brings its report to the parent, not this message.
  return takesEffects || run.flow.startsWith(SUBAGENT_PREFIX)
}

/** [P5] Reports this run's questions to the parent. false: the parent has no room for all of them now. */
export async function askParent(env: Env, tenant: string, run: Run, asks: ChildAsks): Promise<boolean> {
  const { parent } = run
  if (!parent) return true
  const { step, pass, index } = parent
  const said: ChildAskSignal = JSON.parse(JSON.stringify({ step, pass, index, run: run.id, ...asks }))
  return (await runRooms(env, tenant, parent.run).signals.childAsked(said)).isKnown
}

/** [R33] Whether nothing goes on in the run without a reply from a batch. */
export const standsStill = ({ status, reason }: Pick<Run, "status" | "reason">): boolean => status === "waiting" && reason === BATCH

export async function tellStill(env: Env, tenant: string, run: Run): Promise<void> {
  const { parent } = run
  if (!parent) return
  const { step, pass, index } = parent
  const said = { step, run: run.id, index, pass, from: run.seq, waits: standsStill(run) }
  await runRooms(env, tenant, parent.run).signals.childBatched(said)
}

/** [K32] Tells child runs at any depth that nobody will choose their kept effects. Idempotent. */
export async function discardAll(env: Env, tenant: string, children: readonly string[]): Promise<void> {
  raise(await failedOf(children, (child) => runRooms(env, tenant, child).effects.discard()))
}

/**
 * Cancels children that no one waits for. Idempotent: an ended run does not change. The call tries all children before it rejects because
 * some cannot be reached. An orphan is the id of a run, or the key of its start: a start that arrives later finds a mark in the child's
 * object, so the order of arrival does not matter.
 */
export async function cancelAll(env: Env, tenant: string, parent: string, orphans: readonly string[]): Promise<void> {
  const failed = await failedOf(orphans, async (orphan) => {
    const mayBegin = isKey(orphan)
    const child = mayBegin ? await childId(env, tenant, parent, orphan) : orphan
    const hasBegun = await runRooms(env, tenant, child).signals.orphaned(`parent ${parent}`, mayBegin)
    // [B4] Its start may have got a slice of the day and then failed, or may still be asking for one.
    if (mayBegin && !hasBegun) await portOf(env, tenant, "dayBudget").neverBegins(child)
  })
  raise(failed)
}

/** [R6] Whether these children, by id or by the key of their start, and all below them have ended or are deleted. */
export async function areOver(env: Env, tenant: string, parent: string, children: readonly string[]): Promise<boolean> {
  const over = await atOnce(children, async (child) =>
    runRooms(env, tenant, isKey(child) ? await childId(env, tenant, parent, child) : child).signals.isFamilyOver(),
  )
  return over.every((is) => is)
}

/** Pauses or resumes open children with their parent. Has no effect on a deleted child. */
export async function tellChildren(env: Env, tenant: string, children: readonly string[], word: "pause" | "resume"): Promise<void> {
  raise(await failedOf(children, (child) => runPort(env, tenant, child)[word]("parent")))
}

function raise([first]: readonly Failed<unknown>[]): void {
  if (first) throw first.error
}

/** How long the child has for an effect, all its calls together: longer than any tool may take. */
const CARRY_MS = 60 * 60_000 // limit: ms that a child has for one effect that it kept → it counts as uncertain

/** [K32] Lets a child carry out a kept effect. Its journal records the progress, so the request is repeated until the effect is settled. */
export async function carriedOut(
  { env, tenant, now }: { readonly env: Env; readonly tenant: string; readonly now: () => number },
  { run, key, by }: { readonly run: string; readonly key: string; readonly by: string },
  signal: AbortSignal,
): Promise<Settled> {
  const until = now() + CARRY_MS
  for (;;) {
    signal.throwIfAborted()
    const done = await runRooms(env, tenant, run).effects.carryOut(key, by)
    if (done.state !== "under_way") return { ...done, state: done.state }
    if (now() >= until) return { state: "uncertain", reason: `the run that kept it has not settled it in ${CARRY_MS / 60_000} minutes` }
  }
}

/** `key`: the key of the child, or of the call that starts it [T42]. */
export const childId = async (env: VaultEnv, tenant: string, parent: string, key: string): Promise<string> =>
  runIdOf(env, tenant, await derivedId(parent, key))
