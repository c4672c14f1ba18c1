// Brings a child run into its tenant's line [R14], if its flow has concurrency, a throttle or an expiry. Any other child asks nobody.

import { isTested } from "../../../core/run/tested.ts"
import { defined } from "../../../core/defined.ts"
import type { Flow } from "../../../core/flow/flow.ts"
import { resolveStart } from "../../../core/language/resolve-start.ts"
import type { StartBlock } from "../../../core/start/start-block.ts"
import type { Run } from "../../../core/run/state.ts"
import type { StartRequest } from "../../../ports/run.ts"
import { clock } from "../../platform/clock.ts"
import type { Env } from "../../platform/env.ts"
import { runPort } from "../../clients/run-port.ts"
import { portOf } from "../../platform/port-of.ts"
import { openVault } from "../../clients/secrets.ts"
import { sha256 } from "../../platform/sha256.ts"

interface Stands {
  /** It stands in line by this block; absent: it begins at once. */
  readonly block?: StartBlock
  readonly above?: readonly string[]
  /** Why it does not start. */
  readonly fault?: string
}

export async function childInLine(
  { env, tenant }: { readonly env: Env; readonly tenant: string },
  parent: Run,
  flow: Flow,
  request: StartRequest,
): Promise<Stands> {
  const { concurrency, throttle, expires } = flow.start ?? {}
  if (concurrency === undefined && throttle === undefined && expires === undefined) return {}
  // [R15] A run of a test, and the runs below it, hold no key.
  if (isTested(parent)) return {}
  const above = await runsAbove({ env, tenant }, parent)
  if (above === "fork") return {}
  const { redactor } = await openVault(env, tenant, clock.now)()
  const { run, task, inputs, session } = request
  const said = { ...defined({ concurrency, throttle, expires }), priority: parent.start?.priority ?? ("normal" as const) }
  const block = resolveStart(
    { flow: { id: flow.id, start: said } },
    { run, task, inputs, config: { ...flow.config }, session, trigger: { kind: "child" } },
    { redact: (text) => redactor.text(text), sha256 },
  )
  if (block === undefined) return {}
  const arrived = await portOf(env, tenant, "starts").arrive({ run, flow: flow.id, kind: "child", block, above })
  if (arrived.ok) return arrived.do === "stands" ? { block: structuredClone(block), above } : {}
  if (arrived.code === "key_busy")
    return { fault: `"${flow.id}" is skipped: run ${arrived.run ?? "of another start"} of its key "${arrived.key}" is at work` }
  return { fault: `"${flow.id}" cannot stand in line: ${arrived.message}` }
}

/** The nearest first. A run knows its parent and the first run of its family; those between are asked. `fork`: the first one is a fork that is
 *  staged or dry, below which no run holds a key [R15]. */
async function runsAbove(
  { env, tenant }: { readonly env: Env; readonly tenant: string },
  parent: Run,
): Promise<readonly string[] | "fork"> {
  const isLive = (parent.effects ?? "live") === "live"
  if (!isLive && parent.fork) return "fork"
  const above = [parent.id]
  const root = parent.parent?.root ?? parent.parent?.run
  let at = parent.parent?.run
  while (at !== undefined) {
    above.push(at)
    if (at === root && isLive) break
    const view = await runPort(env, tenant, at).view()
    if (!isLive && view?.fork) return "fork"
    at = at === root ? undefined : view?.parent?.run
  }
  return above
}
