// Starts a run that no caller waits for: that of a delivery or a schedule. It begins in the tenant's object, which pins the definitions in
// one of its own turns. The id of the run is chosen in advance, so repeating an interrupted start still makes only one run.

import { defined } from "../../../core/defined.ts"
import { deliveredInputs } from "../../../core/webhook/delivered-inputs.ts"
import { startableWith, unstartableText } from "../../../engine/catalog/pin/startable.ts"
import { startOf, type StartWish } from "../../../engine/run/start.ts"
import type { PinOptions, PinResult } from "../../../ports/tenant/catalog.ts"
import type { GivenFiles } from "../../../core/run/given-file.ts"
import type { GivenFilesPort } from "../../../ports/given-files.ts"
import type { RunPort } from "../../../ports/run.ts"

/** The start that a hook or a schedule asks for. */
export interface Launch extends Omit<StartWish, "tenant" | "files"> {
  readonly flow: string
  /** [F55] */
  readonly files?: GivenFiles | undefined
}

export interface LaunchDeps {
  readonly tenant: string
  readonly pin: (target: { readonly flow: string }, options: PinOptions) => Promise<PinResult>
  readonly run: (id: string) => Pick<RunPort, "start">
  readonly keepFiles: GivenFilesPort["keep"]
  /** Frees the place that `pin` took for a run that does not start [H6]. */
  readonly giveBack: (run: string) => Promise<void>
  /** [N3] Of a run that is never pinned. */
  readonly tenancy: () => number | undefined
}

/** Returns why the start can never succeed, after recording a failed run [W8]; undefined: the run has started. Throws if a retry may help. */
export async function launch(deps: LaunchDeps, wish: Launch): Promise<string | undefined> {
  const why = wish.cannot ?? (await tryStart(deps, wish))
  // An earlier try may have started the run, and only its answer was lost: what has become of the flow since changes nothing.
  return why !== undefined && (await recordFailure(deps, wish, why)) ? why : undefined
}

/** The pins of a run that never had any: no body has this hash. */
const NO_HASH = "0".repeat(64)

/** false: the run is there, and has not failed for this. */
async function recordFailure(deps: LaunchDeps, { flow, files: _none, ...wish }: Launch, why: string): Promise<boolean> {
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

async function tryStart(deps: LaunchDeps, wish: Launch): Promise<string | undefined> {
  const { run, flow, trigger } = wish
  const kind = trigger.kind === "schedule" ? trigger.kind : "webhook"
  const start = { run, kind } as const
  const pinned = await deps.pin({ flow }, { rehearse: false, start, ...defined({ autonomous: wish.autonomous }) })
  if (!pinned.ok) return pinned.code === "not_found" ? `there is no flow "${flow}"` : pinned.message
  const why = await begin(deps, wish, pinned).catch(async (e: unknown) => {
    await deps.giveBack(run)
    throw e
  })
  if (why !== undefined) await deps.giveBack(run)
  return why
}

async function begin(deps: LaunchDeps, wish: Launch, pinned: Extract<PinResult, { ok: true }>): Promise<string | undefined> {
  const { flow: _pinned, files, ...request } = wish
  const inputs = wish.trigger.kind === "webhook" ? deliveredInputs(pinned.flow.inputs, wish.inputs) : wish.inputs
  const ready = await startableWith(files, deps.keepFiles, pinned, { ...wish, inputs })
  if (!ready.ok) return unstartableText(ready.error)
  await deps.run(wish.run).start(startOf(pinned, { ...request, tenant: deps.tenant, ...ready.value }))
  return undefined
}
