// Names the things that hold starts [R5]: a throttle's key, a key of concurrency, room. Starts under one name wait for exactly the same.

import type { KeyLimit, Throttle } from "./start-block.ts"

/** What the line itself holds: starts that were not looked at since they came into line. */
export const NEW = ""
export const ROOM = "room"
export const MINUTE = "minute"
/** [R13] Nothing wakes those but `resume`. */
export const PAUSED = "paused"

/** A pool and a key, compared as text. */
export const keyName = ({ pool, key }: Pick<KeyLimit, "pool" | "key">): string => JSON.stringify([pool, key])

/** Starts of one key with another limit wait for something else: the stricter one longer. */
export const concurrencyThing = (of: KeyLimit): string => `c${keyName(of)}${of.limit}`
export const throttleThing = (of: Throttle): string => `t${keyName(of)}${of.limit}/${of.period}`

/** All things of a key begin with this. */
export const thingsOf = (kind: "c" | "t", key: string): string => `${kind}${key}`

/** [R19] What held a start, as journal and views name it. */
export const heldBy = (thing: string): "throttle" | "concurrency" | "room" =>
  thing.startsWith("t") ? "throttle" : thing.startsWith("c") ? "concurrency" : "room"
