// [K42] over many different journals: every kind of change of a byte, sampled in each receipt, and at every byte of the smallest ones.

import { describe, expect, test } from "vitest"
import { amount } from "../../support/amount.ts"
import { randomReceipts } from "../../support/engine/random-receipts.ts"
import { Signer } from "../../support/engine/signer.ts"
import { diceOf } from "../../support/kernel/world.ts"

const COUNT = amount(200, 60)
/** Changes of each kind in every receipt. */
const SAMPLES = 4
const WHOLE = amount(2, 1)
/** A signature is verified on another thread: one after the other, this one would wait for most of the time. */
const AT_ONCE = 32

const signer = new Signer()
const RECEIPTS = await randomReceipts(COUNT, signer, 42)
const FEED = 10

type Change = (bytes: Buffer, at: number, roll: () => number) => { readonly bytes: Buffer; readonly near: readonly number[] }

const with_ = (bytes: Buffer, at: number, ...put: readonly number[]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + 1)])
function lineOf(bytes: Buffer, at: number): number {
  let line = 1
  for (let feed = bytes.indexOf(FEED); feed >= 0 && feed < at; feed = bytes.indexOf(FEED, feed + 1)) line += 1
  return line
}
/** A line feed belongs to both of its lines. */
const nearTo = (bytes: Buffer, at: number, ...put: readonly number[]): number[] => {
  const line = lineOf(bytes, at)
  return bytes[at] === FEED || put.includes(FEED) ? [line, line + 1] : [line]
}

const CHANGES: Readonly<Record<string, Change>> = {
  flipped: (bytes, at, roll) => {
    const put = (bytes[at] ?? 0) ^ (1 << Math.floor(roll() * 8))
    return { bytes: with_(bytes, at, put), near: nearTo(bytes, at, put) }
  },
  dropped: (bytes, at) => ({ bytes: with_(bytes, at), near: nearTo(bytes, at) }),
  doubled: (bytes, at) => ({ bytes: with_(bytes, at, bytes[at] ?? 0, bytes[at] ?? 0), near: nearTo(bytes, at) }),
  added: (bytes, at, roll) => {
    const put = Math.floor(roll() * 256)
    return { bytes: with_(bytes, at, put, bytes[at] ?? 0), near: nearTo(bytes, at, put) }
  },
  moved: (bytes, at, roll) => {
    const byte = bytes[at] ?? 0
    const without = with_(bytes, at)
    const to = Math.floor(roll() * (without.length + 1))
    const moved = Buffer.concat([without.subarray(0, to), Buffer.from([byte]), without.subarray(to)])
    return { bytes: moved, near: [...nearTo(bytes, at), ...nearTo(bytes, Math.min(to, bytes.length - 1), byte)] }
  },
}

async function unseen(text: string, at: number, how: string, roll: () => number): Promise<string | undefined> {
  const whole = Buffer.from(text)
  const { bytes, near } = CHANGES[how]?.(whole, at, roll) ?? { bytes: whole, near: [] }
  if (bytes.equals(whole)) return undefined
  const { valid, line } = await signer.verify(bytes)
  const lines = near.flatMap((n) => [n, n + (how === "moved" ? 1 : 0)])
  return !valid && line !== undefined && lines.includes(line)
    ? undefined
    : `byte ${at} ${how}: ${valid ? "valid" : `line ${line}, not ${near.join(" or ")}`}`
}

describe("receipts of random runs", () => {
  test("[K40] [K42] are all different, hold as they are, and have had everything", async () => {
    expect(new Set(RECEIPTS.map(({ text }) => text)).size).toBe(COUNT)
    for (const { text } of RECEIPTS)
      expect(await signer.verify(Buffer.from(text))).toMatchObject({
        valid: true,
        checks: { chain: true, definitions: true, signature: true },
      })
    const all = RECEIPTS.flatMap(({ events }) => events)
    const seen = new Set<string>(all.map((e) => e.type))
    const kinds = ["run.forked", "child.ended", "effect.settled", "context.compacted", "interaction.answered", "action.lost", "run.paused"]
    expect(kinds.filter((kind) => !seen.has(kind))).toEqual([])
    const modes = RECEIPTS.map(({ events: [first] }) => (first?.type === "run.started" ? (first.effects ?? "live") : ""))
    expect(new Set(modes)).toEqual(new Set(["live", "staged", "dry"]))
  })

  test.each(Object.keys(CHANGES))(
    "[K42] a byte that is %s is found in each, with its line",
    async (how) => {
      const roll = diceOf(`receipts ${how}`)
      const faults: string[] = []
      for (const [n, { text }] of RECEIPTS.entries()) {
        const found = await Promise.all(
          Array.from({ length: SAMPLES }, () => unseen(text, Math.floor(roll() * Buffer.byteLength(text)), how, roll)),
        )
        for (const fault of found) if (fault !== undefined) faults.push(`receipt ${n}: ${fault}`)
      }
      expect(faults).toEqual([])
    },
    120_000,
  )

  test("[K42] every byte of the smallest ones, flipped and dropped, is found with its line", async () => {
    const smallest = RECEIPTS.toSorted((a, b) => a.text.length - b.text.length).slice(0, WHOLE)
    const roll = diceOf("every byte")
    const faults: string[] = []
    for (const { text } of smallest)
      for (let at = 0; at < Buffer.byteLength(text); at += AT_ONCE) {
        const places = Array.from({ length: Math.min(AT_ONCE, Buffer.byteLength(text) - at) }, (_, k) => at + k)
        const found = await Promise.all(places.flatMap((place) => ["flipped", "dropped"].map((how) => unseen(text, place, how, roll))))
        faults.push(...found.filter((fault) => fault !== undefined))
      }
    expect(faults).toEqual([])
  }, 240_000)
})
