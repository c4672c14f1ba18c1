// Finds the agent and the task of an A2A call, and checks the key's rights: the agent is a flow, the task a run of it.

import { err, ok, type Result } from "../../core/result.ts"
import type { RunView } from "../../core/run/views/view.ts"
import type { Right } from "../../ports/services.ts"
import type { RunPort } from "../../ports/run.ts"
import { badField, faultOfRefusal, TASK_NOT_FOUND, type A2aFault } from "./fault.ts"
import { isRunId, type Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { NOT_FOUND } from "../../http/middleware/problem.ts"
import { flowAt, type FlowTarget } from "../../http/runs/begin-run.ts"
import { isKnownFlow } from "../../http/runs/known-flow.ts"

export function may(c: Call, scope: Right): A2aFault | undefined {
  const lacking = lackOf(c, scope)
  return lacking && faultOfRefusal(lacking)
}

export async function agentAt(c: Call, name: string): Promise<Result<FlowTarget, A2aFault>> {
  const target = flowAt(name)
  return target && (await isKnownFlow(c, target)) ? ok(target) : err(faultOfRefusal(NOT_FOUND))
}

interface Found {
  readonly port: RunPort
  readonly view: RunView
}

/**
 * [P16] Another flow's, another tenant's and unknown tasks look the same. [P18] A call without a task's id is invalid. `field`: the place
 * of its id.
 */
export async function findTask(
  c: Call,
  flow: string,
  id: unknown,
  field: "id" | "taskId" | "message.taskId",
): Promise<Result<Found, A2aFault>> {
  if (!isName(id)) return err(badField(field, "must be the id of a task"))
  if (!isRunId(id)) return err(TASK_NOT_FOUND)
  const port = c.get("tenant").run(id)
  const view = await port.view()
  return view && view.flow === flowAt(flow)?.flow ? ok({ port, view }) : err(TASK_NOT_FOUND)
}

/** Tells whether a name is given: in ProtoJSON an empty string counts as absent. */
export const isName = (id: unknown): id is string => typeof id === "string" && id !== ""
