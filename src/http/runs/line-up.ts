// Takes a start over HTTP into its tenant's line [R5]: what it obeys is resolved, and what the line answers becomes an answer of the API [R17].

import { isLined, type SaidStart, type StartBlock } from "../../core/start/start-block.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { finalFaults, intoFaults } from "../../engine/catalog/pin/start-faults.ts"
import { obeyed, type Obeying } from "../../engine/run/obeyed.ts"
import type { Limits, PinResult } from "../../ports/tenant/catalog.ts"
import type { Arrived } from "../../ports/tenant/line.ts"
import type { Call } from "../middleware/call.ts"
import { noRoom } from "../middleware/limits.ts"
import { invalid, type Refusal } from "../middleware/problem.ts"

type Pinned = Extract<PinResult, { ok: true }>

/** [R2, R3] What the flow does not let this start say. */
export function notAllowed({ flow }: Pinned, said: SaidStart | undefined): Refusal | undefined {
  const faults = [...finalFaults(said, flow), ...intoFaults(said, flow.inputs)]
  return faults.length === 0 ? undefined : invalid(faults)
}

export interface LinedUp {
  /** Absent: the start obeys nothing. */
  readonly block?: StartBlock
  /** It stands in line: its run begins by the word of the tenant's object alone. */
  readonly isInLine?: true
  /** [R9] The run that the start became. */
  readonly joined?: string
  readonly limits?: Limits
}

export async function lineUp(
  c: Call,
  { flow }: Pinned,
  said: SaidStart | undefined,
  start: Obeying & { readonly trigger: { readonly kind: "api" | "mcp" } },
): Promise<Result<LinedUp, Refusal>> {
  const { secrets, line } = c.get("tenant")
  const block = await obeyed({ flow, given: said }, start, () => secrets.redactor())
  if (block === undefined) return ok({})
  if (!isLined(block)) return ok({ block })
  const { kind, key } = start.trigger
  const arrived = await line.arrive({ run: start.run, flow: flow.id, kind, block, ...(key === undefined ? {} : { by: { api_key: key } }) })
  if (!arrived.ok) return err(refusalOf(arrived))
  const limits = arrived.limits === undefined ? {} : { limits: arrived.limits }
  return ok(arrived.do === "joined" ? { block, joined: arrived.run, ...limits } : { block, isInLine: true, ...limits })
}

function refusalOf(arrived: Extract<Arrived, { ok: false }>): Refusal {
  switch (arrived.code) {
    case "key_busy": {
      const { run, pool, key } = arrived
      const who = run === undefined ? "Starts of this key wait" : `The run ${run} of this key is at work`
      const detail = `${who}, and the block says \`skip\`: nothing was started. Send the start again when it has ended.`
      return { code: "key_busy", detail, more: { run: run ?? null, pool, key } }
    }
    case "quota":
      return noRoom(arrived)
    case "storage_full":
      return { code: "storage_full", detail: `No run was started: ${arrived.message}.` }
    case "ring":
      return { code: "key_busy", detail: arrived.message }
  }
}
