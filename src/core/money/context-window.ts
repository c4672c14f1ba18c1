// How many tokens a model takes in all, request and answer [J23]. Public figures of the makers, as of March 2026; what is not known is
// taken for the smallest window that is still common. A window that is too large here costs one refused call, not a loop.

const WINDOWS: readonly (readonly [pattern: RegExp, tokens: number])[] = [
  [/^claude-/, 200_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^(?:o1|o3|o4)/, 200_000],
  [/^gemini-/, 1_000_000],
]
const USUAL = 128_000

/** `provider/model[:thinking]`, as a run pins it. */
export function contextWindow(ref: string): number {
  const before = known.get(ref)
  if (before !== undefined) return before
  const model = ref.slice(ref.indexOf("/") + 1)
  const tokens = WINDOWS.find(([pattern]) => pattern.test(model))?.[1] ?? USUAL
  if (known.size === MOST_KNOWN) known.clear()
  known.set(ref, tokens)
  return tokens
}

/** Asked for each session that waits, after every event. */
const known = new Map<string, number>()
const MOST_KNOWN = 500
