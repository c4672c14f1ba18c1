// Says what a second run has used more or less than a first: only where both have used something, and have ended.

export interface UsedBy {
  readonly usd: number | null
  readonly tokens: number
  readonly tool_calls: number
}

export interface UsedSide {
  readonly usage: UsedBy
  /** Of a fork: what its kept part had used in the run that it is from. */
  readonly kept?: UsedBy | undefined
  readonly rehearsed: boolean
  readonly isOver: boolean
}

export interface UsageRow {
  readonly name: string
  readonly a: string
  readonly b: string
  readonly change: string
}

export interface UsageWords {
  readonly usd: (amount: number) => string
  readonly count: (amount: number) => string
}

export function comparedUsage(a: UsedSide, b: UsedSide, words: UsageWords): UsageRow[] {
  const isAsked = (side: UsedSide): boolean => !side.rehearsed && side.usage.tokens > 0
  // A run without a model is not a cheaper one, and one that goes on is not the shorter one.
  const areBothOver = a.isOver && b.isOver
  const isAlike = areBothOver && isAsked(a) && isAsked(b)
  const row = (
    name: string,
    of: (usage: UsedBy) => number | null,
    told: (amount: number) => string,
    none: string,
    isFair: boolean,
  ): UsageRow => {
    const [from, to] = [of(a.usage), of(b.usage)]
    const kept = (side: UsedSide): number | null => (side.kept ? of(side.kept) : 0)
    const cell = (side: UsedSide, amount: number | null): string => {
      const own = amount === null ? "–" : amount === 0 && none !== "" ? none : `${told(amount)}${side.isOver ? "" : " so far"}`
      return kept(side) ? `${own}, ${told(kept(side) ?? 0)} kept` : own
    }
    // What a fork keeps was paid for once: it is no saving.
    const whole = (side: UsedSide, amount: number | null): number | null => {
      const before = kept(side)
      return amount === null || before === null ? null : amount + before
    }
    const [first, second] = [whole(a, from), whole(b, to)]
    const change =
      !isFair || first === null || second === null
        ? "–"
        : second === first
          ? "="
          : `${second > first ? "+" : "−"}${told(Math.abs(second - first))}`
    return { name, a: cell(a, from), b: cell(b, to), change }
  }
  return [
    row("USD", ({ usd }) => usd, words.usd, "", isAlike),
    row("Tokens", ({ tokens }) => tokens, words.count, "no tokens", isAlike),
    row("Tool calls", ({ tool_calls }) => tool_calls, words.count, "", areBothOver),
  ]
}

/** Why nothing is set side by side; undefined: it is. */
export function unlikeUsage(a: UsedSide, b: UsedSide): string | undefined {
  const named = (is: (side: UsedSide) => boolean): string | undefined => (is(a) && is(b) ? "Both" : is(a) ? "A" : is(b) ? "B" : undefined)
  const rehearsed = named((side) => side.rehearsed)
  if (rehearsed !== undefined)
    return rehearsed === "Both" ? "Both are rehearsals, which cost nothing." : `${rehearsed} is a rehearsal, which costs nothing.`
  const isUnasked = named(({ usage }) => usage.tokens === 0)
  if (isUnasked !== undefined) return isUnasked === "Both" ? "Neither asked a model." : `${isUnasked} asked no model.`
  const isOn = named(({ isOver }) => !isOver)
  return isOn && (isOn === "Both" ? "Both are still running." : `${isOn} is still running.`)
}
