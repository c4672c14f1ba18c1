// [S9], [Q3] A call that a person let go is exactly the call that was shown, or the one that the person wrote in its place; it goes once, and no
// other answer lets it go. A tool that always needs a person never goes without.

import { canonical } from "../../../src/core/json.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { TOOLS } from "../world/catalog.ts"
import type { EventLaw } from "./event-law.ts"

interface Approval {
  readonly call: string
  readonly args: unknown
  state: "open" | "approved" | "refused" | "used"
  /** What the person wrote in place of what was shown. */
  edited?: unknown
}

const ALWAYS: ReadonlySet<string> = new Set(
  Object.entries(TOOLS).flatMap(([name, tool]) => ((tool as { readonly approval?: string }).approval === "always" ? [name] : [])),
)

export class Approvals implements EventLaw {
  readonly #asked = new Map<string, Approval>()
  readonly #ofCall = new Map<string, Approval>()

  take(e: RunEvent, say: (fault: string) => void): void {
    switch (e.type) {
      case "interaction.asked": {
        if (!e.kind.startsWith("approval.") || e.callId === undefined) return
        const call = `${e.step} ${e.callId}`
        const approval: Approval = { call, args: e.payload["args"], state: "open" }
        this.#asked.set(e.id, approval)
        this.#ofCall.set(call, approval)
        return
      }
      case "interaction.answered": {
        const approval = this.#asked.get(e.id)
        if (!approval) return
        if (approval.state !== "open") say(`[S9] ${e.id} is ${approval.state} already`)
        const isLet = (e.decision === "approve" || e.decision === "edit") && e.cancelled !== true
        approval.state = isLet ? "approved" : "refused"
        if (e.decision === "edit") approval.edited = e.args
        return
      }
      case "interaction.expired": {
        const approval = this.#asked.get(e.id)
        if (approval?.state === "open") approval.state = "refused"
        return
      }
      case "tool.called": {
        const call = `${e.step} ${e.callId}`
        const approval = this.#ofCall.get(call)
        if (!approval) {
          if (ALWAYS.has(e.tool)) say(`[S9] ${e.tool} always needs a person, and nobody was asked for ${e.callId}`)
          return
        }
        if (approval.state !== "approved") say(`[S9] ${e.callId} goes although its approval is ${approval.state}`)
        approval.state = "used"
        const shown = approval.edited ?? approval.args
        if (canonical(e.args) !== canonical(shown)) say(`[S9] ${canonical(shown)} was approved and ${canonical(e.args)} goes`)
        return
      }
      default:
    }
  }
}
