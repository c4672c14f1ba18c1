// What both sides of the border do alike. A side gives access to objects of the class in probe.ts.

import { isDeepStrictEqual } from "node:util"

export interface Side {
  call(object: string, method: string, ...args: readonly unknown[]): Promise<unknown>
  /** Of its own clock. */
  wait(ms: number): Promise<void>
}

export interface Case {
  readonly name: string
  readonly look: (side: Side) => Promise<unknown>
  readonly sees: unknown
}

export const AS_SAID = "as it says"

/** What the side does in this case: AS_SAID, or what it did instead. */
export async function toldOf({ look, sees }: Case, side: Side): Promise<string> {
  const seen = await look(side).catch((e: unknown) => String(e))
  return isDeepStrictEqual(seen, sees) ? AS_SAID : `it saw ${JSON.stringify(seen)}`
}

const outcome = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => ["answered", value],
    (e: unknown) => (e instanceof Error ? [e.name, e.message] : e),
  )

const died = async (call: Promise<unknown>): Promise<unknown> => ((await outcome(call)) as unknown[])[0] !== "answered"

export const CASES: readonly Case[] = [
  {
    name: "values of SQL come back as they went, and bytes as an ArrayBuffer",
    look: (side) => side.call("values", "values"),
    sees: [1, 1.5, "ä", null, true, [1, 2]],
  },
  {
    name: "a cursor is read once, and `one` takes exactly one row",
    look: (side) => side.call("cursors", "cursors"),
    sees: [[1, 2, 3], [1, 2, 3], [2, 3], true, true, false],
  },
  {
    name: "several statements, upserts, and what is unique",
    look: (side) => side.call("statements", "statements"),
    sees: [5, 6, "unique"],
  },
  {
    name: "a transaction that throws leaves nothing, nested or not, tables included",
    look: (side) => side.call("transactions", "transactions"),
    sees: [[2], 0],
  },
  {
    name: "keys hold structured values and are listed in order",
    look: (side) => side.call("keys", "keys"),
    sees: [{ x: [1, undefined, new Date(5)] }, true, ["a/1", "a/2"], ["a/1"], true, false],
  },
  { name: "deleteAll takes tables, keys and the alarm", look: (side) => side.call("empty", "empty"), sees: [0, true, null] },
  { name: "an alarm is set, seen and deleted", look: (side) => side.call("alarms", "alarms"), sees: [null, true, null] },
  {
    name: "an alarm is not set while it rings, one that is set then stays, and one that fails rings again",
    async look(side) {
      await side.call("rings", "ring", 3)
      for (let looks = 0; looks < 600; looks++) {
        const seen = (await side.call("rings", "rings")) as readonly unknown[]
        if (seen[1] === 0) return seen
        await side.wait(100)
      }
      return "it never rang three times"
    },
    sees: [[null, null, null], 0, null],
  },
  {
    name: "an alarm that becomes due while another one's handler runs waits for its end",
    async look(side) {
      await side.call("overlaps", "ringTwice")
      for (let looks = 0; looks < 100; looks++) {
        const seen = (await side.call("overlaps", "order")) as readonly unknown[]
        if (seen.length >= 4) return seen
        await side.wait(100)
      }
      return "it never rang twice"
    },
    sees: ["begins", "ends", "begins", "ends"],
  },
  {
    name: "an aborted object begins anew, and what was durable is there",
    async look(side) {
      const before = [await side.call("abort", "life"), await side.call("abort", "life")]
      await side.call("abort", "write", 1)
      const dead = await died(side.call("abort", "die"))
      return [before, dead, await side.call("abort", "life"), await side.call("abort", "written")]
    },
    sees: [[1, 2], true, 1, [1]],
  },
  {
    name: "what the turn of an abort wrote is gone with it",
    async look(side) {
      await side.call("torn", "write", 1)
      const dead = await died(side.call("torn", "writeAndDie", 2))
      return [dead, await side.call("torn", "written")]
    },
    sees: [true, [1]],
  },
  {
    name: "whoever waits for an object that dies learns that",
    async look(side) {
      const waiting = died(side.call("waits", "hang"))
      await side.wait(50)
      await outcome(side.call("waits", "die"))
      return waiting
    },
    sees: true,
  },
  {
    name: "an error crosses with its name and message",
    look: (side) => outcome(side.call("errors", "fail")),
    sees: ["TypeError", "no such thing"],
  },
  {
    name: "values cross as copies",
    look: (side) =>
      side.call("echo", "echo", { a: [1, null, undefined], at: new Date(7), bytes: new Uint8Array([1, 2]), map: new Map([["k", 1]]) }),
    sees: { a: [1, null, undefined], at: new Date(7), bytes: new Uint8Array([1, 2]), map: new Map([["k", 1]]) },
  },
  {
    name: "a turn is not interrupted, and a timer lets others have theirs",
    async look(side) {
      const turns = side.call("turns", "turns")
      await side.wait(20)
      await side.call("turns", "note", "between")
      return turns
    },
    sees: ["begin", "same turn", "between", "later"],
  },
]
