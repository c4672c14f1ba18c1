// Starts a run that no caller waits for: that of a delivery or a schedule. It begins in the tenant's object, which pins the definitions in
// one of its own turns. The id of the run is chosen in advance, so repeating an interrupted start still makes only one run.

import { defined } from "../../../core/defined.ts"
import { batchInto, setByFlow } from "../../../core/language/resolve-start.ts"
import type { Trigger } from "../../../core/run/event-parts.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import { gathered } from "../../../core/start/batch-items.ts"
import { isLined, type SaidStart, type StartBlock } from "../../../core/start/start-block.ts"
import { short } from "../../../core/text/pointer.ts"
import { deliveredInputs } from "../../../core/webhook/delivered-inputs.ts"
import { ownMoney } from "../../../engine/catalog/pin/start-money.ts"
import { startableWith, unstartableText } from "../../../engine/catalog/pin/startable.ts"
import { obeyed, windowAsk } from "../../../engine/run/begin/obeyed.ts"
import { standInLine } from "../../../engine/run/begin/stand-in-line.ts"
import { startOf, type StartWish } from "../../../engine/run/begin/start.ts"
import type { PinOptions, PinResult } from "../../../ports/tenant/catalog.ts"
import type { GivenFiles } from "../../../core/run/given-file.ts"
import type { GivenFilesPort } from "../../../ports/given-files.ts"
import type { Arrived, LineAsk } from "../../../ports/tenant/line.ts"
import type { RunPort, StartRequest } from "../../../ports/run.ts"

/** The start that a hook or a schedule asks for. */
export interface Launch extends Omit<StartWish, "tenant" | "files"> {
  readonly flow: string
  /** [F55] */
  readonly files?: GivenFiles | undefined
  /** [R1] The block of the hook or the schedule. Its keys are literal here. */
  readonly start?: SaidStart | undefined
  /** [R11] Its place among the starts of a window: that of its delivery. */
  readonly order?: number | undefined
}

/** What became of a start; undefined: its run has begun, or waits. */
export type Launched =
  | undefined
  /** It can never succeed: a failed run says so. */
  | { readonly as: "failed"; readonly why: string }
  /** [R9] It is in the window of this run. */
  | { readonly as: "merged"; readonly run: string }
  /** [R7] */
  | { readonly as: "skipped"; readonly why: string }

export interface LaunchDeps {
  readonly tenant: string
  readonly pin: (target: { readonly flow: string }, options: PinOptions) => Promise<PinResult>
  readonly run: (id: string) => Pick<RunPort, "start" | "join">
  readonly keepFiles: GivenFilesPort["keep"]
  /** Frees the place that `pin` took for a run that does not start [H6]. */
  readonly giveBack: (run: string) => Promise<void>
  /** [R5] */
  readonly arrive: (ask: LineAsk) => Promise<Arrived>
  /** [R11] The run of a start whose own has begun without it. */
  readonly nextId: (run: string) => Promise<string>
  readonly redactor: () => Promise<Redactor>
  /** [N3] Of a run that is never pinned. */
  readonly tenancy: () => number | undefined
}

/** Records a failed run if the start can never succeed [W8]. Throws if a retry may help. */
export async function launch(deps: LaunchDeps, wish: Launch): Promise<Launched> {
  const launched = wish.cannot === undefined ? await tryStart(deps, wish) : ({ as: "failed", why: wish.cannot } as const)
  if (launched?.as !== "failed") return launched
  // An earlier try may have started the run, and only its answer was lost: what has become of the flow since changes nothing.
  return (await recordFailure(deps, wish, launched.why)) ? launched : undefined
}

/** The pins of a run that never had any: no body has this hash. */
const NO_HASH = "0".repeat(64)

/** false: the run is there, and has not failed for this. */
async function recordFailure(
  deps: LaunchDeps,
  { flow, files: _none, start: _said, order: _order, ...wish }: Launch,
  why: string,
): Promise<boolean> {
  const pins = { revision: 0, flow: { id: flow, hash: NO_HASH }, agents: {}, skills: {}, models: {} }
  const ground = {
    flow: { id: flow, autonomous: wish.autonomous ?? true },
    pins,
    rehearsed: false,
    ...defined({ tenancy: deps.tenancy() }),
  }
  const { status, error } = await deps.run(wish.run).start(startOf(ground, { ...wish, tenant: deps.tenant, cannot: why }))
  return status === "failed" && error?.message === why
}

async function tryStart(deps: LaunchDeps, wish: Launch): Promise<Launched> {
  const { run, flow, trigger } = wish
  const kind = kindOf(trigger)
  const start = { run, kind } as const
  const lined = isLined(wish.start) ? true : undefined
  const pinned = await deps.pin({ flow }, { rehearse: false, start, ...defined({ autonomous: wish.autonomous, lined }) })
  if (!pinned.ok) return { as: "failed", why: pinned.code === "not_found" ? `there is no flow "${flow}"` : pinned.message }
  const launched = await begin(deps, wish, pinned).catch(async (e: unknown) => {
    await deps.giveBack(run)
    throw e
  })
  if (launched !== undefined && launched.as !== "merged") await deps.giveBack(run)
  return launched
}

const kindOf = ({ kind }: Trigger) => (kind === "schedule" ? kind : "webhook")

async function begin(deps: LaunchDeps, wish: Launch, pinned: Extract<PinResult, { ok: true }>): Promise<Launched> {
  const { flow: _pinned, files, start: said, order: _order, ...request } = wish
  const places = { flow: pinned.flow, trigger: said }
  const into = batchInto(places)
  const given = wish.trigger.kind === "webhook" ? deliveredInputs(pinned.flow.inputs, wish.inputs, into) : gathered(wish.inputs, into)
  const ready = await startableWith(files, deps.keepFiles, pinned, { ...wish, inputs: given })
  if (!ready.ok) return { as: "failed", why: unstartableText(ready.error) }
  const { inputs } = ready.value
  const block = await obeyed(places, { ...request, inputs }, deps.redactor)
  const overruled = setByFlow(pinned.flow.start, said)
  const trigger = overruled.length === 0 ? wish.trigger : { ...wish.trigger, overruled }
  const ground = isLined(block) ? { ...pinned, queue: true as const } : pinned
  const own = isLined(block) ? ownMoney(pinned.money, wish.budget) : undefined
  const asked = startOf(ground, { ...request, trigger, block, tenant: deps.tenant, ...ready.value, ownMoney: own })
  if (block && isLined(block)) return stood(deps, asked, block, wish.order)
  await deps.run(wish.run).start(asked)
  return undefined
}

async function stood(deps: LaunchDeps, request: StartRequest, block: StartBlock, order: number | undefined): Promise<Launched> {
  const { run, flow, trigger, thread, autonomous, rehearsed, effects } = request
  const window = windowAsk(block, { name: flow, thread, autonomous, rehearse: rehearsed, effects }, request)
  const ask: LineAsk = { run, flow, kind: kindOf(trigger), block, by: byOf(trigger), ...defined({ window, order }) }
  const found = await standInLine(deps, ask, request)
  switch (found.as) {
    case "refused":
      return notBegun(found.arrived)
    case "merged":
      return { as: "merged", run: found.run }
    case "stands":
      await deps.run(found.run).start({ ...request, run: found.run, ...defined({ number: found.number }) })
      // What it was to open has begun without it: it is in another run.
      return found.run === run ? undefined : { as: "merged", run: found.run }
    case "late":
      throw new Error("the runs that the start joined began without it")
  }
}

const byOf = ({ hook, schedule }: Trigger) => defined({ hook, schedule })

function notBegun(arrived: Extract<Arrived, { ok: false }>): Exclude<Launched, undefined> {
  if (arrived.code !== "key_busy") throw new Error(arrived.message)
  const { run, key } = arrived
  const who = run === undefined ? "other starts wait" : `the run ${run} is at work`
  return { as: "skipped", why: `${who} under the key ${JSON.stringify(short(key))}, and the block says skip` }
}
