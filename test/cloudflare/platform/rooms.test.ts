// How an object with several rooms is called: a caller's method call runs on the room, and only rooms can be reached.

import { describe, expect, test } from "vitest"
import { answerOf, roomsOver } from "../../../src/cloudflare/platform/rooms.ts"
import type { Rooms } from "../../../src/ports/objects.ts"

class Shelf {
  readonly #books = ["a", "b"]

  list(from = 0): string[] {
    return this.#books.slice(from)
  }

  async fail(): Promise<never> {
    throw new RangeError("no such shelf")
  }
}

const rooms = { shelf: new Shelf(), desk: { sit: (who: string, ...rest: unknown[]) => [who, rest.length] } }
/** The rooms as a caller sees them. */
interface Seen {
  readonly shelf: { list(from?: number): Promise<string[]>; fail(): Promise<never> }
  readonly desk: { sit(who: string, ...rest: readonly unknown[]): Promise<unknown> }
}
const asked: string[] = []
const ask: Rooms["ask"] = async (room, method, args) => {
  asked.push(`${room}.${method}`)
  return answerOf(rooms, room, method, args)
}

describe("rooms", () => {
  test("[F71] a call becomes one call of that room's method, on the room itself", async () => {
    const seen = roomsOver<Seen>(ask)
    expect(await seen.shelf.list()).toEqual(["a", "b"])
    expect(await seen.shelf.list(1)).toEqual(["b"])
    expect(await seen.desk.sit("ann", undefined, 1)).toEqual(["ann", 2])
    expect(asked.splice(0)).toEqual(["shelf.list", "shelf.list", "desk.sit"])
  })

  test("[F71] a promise may resolve to a room without calling anything", async () => {
    const seen = roomsOver<Seen>(ask)
    expect(await Promise.resolve(seen.desk).then((desk) => desk.sit("ann"))).toEqual(["ann", 0])
    expect(asked.splice(0)).toEqual(["desk.sit"])
  })

  test("[F71] an error thrown in a room reaches the caller unchanged", async () => {
    await expect(roomsOver<Seen>(ask).shelf.fail()).rejects.toThrow(new RangeError("no such shelf"))
  })

  test.each([
    ["shelf", "constructor"],
    ["shelf", "toString"],
    ["shelf", "burn"],
    ["toString", "call"],
    ["constructor", "assign"],
    ["__proto__", "toString"],
    ["attic", "list"],
  ])("[F71] [S10] nothing but a room's own methods can be reached: %s.%s", (room, method) => {
    expect(() => answerOf(rooms, room, method, [])).toThrow(`this object has no ${room}.${method}`)
  })
})
