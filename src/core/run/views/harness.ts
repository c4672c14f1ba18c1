// Projects the journal to the harness's runtime events [C46], as pi-flows.ts does for the pi-flows events. Names and order are the
// harness's: a step starts before its other events, a call comes before its result, questions about a call come between the two, and
// nothing follows an error. Events without a harness name are `custom`, which every reader skips.
//
// A call appears with the reply that makes it, so an approval follows its call. A journal holds no tool progress and no partial text
// [E2], so `tool-progress` is never sent.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import { tidy } from "../../money/tidy.ts"
import type { RunError } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { PiFlowsFrame } from "./pi-flows.ts"

const ENDINGS: ReadonlySet<string> = new Set(["finish", "subagent_finalize"])
const REASONS = { succeeded: "stop", failed: "error", canceled: "canceled" } as const

export class Harness {
  /** Calls that were sent and have no result yet: `step/callId`. */
  readonly #open = new Set<string>()
  /** Open approvals, each with its plan if it has one. */
  readonly #asked = new Map<string, { readonly step: string; readonly plan?: string }>()
  readonly #opened = new Map<string, number>()
  readonly #took: Record<string, number> = {}
  #started = 0
  #input = 0
  #output = 0
  #usd: number | null = null

  copy(): Harness {
    const copy = new Harness()
    for (const call of this.#open) copy.#open.add(call)
    for (const [id, asked] of this.#asked) copy.#asked.set(id, asked)
    for (const [id, at] of this.#opened) copy.#opened.set(id, at)
    Object.assign(copy.#took, this.#took)
    copy.#started = this.#started
    copy.#input = this.#input
    copy.#output = this.#output
    copy.#usd = this.#usd
    return copy
  }

  frames(e: RunEvent): PiFlowsFrame[] {
    switch (e.type) {
      case "run.started":
        this.#started = e.at
        return [custom("run-started", { runId: e.run, flow: e.flow, task: e.task })]
      case "step.opened": {
        this.#opened.set(e.step, e.at)
        return [{ event: "step-start", data: { stepId: e.step, stepType: e.stepType, ...defined({ agentName: e.agent }) } }]
      }
      case "model.replied":
        return this.#replied(e)
      case "step.called":
        return this.#called(e)
      case "context.compacted":
        if (e.usage) this.#billed(e.usage, e.cost ?? null)
        return [custom("context-compacted", { stepId: e.step, kind: e.kind })]
      case "tool.returned": {
        const agent = e.child === undefined ? [] : [agentFrame(e.step, e.child.run, e.isError ? "failed" : "succeeded")]
        const result = { isError: e.isError, content: e.content.map((part) => ({ ...part })) }
        return [...agent, ...this.#result(e.step, e.callId, e.tool, result)]
      }
      case "tool.refused":
        return this.#result(e.step, e.callId, e.tool, { isError: true, refused: e.code, content: [{ type: "text", text: e.reason }] })
      case "tool.uncertain":
        return this.#result(e.step, e.callId, e.tool, { isError: true, uncertain: true, content: [] })
      case "interaction.asked":
        return this.#question(e)
      case "interaction.answered":
        return this.#decided(e.id, e.decision ?? (e.cancelled === true ? "reject" : undefined), e.by)
      case "interaction.expired":
        return this.#decided(e.id, "expired")
      case "child.started":
        return [{ event: "tool-agent", data: { stepId: e.step, runId: e.run, state: "call" } }]
      case "child.ended":
        return [agentFrame(e.step, e.run, e.status, e.summary)]
      case "step.finished":
        this.#took[e.step] = (this.#took[e.step] ?? 0) + e.at - (this.#opened.get(e.step) ?? e.at)
        return [
          ...e.files.flatMap(({ path, action }) =>
            action === "read" ? [] : [{ event: "data-file-registered", data: { stepId: e.step, path, action } }],
          ),
          custom("step-finished", { stepId: e.step, status: e.status, summary: e.summary }),
        ]
      case "run.ended":
        return this.#ended(e)
      case "branch.taken":
        return [custom("branch-taken", { stepId: e.step, branch: e.branch, target: e.target })]
      case "loop.iteration":
        return [custom("loop-iteration", { stepId: e.step, iteration: e.iteration, max: e.max })]
      case "steer.delivered":
        return [custom("steered", { stepId: e.step, id: e.id })]
      case "model.failed":
        return [custom("model-failed", { stepId: e.step, message: e.message })]
      case "run.waiting":
      case "run.paused":
      case "run.resumed":
        return [custom(e.type.replace(".", "-"), { reason: e.reason })]
      case "warning":
        return [custom("warning", { code: e.code, message: e.message, ...defined({ stepId: e.step }) })]
      default:
        return []
    }
  }

  #replied(e: EventOf<"model.replied">): PiFlowsFrame[] {
    this.#billed(e.usage, e.cost)
    const frames: PiFlowsFrame[] = []
    // The thinking itself is never shown, only that it happened.
    if (e.thinking === true) frames.push({ event: "reasoning", data: { stepId: e.step, text: "" } })
    if (e.text.trim() !== "") frames.push({ event: "text", data: { stepId: e.step, text: e.text } })
    return [...frames, ...this.#called(e)]
  }

  #called({ step, toolCalls }: EventOf<"model.replied"> | EventOf<"step.called">): PiFlowsFrame[] {
    return toolCalls.flatMap(({ id, name, args }) => {
      if (ENDINGS.has(name)) return []
      this.#open.add(`${step}/${id}`)
      return [{ event: "tool-invocation", data: { stepId: step, state: "call", toolCallId: id, toolName: name, args } }]
    })
  }

  #result(stepId: string, toolCallId: string, toolName: string, result: JsonObject): PiFlowsFrame[] {
    if (!this.#open.delete(`${stepId}/${toolCallId}`)) return []
    return [{ event: "tool-invocation", data: { stepId, state: "result", toolCallId, toolName, result } }]
  }

  #question({ id, kind, step, callId, payload, expires }: EventOf<"interaction.asked">): PiFlowsFrame[] {
    if (kind !== "approval.tool" && kind !== "approval.plan") return [custom("question", { id, kind, stepId: step, ...payload })]
    const plan = kind === "approval.plan" && typeof payload["planId"] === "string" ? payload["planId"] : undefined
    this.#asked.set(id, { step, ...defined({ plan }) })
    const about = {
      approvalId: id,
      stepId: step,
      ...defined({ toolCallId: callId, toolName: payload["tool"], args: payload["args"], reason: payload["reason"], expires }),
    }
    return [...planFrame(step, plan, "awaiting_approval"), { event: "approval-required", data: about }]
  }

  #decided(id: string, decision: string | undefined, by?: string): PiFlowsFrame[] {
    const asked = this.#asked.get(id)
    if (!asked) return [custom("answer", { id, ...defined({ by }) })]
    this.#asked.delete(id)
    const said = decision ?? "reject"
    const data = { approvalId: id, stepId: asked.step, decision: said, ...defined({ by }) }
    return [{ event: "approval-decision", data }, ...planFrame(asked.step, asked.plan, said === "approve" ? "approved" : "rejected")]
  }

  #ended(e: EventOf<"run.ended">): PiFlowsFrame[] {
    const usage = { inputTokens: this.#input, outputTokens: this.#output, totalTokens: this.#input + this.#output }
    const summaries: PiFlowsFrame[] = [
      { event: "data-cost-summary", data: { usd: this.#usd, ...usage } },
      { event: "data-latency-summary", data: { totalMs: e.at - this.#started, steps: { ...this.#took } } },
    ]
    const last: PiFlowsFrame = e.error
      ? { event: "error", data: errorOf(e.error) }
      : { event: "finish", data: { finishReason: REASONS[e.status], usage, ...defined({ output: e.output }) } }
    return [...summaries, last]
  }

  #billed({ input, output }: { readonly input: number; readonly output: number }, cost: number | null): void {
    this.#input += input
    this.#output += output
    if (cost !== null) this.#usd = tidy((this.#usd ?? 0) + cost)
  }
}

const custom = (event_type: string, data: JsonObject): PiFlowsFrame => ({ event: "custom", data: { event_type, data } })

const agentFrame = (stepId: string, runId: string, status: string, summary?: string): PiFlowsFrame => ({
  event: "data-tool-agent",
  data: { stepId, runId, status, ...defined({ summary }) },
})

const planFrame = (stepId: string, planId: string | undefined, status: string): PiFlowsFrame[] =>
  planId === undefined ? [] : [{ event: "plan-status-change", data: { stepId, planId, status } }]

const errorOf = ({ source, message, step }: RunError): JsonObject => ({ source, message, ...defined({ stepId: step }) })
