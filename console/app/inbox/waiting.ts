// What waits for a person: the open questions and the calls whose outcome nobody knows. One reader for the whole page: the bar shows the count,
// the inbox the rows.
//
// The tenant's stream says when the lists are to be read again [H15]; so does a decision of this tab.

import { useSyncExternalStore } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { FeedEvent } from "../../../src/api/doc/feed.doc.ts"
import { Interactions } from "../../../src/client/interactions.ts"
import { Paged } from "../../../src/client/paged.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { watch } from "../shell/watch.ts"

/** How often the lists are read without a stream; and with one, which does not tell that somebody resolved an effect. */
const LOOK_MS = 5_000
const EFFECTS_MS = 30_000
/** Rows that the page reads; there may be more. */
const MAX_ROWS = 200

/** What this tab knows to be decided. */
export interface Decided {
  readonly ask: Asked
  readonly at: number | undefined
}

export interface Waiting {
  /** undefined: not read yet. */
  readonly asks: readonly Asked[] | undefined
  readonly effects: readonly EffectShown[]
  readonly decided: readonly Decided[]
  /** Why the rows are those of before. */
  readonly fault: string | undefined
  /** Open questions and uncertain effects. */
  readonly count: number
  readonly isCut: boolean
}

const NOTHING: Waiting = { asks: undefined, effects: [], decided: [], fault: undefined, count: 0, isCut: false }

export class WaitingList {
  readonly #api: Api
  readonly #listeners = new Set<() => void>()
  #now = NOTHING
  #stop: (() => void) | undefined
  #reading: Promise<void> | undefined
  /** Counts what this tab decided: an answer from before is not taken. */
  #decisions = 0

  constructor(api: Api) {
    this.#api = api
  }

  readonly snapshot = (): Waiting => this.#now

  readonly listen = (changed: () => void): (() => void) => {
    if (this.#listeners.size === 0) {
      const isNews = ({ type }: FeedEvent): boolean => type !== "revision.written" && type !== "run.began"
      this.#stop = watch(this.#api, { look: () => this.#look(), isNews, pollMs: LOOK_MS, slowMs: () => EFFECTS_MS })
    }
    this.#listeners.add(changed)
    return () => {
      this.#listeners.delete(changed)
      if (this.#listeners.size === 0) this.#stop?.()
    }
  }

  async #look(): Promise<boolean> {
    // One that began before the news may not have it.
    await this.#reading
    await this.read()
    return this.#now.fault === undefined
  }

  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
  }

  async #read(): Promise<void> {
    const before = this.#decisions
    const { transport } = this.#api
    try {
      const [asks, effects] = await Promise.all([
        rowsOf(new Interactions(transport).list()),
        rowsOf(new Paged<EffectShown>(transport, "/v1/effects", { limit: MAX_ROWS })),
      ])
      if (before !== this.#decisions) return await this.#read()
      this.#set({ asks: asks.rows.toSorted(byUrgency), effects: effects.rows, isCut: asks.isCut || effects.isCut, fault: undefined })
    } catch (error) {
      this.#set({ fault: faultOf(error) })
    }
  }

  /** It leaves the list at once. */
  decided(one: Decided): void {
    this.#decisions += 1
    const asks = this.#now.asks?.filter((ask) => !isSame(ask, one.ask))
    const decided = [one, ...this.#now.decided.filter(({ ask }) => !isSame(ask, one.ask))].slice(0, MAX_DECIDED)
    this.#set({ decided, ...(asks === undefined ? {} : { asks }) })
    void this.read()
  }

  resolved(effect: EffectShown): void {
    this.#decisions += 1
    this.#set({ effects: this.#now.effects.filter((one) => one.run !== effect.run || one.key !== effect.key) })
    void this.read()
  }

  #set(change: Partial<Waiting>): void {
    const next = { ...this.#now, ...change }
    const count = (next.asks?.length ?? 0) + next.effects.filter(({ state }) => state === "uncertain").length
    // A row that is as it was keeps the page as it is.
    if (JSON.stringify({ ...next, count }) === JSON.stringify(this.#now)) return
    this.#now = { ...next, count }
    for (const listener of this.#listeners) listener()
  }
}

const MAX_DECIDED = 20

async function rowsOf<T>(list: Paged<T>): Promise<{ readonly rows: readonly T[]; readonly isCut: boolean }> {
  const rows: T[] = []
  let cursor: string | undefined
  do {
    const page = await list.page(cursor)
    rows.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && rows.length < MAX_ROWS)
  return { rows: rows.slice(0, MAX_ROWS), isCut: cursor !== undefined }
}

export const isSame = (one: Asked, other: Asked): boolean => one.run === other.run && one.id === other.id

/** High risk first, then what ends soonest, then what waits longest. */
function byUrgency(one: Asked, other: Asked): number {
  const key = (ask: Asked): string => {
    const isHigh = ask.run !== null && ask.risk === "high"
    return `${isHigh ? 0 : 1} ${(ask.run === null ? undefined : ask.expires) ?? "9"} ${ask.created}`
  }
  return key(one) < key(other) ? -1 : 1
}

const lists = new WeakMap<Api, WaitingList>()

export function waitingList(api: Api): WaitingList {
  const list = lists.get(api) ?? new WaitingList(api)
  lists.set(api, list)
  return list
}

export function useWaiting(api: Api): Waiting {
  const list = waitingList(api)
  return useSyncExternalStore(list.listen, list.snapshot)
}
