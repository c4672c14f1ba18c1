// Reads the conversation of a step's latest pass as messages [J21] from the journal, so it outlives the step and the run.
//
// Messages are complete and in the journal's order, even where the model later saw only glimpses or a summary [J23]. The system
// prompt appears as its SHA-256: its layers are the pinned definitions.

import { defined } from "../../defined.ts"
import type { JsonObject } from "../../json.ts"
import type { Attachment } from "../event-parts.ts"
import type { RunEvent } from "../event.ts"
import { notShown } from "./files/attachment.ts"
import { toldIn, toldOf } from "./told.ts"
import { personSaid, toldWith, type ToolTurn } from "./conversation.ts"

/** A model's reply. */
export interface AssistantSaid {
  readonly role: "assistant"
  readonly text: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[]
}

export type StepMessage = { readonly seq: number; readonly at: number } & (
  | { readonly role: "system"; readonly sha256: string }
  | {
      readonly role: "user"
      readonly text: string
      readonly kind: "task" | "files" | "reminder" | "steer" | "summary"
      readonly by?: string
      /** [F56] With `files`: what came with the task and is shown; `text` says why the others are not. */
      readonly attached?: readonly Attachment[]
    }
  | (AssistantSaid & { readonly turn: number })
  | (ToolTurn & {
      readonly attached?: readonly Attachment[]
      /** [G1] Why the guard refused the call. */
      readonly refused?: string
      readonly truncated?: JsonObject
    })
)

export class StepMessages {
  readonly #step: string
  #messages: StepMessage[] = []
  #taken: StepMessage[] = []
  #system: string | undefined
  #steers = new Map<string, { text: string; by: string }>()

  constructor(step: string) {
    this.#step = step
  }

  /** Messages after this event. */
  after(seq: number): StepMessage[] {
    return this.#messages.filter((m) => m.seq > seq)
  }

  /** Messages of the last event. */
  taken(): readonly StepMessage[] {
    return this.#taken
  }

  /** Takes the journal's events in order. A new pass is a new conversation. */
  take(e: RunEvent): void {
    this.#taken = []
    if (!("step" in e) || e.step !== this.#step) return
    const { seq, at } = e
    const say = (message: StepMessage): void => {
      this.#messages.push(message)
      this.#taken.push(message)
    }
    const answer = (callId: string, tool: string, text: string, refused?: string): void =>
      say({ seq, at, role: "tool", callId, tool, content: [{ type: "text", text }], isError: true, ...defined({ refused }) })
    switch (e.type) {
      case "step.opened":
        this.#messages = []
        this.#system = undefined
        this.#steers = new Map()
        if (e.agent !== undefined) say({ seq, at, role: "user", kind: "task", text: toldIn(toldOf(e)) })
        return
      case "context.read": {
        const { attached = [], unseen = [] } = e
        if (attached.length + unseen.length === 0) return
        return say({ seq, at, role: "user", kind: "files", text: unseen.map(notShown).join("\n"), attached })
      }
      case "model.replied":
        if (e.system !== undefined && e.system !== this.#system) {
          this.#system = e.system
          say({ seq, at, role: "system", sha256: e.system })
        }
        return say({
          seq,
          at,
          role: "assistant",
          turn: e.turn,
          text: e.text,
          toolCalls: e.toolCalls.map(({ id, name, args }) => ({ id, name, args })),
        })
      case "tool.returned": {
        const { callId, tool, attached, isError, truncated } = e
        return say({
          seq,
          at,
          role: "tool",
          callId,
          tool,
          content: toldWith(e),
          ...defined({ attached }),
          isError,
          ...defined({ truncated: truncated && { ...truncated } }),
        })
      }
      case "tool.refused":
        return answer(e.callId, e.tool, e.reason, e.code)
      case "tool.uncertain":
        return answer(e.callId, e.tool, `${personSaid(e.person)}The outcome of this call is unknown: it was begun and its answer was lost.`)
      case "finish.rejected":
        return answer(e.callId, "finish", e.errors.map((x) => `${x.path || "arguments"}: ${x.message}`).join("; "))
      case "reminder.sent":
        return say({ seq, at, role: "user", kind: "reminder", text: e.message })
      case "steer.queued":
        return void this.#steers.set(e.id, { text: e.message, by: e.by })
      case "steer.delivered": {
        const steer = this.#steers.get(e.id)
        return steer && say({ seq, at, role: "user", kind: "steer", ...steer })
      }
      case "context.compacted":
        return e.summary === undefined ? undefined : say({ seq, at, role: "user", kind: "summary", text: e.summary })
      default:
        return
    }
  }
}
