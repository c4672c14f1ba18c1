// [S15], [F71], [F72] A run goes on with the definitions that it began with; and each body that a durable journal names is in R2, with that hash.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Pins } from "../../../src/core/run/event-parts.ts"
import type { EventLaw, Owner } from "./event-law.ts"
import { hasTable } from "./stored-journal.ts"

/** The text of an agent's file below its front matter. */
const BODY = /^---\n[\s\S]*?\n---\n([\s\S]*)$/

export class PinLaw implements EventLaw {
  readonly #owner: Owner
  #pins: Pins | undefined
  /** Which of the tenants of its name it belongs to, as it says. */
  #tenancy: number | undefined

  constructor(owner: Owner) {
    this.#owner = owner
  }

  take(e: RunEvent, say: (fault: string) => void): void {
    switch (e.type) {
      case "run.started":
      case "run.forked":
        if (e.type === "run.started") this.#tenancy = e.tenancy
        if (e.pinned) this.#pin(e.pinned, say)
        for (const { hash } of e.type === "run.started" ? (e.files ?? []) : []) this.#look(hash, "a file of its start", say)
        return
      case "step.opened": {
        if (e.agent === undefined || e.body === undefined) return
        const hash = this.#pins?.agents[e.agent]
        const text = hash === undefined ? undefined : this.#look(hash, `the agent "${e.agent}"`, say)
        const own = text === undefined ? undefined : BODY.exec(text)?.[1]?.trim()
        // A body with templates is expanded.
        if (own !== undefined && !own.includes("${{") && !e.body.startsWith(own))
          say(`[S15] "${e.agent}" works with a text that is not the pinned one`)
        return
      }
      case "file.changed":
        if (e.hash !== null) this.#look(e.hash, e.path, say)
        return
      case "file.put":
        this.#look(e.file.hash, e.file.path, say)
        return
      case "tool.returned":
        if (e.truncated) this.#look(e.truncated.handle, `the whole output of ${e.callId}`, say)
        return
      default:
    }
  }

  #pin(pins: Pins, say: (fault: string) => void): void {
    this.#pins = pins
    this.#look(pins.flow.hash, `the flow "${pins.flow.id}"`, say)
    for (const [name, hash] of Object.entries(pins.agents)) this.#look(hash, `the agent "${name}"`, say)
    for (const [name, hash] of Object.entries(pins.tools ?? {})) this.#look(hash, `the tool "${name}"`, say)
  }

  #look(hash: string, what: string, say: (fault: string) => void): string | undefined {
    const { service, tenant } = this.#owner
    const kept = service.blobs.kept.get(`t/${tenant}/blob/${hash}`)
    if (!kept) {
      if (!isLeaving(this.#owner, this.#tenancy)) say(`[F71] ${what} is named and not in R2 (${hash.slice(0, 8)})`)
      return undefined
    }
    if (kept.sha256 !== hash) say(`[F71] ${what} is in R2 and not what its name says`)
    return new TextDecoder().decode(kept.bytes)
  }
}

/** Of a tenant that is deleted, bodies go before a start that was on its way hears of it; the next one of the name may be there by then. */
function isLeaving({ service, tenant }: Owner, tenancy: number | undefined): boolean {
  const { storage } = service.tenants.of(tenant)
  if (!hasTable(storage, "setting")) return true
  const settings = new Map(
    storage.rows<{ name: string; body: string }>("SELECT name, body FROM setting").map(({ name, body }) => [name, body]),
  )
  const { created, follows } = JSON.parse(settings.get("tenant") ?? "{}") as { readonly created?: number; readonly follows?: boolean }
  return settings.has("leaving") || (follows === true && tenancy !== created)
}
