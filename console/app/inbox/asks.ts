// Reads what waits for a person: the open asks, and the calls whose outcome nobody knows. The bar reads their count alone, the inbox the rows.

import { useMemo } from "react"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { Asked as Ask } from "../../../src/api/doc/run/interactions.doc.ts"
import { Paged } from "../../../src/client/transport/paged.ts"
import { changeAsked, useAsked } from "../parts/asked.ts"
import { serverState } from "../shell/server-state.ts"
import type { Api } from "../shell/session.ts"

/** How often the lists are read without a stream; and with one, which does not tell that somebody resolved an effect. */
const LOOK_MS = 5_000
const ASKS_MS = 120_000
const EFFECTS_MS = 30_000
/** Rows that the page reads; there may be more. */
const MAX_ROWS = 200
const MAX_DECIDED = 20

const COUNT = ["asks", "count"] as const
const ASKS = ["asks", "open"] as const
const EFFECTS = ["effects", "open"] as const
const DECIDED = ["once", "decided"] as const

/** What this tab knows to be decided. */
export interface Decided {
  readonly ask: Ask
  readonly at: number | undefined
}

export interface OpenAsks {
  /** undefined: not read yet. */
  readonly asks: readonly Ask[] | undefined
  readonly effects: readonly EffectShown[]
  readonly decided: readonly Decided[]
  /** Why the rows are those of before. */
  readonly fault: string | undefined
  readonly isCut: boolean
}

interface Rows<T> {
  readonly rows: readonly T[]
  readonly isCut: boolean
}

const NONE: readonly never[] = []

/** `isMore`: there are more than were counted. */
export function useWaitingCount(api: Api): { readonly count: number; readonly isMore: boolean } {
  const { value } = useAsked(COUNT, () => api.interactions.count(), { live: { pollMs: LOOK_MS, slowMs: EFFECTS_MS } })
  return { count: value === undefined ? 0 : value.asks + value.effects, isMore: value?.complete === false }
}

export function useWaiting(api: Api): OpenAsks {
  const asks = useAsked(ASKS, async () => rowsOf(await api.interactions.list({ limit: MAX_ROWS }).page()), {
    live: { pollMs: LOOK_MS, slowMs: ASKS_MS },
  })
  const effects = useAsked(
    EFFECTS,
    async () => rowsOf(await new Paged<EffectShown>(api.transport, "/v1/effects", { limit: MAX_ROWS }).page()),
    { live: { pollMs: LOOK_MS, slowMs: EFFECTS_MS } },
  )
  const decided = useAsked(DECIDED, () => Promise.resolve(serverState.getQueryData<{ value: readonly Decided[] }>(DECIDED)?.value ?? []))
  const sorted = useMemo(() => asks.value?.rows.toSorted(byUrgency), [asks.value])
  const open = effects.value?.rows ?? NONE
  return {
    asks: sorted,
    effects: open,
    decided: decided.value ?? NONE,
    fault: asks.fault ?? effects.fault,
    isCut: asks.value?.isCut === true || effects.value?.isCut === true,
  }
}

const rowsOf = <T>({ data, next_cursor }: { readonly data: readonly T[]; readonly next_cursor: string | null }): Rows<T> => ({
  rows: data,
  isCut: next_cursor !== null,
})

/** It leaves the list at once. */
export function decideAsk(one: Decided): void {
  changeAsked<readonly Decided[]>(DECIDED, (all) => [one, ...all.filter(({ ask }) => !isSame(ask, one.ask))].slice(0, MAX_DECIDED))
  without<Ask>(ASKS, (ask) => isSame(ask, one.ask))
  countAnew()
}

export function resolveEffect(effect: EffectShown): void {
  without<EffectShown>(EFFECTS, (one) => one.run === effect.run && one.key === effect.key)
  countAnew()
}

const countAnew = (): void => void serverState.invalidateQueries({ queryKey: COUNT })

/** At once, and again after an answer that was on its way, which does not know of it. */
function without<T>(key: typeof ASKS | typeof EFFECTS, isGone: (row: T) => boolean): void {
  const drop = (): unknown => changeAsked<Rows<T>>(key, (list) => ({ ...list, rows: list.rows.filter((row) => !isGone(row)) }))
  drop()
  void serverState.cancelQueries({ queryKey: key }).then(() => {
    drop()
    return serverState.invalidateQueries({ queryKey: key })
  })
}

export const isSame = (one: Ask, other: Ask): boolean => one.run === other.run && one.id === other.id

/** High risk first, then what ends soonest, then what waits longest. */
function byUrgency(one: Ask, other: Ask): number {
  const key = (ask: Ask): string => {
    const isHigh = ask.run !== null && ask.risk === "high"
    return `${isHigh ? 0 : 1} ${(ask.run === null ? undefined : ask.expires) ?? "9"} ${ask.created}`
  }
  return key(one) < key(other) ? -1 : 1
}
