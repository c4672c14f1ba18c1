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

interface Unit {
  readonly name: string
  readonly of: (usage: UsedBy) => number | null
  readonly told: (amount: number) => string
  /** In the place of 0. */
  readonly none?: string
  /** Whether the two can be set side by side. */
  readonly isFair: boolean
}

export function comparedUsage(a: UsedSide, b: UsedSide, { usd, count }: UsageWords): UsageRow[] {
  const isAsked = (side: UsedSide): boolean => !side.rehearsed && side.usage.tokens > 0
  // A run without a model is not a cheaper one, and one that goes on is not the shorter one.
  const areBothOver = a.isOver && b.isOver
  const isFair = areBothOver && isAsked(a) && isAsked(b)
  const units: readonly Unit[] = [
    { name: "USD", of: (usage) => usage.usd, told: usd, isFair },
    { name: "Tokens", of: ({ tokens }) => tokens, told: count, none: "no tokens", isFair },
    { name: "Tool calls", of: ({ tool_calls }) => tool_calls, told: count, isFair: areBothOver },
  ]
  return units.map((unit) => ({ name: unit.name, a: cellOf(unit, a), b: cellOf(unit, b), change: changeOf(unit, a, b) }))
}

function cellOf({ of, told, none }: Unit, { usage, kept, isOver }: UsedSide): string {
  const [own, before] = [of(usage), kept ? of(kept) : null]
  const words = own === null ? "–" : own === 0 && none !== undefined ? none : `${told(own)}${isOver ? "" : " so far"}`
  return before ? `${words}, ${told(before)} kept` : words
}

function changeOf({ of, told, isFair }: Unit, a: UsedSide, b: UsedSide): string {
  // What a fork keeps was paid for once: it is no saving.
  const whole = ({ usage, kept }: UsedSide): number | null => {
    const [own, before] = [of(usage), kept ? of(kept) : 0]
    return own === null || before === null ? null : own + before
  }
  const [first, second] = [whole(a), whole(b)]
  if (!isFair || first === null || second === null) return "–"
  return second === first ? "=" : `${second > first ? "+" : "−"}${told(Math.abs(second - first))}`
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
