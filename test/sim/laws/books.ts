// [S3], [J11] What reached the services of the world: what must be done once is done once, and a repetition has the key of the first request.

import type { Rest } from "./rest.ts"

export function booksOf({ story: { world, tenant }, journals, repeats }: Rest): string[] {
  const wrong: string[] = []
  const isRepeated = (body: string): boolean => [...repeats].some((name) => body.includes(name))
  const own = world.services.arrivals.filter((it) => it.body.includes(`case-${tenant}-`) && !isRepeated(it.body))
  const plain = repeated(own.filter((it) => it.path.startsWith("/plain/")).map((it) => it.body))
  if (plain !== undefined) wrong.push(`[S3] ${plain} was sent twice, without a key`)
  const keys = new Map<string, Set<string>>()
  for (const { key, path, body } of own) if (path.startsWith("/keyed/")) keys.set(body, (keys.get(body) ?? new Set()).add(key))
  for (const [body, used] of keys) if (used.size > 1) wrong.push(`[S3] ${body} was sent with ${used.size} keys`)
  for (const it of [...world.models.strange, ...world.services.strange]) wrong.push(`a service of the world was sent nonsense: ${it}`)
  // A call whose outcome is unknown is one that was begun and lost, and the model hears it.
  for (const { run, events } of [...journals.all(tenant), ...journals.former.filter((it) => it.tenant === tenant)]) {
    const lost = new Set(events.flatMap((e) => (e.type === "action.lost" && e.kind === "tool" ? [e.key] : [])))
    for (const e of events)
      if (e.type === "tool.uncertain" && !lost.has(e.key)) wrong.push(`[J11] ${run}: ${e.callId} is uncertain, and was not lost`)
  }
  return wrong
}

function repeated(all: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return all.find((it) => seen.size === seen.add(it).size)
}
