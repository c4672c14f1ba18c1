// Indexes the keys in `underway` and `begun` by step, so that ending one of 200 branches does not scan all of them [J8]. A cache, not part
// of the state: it may contain stale keys, but never lacks one.

import type { Run } from "./state.ts"

interface Keys {
  readonly underway: object
  readonly begun: object
  readonly bySteps: Map<string, Set<string>>
  /** A key that was under way when it was last looked up. */
  witness?: string
}

const NONE: ReadonlySet<string> = new Set()
const known = new WeakMap<Run, Keys>()

function keysIn(run: Run): Keys {
  const before = known.get(run)
  if (before?.underway === run.underway && before.begun === run.begun) return before
  const made: Keys = { underway: run.underway, begun: run.begun, bySteps: new Map() }
  for (const [key, { step }] of Object.entries(run.underway)) add(made, step, key)
  for (const key of Object.keys(run.begun)) add(made, nameIn(key), key)
  known.set(run, made)
  return made
}

function add({ bySteps }: Keys, step: string, key: string): void {
  const keys = bySteps.get(step)
  if (keys) keys.add(key)
  else bySteps.set(step, new Set([key]))
}

/** An effect's key begins with its step. */
const nameIn = (key: string): string => key.slice(0, Math.max(0, key.indexOf("/")))

/** Adds the key of an effect that has begun. Part of `apply`. */
export function keyBegan(run: Run, step: string, key: string): void {
  const keys = keysIn(run)
  add(keys, step, key)
  if (nameIn(key) !== step) add(keys, nameIn(key), key)
}

/** The keys of a step: all that are under way or begun, and perhaps stale ones. */
export const keysOf = (run: Run, step: string): ReadonlySet<string> => keysIn(run).bySteps.get(step) ?? NONE

/** Removes a step's keys once nothing of the step is under way or begun. */
export const keysGone = (run: Run, step: string): void => void keysIn(run).bySteps.delete(step)

export function isAnyUnderway(run: Run): boolean {
  const keys = keysIn(run)
  if (keys.witness !== undefined && Object.hasOwn(run.underway, keys.witness)) return true
  // The middle one: in whatever order a fan is answered, about half of it is answered before a new one is looked up.
  const all = Object.keys(run.underway)
  const witness = all[Math.floor(all.length / 2)]
  if (witness === undefined) delete keys.witness
  else keys.witness = witness
  return witness !== undefined
}
