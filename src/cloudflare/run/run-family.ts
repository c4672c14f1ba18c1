// Parents and children across objects [F23]: a child is started under an id derived from its parent and key, so that it is one run
// however often it is asked; it tells its parent how it ended until the parent has heard; a parent's end cancels what is open.

import { stricter, unitsOf } from "../../core/money/amount.ts"
import { literalsOf } from "../../core/flow/flow-face.ts"
import { checkInputs } from "../../core/flow/flow-inputs.ts"
import { ownBudget } from "../../core/run/budget/budget.ts"
import { MAX_DEPTH, type ChildReport, type ChildWish } from "../../core/run/steps/children.ts"
import type { Pins } from "../../core/run/event.ts"
import { stepTrace } from "../../core/run/views/spans.ts"
import type { Run } from "../../core/run/state.ts"
import { atOnce } from "../../engine/at-once.ts"
import { rootOf } from "../../engine/run/calling.ts"
import { loadDefinitions } from "../../engine/catalog/definitions.ts"
import type { Blobs } from "../../ports/blobs.ts"
import type { StartRequest } from "../../ports/run.ts"
import { derivedId } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { runPort, runRooms } from "../clients/run-port.ts"
import { sha256 } from "../platform/sha256.ts"

/** Must not reject: a child that cannot be started is a fault of its step. */
export async function startChild(
  env: Env,
  tenant: string,
  blobs: Blobs,
  run: Run,
  wish: ChildWish,
  signal: AbortSignal,
  /** Cancels this child, and sees to it that it hears of it. */
  forsake: (child: string) => void,
): Promise<{ run: string; fault?: string }> {
  const {
    id: parent,
    inputs,
    autonomous,
    rehearsed,
  } = { id: run.id, inputs: wish.inputs, autonomous: run.autonomous, rehearsed: run.rehearsed }
  const depth = (run.parent?.depth ?? 0) + 1
  // What was asked of the child is marked when its step was opened; the step may be gone when the child's definitions are there.
  const step = run.steps[wish.step]
  const inherited = {
    rules: run.rules,
    ...(run.tainted || step?.tainted === true ? { tainted: true } : {}),
    ...(run.private || step?.private === true ? { private: true } : {}),
  }
  const pins = run.pins && childPins(run.pins, wish.flow)
  const pass = Number(wish.key.split("/")[1])
  const child = await childId(parent, wish.key)
  if (!pins) return { run: child, fault: `the flow "${wish.flow}" was not there when this run began` }
  if (depth > MAX_DEPTH) return { run: child, fault: `runs nest at most ${MAX_DEPTH} deep: "${wish.flow}" would be one more` }
  const { flow } = await loadDefinitions(pins, blobs)
  const specs = Object.fromEntries(Object.entries(flow.inputs).map(([name, spec]) => [name, { ...spec }]))
  const checked = checkInputs(specs, literalsOf(flow.inputs, inputs))
  if (!checked.ok)
    return {
      run: child,
      fault: `"${wish.flow}" does not take these inputs: ${checked.error.map((e) => `${e.pointer} ${e.message}`).join("; ")}`,
    }
  const port = runPort(env, tenant, child)
  try {
    await port.start({
      tenant,
      run: child,
      flow: wish.flow,
      task: wish.task,
      inputs: checked.value,
      autonomous,
      rehearsed,
      pins,
      trigger: { kind: "child" },
      ...childMoney(run, wish),
      ...inherited,
      ...(run.session === undefined ? {} : { session: run.session }),
      trace: stepTrace(run, wish.step, pass, sha256),
      // A child that needs a person says so itself [W6].
      ...(run.callback === undefined ? {} : { callback: run.callback }),
      parent: { run: parent, step: wish.step, pass, index: wish.index, depth, root: rootOf(run) },
    })
  } finally {
    // Its step ended while the child was being started: nobody will ever ask for it. Its start may have failed and begun it all the same.
    if (signal.aborted) forsake(child)
  }
  return { run: child }
}

/** [B5] What was carved for it, and what its own file says: the stricter of each. Prices are its parent's. */
function childMoney(run: Run, wish: ChildWish): Pick<StartRequest, "budget" | "prices" | "daily"> {
  const budget = stricter(wish.budget ?? {}, ownBudget(run.pins, wish.flow) ?? {})
  const daily = run.budget.lease ? { daily: true as const } : {}
  return { prices: run.prices, ...daily, ...(unitsOf(budget).length > 0 ? { budget } : {}) }
}

/** The same definitions, seen from the child's flow: its own rehearsal file, its own steps' models. */
export function childPins(pins: Pins, flow: string): Pins | undefined {
  const hash = pins.flows && Object.hasOwn(pins.flows, flow) ? pins.flows[flow] : undefined
  if (hash === undefined) return undefined
  const { rehearsal: _own, ...rest } = pins
  const rehearsal = pins.rehearsals?.[flow]
  const models: Record<string, string> = {}
  for (const [key, model] of Object.entries(pins.models)) {
    const [agent, place] = key.split("@")
    if (agent === undefined) continue
    if (agent === "") models[key] = model
    // `agent@step` is a step of the parent's own: the child may have a step of that name, and it is another.
    if (place === undefined || place.includes("/")) models[key] = model
    if (place?.startsWith(`${flow}/`)) models[`${agent}@${place.slice(flow.length + 1)}`] = model
  }
  return { ...rest, flow: { id: flow, hash }, models, ...(rehearsal === undefined ? {} : { rehearsal }) }
}

/** Tells the parent; resolves when it has heard, or has no use for it. */
export async function tellParent(env: Env, tenant: string, run: Run, report: ChildReport): Promise<void> {
  const { parent } = run
  if (!parent) return
  await runRooms(env, tenant, parent.run).signals.childEnded({
    step: parent.step,
    pass: parent.pass,
    index: parent.index,
    run: run.id,
    report: JSON.parse(JSON.stringify(report)),
  })
}

/** Cancels children that nobody waits for; a canceled or ended run is left as it is, so twice does no harm. One that cannot be
 *  reached keeps no other alive: they are all asked before it is said. An orphan is a run's id, or the key its start was begun with. */
export async function cancelAll(env: Env, tenant: string, parent: string, orphans: readonly string[]): Promise<void> {
  const faults: unknown[] = []
  await atOnce(orphans, async (orphan) => {
    const child = orphan.includes("/") ? await childId(parent, orphan) : orphan
    await runPort(env, tenant, child)
      .cancel(`parent ${parent}`)
      .catch((e: unknown) => faults.push(e))
  })
  if (faults.length > 0) throw faults[0]
}

/** Open children pause and resume with their parent; one that is not there any more takes no notice. */
export async function tellChildren(env: Env, tenant: string, children: readonly string[], word: "pause" | "resume"): Promise<void> {
  const faults: unknown[] = []
  await atOnce(children, async (child) => {
    await runPort(env, tenant, child)
      [word]("parent")
      .catch((e: unknown) => faults.push(e))
  })
  if (faults.length > 0) throw faults[0]
}

/** Of a child's key, or of the call that started it [T42]. */
export const childId = async (parent: string, key: string): Promise<string> => `run_${await derivedId(parent, key)}`
