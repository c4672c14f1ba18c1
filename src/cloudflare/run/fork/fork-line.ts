// Says what a fork obeys [R15]: the concurrency and throttle of the flow it runs, or else the concurrency of its source's start. It begins now or
// not at all.

import { defined } from "../../../core/defined.ts"
import type { JsonObject } from "../../../core/json.ts"
import { resolveStart } from "../../../core/language/resolve-start.ts"
import type { Plan } from "../../../core/run/plan.ts"
import type { ForkSignal } from "../../../core/run/signal.ts"
import type { Run } from "../../../core/run/state.ts"
import { isTested } from "../../../core/run/tested.ts"
import type { Redactor } from "../../../core/secrets/redact.ts"
import { UNSAID, type StartBlock } from "../../../core/start/start-block.ts"
import type { LineAsk } from "../../../ports/tenant/line.ts"
import { sha256 } from "../../platform/sha256.ts"

/** undefined: it holds no key, as one that is staged or dry, or of a test. */
export async function forkAsk(
  id: string,
  { before, plan, signal }: { readonly before: Run; readonly plan: Plan; readonly signal: ForkSignal },
  redactor: () => Promise<Redactor>,
): Promise<LineAsk | undefined> {
  const { forked } = signal
  if (forked.effects !== "live" || isTested(before)) return undefined
  const { flow } = plan
  const { concurrency, throttle } = flow.start ?? {}
  if (concurrency === undefined && throttle === undefined) {
    const held = before.start?.concurrency
    if (held === undefined) return undefined
    return { run: id, flow: flow.id, kind: "api", block: { ...UNSAID, concurrency: { ...held, overlap: "queue" } } }
  }
  const { text } = await redactor().then((found) => ({ text: (said: string) => found.text(said) }))
  const trigger = { ...(before.trigger as JsonObject), ...(forked.payload ?? before.payload) } as JsonObject
  const block = resolveStart(
    { flow: { id: flow.id, start: defined({ concurrency, throttle }) } },
    {
      run: id,
      task: forked.task ?? before.task,
      inputs: forked.inputs ?? before.inputs,
      config: { ...flow.config },
      trigger,
      ...defined({ session: before.session, thread: before.thread }),
    },
    { redact: text, sha256 },
  )
  return block && { run: id, flow: flow.id, kind: "api", block: atOnce(block) }
}

/** Nothing is canceled for it. */
const atOnce = ({ concurrency, ...block }: StartBlock): StartBlock => ({
  ...block,
  ...(concurrency ? { concurrency: { ...concurrency, overlap: "queue" } } : {}),
})
