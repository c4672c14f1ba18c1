// Puts open asks into groups by flow and kind: the group with the most asks first, and within a group what waits longest.

import { alikeKey } from "./alike.ts"
import { KINDS, type OpenAsk } from "./ask.ts"

export interface AskGroup<A extends OpenAsk = OpenAsk> {
  readonly key: string
  readonly title: string
  readonly asks: readonly A[]
  /** Those of the group that can be answered in one go, the most; none: no two are alike. */
  readonly alike: readonly A[]
}

export function groupsOf<A extends OpenAsk>(asks: readonly A[]): readonly AskGroup<A>[] {
  const groups = grouped(asks, ({ flow = "", kind }) => `${flow} ${KINDS[kind].family}`)
  return [...groups]
    .map(([key, members]) => {
      const [first] = members
      const family = KINDS[first?.kind ?? "ask_user"].family
      const title = first?.flow === undefined ? `Outside a run, ${family}` : `${first.flow}, ${family}`
      return { key, title, asks: members.toSorted(byAge), alike: mostAlike(members) }
    })
    .toSorted((a, b) => b.asks.length - a.asks.length || oldest(a).localeCompare(oldest(b)) || a.key.localeCompare(b.key))
}

/** Those that are alike to this one, itself among them, the oldest first; none: it is alone. */
export function alikeTo<A extends OpenAsk>(ask: A, asks: readonly A[]): readonly A[] {
  const key = alikeKey(ask)
  const found = key === undefined ? [] : asks.filter((one) => alikeKey(one) === key)
  return found.length < 2 ? [] : found.toSorted(byAge)
}

function mostAlike<A extends OpenAsk>(asks: readonly A[]): readonly A[] {
  const sets = grouped(asks, (ask) => alikeKey(ask) ?? "")
  sets.delete("")
  const most = [...sets.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
  return most.length < 2 ? [] : most.toSorted(byAge)
}

function grouped<A extends OpenAsk>(asks: readonly A[], by: (ask: A) => string): Map<string, A[]> {
  const groups = new Map<string, A[]>()
  for (const ask of asks) groups.set(by(ask), [...(groups.get(by(ask)) ?? []), ask])
  return groups
}

const oldest = ({ asks: [first] }: AskGroup): string => first?.created ?? ""
const byAge = (a: OpenAsk, b: OpenAsk): number => a.created.localeCompare(b.created) || a.id.localeCompare(b.id)
