// Looks up how many tokens a model accepts in total, request and answer [J23]: the shipped list's figure for the model or its nearest
// relative, whatever the name of its provider. Unknown models get the smallest window that is still common. A figure that is too large
// costs one refused call and cannot cause a loop. Where longer requests cost more per token, the window ends before them, so that the
// listed price holds [B3].

import { listedAnywhere } from "./list-lookup.ts"
import { bareModel } from "./prices.ts"

const DEFAULT_WINDOW = 128_000

/** `ref`: `provider/model[:thinking]`, as a run pins it. */
export function contextWindow(ref: string): number {
  const found = cached.get(ref)
  if (found !== undefined) return found
  const tokens = listedAnywhere(bareModel(ref).slice(ref.indexOf("/") + 1))?.window ?? DEFAULT_WINDOW
  if (cached.size === MAX_CACHED) cached.clear()
  cached.set(ref, tokens)
  return tokens
}

/** Cached because every waiting session looks up its window after every event. */
const cached = new Map<string, number>()
const MAX_CACHED = 500 // limit: models whose window is remembered → the cache is emptied
