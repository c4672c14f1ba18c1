// Turns a run's journal into OpenTelemetry spans [N9]: invoke_workflow → invoke_agent → chat | execute_tool, by the GenAI semantic conventions.
//
// Pure: the same journal gives the same spans with the same ids, so a repeated export adds nothing. Without `content`, spans hold names,
// numbers and statuses only, never a task, prompt, argument, result or message. The conventions have the status "development": their names
// are only here and in span-attributes.ts.

import { stood } from "../stood.ts"
import { defined } from "../../defined.ts"
import type { EventOf, RunEvent } from "../event.ts"
import type { SpanContent } from "./span-content.ts"
import { spanId, traceId, type Hash } from "./span-ids.ts"
import { waitEnd, callKey, operation, errorType, named, modelOf, usageOf, type Attribute } from "./span-attributes.ts"

export interface Span {
  readonly trace: string
  readonly id: string
  readonly parent?: string
  readonly name: string
  /** `client`: another system did the work. */
  readonly kind: "internal" | "client"
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly failed: boolean
}

type Open = Omit<Span, "end" | "failed">
type Placed = Pick<EventOf<"step.opened">, "step" | "seq" | "at">

/** A tool name that a model made up is model text, and may contain anything. */
const TOOL_NAME = /^[A-Za-z0-9_.:-]{1,128}$/

/** Takes the events of one journal in order, and returns each span when it ends. */
export class RunSpans {
  readonly #hash: Hash
  #run = ""
  #trace = ""
  #root: Open | undefined
  readonly #steps = new Map<string, Open>()
  /** Open work by action key, or by step and call. */
  readonly #work = new Map<string, Open & { readonly step: string }>()
  /** What the run waits for: questions by their id, sleeps and signals by their step, children by their run. */
  readonly #waits = new Map<string, Open & { readonly step: string }>()

  readonly #content: SpanContent | undefined
  /** The thread that the start named. */
  #thread: string | undefined
  /** The model that a step's agent uses since another one failed [F33]. */
  readonly #instead = new Map<string, string>()

  constructor(hash: Hash, content?: SpanContent) {
    this.#hash = hash
    this.#content = content
  }

  take(e: RunEvent): Span[] {
    this.#content?.take(e)
    switch (e.type) {
      case "run.started":
        this.#begin(e)
        return this.#stood(e)
      case "run.forked":
        this.#fork(e)
        return []
      case "run.ended":
        return this.#over(e)
      case "step.opened":
        this.#steps.set(e.step, this.#step(e))
        this.#instead.delete(e.step)
        if (e.stepType === "wait") this.#wait(e, `step ${e.step}`, e.until === undefined ? "signal" : "sleep")
        return []
      case "step.finished": {
        const waited = this.#end(this.#waits, `step ${e.step}`, e.at, { "sluice.wait.end": waitEnd(e) })
        const cut = [...waited, ...this.#cut(e.step, e.at)]
        const failed = e.status === "error" || e.source !== undefined
        return [
          ...cut,
          ...this.#end(this.#steps, e.step, e.at, {
            "sluice.step.status": e.status,
            ...errorType(failed, e.source ?? e.status),
            ...this.#content?.result(e.summary),
          }),
        ]
      }
      case "step.reopened": {
        const cut = this.#cut(e.step, e.at)
        return [...cut, ...this.#end(this.#steps, e.step, e.at, {})]
      }
      case "action.begun": {
        if (e.kind !== "model" && e.kind !== "compact") return []
        const waited = this.#end(this.#waits, paceOf(e.step), e.at, {})
        const asked = this.#model(e.step)
        const said = e.kind === "model" ? this.#content?.asked(e.step) : undefined
        const attributes = { ...operation("chat"), ...asked, ...this.#conversation(e.step), "sluice.attempt": e.attempt, ...said }
        this.#work.set(e.key, this.#open(e, named("chat", asked["gen_ai.request.model"]), "client", attributes))
        return waited
      }
      case "action.lost":
        return this.#end(this.#work, e.key, e.at, errorType(true, "lost"))
      case "model.replied":
        return this.#end(this.#work, e.key, e.at, {
          ...usageOf(e.usage, e.cost),
          ...this.#answered(e),
          "gen_ai.response.finish_reasons": [e.stopReason],
          "sluice.turn": e.turn,
          ...this.#content?.replied(e),
        })
      case "model.paced":
        return this.#paced(e)
      case "model.failed":
        if (e.fallback !== undefined) this.#instead.set(e.step, e.fallback)
        return this.#end(this.#work, e.key, e.at, {
          "sluice.turn": e.turn,
          ...errorType(
            true,
            e.status === undefined || e.status === 0 ? (e.overflow ? "context_overflow" : "unreachable") : String(e.status),
          ),
        })
      case "context.compacted": {
        const key = [...this.#work].find(([, open]) => open.step === e.step && open.attributes["gen_ai.operation.name"] === "chat")?.[0]
        // Glimpses need no model call.
        if (key !== undefined && e.usage === undefined) this.#work.delete(key)
        return key === undefined ? [] : this.#end(this.#work, key, e.at, e.usage ? usageOf(e.usage, e.cost ?? null) : {})
      }
      case "tool.called":
        this.#work.set(callKey(e), this.#tool(e))
        return []
      case "tool.returned":
        return this.#end(this.#work, callKey(e), e.at, { ...errorType(e.isError, "tool_error"), ...this.#content?.returned(e.content) })
      case "tool.uncertain":
        return this.#end(this.#work, callKey(e), e.at, errorType(true, "outcome_unknown"))
      case "interaction.asked":
        this.#wait(e, e.id, e.kind)
        return []
      case "child.started":
        this.#wait(e, `child ${e.run}`, "child", { "sluice.child.run.id": e.run })
        return []
      case "child.ended":
        return this.#end(this.#waits, `child ${e.run}`, e.at, { "sluice.wait.end": e.status })
      case "interaction.answered":
        return this.#end(this.#waits, e.id, e.at, { "sluice.wait.end": "answered" })
      case "interaction.expired":
        return this.#end(this.#waits, e.id, e.at, { "sluice.wait.end": "expired" })
      case "tool.refused": {
        // Most calls are refused before they begin: their spans have no duration.
        if (!this.#work.has(callKey(e))) this.#work.set(callKey(e), this.#tool(e))
        return this.#end(this.#work, callKey(e), e.at, errorType(true, `refused.${e.code}`))
      }
      default:
        return []
    }
  }

  #begin(e: EventOf<"run.started">): void {
    this.#run = e.run
    this.#thread = e.thread
    this.#trace = traceId({ id: e.run, trace: e.trace }, this.#hash)
    this.#root = {
      trace: this.#trace,
      id: spanId(this.#hash, e.run, "run"),
      ...defined({ parent: e.trace?.parent }),
      name: `invoke_workflow ${e.flow}`,
      kind: "internal",
      start: e.at,
      attributes: {
        ...operation("invoke_workflow"),
        "gen_ai.workflow.name": e.flow,
        "sluice.run.id": e.run,
        ...defined({ "sluice.tenant": e.tenant }),
        "sluice.run.trigger": e.trigger.kind,
        "sluice.run.rehearsed": e.rehearsed,
        ...defined({ "gen_ai.conversation.id": e.thread }),
        ...this.#content?.task(e.task),
      },
    }
  }

  /** [R19] How long the start waited in line, until it began or ended unbegun. */
  #stood({ start, run, at }: EventOf<"run.started">): Span[] {
    if (!start || !stood(start) || this.#root === undefined) return []
    const wait: Open = {
      trace: this.#trace,
      id: spanId(this.#hash, run, "wait start"),
      parent: this.#root.id,
      name: "wait start",
      kind: "internal",
      start: start.arrived,
      attributes: { "sluice.wait": "start", ...defined({ "sluice.wait.held": start.held }) },
    }
    return [closed(wait, Math.max(start.arrived, start.began ?? at), {})]
  }

  /** [K9] A fork's spans are its own. */
  #fork(e: EventOf<"run.forked">): void {
    const before = this.#root
    this.#steps.clear()
    this.#work.clear()
    this.#waits.clear()
    this.#run = e.run
    this.#trace = traceId({ id: e.run, trace: e.trace }, this.#hash)
    if (!before) return
    const { parent: _parent, ...root } = before
    this.#root = {
      ...root,
      trace: this.#trace,
      id: spanId(this.#hash, e.run, "run"),
      ...defined({ parent: e.trace?.parent }),
      start: e.at,
      attributes: { ...root.attributes, "sluice.run.id": e.run, "sluice.run.trigger": "fork" },
    }
  }

  /** [R30] Nothing was asked: the attempt has no span. */
  #paced(e: EventOf<"model.paced">): Span[] {
    if (e.fallback !== undefined) this.#instead.set(e.step, e.fallback)
    else this.#wait(e, paceOf(e.step), "pace", modelOf(e.model))
    this.#work.delete(e.key)
    return []
  }

  /** All open spans end with the run. */
  #over(e: EventOf<"run.ended">): Span[] {
    const waits = [...this.#waits.keys()].flatMap((id) => this.#end(this.#waits, id, e.at, { "sluice.wait.end": "withdrawn" }))
    const work = [...this.#work.keys()].flatMap((key) => this.#end(this.#work, key, e.at, errorType(true, "canceled")))
    const steps = [...this.#steps.keys()].flatMap((step) => this.#end(this.#steps, step, e.at, { "sluice.step.status": "canceled" }))
    const root = this.#root
    if (!root) return []
    this.#root = undefined
    const failed = e.status === "failed"
    return [
      ...waits,
      ...work,
      ...steps,
      closed(root, e.at, {
        "sluice.run.status": e.status,
        ...errorType(failed, e.error?.source ?? "engine"),
        ...this.#content?.result(e.output),
      }),
    ]
  }

  #step(e: EventOf<"step.opened">): Open {
    const agent = e.agent === undefined ? {} : { ...operation("invoke_agent"), "gen_ai.agent.name": e.agent }
    return {
      trace: this.#trace,
      id: spanId(this.#hash, this.#run, `step/${e.step}/${e.pass}`),
      ...defined({ parent: this.#root?.id }),
      name: e.agent === undefined ? `${e.stepType} ${e.step}` : `invoke_agent ${e.agent}`,
      kind: "internal",
      start: e.at,
      attributes: {
        ...agent,
        ...(e.agent === undefined ? {} : { "gen_ai.conversation.id": this.#thread ?? e.session ?? `${this.#run}/${e.step}/${e.pass}` }),
        ...modelOf(e.model),
        "sluice.step.id": e.step,
        "sluice.step.type": e.stepType,
        "sluice.step.pass": e.pass,
        ...(e.agent === undefined ? {} : this.#content?.opened(e)),
      },
    }
  }

  #tool(e: EventOf<"tool.called"> | EventOf<"tool.refused">): Open & { step: string } {
    const tool = TOOL_NAME.test(e.tool) ? e.tool : "unknown"
    return this.#open(e, `execute_tool ${tool}`, "internal", {
      ...operation("execute_tool"),
      "gen_ai.tool.name": tool,
      ...(TOOL_NAME.test(e.callId) ? { "gen_ai.tool.call.id": e.callId } : {}),
      "gen_ai.tool.type": "function",
      ...(e.type === "tool.called" ? this.#content?.called(e.args) : {}),
    })
  }

  #wait(e: Placed, key: string, what: string, more: Readonly<Record<string, Attribute>> = {}): void {
    this.#waits.set(key, this.#open(e, `wait ${what}`, "internal", { "sluice.wait": what, "sluice.step.id": e.step, ...more }))
  }

  /** The model as the provider names it; else the one that was asked. */
  #answered(e: EventOf<"model.replied">): Record<string, Attribute> {
    const model = e.responseModel ?? this.#model(e.step)["gen_ai.request.model"]
    return defined({ "gen_ai.response.model": model })
  }

  #open(e: Placed, name: string, kind: Span["kind"], attributes: Open["attributes"]): Open & { step: string } {
    const parent = this.#steps.get(e.step)?.id ?? this.#root?.id
    const id = spanId(this.#hash, this.#run, `event/${e.seq}/${name}`)
    return { trace: this.#trace, id, ...defined({ parent }), name, kind, start: e.at, attributes, step: e.step }
  }

  /** The conversation of the step's pass. */
  #conversation(step: string): Record<string, Attribute> {
    const { "gen_ai.conversation.id": id } = this.#steps.get(step)?.attributes ?? {}
    return defined({ "gen_ai.conversation.id": id })
  }

  #model(step: string): Record<string, Attribute> {
    const instead = this.#instead.get(step)
    if (instead !== undefined) return modelOf(instead)
    const { "gen_ai.request.model": model, "gen_ai.provider.name": provider } = this.#steps.get(step)?.attributes ?? {}
    return defined({ "gen_ai.request.model": model, "gen_ai.provider.name": provider })
  }

  /** Ends the work of a step that has ended or was reopened: no one waits for it any more. */
  #cut(step: string, at: number): Span[] {
    const keys = [...this.#work].flatMap(([key, open]) => (open.step === step ? [key] : []))
    const waits = [...this.#waits].flatMap(([id, open]) => (open.step === step ? [id] : []))
    return [
      ...waits.flatMap((id) => this.#end(this.#waits, id, at, { "sluice.wait.end": "withdrawn" })),
      ...keys.flatMap((key) => this.#end(this.#work, key, at, errorType(true, "canceled"))),
    ]
  }

  #end(from: Map<string, Open>, key: string, at: number, more: Readonly<Record<string, Attribute>>): Span[] {
    const open = from.get(key)
    from.delete(key)
    return open ? [closed(open, at, more)] : []
  }
}

function closed({ trace, id, parent, name, kind, start, attributes }: Open, end: number, more: Readonly<Record<string, Attribute>>): Span {
  const whole = { ...attributes, ...more }
  const failed = "error.type" in whole
  return { trace, id, ...defined({ parent }), name, kind, start, end, attributes: whole, failed }
}

/** Of a call that waits for its turn. */
const paceOf = (step: string): string => `pace ${step}`
