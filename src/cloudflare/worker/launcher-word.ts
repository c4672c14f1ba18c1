// Hears what the launcher of a machine of one's own says, by files in a folder: the disk is nearly full, the server stops [N7]. Requests look
// at most once a second.

import type { Env } from "../platform/env.ts"
import { RecentAnswers } from "../platform/recent-answers.ts"
import { CACHED_MS } from "./readiness.ts"

export function launcherSays(word: "full" | "stopping", { DISK }: Pick<Env, "DISK">, now: () => number): () => Promise<boolean> {
  if (DISK === undefined) return async () => false
  const recent = new RecentAnswers<boolean>(CACHED_MS, 1)
  const ask = async (): Promise<boolean> => {
    const answer = await DISK.fetch(`http://disk/${word}`)
    await answer.body?.cancel()
    return answer.ok
  }
  return () => recent.get("", { now, ask })
}
