// Converts the tool calls of a run for AG-UI clients [P19, P20], with ids that are unique across runs, unlike a model's own. `finish` and
// `ask_user` are not shown as calls: the first becomes the answer, the second an interrupt.

import type { EventOf } from "../../core/run/event.ts"
import type { Plan } from "../../core/run/plan.ts"
import { finishNameOf } from "../../core/run/session/finish.ts"

const HIDDEN: ReadonlySet<string> = new Set(["finish", "ask_user"])

export interface ShownCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

export class AguiCalls {
  /** Step → a model's id → the ids outside, of the step's last turn: a model may use one id twice. */
  readonly #open: Map<string, Map<string, string[]>>
  readonly #agents: Map<string, string>

  constructor(from?: AguiCalls) {
    this.#agents = new Map(from ? from.#agents : [])
    this.#open = new Map()
    for (const [step, calls] of from ? from.#open : []) this.#open.set(step, new Map([...calls].map(([callId, ids]) => [callId, [...ids]])))
  }

  opened({ step, agent }: EventOf<"step.opened">): void {
    this.#open.delete(step)
    if (agent !== undefined) this.#agents.set(step, agent)
  }

  replied(e: EventOf<"model.replied"> | EventOf<"step.called">, run: string, plan: Plan): ShownCall[] {
    const calls = new Map<string, string[]>()
    this.#open.set(e.step, calls)
    const ending = finishNameOf(plan.agents[this.#agents.get(e.step) ?? ""])
    const shown: ShownCall[] = []
    for (const [i, call] of e.toolCalls.entries()) {
      if (HIDDEN.has(call.name) || call.name === ending) continue
      const id = `${run}.${e.seq}.${i}`
      const ids = calls.get(call.id)
      if (ids) ids.push(id)
      else calls.set(call.id, [id])
      shown.push({ id, name: call.name, args: JSON.stringify(call.args) })
    }
    return shown
  }

  /** The id outside of a call that waits for its result. */
  idOf(step: string, callId: string): string | undefined {
    return this.#open.get(step)?.get(callId)?.[0]
  }

  /** The same; the call has its result now. */
  returned(step: string, callId: string): string | undefined {
    return this.#open.get(step)?.get(callId)?.shift()
  }
}
