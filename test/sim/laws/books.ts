// [S3], [J11] What reached the services of the world: each call of a journal is done once, and its repetitions have the key of the first request.

import { CASE, DOORS, doorOf } from "./departures.ts"
import type { Rest } from "./rest.ts"

export function booksOf(rest: Rest): string[] {
  const { world, tenant } = rest.story
  const wrong: string[] = []
  const calls = callsOf(rest)
  const sent = new Map<string, number>()
  const keys = new Map<string, Set<string>>()
  for (const { key, path, body } of world.services.arrivals) {
    const door = doorOf("POST", path)
    const name = CASE.exec(body)?.[0]
    const what = `${door} ${name}`
    // A call of another tenant, or outside of any run.
    if (name?.startsWith(`case-${tenant}-`) !== true || !calls.has(what)) continue
    if (path.startsWith("/plain/")) sent.set(what, (sent.get(what) ?? 0) + 1)
    else keys.set(what, (keys.get(what) ?? new Set()).add(key))
  }
  const most = (what: string): number => calls.get(what) ?? 0
  for (const [what, n] of sent) if (n > most(what)) wrong.push(`[S3] ${what} was sent ${n} times, without a key, for ${most(what)} calls`)
  for (const [what, used] of keys)
    if (used.size > most(what)) wrong.push(`[S3] ${what} was sent with ${used.size} keys, for ${most(what)} calls`)
  for (const it of [...world.models.strange, ...world.services.strange]) wrong.push(`a service of the world was sent nonsense: ${it}`)
  return [...wrong, ...uncertainOf(rest)]
}

/** Door and case → how many calls the journals have. Those of an earlier tenant of the name count too. */
function callsOf({ own, journals, tenant }: Rest): Map<string, number> {
  const calls = new Map<string, number>()
  for (const { events } of [...own, ...journals.former.filter((it) => it.tenant === tenant)])
    for (const e of events) {
      const door = e.type === "tool.called" ? DOORS.get(e.tool) : undefined
      const name = e.type === "tool.called" ? CASE.exec(JSON.stringify(e.args))?.[0] : undefined
      if (door !== undefined) calls.set(`${door} ${name}`, (calls.get(`${door} ${name}`) ?? 0) + 1)
    }
  return calls
}

/** A call whose outcome is unknown was begun and lost, and the model hears it before its next turn. */
function uncertainOf({ own, former }: Rest): string[] {
  const wrong: string[] = []
  for (const { run, events } of [...own, ...former]) {
    const lost = new Set(events.flatMap((e) => (e.type === "action.lost" && e.kind === "tool" ? [e.key] : [])))
    for (const e of events)
      if (e.type === "tool.uncertain" && !lost.has(e.key)) wrong.push(`[J11] ${run}: ${e.callId} is uncertain, and was not lost`)
  }
  return wrong
}
