// Starts with a block as a caller of the ports does: pinned, arrived, and sent to the run's object, which hears whether it begins [R20].

import { env } from "cloudflare:workers"
import { startOf } from "../../../src/engine/run/begin/start.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import type { StartBlock } from "../../../src/core/start/start-block.ts"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { runIdOf } from "../../../src/cloudflare/platform/run-id.ts"
import type { Arrived, LineAsk } from "../../../src/ports/tenant/line.ts"
import type { StartRequest } from "../../../src/ports/run.ts"
import { clock } from "../../../src/cloudflare/platform/clock.ts"

export type Said = Partial<StartBlock>

export const blockOf = (flow: string, key: string | undefined, limit = 1, said: Said = {}): StartBlock => ({
  ...(key === undefined ? {} : { concurrency: { pool: flow, key, limit, overlap: "queue" } }),
  priority: "normal",
  expires: 604_800_000,
  ...said,
})

export async function lined(
  tenant: string,
  flow: string,
  block: StartBlock,
  kind: LineAsk["kind"] = "api",
): Promise<{ readonly request: StartRequest; readonly arrived: Arrived }> {
  const run = runIdOf(env, tenant, clock.id())
  const starts = portOf(env, tenant, "starts")
  const pinned = await starts.pin({ flow }, { rehearse: false })
  if (!pinned.ok) throw new Error(JSON.stringify(pinned))
  const arrived = await starts.arrive({ run, flow, kind, block })
  const trigger = { kind: kind === "child" ? ("api" as const) : kind }
  const request = startOf({ ...pinned, queue: true }, { tenant, run, task: "go", inputs: {}, trigger, block })
  return { request, arrived: structuredClone(arrived) }
}

export async function startLined(tenant: string, flow: string, block: StartBlock, kind?: LineAsk["kind"]): Promise<RunView> {
  const { request, arrived } = await lined(tenant, flow, block, kind)
  if (!arrived.ok || arrived.do !== "stands") throw new Error(JSON.stringify(arrived))
  return structuredClone(await runPort(env, tenant, request.run).start(request))
}
