// Projects the journal to the events of pi-flows [E3]: each event gives no frame, one frame, or several.
//
// Its payloads combine several events of a journal (tokens and duration of an agent, all results of a flow), so a projection keeps
// state: it takes the journal from the first event, and for a reader that resumes it is first brought up to date.
//
// Over 300 lines: one case per event, and the complete payloads of pi-flows.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import type { Step, StepType } from "../../flow/flow.ts"
import type { FileRef } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { Plan } from "../plan.ts"

export interface PiFlowsFrame {
  readonly event: string
  readonly data: JsonObject
}

interface Pass {
  readonly agent: string
  opened: number
  input: number
  output: number
  text: string
}

interface Result {
  readonly status: string
  readonly summary: string
  readonly fullOutput: string
  readonly artifacts: string
  readonly files: readonly FileRef[]
  readonly outputs: JsonObject
}

type NodeKind = "agent" | "fork" | "agent-decision" | "code" | "code-decision"

const STATUS = { succeeded: "success", failed: "error", canceled: "aborted" } as const

export class PiFlows {
  readonly #plan: Plan
  readonly #passes = new Map<string, Pass>()
  readonly #results = new Map<string, Result>()
  readonly #forks = new Map<string, { answer: string; notes?: string }>()
  /** Interaction → the fork that asked it. */
  readonly #asked = new Map<string, string>()
  readonly #notes = new Map<string, string>()
  #last: JsonObject | undefined
  #started = 0
  #run = ""

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** A copy with the same state, so that two readers can continue from here. */
  copy(): PiFlows {
    const copy = new PiFlows(this.#plan)
    for (const [id, pass] of this.#passes) copy.#passes.set(id, { ...pass })
    for (const [id, result] of this.#results) copy.#results.set(id, result)
    for (const [id, fork] of this.#forks) copy.#forks.set(id, fork)
    for (const [id, step] of this.#asked) copy.#asked.set(id, step)
    for (const [id, notes] of this.#notes) copy.#notes.set(id, notes)
    copy.#last = this.#last
    copy.#started = this.#started
    copy.#run = this.#run
    return copy
  }

  /** Every frame names its run. */
  frames(e: RunEvent): PiFlowsFrame[] {
    if (e.type === "run.started" || e.type === "run.forked") this.#run = e.run
    return this.#framesOf(e).map(({ event, data }) => ({ event, data: { runId: this.#run, ...data } }))
  }

  #framesOf(e: RunEvent): PiFlowsFrame[] {
    switch (e.type) {
      case "run.started":
        return this.#flowStarted(e)
      case "step.opened":
        return this.#opened(e)
      case "model.replied": {
        const pass = this.#passes.get(e.step)
        if (!pass) return []
        pass.input += e.usage.input
        pass.output += e.usage.output
        if (e.text.trim() === "") return []
        pass.text = e.text
        return [{ event: "flow:assistant-text", data: { agentName: pass.agent, stepId: e.step, text: e.text } }]
      }
      case "tool.called":
        return [this.#toolCall(e.step, e.tool, e.args)]
      case "tool.returned": {
        const output = e.content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
        // The journal has no `tool.called` for a question; pi-flows shows both call and result.
        const asked = e.tool === "ask_user" ? [this.#toolCall(e.step, e.tool, {})] : []
        return [...asked, this.#toolResult(e.step, e.tool, output, e.isError)]
      }
      case "tool.refused":
        return [this.#toolResult(e.step, e.tool, e.reason, true)]
      case "tool.uncertain":
        return [this.#toolResult(e.step, e.tool, "The outcome of this call is unknown.", true)]
      case "interaction.asked":
        if (e.kind === "fork") this.#asked.set(e.id, e.step)
        return []
      case "interaction.answered":
        return this.#answered(e)
      case "step.finished":
        return this.#finished(e)
      case "branch.taken":
        return this.#taken(e)
      case "loop.iteration":
        return [this.#iteration(e)]
      case "loop.exhausted":
        return [notify("warning", `"${e.step}" has gone round ${e.max} times: it goes on to "${e.target}".`)]
      case "warning":
        // [V27] Nothing of a judge is shown.
        if (e.code === "same_model") return []
        return [notify("warning", e.message)]
      case "model.failed":
        if (e.fallback !== undefined)
          return [notify("warning", `The model of "${e.step}" failed and ${e.fallback} takes over: ${e.message}`)]
        return e.retryAt === undefined ? [] : [notify("warning", `The model of "${e.step}" failed and is asked again: ${e.message}`)]
      case "run.paused":
        return [notify("info", "The run is paused.")]
      case "run.ended":
        return [this.#complete(e)]
      default:
        return []
    }
  }

  #flowStarted(e: EventOf<"run.started">): PiFlowsFrame[] {
    const { flow } = this.#plan
    this.#started = e.at
    const steps = flow.steps.map((s) => ({
      id: s.id,
      stepType: s.type,
      ...("agent" in s && s.agent !== undefined ? { agent: s.agent } : {}),
      blockedBy: [...s.blockedBy],
      ...(s.type === "agent-loop-decision" ? { loopTarget: s.loop_target, exitTarget: s.exit_target } : {}),
      ...defined({ onError: s.on_error }),
    }))
    return [
      {
        event: "flow:flow-started",
        data: {
          flowName: flow.id,
          task: e.task,
          steps,
          description: flow.description,
          maxConcurrent: flow.max_concurrent,
          autonomousMode: e.autonomous,
          source: "local",
          runId: e.run,
        },
      },
    ]
  }

  #opened(e: EventOf<"step.opened">): PiFlowsFrame[] {
    const step = this.#plan.steps.get(e.step)
    if (!step || step.type === "conditional") return []
    const agent = step.type === "fork" ? (step.agent ?? "fork") : (e.agent ?? e.step)
    this.#passes.set(e.step, { agent, opened: e.at, input: 0, output: 0, text: "" })
    return [this.#agentStarted(step, agent, e.model)]
  }

  #agentStarted(step: Step, agentName: string, model?: string): PiFlowsFrame {
    const agent = this.#plan.agents[agentName]
    return {
      event: "flow:agent-started",
      data: {
        agentName,
        stepId: step.id,
        ...defined({ resolvedModel: model, config: agent && { name: agent.name, description: agent.description, ...defined({ model }) } }),
        ...kindOf(step),
        ...("target" in step && step.target !== undefined ? { target: step.target } : {}),
      },
    }
  }

  /** A fork that a person hands to its agent has its own start and completion before the agent's. */
  #answered(e: EventOf<"interaction.answered">): PiFlowsFrame[] {
    const id = this.#asked.get(e.id)
    const step = id === undefined ? undefined : this.#plan.steps.get(id)
    const pass = id === undefined ? undefined : this.#passes.get(id)
    if (id === undefined || !step || !pass) return []
    if (e.notes !== undefined) this.#notes.set(id, e.notes)
    if (e.auto !== true && e.custom === undefined) return []
    const summary = `Selected: ${e.custom ?? "the agent decides"}`
    const selected = this.#agentComplete(step, pass, e.at, { status: "complete", summary, files: [] })
    pass.opened = e.at
    return [selected, this.#agentStarted(step, pass.agent)]
  }

  #finished(e: EventOf<"step.finished">): PiFlowsFrame[] {
    const step = this.#plan.steps.get(e.step)
    if (!step) return []
    const pass = this.#passes.get(e.step)
    this.#passes.delete(e.step)
    const fullOutput = e.text ?? pass?.text ?? ""
    const { status, files, outputs, artifacts = "" } = e
    const summary = step.type === "fork" && e.branch !== undefined ? `Selected: ${(e.branches ?? [e.branch]).join(", ")}` : e.summary
    this.#results.set(e.step, { status, summary, fullOutput, artifacts, files, outputs })
    if (step.type === "fork" && e.branch !== undefined) {
      const notes = this.#notes.get(e.step)
      this.#forks.set(e.step, { answer: (e.branches ?? [e.branch]).join(", "), ...defined({ notes }) })
    }
    if (!pass) return []
    const done = this.#agentComplete(step, pass, e.at, { status, summary, files })
    this.#last = {
      success: status === "complete",
      output: fullOutput,
      result: { status, summary, files: files.map((f) => ({ ...f })), artifacts },
      duration: e.at - pass.opened,
      tokens: { input: pass.input, output: pass.output },
      ...(status === "complete" ? {} : { failureInfo: { outcome: status, message: e.summary, ...defined({ source: e.source }) } }),
    }
    if (status === "complete") return [done]
    return [{ event: "flow:agent-error", data: { agentName: pass.agent, stepId: e.step, text: e.summary } }, done]
  }

  #agentComplete(
    step: Step,
    pass: Pass,
    at: number,
    { status, summary, files }: { readonly status: string; readonly summary: string; readonly files: readonly FileRef[] },
  ): PiFlowsFrame {
    return {
      event: "flow:agent-complete",
      data: {
        agentName: pass.agent,
        stepId: step.id,
        ...kindOf(step),
        result: {
          success: status === "complete",
          status,
          summary,
          files: files.map((f) => ({ ...f })),
          tokens: { input: pass.input, output: pass.output },
          duration: at - pass.opened,
        },
      },
    }
  }

  #toolCall(step: string, toolName: string, input: JsonObject): PiFlowsFrame {
    return { event: "flow:subagent-tool-call", data: { agentName: this.#agentOf(step), stepId: step, toolName, input } }
  }

  #toolResult(step: string, toolName: string, output: string, isError: boolean): PiFlowsFrame {
    return { event: "flow:subagent-tool-result", data: { agentName: this.#agentOf(step), stepId: step, toolName, output, isError } }
  }

  #taken(e: EventOf<"branch.taken">): PiFlowsFrame[] {
    const step = this.#plan.steps.get(e.step)
    if (step?.type !== "fork" || e.by !== "agent") return []
    const agentName = step.agent ?? "fork"
    return [{ event: "flow:auto-decision", data: { forkId: e.step, agentName, chosenBranch: e.branch, targetStepId: e.target } }]
  }

  /** pi-flows names an agent step by its agent here. */
  #iteration(e: EventOf<"loop.iteration">): PiFlowsFrame {
    const target = this.#plan.steps.get(e.target)
    const loopTarget = target?.type === "agent" ? target.agent : e.target
    return { event: "flow:loop-iteration", data: { stepId: e.step, iteration: e.iteration, maxIterations: e.max, loopTarget } }
  }

  #complete(e: EventOf<"run.ended">): PiFlowsFrame {
    const results = Object.fromEntries(
      [...this.#results].map(([id, { outputs, files, ...r }]) => [id, { ...outputs, ...r, files: files.map((f) => ({ ...f })) }]),
    )
    return {
      event: "flow:complete",
      data: {
        flowName: this.#plan.flow.id,
        status: STATUS[e.status],
        stepCount: this.#results.size,
        totalDuration: e.at - this.#started,
        results,
        forks: Object.fromEntries([...this.#forks].map(([id, f]) => [id, { ...f }])),
        ...defined({ lastResult: this.#last, reason: e.error?.message }),
      },
    }
  }

  #agentOf(step: string): string {
    return this.#passes.get(step)?.agent ?? step
  }
}

const notify = (level: "info" | "warning" | "error", message: string): PiFlowsFrame => ({ event: "flow:notify", data: { message, level } })

/** Step types as pi-flows names them; other types have no kind there. */
const NODE_KINDS: { readonly [T in StepType]?: NodeKind } = {
  agent: "agent",
  fork: "fork",
  "agent-decision": "agent-decision",
  "agent-loop-decision": "agent-decision",
  code: "code",
  "code-decision": "code-decision",
}

function kindOf({ type }: Step): { nodeKind?: NodeKind } {
  const nodeKind = NODE_KINDS[type]
  return defined({ nodeKind })
}
