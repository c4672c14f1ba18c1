// How many tokens a model accepts in total, request and answer [J23]: the providers' public figures as of March 2026. Unknown models get
// the smallest window that is still common. A figure that is too large costs one refused call and cannot cause a loop.

const WINDOWS: readonly (readonly [pattern: RegExp, tokens: number])[] = [
  [/^claude-/, 200_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^(?:o1|o3|o4)/, 200_000],
  [/^gemini-/, 1_000_000],
]
const DEFAULT_WINDOW = 128_000

/** `ref`: `provider/model[:thinking]`, as a run pins it. */
export function contextWindow(ref: string): number {
  const found = cached.get(ref)
  if (found !== undefined) return found
  const model = ref.slice(ref.indexOf("/") + 1)
  const tokens = WINDOWS.find(([pattern]) => pattern.test(model))?.[1] ?? DEFAULT_WINDOW
  if (cached.size === MAX_CACHED) cached.clear()
  cached.set(ref, tokens)
  return tokens
}

/** Cached because every waiting session looks up its window after every event. */
const cached = new Map<string, number>()
const MAX_CACHED = 500
