// Takes a start over HTTP into its tenant's line [R5]: what it obeys is resolved, and what the line answers becomes an answer of the API [R17].

import { isLined, type SaidStart } from "../../core/start/start-block.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { delayFaults, finalFaults, intoFaults } from "../../engine/catalog/pin/start-faults.ts"
import { defined } from "../../core/defined.ts"
import type { RunView } from "../../core/run/views/view.ts"
import { windowAsk } from "../../engine/run/begin/obeyed.ts"
import { standInLine } from "../../engine/run/begin/stand-in-line.ts"
import type { StartRequest } from "../../ports/run.ts"
import type { Limits, PinResult } from "../../ports/tenant/catalog.ts"
import type { Arrived, KeyBusy, LineAsk } from "../../ports/tenant/line.ts"
import type { Call } from "../middleware/call.ts"
import { noRoom } from "../middleware/limits.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"

type Pinned = Extract<PinResult, { ok: true }>

/** [R2, R3] What the flow does not let this start say. */
export function notAllowed({ flow }: Pinned, said: SaidStart | undefined): Refusal | undefined {
  const faults = [...finalFaults(said, flow), ...intoFaults(said, flow.inputs), ...delayFaults(said, Date.now())]
  return faults.length === 0 ? undefined : invalid(faults)
}

export interface LinedUp {
  readonly run: string
  /** [R9] The run whose window the start joined. */
  readonly merged?: RunView
  /** [R11] Of a start that opened a window. */
  readonly number?: number
  readonly limits?: Limits
}

/** `beside`: the run of its thread that is at work [R16]. */
export async function lineUp(c: Call, request: StartRequest, name: string, beside?: string): Promise<Result<LinedUp, Refusal>> {
  const { run: id, flow, block, trigger, keyId, autonomous, rehearsed, effects, thread } = request
  if (block === undefined || !isLined(block)) return ok({ run: id })
  const services = c.get("tenant")
  const window = windowAsk(block, { name, thread, autonomous, rehearse: rehearsed, effects }, request)
  const kind = trigger.kind === "mcp" ? trigger.kind : "api"
  const ask: LineAsk = {
    run: id,
    flow,
    kind,
    block,
    by: defined({ api_key: trigger.key, key_id: keyId }),
    ...defined({ window, beside }),
  }
  const ground = {
    arrive: (asked: LineAsk) => services.line.arrive(asked),
    run: (of: string) => services.run(of),
    nextId: (of: string) => services.runId(`${of} again`),
  }
  const stood = await standInLine(ground, ask, request)
  switch (stood.as) {
    case "refused":
      return err(refusalOf(stood.arrived))
    case "merged": {
      const view = await services.run(stood.run).view()
      return view ? ok({ run: stood.run, merged: view, ...defined({ limits: stood.limits }) }) : err(late(stood.run))
    }
    case "stands":
      return ok({ run: stood.run, ...defined({ number: stood.number, limits: stood.limits }) })
    case "late":
      return err(late(stood.run))
  }
}

const late = (run: string | undefined): Refusal => ({
  code: "key_busy",
  detail: "The runs that this start joined began without it, several times: send it again.",
  more: { run: run ?? null },
})

export function keyBusy({ run, pool, key }: KeyBusy, why = ""): Refusal {
  const who = run === undefined ? "Starts of this key wait" : `The run ${run} of this key is at work`
  const detail = `${who}${why}: nothing was started. Send the start again when it has ended.`
  return { code: "key_busy", detail, more: { run: run ?? null, pool, key } }
}

function refusalOf(arrived: Extract<Arrived, { ok: false }>): Refusal {
  switch (arrived.code) {
    case "key_busy":
      return keyBusy(arrived, ", and the block says `skip`")
    case "quota":
      return noRoom(arrived)
    case "storage_full":
      return { code: "storage_full", detail: `No run was started: ${arrived.message}.` }
    case "thread_busy":
      return { code: "thread_busy", detail: `No run was started: ${arrived.message}.` }
  }
}
