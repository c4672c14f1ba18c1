// Tracks the state that every protocol's frames need besides the current event [P11]: the run, its open questions, texts and usage.

import { defined } from "../../defined.ts"
import type { RunStatus } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"
import { shownStatus } from "../shown-status.ts"
import { waitsForPeople } from "../steps/child-questions.ts"
import { SentText } from "./sent-text.ts"

export interface ModelTokens {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  reasoning: number
}

/** An open question of this run or of a run below it. */
export type OpenQuestion = Pick<EventOf<"interaction.asked">, "id" | "kind" | "step" | "payload" | "schema" | "expires" | "callId"> & {
  /** The run that asks, and answers go there. */
  readonly run: string
  /** The child run through which it came; absent: it is this run's own. */
  readonly child?: string
}

export class ProtocolState {
  run = ""
  flow = ""
  thread = ""
  status: RunStatus = "running"
  /** Why it waits. */
  reason = ""
  /** When the run started, in milliseconds. */
  started = 0
  seq = 0
  /** The summary of the step that ended last. */
  summary = ""
  /** Tokens of child runs, which are not split into input and output. */
  children = 0
  readonly spoken: SentText
  /** Questions without an answer, oldest first. */
  readonly open: Map<string, OpenQuestion>
  /** `provider/model` → its tokens. */
  readonly models: Map<string, ModelTokens>
  /** Step → the model of its open session. */
  readonly #modelOf: Map<string, string>

  constructor(from?: ProtocolState) {
    if (from) {
      const { run, flow, thread, status, reason, started, seq, summary, children } = from
      Object.assign(this, { run, flow, thread, status, reason, started, seq, summary, children })
    }
    this.open = new Map(from?.open)
    this.models = new Map([...(from?.models ?? [])].map(([model, tokens]) => [model, { ...tokens }]))
    this.#modelOf = new Map(from === undefined ? [] : from.#modelOf)
    // Another reader has heard nothing of the open turns.
    this.spoken = new SentText()
  }

  get input(): number {
    return [...this.models.values()].reduce((sum, { input }) => sum + input, 0)
  }

  get output(): number {
    return [...this.models.values()].reduce((sum, { output }) => sum + output, 0)
  }

  /** Of the input and the output. */
  get cached(): number {
    return [...this.models.values()].reduce((sum, { cacheRead }) => sum + cacheRead, 0)
  }

  get reasoning(): number {
    return [...this.models.values()].reduce((sum, { reasoning }) => sum + reasoning, 0)
  }

  get isOver(): boolean {
    return this.status === "succeeded" || this.status === "failed" || this.status === "canceled"
  }

  /** Whether nothing continues until a person answers [H9]. */
  get isAsking(): boolean {
    return this.open.size > 0 && waitsForPeople(this)
  }

  take(e: RunEvent): void {
    this.seq = e.seq
    switch (e.type) {
      case "run.started":
        this.run = e.run
        this.flow = e.flow
        this.thread = e.thread ?? e.run
        this.started = e.at
        return
      // A fork is a run of its own from here on [K9].
      case "run.forked":
        this.run = e.run
        this.status = "running"
        // [K11] It was asked in the source's figures.
        for (const [id, asked] of this.open) if (asked.kind === "budget" || asked.child !== undefined) this.open.delete(id)
        return
      case "run.waiting":
        this.status = shownStatus({ status: "waiting", reason: e.reason })
        this.reason = e.reason
        return
      case "run.paused":
        this.status = "paused"
        return
      case "run.resumed":
        this.status = "running"
        return
      case "run.ended":
        this.status = e.status
        this.open.clear()
        return
      case "step.opened":
        if (e.model !== undefined) this.#modelOf.set(e.step, e.model)
        this.spoken.opened(e.step)
        return this.#left(e.step)
      case "step.finished":
        if (e.summary !== "") this.summary = e.summary
        return this.#left(e.step)
      case "step.skipped":
      case "step.reopened":
        return this.#left(e.step)
      case "model.replied":
        return this.#used(e.model ?? this.#modelOf.get(e.step) ?? "", e.usage)
      case "model.failed":
        this.spoken.forget(e.step)
        if (e.fallback !== undefined) this.#modelOf.set(e.step, e.fallback)
        return
      case "action.lost":
        if (e.kind === "model") this.spoken.forget(e.step)
        return
      case "context.compacted":
        if (e.usage) this.#used(this.#modelOf.get(e.step) ?? "", e.usage)
        return
      case "child.ended":
        this.children += e.usage?.tokens ?? 0
        return this.#asks(e.run)
      case "child.asked":
        return this.#asks(e.run, e)
      case "tool.returned":
        this.children += e.child?.usage?.tokens ?? 0
        if (e.child) this.#asks(e.child.run)
        return this.#left(e.step, e.callId)
      case "tool.refused":
      case "tool.uncertain":
        return this.#left(e.step, e.callId)
      case "interaction.asked":
        this.open.set(e.id, { ...e, run: this.run })
        return
      case "interaction.answered":
      case "interaction.expired":
        this.open.delete(e.id)
        return
      default:
        return
    }
  }

  /** The questions of the step, or of one call of it, are withdrawn with it. */
  #left(step: string, callId?: string): void {
    for (const [id, asked] of this.open) if (asked.step === step && (callId === undefined || asked.callId === callId)) this.open.delete(id)
  }

  /** What a child asks now, shown as asked by the step that runs it. A question that stays open keeps its place. */
  #asks(child: string, { step, open }: Pick<EventOf<"child.asked">, "step" | "open"> = { step: "", open: [] }): void {
    const now = new Map(
      open.map(({ run, id, kind, payload, schema, expires }) => {
        const name = outsideId(run, id)
        return [name, { run, id, kind, step, payload, schema, child, ...defined({ expires }) }]
      }),
    )
    for (const [name, asked] of this.open) if (asked.child === child && !now.has(name)) this.open.delete(name)
    for (const [name, asked] of now) this.open.set(name, asked)
  }

  #used(model: string, usage: EventOf<"model.replied">["usage"]): void {
    const tokens = this.models.get(model) ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
    this.models.set(model, tokens)
    tokens.input += usage.input
    tokens.output += usage.output
    tokens.cacheRead += usage.cacheRead ?? 0
    tokens.cacheWrite += usage.cacheWrite ?? 0
    tokens.reasoning += usage.reasoning ?? 0
  }
}

/** The id that clients use for an interaction [P6]: it contains the run's id. */
export const outsideId = (run: string, id: string): string => `${run}.${id}`

/** The run and the interaction that an id stands for; undefined if the id is not valid. */
export function insideId(id: string): { readonly run: string; readonly id: string } | undefined {
  const [, run, inner] = /^(run_[0-9a-z]{26,32})\.(.{1,200})$/.exec(id) ?? []
  return run === undefined || inner === undefined ? undefined : { run, id: inner }
}
