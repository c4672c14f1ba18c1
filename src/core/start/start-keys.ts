// Lists the keys of a `start` block [R4], and gives them other texts.

import type { SaidStart } from "./start-block.ts"

const KEYED = ["concurrency", "throttle", "debounce", "batch"] as const
type KeyedMember = (typeof KEYED)[number]
type Keyed = { readonly [Member in KeyedMember]?: { readonly key?: string } }

/** The keys of a block by the member that has them. */
export const startKeys = (start: Keyed = {}): (readonly [member: KeyedMember, key: string])[] =>
  KEYED.flatMap((member) => {
    const key = start[member]?.key
    return key === undefined ? [] : [[member, key] as const]
  })

/** The block with each of its keys read. */
export function withKeys(start: SaidStart, read: (key: string) => string): SaidStart {
  const keyed = KEYED.flatMap((member) => {
    const said = start[member]
    return said?.key === undefined ? [] : [[member, { ...said, key: read(said.key) }] as const]
  })
  return { ...start, ...Object.fromEntries(keyed) }
}
