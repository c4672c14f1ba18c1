// Turns the calls that a model sent into calls for the kernel [G6]: ids made safe and unique, arguments parsed, oversized text cut.
//
// Promise: whatever the number and size of the calls, they fit into a journal row and the session continues; the guard tells the model
// what was cut. The cost is linear in the text that is kept.

import { defined } from "../../defined.ts"
import { isEndless, isObject, isTooDeep, MOST_LEVELS, type JsonObject } from "../../json.ts"
import { exactJson } from "../../outside/exact-json.ts"
import type { ToolCall } from "../event-parts.ts"

/** At most this many calls of one reply may run; the guard refuses the others. */
export const MAX_CALLS = 128 // limit: tool calls of one reply that are taken → the others are refused
/** At most this many calls of one reply are kept, each with a result: a provider expects a result for every call that it sees again. */
export const MAX_KEPT_CALLS = 4_096 // limit: tool calls kept of one reply → the others are dropped, and the stream is left
/** Characters of one reply: its text, and its calls with their ids, names and arguments. More, together with the finish, does not fit
 *  into a journal row (2 MB). */
// Limit: characters of a reply's text, and of its text and calls → the model is told, and the session goes on; a call whose arguments
// have no room is refused.
export const MAX_REPLY_CHARS = 400_000
const MAX_ARGS = 256 * 1024 // limit: characters of a call's arguments in a reply → the call is refused, and only their start is kept
const MAX_RAW = 200 // limit: characters kept of arguments that are none → the rest is dropped
/** Characters of an id: no provider takes a longer one. */
const MAX_ID = 64 // limit: characters of a call's id in a request → a longer one is cut, and stays unique

export interface SentCall {
  readonly id: string
  readonly name: string
  /** JSON text, valid or not. */
  readonly args: string
}

/** [G6] The beginning of the message to the model. Arguments in older journals have no limit. */
export const tooLarge = ({ size, most }: NonNullable<ToolCall["cut"]>): string =>
  most === undefined ? "" : `invalid_args: too large, ${size} of at most ${most} characters: `

interface Space {
  /** Characters that the reply's text takes. */
  readonly taken?: number
  /** SHA-256, for arguments that are not kept. */
  readonly hash?: (text: string) => string
}

/** Reads calls in the model's order. The first call without room for its id and name ends the list. */
export function readCalls(sent: readonly SentCall[], { taken = 0, hash }: Space = {}): ToolCall[] {
  const ids = new UniqueIds()
  const calls: ToolCall[] = []
  let room = MAX_REPLY_CHARS - taken
  for (const [i, c] of sent.slice(0, MAX_KEPT_CALLS).entries()) {
    const id = ids.of(c.id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_ID) || `call_${i}`)
    const name = c.name.slice(0, 256)
    room -= id.length + name.length
    if (room < 0 && i >= MAX_CALLS) break
    const args = readArgs(c.args, room, hash)
    if (args.cut === undefined) room -= c.args.length
    calls.push({ id, name, ...args })
  }
  return calls
}

/** Makes repeated ids unique by numbers, from 2 on. */
export class UniqueIds {
  readonly #seen = new Set<string>()
  /** The next number to try for an id: a thousand calls with one id are not a thousand searches. */
  readonly #next = new Map<string, number>()

  of(base: string): string {
    let id = base
    let n = this.#next.get(base) ?? 2
    for (; this.#seen.has(id); n++) id = `${base.slice(0, MAX_ID - 1 - String(n).length)}_${n}`
    this.#next.set(base, n)
    this.#seen.add(id)
    return id
  }
}

type Args = Pick<ToolCall, "args" | "raw" | "cut">

function readArgs(text: string, room: number, hash: Space["hash"]): Args {
  if (text.trim() === "") return { args: {} }
  const cut = (why: string, most?: number): Args => ({
    args: {},
    raw: text.slice(0, MAX_RAW),
    cut: { why, size: text.length, ...defined({ most, digest: hash && hash(text) }) },
  })
  if (text.length > MAX_ARGS)
    return cut(`are ${text.length} characters long, and the limit is ${MAX_ARGS}: send less in one call`, MAX_ARGS)
  if (text.length > room)
    return cut(
      `are ${text.length} characters long, and the reply had no room for them: text and calls of one reply have at most ${MAX_REPLY_CHARS}. Send this call again in a reply of its own`,
      Math.max(0, room),
    )
  let value: unknown
  try {
    value = exactJson(text)
  } catch {
    return { args: {}, raw: text.slice(0, MAX_RAW) }
  }
  if (!isObject(value)) return { args: {}, raw: text.slice(0, MAX_RAW) }
  if (isTooDeep(value)) return cut(`are nested deeper than ${MOST_LEVELS} levels: send flatter ones`)
  if (isEndless(value)) return cut(`contain a number that is too large: the maximum is ${Number.MAX_VALUE}`)
  return { args: value as JsonObject }
}
