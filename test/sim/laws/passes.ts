// [J4], [S4], [S8], [J22] Steps are open once at a time and finish once per pass; nothing of a pass happens outside it; each call was in the
// step's set of tools, and gets one answer before the next turn.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { EventLaw } from "./event-law.ts"

interface Pass {
  readonly pass: number
  readonly tools: Set<string>
  /** Calls of the last reply without an answer. */
  unanswered: Set<string>
}

export class Passes implements EventLaw {
  readonly #open = new Map<string, Pass>()
  readonly #finished = new Set<string>()

  take(e: RunEvent, say: (fault: string) => void): void {
    const step = "step" in e ? e.step : undefined
    const pass = step === undefined ? undefined : this.#open.get(step)
    const inPass = (): void => {
      if (!pass) say(`[J4] "${step}" is not open`)
    }
    switch (e.type) {
      case "step.opened":
        if (pass) say(`[J4] "${e.step}" is open already`)
        this.#open.set(e.step, { pass: e.pass, tools: new Set([...e.tools, ...(e.searched ?? [])]), unanswered: new Set() })
        break
      case "step.finished": {
        const id = `${e.step}/${e.pass}`
        if (pass?.pass !== e.pass) say(`[J4] pass ${e.pass} of "${e.step}" is not open`)
        if (this.#finished.has(id)) say(`[S4] ${id} has finished before`)
        this.#finished.add(id)
        this.#open.delete(e.step)
        break
      }
      case "step.skipped":
      case "step.reopened":
        if (pass) say(`[J4] "${e.step}" is open`)
        break
      case "model.replied":
      case "step.called":
        inPass()
        if (pass && pass.unanswered.size > 0) say(`[J22] calls of the turn before have no answer: ${[...pass.unanswered].join()}`)
        if (pass) pass.unanswered = new Set(e.toolCalls.map(({ id }) => id))
        break
      case "tool.called":
        inPass()
        if (pass && !pass.tools.has(e.tool)) say(`[S8] ${e.tool} is not in the set of "${e.step}"`)
        if (pass && !pass.unanswered.has(e.callId)) say(`[S8] nobody asked for the call ${e.callId}`)
        break
      case "tool.returned":
        for (const tool of e.tools ?? []) pass?.tools.add(tool)
        this.#answered(e, pass, say)
        break
      case "tool.refused":
      case "tool.uncertain":
      case "finish.rejected":
        this.#answered(e, pass, say)
        break
      case "action.begun":
        if (e.kind !== "effect" && e.kind !== "lease") inPass()
        break
      case "model.failed":
      case "reminder.sent":
      case "interaction.asked":
      case "steer.queued":
      case "steer.delivered":
      case "child.started":
        if (e.type !== "interaction.asked" || e.kind !== "effects") inPass()
        break
      default:
        break
    }
  }

  #answered(e: { readonly step: string; readonly callId: string }, pass: Pass | undefined, say: (fault: string) => void): void {
    if (!pass) say(`[J4] "${e.step}" is not open`)
    else if (!pass.unanswered.delete(e.callId)) say(`[J22] ${e.callId} has its answer, or was never called`)
  }
}
