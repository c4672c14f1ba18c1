// [K31] The ledger of a run names the key that the service was sent, and shows as confirmed only what the journal says was returned.

import type { Rest } from "./rest.ts"

interface Line {
  readonly key: string
  readonly state: string
  readonly tool: string
  readonly idempotency_key: string
}

/** Runs of which it is read: each is one more request, and they are all alike. */
const MOST = 4
const KEYED: ReadonlySet<string> = new Set(["send_keyed", "note"])

export async function ledgerOf({ own, story }: Rest): Promise<string[]> {
  const wrong: string[] = []
  const sent = new Set(story.world.services.arrivals.map(({ key }) => key))
  const acting = own.filter(({ events }) => events.some((e) => e.type === "tool.called" && KEYED.has(e.tool)))
  for (const { run, events } of acting.slice(-MOST)) {
    const { data } = await story.admin.get<{ readonly data: readonly Line[] }>("GET", `/v1/runs/${run}/effects`)
    const returned = new Set(events.flatMap((e) => (e.type === "tool.returned" ? [e.callId] : [])))
    const confirmed = data.filter(({ key, state, tool }) => state === "confirmed" && KEYED.has(tool) && !key.endsWith("/undo"))
    for (const { key, idempotency_key } of confirmed) {
      if (!sent.has(idempotency_key))
        wrong.push(`[K31] the ledger of ${run} gives ${key} the key ${idempotency_key}, which no service was sent`)
      if (![...returned].some((id) => key.endsWith(`/tool/${id}`)))
        wrong.push(`[K31] the ledger of ${run} confirms ${key}, which never returned`)
    }
  }
  return wrong
}
