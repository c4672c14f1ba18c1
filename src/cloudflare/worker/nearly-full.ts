// Checks whether the disk of the server is nearly full [N7]. The launcher then creates a file, for which requests look at most once a
// second.

import type { Env } from "../platform/env.ts"
import { RecentAnswers } from "../platform/recent-answers.ts"
import { CACHED_MS } from "./readiness.ts"

export function nearlyFull({ DISK }: Pick<Env, "DISK">, now: () => number): () => Promise<boolean> {
  if (DISK === undefined) return async () => false
  const recent = new RecentAnswers<boolean>(CACHED_MS, 1)
  const ask = async (): Promise<boolean> => {
    const answer = await DISK.fetch("http://disk/full")
    await answer.body?.cancel()
    return answer.ok
  }
  return () => recent.get("", { now, ask })
}
