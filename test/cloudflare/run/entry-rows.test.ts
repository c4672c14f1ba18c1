// The events of a row as they are read back: all of them, or only up to one.

import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { eventsIn, RowEvents, rowsOf } from "../../../src/cloudflare/run/journal/entry-rows.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A row as a commit writes it, and the texts that went into it. */
function rowOf(count: number, from = 1): { readonly short: string; readonly texts: readonly string[] } {
  const events: RunEvent[] = []
  const texts: string[] = []
  for (let i = 0; i < count; i++) {
    const prev = sha256(texts.at(-1) ?? "before")
    const e: RunEvent = { seq: from + i, at: i, v: 1, prev, type: "warning", code: "x", message: `é ${i}` }
    events.push(e)
    texts.push(JSON.stringify(e))
  }
  const [row] = rowsOf({ events, texts, isChained: true })
  return { short: row?.short ?? "", texts }
}

test("[J7] an event is made with as many hashes as the row has events before it, and each hash once", () => {
  const { short, texts } = rowOf(256, 1_000)
  let hashes = 0
  const row = new RowEvents(short, (text) => {
    hashes += 1
    return sha256(text)
  })
  expect([row.first, row.last]).toEqual([1_000, 1_255])
  expect([JSON.stringify(row.at(1_000)), hashes]).toEqual([texts[0], 0])
  expect([JSON.stringify(row.at(1_010)), hashes]).toEqual([texts[10], 10])
  expect([JSON.stringify(row.at(1_004)), hashes]).toEqual([texts[4], 10])
  expect([row.at(999), row.at(1_256), hashes]).toEqual([undefined, undefined, 10])
  expect([row.all().map((e) => JSON.stringify(e)), hashes]).toEqual([texts, 255])
})

test("[J7] a whole row reads back to the byte", () => {
  const { short, texts } = rowOf(40)
  expect(eventsIn(short, sha256).map((e) => JSON.stringify(e))).toEqual(texts)
})
