// What a run is given that starts have joined [R9–R11].

import { expect, test } from "vitest"
import { batched, debounced, type Numbered } from "../../../src/engine/run/begin/gathered-start.ts"
import type { Json } from "../../../src/core/json.ts"
import type { StartCallback } from "../../../src/core/run/notice.ts"
import type { StartRequest } from "../../../src/ports/run.ts"
import type { StartFile, Starter } from "../../../src/core/run/event-parts.ts"
import { diceOf } from "../../support/kernel/world.ts"

interface Start {
  readonly task: string
  readonly inputs: Record<string, Json>
  readonly files?: StartFile[]
  readonly tainted?: true
  readonly trigger: StartRequest["trigger"]
  readonly asker?: string
  readonly starters?: Starter[]
  readonly callback?: StartCallback
  readonly callbacks?: (StartCallback & { address?: string })[]
  readonly address?: string
}
const API = { kind: "api", key: "ana" } as const
const start = (number: number, items: Json = number, more: Partial<Start> = {}): Numbered<Start> => ({
  number,
  start: { task: `task ${number}`, inputs: { items, other: number }, trigger: API, ...more },
})
const shuffled = <T>(list: readonly T[], roll: () => number): T[] =>
  list
    .map((one) => [roll(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)

test("[R9] [R11] of a debounce the highest number counts, in whatever order the starts come and however often each comes", () => {
  for (let seed = 0; seed < 200; seed++) {
    const roll = diceOf(`debounced ${seed}`)
    const starts = shuffled(
      [1, 2, 3, 4, 5, 3, 5, 1].map((n) => start(n)),
      roll,
    )
    let kept: Numbered<Start> | undefined
    for (const one of starts) kept = debounced(kept, one)
    expect(kept).toEqual(start(5))
  }
})

test("[R10] [R11] of a batch the run gets each item once, in the order of the numbers, and all else of the last start", () => {
  for (let seed = 0; seed < 200; seed++) {
    const roll = diceOf(`batched ${seed}`)
    const starts = [start(1, "a"), start(2, ["b", "c"]), start(3, { d: 1 }), start(4, [])]
    expect(batched(shuffled(starts, roll), "items")).toEqual({
      task: "task 4",
      inputs: { items: ["a", "b", "c", { d: 1 }], other: 4 },
      trigger: API,
    })
  }
})

test("[R10] the run has the files of all starts", () => {
  const file = (path: string): StartFile => ({ path, hash: path, size: 1 })
  const all = batched([start(2, 2, { files: [file("b"), file("a")] }), start(1, 1, { files: [file("a")] })], "items")
  expect(all?.files?.map(({ path }) => path)).toEqual(["a", "b"])
})

test("[R9] [G11] taint joins too, whichever start brought it", () => {
  const marked = start(1, 1, { tainted: true })
  expect(debounced(marked, start(2)).start).toMatchObject({ task: "task 2", tainted: true })
  expect(debounced(start(2), marked).start).toMatchObject({ task: "task 2", tainted: true })
  expect(batched([start(2), marked], "items")).toMatchObject({ task: "task 2", tainted: true })
  expect(debounced(start(1), start(2)).start.tainted).toBeUndefined()
})

test("[R9] whoever joined counts as having started the run, each once, the newest thousand", () => {
  const by = (key: string): StartRequest["trigger"] => ({ kind: "api", key })
  const hook: StartRequest["trigger"] = { kind: "webhook", hook: "hk_1", delivery: "d_1" }
  const first = debounced(start(1, 1, { trigger: by("bo"), asker: "key_2" }), start(2, 2, { trigger: hook }))
  expect(first.start.starters).toEqual([{ kind: "api", key: "bo", asker: "key_2" }])
  const third = debounced(first, start(3, 3, { trigger: by("bo"), asker: "key_2" }))
  expect(third.start.starters).toEqual([{ kind: "webhook", hook: "hk_1" }])
  // One that is sent again, and one that comes late.
  expect(debounced(third, start(1, 1, { trigger: by("cy") })).start).toMatchObject({
    task: "task 3",
    starters: [
      { kind: "api", key: "cy" },
      { kind: "webhook", hook: "hk_1" },
    ],
  })
  const many = Array.from({ length: 1_200 }, (_, i) => start(i + 1, i, { trigger: by(`k${i}`) }))
  const all = batched(many, "items")?.starters ?? []
  expect([all.length, all.at(-1), all[0]]).toEqual([1_000, { kind: "api", key: "k1198" }, { kind: "api", key: "k199" }])
  expect(batched([start(1), start(2)], "items")?.starters).toBeUndefined()
})

test("[R10] every start's own callback hears of a batch, equal ones once", () => {
  const to = (url: string): StartCallback => ({ url: `https://${url}.example.com/`, events: ["run.failed"], secret: "s" })
  const all = batched(
    [
      start(1, 1, { callback: to("a"), address: "https://sluice.example.com" }),
      start(2, 2, { callback: to("b") }),
      start(3, 3, { callback: to("a"), address: "https://sluice.example.com" }),
      start(4),
      start(5, 5, { callback: to("b") }),
    ],
    "items",
  )
  expect([all?.callback, all?.callbacks]).toEqual([to("b"), [{ ...to("a"), address: "https://sluice.example.com" }]])
  // Of a debounce the last start's alone.
  const last = debounced(start(1, 1, { callback: to("a") }), start(2)).start
  expect([last.callback, last.callbacks]).toEqual([undefined, undefined])
})
