// Measures a fork of a long history [K15], from the request to its 202, when the fork's journal is stored.

import type { Api } from "./api.ts"
import { short, spread, table } from "./figures.ts"
import { LONG_WRITE, LONG_WRITES } from "./flows.ts"
import type { Place } from "./throughput.ts"

/** Requires the flow `bench-long` in the catalog. */
export async function fork(places: readonly Place[], forks: number): Promise<string> {
  const sources: string[] = []
  for (const { api } of places) sources.push((await api.run("bench-long")).id)
  const seen = places.map((): { ms: number; cpu: number }[] => [])
  for (let n = -3; n < forks; n++)
    for (const [i, { api, server }] of places.entries()) {
      const [from, before] = [performance.now(), server.usage().cpu]
      const id = await api.fork(sources[i] ?? "", { step: `s${String(LONG_WRITES).padStart(3, "0")}`, turn: 1 })
      if (n >= 0) seen[i]?.push({ ms: performance.now() - from, cpu: server.usage().cpu - before })
      await over(api, id)
    }
  // Each write is in the journal twice: in the reply and in the call.
  const mb = (2 * LONG_WRITE * LONG_WRITES) / 1e6
  return table(
    ["storage", "prefix, MB", "fork, ms", "workerd CPU, ms"],
    places.map(({ name }, i) => [
      name,
      short(mb),
      spread((seen[i] ?? []).map(({ ms }) => ms)),
      spread((seen[i] ?? []).map(({ cpu }) => cpu)),
    ]),
  )
}

/** So that nothing of one fork is left to do during the next. */
async function over(api: Api, id: string): Promise<void> {
  for (let n = 0; n < 200; n++) {
    if ((await api.status(id)) === "succeeded") return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`the fork ${id} does not end`)
}
