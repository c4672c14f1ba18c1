// Asks whether the disk of the server is nearly full [N7]. The launcher says so by a file, which a request looks for at most once a second.

import type { Env } from "../platform/env.ts"

const CACHED_MS = 1_000

export function nearlyFull({ DISK }: Pick<Env, "DISK">, now: () => number): () => Promise<boolean> {
  let seen: { readonly at: number; readonly isFull: boolean } | undefined
  return async () => {
    if (DISK === undefined) return false
    if (seen !== undefined && now() - seen.at < CACHED_MS) return seen.isFull
    const answer = await DISK.fetch("http://disk/full")
    await answer.body?.cancel()
    seen = { at: now(), isFull: answer.ok }
    return answer.ok
  }
}
