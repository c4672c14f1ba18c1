// Hashes of a run: one for each event, one for each request, and no other without need [J7, J20].

import { expect, test } from "vitest"
import { callDigests, requestDigest } from "../../../../src/engine/run/call/turn-digests.ts"
import { Stand } from "../../../support/engine/stand.ts"

const step = (n: number): string => `  - { id: s${n}, type: agent, agent: w, task: part ${n}${n > 1 ? `, blockedBy: [s${n - 1}]` : ""} }\n`
const FLOW = `name: f\ndescription: d\nsteps:\n${Array.from({ length: 10 }, (_, i) => step(i + 1)).join("")}`
const WORKER = "---\nname: w\ndescription: d\n---\nWork.\n"
const DONE = { status: "complete", summary: "ok", files: [] }

test("[J7] ten steps make one hash for each event, one for each request, and one for their common prompt", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start()
  for (let n = 1; n <= 10; n++) {
    await (await s.next(`s${n}`)).answer({ finish: DONE })
    await s.settle()
  }
  expect(s.events().at(-1)?.type).toBe("run.ended")
  const replies = s.events().flatMap((e) => (e.type === "model.replied" ? [e] : []))
  expect(new Set(replies.map((e) => e.request)).size).toBe(10)
  expect(new Set(replies.map((e) => e.system)).size).toBe(1)
  expect(s.hashes).toBe(s.events().length + 10 + 1)
})

test("[J20] a request that another run of the plan made is not hashed again, unless it is long", () => {
  const plan = new Stand(FLOW, [WORKER]).plan
  const made: string[] = []
  const digest = (text: string): string => requestDigest(plan, text, (hashed) => `${made.push(hashed)} of ${hashed}`)
  expect([digest("a"), digest("b"), digest("a")]).toEqual(["1 of a", "2 of b", "1 of a"])
  const long = "x".repeat(8_001)
  for (let n = 0; n < 2; n++) digest(long)
  expect(made).toEqual(["a", "b", long, long])
  // The table has a bound, by its texts and by their characters.
  for (let n = 0; n < 254; n++) digest(`other ${n}`)
  expect(digest("a")).toBe("1 of a")
  digest("one more")
  expect(digest("a")).not.toBe("1 of a")
  const anew = digest("a")
  for (let n = 0; n < 70; n++) digest(`${n}`.padEnd(8_000))
  expect(digest("a")).not.toBe(anew)
  expect(requestDigest(new Stand(FLOW, [WORKER]).plan, "a", () => "of its own")).toBe("of its own")
})

test("[J20] the second run of a fan of 100 hashes no request", () => {
  const plan = new Stand(FLOW, [WORKER]).plan
  let hashes = 0
  const hash = (): string => `${(hashes += 1)}`
  const ask = (): string[] => Array.from({ length: 100 }, (_, n) => requestDigest(plan, `part ${n}`.padEnd(4_000), hash))
  expect(ask()).toEqual(ask())
  expect(hashes).toBe(100)
})

test("[S9] the digest of a call is made for whoever asks, and for no other call", () => {
  const made: string[] = []
  const digests = callDigests([{ id: "a" }, { id: "__proto__" }, { id: "b" }], ({ id }) => {
    made.push(id)
    return `digest of ${id}`
  })
  expect(Object.hasOwn(digests, "b")).toBe(true)
  expect(Object.hasOwn(digests, "c")).toBe(false)
  expect(made).toEqual([])
  expect(digests["b"]).toBe("digest of b")
  expect(made).toEqual(["b"])
})
