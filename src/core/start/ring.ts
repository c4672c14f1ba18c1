// Finds out whether a child in line can ever begin [R14]. Pure: what the line and the runs' objects say decides. A run that holds the child's key
// cannot end before the child does if it is above the child, or if it does nothing but wait for a key that such runs hold alone.

import type { KeyLimit } from "./start-block.ts"

/** A start in line that a key holds up. */
export interface KeyWait extends Pick<KeyLimit, "pool" | "key"> {
  readonly holders: readonly string[]
}

/** What a run says of itself. `idle`: it does nothing, and waits for nobody and for no time, but for its open children. */
export interface HolderStanding {
  readonly idle: boolean
  readonly open: readonly string[]
}

export interface RingGround {
  /** `other`: it stands in line for something else. undefined: it does not stand in line. */
  waits(run: string): KeyWait | "other" | undefined
  /** null: there is no such run at work. undefined: nobody has asked it. */
  standing(run: string): HolderStanding | null | undefined
}

export type RingFound = { readonly ask: readonly string[] } | { readonly ring: string } | undefined

const MOST = 200 // limit: runs that one search for a ring looks at → the child waits on

interface Waiting {
  readonly run: string
  readonly wait: KeyWait
}

/** `above`: the runs above the child. `ask`: runs whose standing must be known first. undefined: the child may begin some day. */
export function findRing(child: string, above: readonly string[], ground: RingGround): RingFound {
  const first = ground.waits(child)
  if (first === undefined || first === "other" || first.holders.length === 0) return undefined
  const families = new Map<string, readonly Waiting[] | undefined>()
  const unknown = new Set<string>()
  const todo = [...first.holders]
  for (let run = todo.pop(); run !== undefined; run = todo.pop()) {
    if (families.has(run) || above.includes(run)) continue
    if (families.size >= MOST) return undefined
    const below = waitsOf(run, ground, unknown)
    families.set(run, below)
    todo.push(...(below ?? []).flatMap(({ wait }) => wait.holders))
  }
  const stuck = new Set([...families].flatMap(([run, below]) => (below === undefined ? [] : [run])))
  const isBound = (run: string): boolean => above.includes(run) || stuck.has(run)
  const isHopeless = ({ wait }: Waiting): boolean => wait.holders.length > 0 && wait.holders.every(isBound)
  // Whoever waits for a run that may end may end itself.
  for (let before = -1; before !== stuck.size;) {
    before = stuck.size
    for (const run of stuck) if (!families.get(run)?.some(isHopeless)) stuck.delete(run)
  }
  if (unknown.size > 0) return { ask: [...unknown] }
  return first.holders.every(isBound) ? { ring: told(child, first, above, (run) => families.get(run)?.find(isHopeless)) } : undefined
}

/** The starts that the run and those below it wait for, if they do nothing else; undefined: something goes on. */
function waitsOf(run: string, ground: RingGround, unknown: Set<string>): readonly Waiting[] | undefined {
  const standing = ground.standing(run)
  if (standing === undefined) {
    unknown.add(run)
    return undefined
  }
  if (standing === null || !standing.idle) return undefined
  const all: Waiting[] = []
  for (const below of standing.open) {
    const wait = ground.waits(below)
    if (wait === "other") return undefined
    const more = wait ? [{ run: below, wait }] : waitsOf(below, ground, unknown)
    if (more === undefined) return undefined
    all.push(...more)
  }
  return all
}

/** One ring: who waits for which key, and who holds it, until someone comes again. */
function told(child: string, first: KeyWait, above: readonly string[], next: (holder: string) => Waiting | undefined): string {
  const parts: string[] = []
  const seen = new Set<string>()
  let at: Waiting = { run: child, wait: first }
  for (;;) {
    const [holder = ""] = at.wait.holders
    parts.push(`${at.run} waits for the key ${JSON.stringify(at.wait.key)} of "${at.wait.pool}", which ${holder} holds`)
    const further = above.includes(holder) || seen.has(holder) ? undefined : next(holder)
    seen.add(holder)
    if (!further) return `a ring of keys: ${parts.join("; ")}${above.includes(holder) ? `, a run above ${child}` : ""}`
    at = further
  }
}
