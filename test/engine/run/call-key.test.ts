// The key of a call outside the run [J11, S3]: run, step, pass, turn and call. A model's ids are unique only within one reply.

import { expect, test } from "vitest"
import { Stand } from "../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [memory.write, r2.ingest]\n---\nWork.\n"

test("[J11] two calls with the same model id in two turns make two memory entries", async () => {
  const s = new Stand(FLOW, [WORKER])
  const keys: (string | undefined)[] = []
  s.powers = {
    memory: {
      write: async ({ key }) => ({ id: `m${keys.push(key)}` }),
      append: async (_namespace, _contents, { key }) => void keys.push(key),
      replace: async () => undefined,
      read: async () => [],
      search: async () => [],
    },
    objects: {
      put: async () => undefined,
      get: async () => ({ body: new TextEncoder().encode("text"), tainted: false }),
      list: async () => [],
      keep: async () => ({ key: "k" }),
      remove: async () => false,
      link: async () => ({ url: "", expires: 0 }),
    },
  }
  s.start()
  for (const content of ["one", "two"]) {
    await (await s.next("a")).answer({ calls: [{ name: "memory.write", args: { namespace: "n", content } }] })
    await s.settle()
  }
  for (let i = 0; i < 2; i++) {
    await (await s.next("a")).answer({ calls: [{ name: "r2.ingest", args: { object_key: "k.md" } }] })
    await s.settle()
  }
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(4)
})

test("[J11] a lost call that is made again uses the same key", async () => {
  const s = new Stand(FLOW, [WORKER])
  const keys: (string | undefined)[] = []
  let hang = true
  s.powers = {
    memory: {
      write: async ({ key }) => {
        keys.push(key)
        if (hang) await new Promise(() => {})
        return { id: "m1" }
      },
      append: async () => undefined,
      replace: async () => undefined,
      read: async () => [],
      search: async () => [],
    },
  }
  s.start()
  await (await s.next("a")).answer({ calls: [{ name: "memory.write", args: { namespace: "n", content: "one" } }] })
  await expect.poll(() => keys.length).toBe(1)
  hang = false
  s.crash()
  await s.settle()
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
})
