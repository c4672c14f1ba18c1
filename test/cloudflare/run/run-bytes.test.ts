// What a run's object knows of the bodies that it has stored: they are put once, and what it knows ends with the run.

import { expect, test } from "vitest"
import { RunBytes } from "../../../src/cloudflare/run/run-bytes.ts"
import { MemoryBlobs } from "../../../src/engine/run/memory-store.ts"
import { sha256 } from "../../../src/engine/sha256.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const counter = (): RunBytes => new RunBytes({} as DurableObjectStorage, () => 0)

test("[F71] a body is known once it is stored, and not before", async () => {
  const own = counter()
  const hash = await sha256("text")
  const stored = own.metered(new MemoryBlobs()).put(bytes("text"))
  expect(own.has(hash)).toBe(false)
  await stored
  expect(own.has(hash)).toBe(true)
  own.forget()
  expect(own.has(hash)).toBe(false)
})

test("[N3] a body whose put fails may have arrived, so it is the run's", async () => {
  const owned: string[] = []
  const own = new RunBytes(
    {} as DurableObjectStorage,
    () => 0,
    (hash) => owned.push(hash),
  )
  const hash = await sha256("lost")
  const blobs = own.metered({
    get: async () => undefined,
    put: async (_, named) => {
      named?.(hash)
      throw new Error("Network connection lost.")
    },
  })
  await expect(blobs.put(bytes("lost"))).rejects.toThrow("lost")
  expect(owned).toEqual([hash])
})

test("[N3] a body that arrives after the run was erased says nothing of the next run in this object", async () => {
  const own = counter()
  const arrivals: (() => void)[] = []
  const slow = new MemoryBlobs()
  const strays: string[] = []
  const late = {
    get: (hash: string) => slow.get(hash),
    put: async (body: Uint8Array) => {
      await new Promise<void>((resolve) => arrivals.push(resolve))
      return slow.put(body)
    },
  }
  const stored = own.metered(late, (hash) => strays.push(hash)).put(bytes("late"))
  own.forget()
  for (const arrive of arrivals) arrive()
  const hash = await stored
  expect(own.has(hash)).toBe(false)
  // [F71] Nobody else knows that it is there.
  expect(strays).toEqual([hash])
})
