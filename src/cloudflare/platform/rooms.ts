// Calls objects that have rooms. A room is one facet of the object, with the interface of one port (ports/objects.ts). The object has one
// RPC method, `ask`, which takes the names of a room and of its method; callers see plain ports: `rooms.hooks.list()`.
//
// One call is one request: no stub stays open and nothing has to be disposed of. (Workers RPC would also follow a getter to an RpcTarget in one
// call, at the same cost; but the platform's test runner does not, docs/decisions/0021.)

import type { Rooms } from "../../ports/objects.ts"

/** The caller's side: a call of any method of any room becomes a call of `ask`. */
export const roomsOver = <All>(ask: Rooms["ask"]): All => members((room) => roomOver(ask, room))

/** One room. */
export const roomOver = <Room>(ask: Rooms["ask"], room: string): Room =>
  members(
    (method) =>
      (...args: readonly unknown[]) =>
        ask(room, method, args),
  )

/** Every name is a member except `then`, so a promise can resolve to the result. Only the compiler checks the names. */
export const members = <T>(of: (name: string) => unknown): T =>
  new Proxy({}, { get: (_, name) => (typeof name === "string" && name !== "then" ? of(name) : undefined) }) as T

/** The object's side. Throws if there is no such room or method: the caller was compiled against another version. */
export function answerOf(rooms: object, room: string, method: string, args: readonly unknown[]): unknown {
  const found: unknown = Object.hasOwn(rooms, room) ? Reflect.get(rooms, room) : undefined
  const isThere = typeof found === "object" && found !== null && method in found && !(method in Object.prototype)
  const call: unknown = isThere ? Reflect.get(found, method) : undefined
  if (typeof call !== "function") throw new TypeError(`this object has no ${room}.${method}`)
  return Reflect.apply(call, found, args)
}
