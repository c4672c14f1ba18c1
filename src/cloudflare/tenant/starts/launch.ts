// A start that nobody waits for: a delivery's, a schedule's. From within the tenant's object, so the definitions are pinned in its
// own turn; the run's id is known before, so a start that was begun and not finished is begun again and is still one run.

import type { Amount } from "../../../core/money/amount.ts"
import { checkInputs } from "../../../core/flow/flow-inputs.ts"
import type { JsonObject } from "../../../core/json.ts"
import type { Trigger } from "../../../core/run/event.ts"
import { noPrice, startMoney } from "../../../engine/catalog/start-money.ts"
import type { PinOptions, PinResult } from "../../../ports/catalog.ts"
import type { RunPort } from "../../../ports/run.ts"

export interface Launch {
  readonly run: string
  readonly flow: string
  readonly autonomous?: boolean
  readonly budget?: Amount
  readonly task: string
  readonly inputs: JsonObject
  readonly trigger: Trigger
  /** For `${{trigger.…}}`. */
  readonly payload?: JsonObject
  /** Task, inputs or payload are somebody else's words [G11]. */
  readonly tainted?: true
}

export interface LaunchDeps {
  readonly tenant: string
  readonly pin: (target: { readonly flow: string }, options: PinOptions) => Promise<PinResult>
  readonly run: (id: string) => Pick<RunPort, "start">
  /** The place that `pin` took, of a run that will not be [H6]. */
  readonly giveBack: (run: string) => Promise<void>
}

/** Why there will be no run, however often it is tried; undefined: it runs. Throws when trying again may help. */
export async function launch(deps: LaunchDeps, wish: Launch): Promise<string | undefined> {
  const { run, flow, trigger } = wish
  const kind = trigger.kind === "schedule" ? trigger.kind : "webhook"
  const start = { run, kind } as const
  const pinned = await deps.pin(
    { flow },
    { rehearse: false, start, ...(wish.autonomous === undefined ? {} : { autonomous: wish.autonomous }) },
  )
  if (!pinned.ok) return pinned.code === "not_found" ? `there is no flow "${flow}"` : pinned.message
  const why = await begin(deps, wish, pinned).catch(async (e: unknown) => {
    await deps.giveBack(run)
    throw e
  })
  if (why !== undefined) await deps.giveBack(run)
  return why
}

async function begin(deps: LaunchDeps, wish: Launch, pinned: Extract<PinResult, { ok: true }>): Promise<string | undefined> {
  const { run, task, trigger, payload, tainted } = wish
  if (pinned.flow.task_required && task.trim() === "") return "the flow needs a task, and the task is empty"
  const inputs = checkInputs(pinned.flow.inputs, wish.inputs)
  if (!inputs.ok) return inputs.error.map((e) => `${e.pointer} ${e.message}`).join("; ")
  const money = startMoney(pinned, wish.budget)
  if (!money.ok) return noPrice(money.error)
  await deps.run(run).start({
    tenant: deps.tenant,
    run,
    flow: pinned.flow.id,
    task,
    inputs: inputs.value,
    autonomous: wish.autonomous ?? pinned.flow.autonomous,
    rehearsed: pinned.rehearsed,
    pins: pinned.pins,
    ...(pinned.rules === undefined ? {} : { rules: pinned.rules }),
    ...money.value,
    trigger,
    // [H6] There is no room for it now: it exists, and begins when there is.
    ...(pinned.queue === undefined ? {} : { held: true }),
    ...(payload === undefined ? {} : { payload }),
    ...(tainted === undefined ? {} : { tainted }),
  })
  return undefined
}
