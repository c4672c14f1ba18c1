// Reads back the signal of a fork [K9]: its parts follow its first event, and replacements name their author.

import { defined } from "../../../core/defined.ts"
import type { Rules } from "../../../core/tool/policy/policy.ts"
import type { EventOf, RunEvent } from "../../../core/run/event.ts"
import type { ForkSignal, Instead } from "../../../core/run/signal.ts"
import { approvedName } from "../../../core/run/fork/ask-anew.ts"
import { answerOf } from "./read-answer.ts"
import { factOf, leaseOf, textOf } from "./read-fact.ts"

export function forkSignal(events: readonly RunEvent[], from: number, e: EventOf<"run.forked">): ForkSignal {
  let at = from + 1
  const [lease, rules] = [leasedAt(events[at]), rulesAt(events[at]) ?? rulesAt(events[at + 1])]
  at += (lease ? 1 : 0) + (rules ? 1 : 0)
  const added: string[] = []
  for (let next = events[at]; next?.type === "step.skipped"; next = events[++at]) added.push(next.step)
  const instead = insteadIn(events, at, e)
  const digests = digestsIn(events, at, e)
  return {
    type: "fork",
    forked: factOf(e),
    ...defined({ rules }),
    ...(lease ? { lease: leaseOf(lease) } : {}),
    ...(added.length > 0 ? { added } : {}),
    ...(Object.keys(digests).length > 0 ? { digests } : {}),
    ...defined({ instead }),
    at: e.at,
  }
}

const leasedAt = (e: RunEvent | undefined): EventOf<"budget.leased"> | undefined =>
  e?.type === "budget.leased" && e.step === undefined ? e : undefined
const rulesAt = (e: RunEvent | undefined): Rules | undefined => (e?.type === "rules.changed" ? (e.rules as unknown as Rules) : undefined)

/** [K9] Of the calls that are asked about anew, in the fork's own decision. */
function digestsIn(events: readonly RunEvent[], from: number, { at }: EventOf<"run.forked">): Record<string, string> {
  const digests: Record<string, string> = {}
  for (let i = from; events[i]?.at === at; i++) {
    const e = events[i]
    if (e?.type === "model.replied") break
    if (e?.type === "interaction.asked" && e.callId !== undefined) digests[approvedName(e.step, e.callId)] ??= textOf(e.payload["hash"])
  }
  return digests
}

/** [K12] In the fork's own decision, whose events have its time. */
function insteadIn(events: readonly RunEvent[], from: number, { at, by }: EventOf<"run.forked">): Instead | undefined {
  for (let i = from; events[i]?.at === at; i++) {
    const e = events[i]
    if (e?.type === "interaction.answered" && e.by === by) return { answer: answerOf(e), interaction: e.id }
    if (e?.type === "model.replied" && e.by !== undefined) return replyIn(events, i, e)
    if (e?.type !== "step.finished" || e.by === undefined) continue
    const { step, status, summary, outputs, branch, artifacts } = e
    const said = { status, summary, outputs, ...defined({ branch, artifacts }) }
    return { finish: said, step }
  }
  return undefined
}

function replyIn(events: readonly RunEvent[], from: number, e: EventOf<"model.replied">): Instead {
  const digests: Record<string, string> = {}
  for (let i = from + 1; events[i]?.at === e.at; i++) {
    const asked = events[i]
    if (asked?.type === "interaction.asked" && asked.callId !== undefined) digests[asked.callId] = textOf(asked.payload["hash"])
  }
  const toolCalls = e.toolCalls.map(({ id, name, args }) => ({ id, name, args }))
  return { reply: { text: e.text, ...(toolCalls.length > 0 ? { toolCalls } : {}) }, step: e.step, digests }
}
