// How an object of many rooms is asked. A room is what one port asks for, a small class of its own; the object has one RPC method, `ask`,
// which takes the names of a room and of its method, and whoever asks sees the rooms as they are: `o.hooks.list()`.
//
// One call, one request: nothing is held and nothing is to be disposed of. (Workers RPC would also follow a getter to an RpcTarget in one
// call, and costs the same; but the platform's test runner does not, docs/decisions/0021.)

/** The rooms as their caller sees them: every answer is a promise. RPC's own types make of `unknown` and of recursive JSON what they are
 *  not, so that these are told instead. */
export type Asked<Rooms> = {
  readonly [Room in keyof Rooms]: {
    readonly [Method in keyof Rooms[Room]]: Rooms[Room][Method] extends (...args: infer Args) => infer R
      ? (...args: Args) => Promise<Awaited<R>>
      : never
  }
}

/** The object's one method. */
export type Ask = (room: string, method: string, args: readonly unknown[]) => Promise<unknown>

/** The rooms behind it. */
export function roomsOver<Rooms>(ask: Ask): Asked<Rooms> {
  const roomOf = (room: string) =>
    members(
      (method) =>
        (...args: readonly unknown[]) =>
          ask(room, method, args),
    )
  // What it is is known by name alone, and nobody but the compiler can check a name.
  return members(roomOf) as Asked<Rooms>
}

const members = (of: (name: string) => unknown): object =>
  new Proxy({}, { get: (_, name) => (typeof name === "string" ? of(name) : undefined) })

/** Inside the object. Throws when there is no such room or method: who asks was compiled against another version. */
export function answerOf(rooms: object, room: string, method: string, args: readonly unknown[]): unknown {
  const found: unknown = Object.hasOwn(rooms, room) ? Reflect.get(rooms, room) : undefined
  const isThere = typeof found === "object" && found !== null && method in found && !(method in Object.prototype)
  const call: unknown = isThere ? Reflect.get(found, method) : undefined
  if (typeof call !== "function") throw new TypeError(`this object has no ${room}.${method}`)
  return Reflect.apply(call, found, args)
}
