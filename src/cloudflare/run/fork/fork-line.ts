// Says what a fork obeys [R15]: the concurrency and throttle of the flow it runs, or else those of its source's start. It begins now or not at all,
// but for those of a bulk, which stand in line [R44].

import { defined } from "../../../core/defined.ts"
import type { JsonObject } from "../../../core/json.ts"
import { resolveStart } from "../../../core/language/resolve-start.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { ForkSignal } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import { isTested } from "../../../core/run/tested.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import { EXPIRES_MS, UNSAID, type StartBlock } from "../../../core/start/start-block.ts"
import type { ForkRequest } from "../../../ports/fork.ts"
import type { LineAsk } from "../../../ports/tenant/line.ts"
import { sha256 } from "../../platform/sha256.ts"

interface Forking {
  readonly asked: Pick<ForkRequest, "by" | "keyId">
  readonly before: Run
  readonly plan: Plan
  readonly signal: ForkSignal
}

/** undefined: it obeys no key, as one that is staged or dry, or of a test. */
async function forkBlock(
  id: string,
  { before, plan, signal }: Omit<Forking, "asked">,
  redactor: () => Promise<Redactor>,
): Promise<StartBlock | undefined> {
  const { forked } = signal
  if (forked.effects !== "live" || isTested(before)) return undefined
  const { flow } = plan
  const { concurrency, throttle, expires } = flow.start ?? {}
  const own = concurrency === undefined && throttle === undefined ? undefined : defined({ concurrency, throttle, expires })
  const redact =
    own &&
    (await redactor().then(
      (found) =>
        (key: string): string =>
          found.text(key),
    ))
  const block =
    own &&
    resolveStart(
      { flow: { id: flow.id, start: own } },
      {
        run: id,
        task: forked.task ?? before.task,
        inputs: forked.inputs ?? before.inputs,
        config: { ...flow.config },
        trigger: { ...(before.trigger as JsonObject), ...(forked.payload ?? before.payload) } as JsonObject,
        ...defined({ session: before.session, thread: before.thread }),
      },
      { redact: redact ?? String, sha256 },
    )
  // Member by member, as a start is judged [R3]: what the flow does not say is as its source's start had it.
  const { concurrency: held, throttle: paced } = before.obeyed ?? {}
  const more = {
    ...(concurrency === undefined && held ? { concurrency: { ...held, overlap: "queue" as const } } : {}),
    ...(throttle === undefined && paced?.period !== undefined ? { throttle: { ...paced, period: paced.period } } : {}),
  }
  return block === undefined && Object.keys(more).length === 0 ? undefined : { ...UNSAID, expires: EXPIRES_MS, ...block, ...more }
}

/** Begins now or not at all: nothing is canceled for it, and nothing expires. undefined: it obeys no key. */
export async function forkAsk(id: string, forking: Forking, redactor: () => Promise<Redactor>): Promise<LineAsk | undefined> {
  const block = await forkBlock(id, forking, redactor)
  if (block === undefined) return undefined
  const { concurrency, expires: _expires, ...rest } = block
  const now = { ...rest, ...(concurrency ? { concurrency: { ...concurrency, overlap: "queue" as const } } : {}) }
  return { run: id, flow: forking.plan.flow.id, kind: "api", block: now, by: askedBy(forking) }
}

/** [R44] Stands in line like any start, with the priority `low`. */
export async function bulkAsk(id: string, forking: Forking, redactor: () => Promise<Redactor>): Promise<LineAsk> {
  const block = (await forkBlock(id, forking, redactor)) ?? UNSAID
  return { run: id, flow: forking.plan.flow.id, kind: "api", block: { ...block, priority: "low" }, by: askedBy(forking) }
}

/** [R18] */
const askedBy = ({ asked: { by, keyId } }: Forking): NonNullable<LineAsk["by"]> => ({ api_key: by, ...defined({ key_id: keyId }) })
