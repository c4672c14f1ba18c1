// Tells what a scorer gets to see of a pass of one step [V23]: the account of this step alone, with the task and inputs that it was given, its
// outputs as the output, and its summary as the answer.

import type { JsonObject } from "../json.ts"
import type { EventOf, RunEvent } from "../run/event.ts"
import type { Account } from "./account.ts"
import { bounded } from "./bounded-account.ts"

export interface PassParts {
  readonly flow: string
  readonly step: string
  /** The events of the pass, from its opening to its offer. */
  readonly events: readonly RunEvent[]
  readonly files?: Readonly<Record<string, string | null>>
}

export function stepAccount({ flow, step, events, files = {} }: PassParts): Account {
  const opened = events.find((e): e is EventOf<"step.opened"> => e.type === "step.opened")
  const offer = events.findLast((e): e is EventOf<"step.offered"> => e.type === "step.offered")
  const outputs = offer?.outputs ?? {}
  const summary = offer?.summary ?? ""
  const replies = events.filter((e) => e.type === "model.replied")
  const children = events.filter((e) => e.type === "child.ended").flatMap(({ usage }) => usage ?? [])
  const costs = [...replies.map(({ cost }) => cost), ...children.map(({ usd }) => usd)]
  const called = events.flatMap((e) =>
    e.type === "tool.called" ? [e.tool] : e.type === "interaction.asked" && e.kind === "ask_user" ? ["ask_user"] : [],
  )
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0)
  return bounded({
    flow,
    task: opened?.task ?? "",
    inputs: (opened?.inputs ?? opened?.values ?? {}) as JsonObject,
    conversation: [],
    status: "succeeded",
    error: null,
    output: outputs,
    answer: summary,
    branches: {},
    steps: {
      [step]: {
        status: "complete",
        passes: offer?.pass ?? 1,
        summary,
        outputs,
        called,
        refused: events.flatMap((e) => (e.type === "tool.refused" ? [e.tool] : [])),
        failed: events.flatMap((e) => (e.type === "tool.returned" && e.isError ? [e.tool] : [])),
      },
    },
    turns: replies.length,
    tool_calls: events.filter((e) => e.type === "tool.called").length + sum(children.map((one) => one.tool_calls)),
    usage: {
      tokens: sum([...replies.map(({ usage }) => usage.input + usage.output), ...children.map(({ tokens }) => tokens)]),
      usd: costs.includes(null) ? null : sum(costs.flatMap((cost) => cost ?? [])),
      ms: opened && offer ? Math.max(0, offer.at - opened.at) : 0,
    },
    files,
    expected: null,
    criteria: null,
  })
}
