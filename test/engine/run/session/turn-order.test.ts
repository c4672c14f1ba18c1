// Results of parallel calls are journaled in the model's order [J22], A9. A crash loses a result held back until then, and its call is repeated.

import { expect, test } from "vitest"
import { SPECS } from "../../../../src/tools/toolbox.ts"
import { Stand, until } from "../../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [memory.read]\n---\nWork.\n"

/** Memory that answers when the test says so, by namespace. */
function waitingMemory(): { stand: Stand; waiting: Map<string, () => void>; asked: string[] } {
  const stand = new Stand(FLOW, [WORKER])
  const waiting = new Map<string, () => void>()
  const asked: string[] = []
  const read = (namespace: string): Promise<never[]> =>
    new Promise((resolve) => {
      asked.push(namespace)
      waiting.set(namespace, () => resolve([]))
    })
  stand.powers = {
    memory: { read, search: async () => [], append: async () => {}, replace: async () => {}, write: async () => ({ id: "m" }) },
  }
  return { stand, waiting, asked }
}

/** Long enough to show that something does not happen. Expected events are awaited instead. */
const turns = async (): Promise<void> => {
  for (let i = 0; i < 30; i++) await new Promise((r) => setImmediate(r))
}
const askedFor = (asked: readonly string[], count: number): Promise<void> =>
  until(
    () => asked.length === count,
    () => `asked for ${asked.join()}`,
  )
const returned = (stand: Stand) => stand.events().flatMap((e) => (e.type === "tool.returned" ? [e.callId] : []))
const calls = ["x", "y", "z"].map((namespace) => ({ name: "memory.read", args: { namespace } }))

test("[J22] results of parallel reads are journaled in the model's order, whichever comes first", async () => {
  expect(SPECS.get("memory.read")?.effect).toBe("read")
  const { stand, waiting, asked } = waitingMemory()
  stand.start()
  await (await stand.next("a")).answer({ calls })
  await askedFor(asked, 3)
  for (const namespace of ["z", "y"]) {
    waiting.get(namespace)?.()
    await turns()
    expect(returned(stand)).toEqual([])
  }
  waiting.get("x")?.()
  await stand.settle()
  expect(returned(stand)).toEqual(["c0", "c1", "c2"])
})

test("[J11] a call whose result was held back in a crash is made again", async () => {
  const { stand, waiting, asked } = waitingMemory()
  stand.start()
  await (await stand.next("a")).answer({ calls })
  await askedFor(asked, 3)
  waiting.get("z")?.()
  await turns()
  stand.crash()
  await askedFor(asked, 6)
  expect(asked).toEqual(["x", "y", "z", "x", "y", "z"])
  for (const namespace of ["x", "y", "z"]) waiting.get(namespace)?.()
  await stand.settle()
  expect(returned(stand)).toEqual(["c0", "c1", "c2"])
})

test("[F34] a cancel while a result is held back ends everything", async () => {
  const { stand, waiting, asked } = waitingMemory()
  stand.start()
  await (await stand.next("a")).answer({ calls })
  await askedFor(asked, 3)
  waiting.get("y")?.()
  await turns()
  stand.conductor.tell({ type: "cancel", by: "ann" })
  expect(stand.conductor.run.status).toBe("canceled")
  waiting.get("x")?.()
  waiting.get("z")?.()
  await turns()
  expect([returned(stand), stand.conductor.busy, stand.faults]).toEqual([[], false, []])
})
