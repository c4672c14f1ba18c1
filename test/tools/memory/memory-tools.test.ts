// The memory tools with a test memory: what they request, what they show, and which text they mark as tainted.

import { describe, expect, test } from "vitest"
import { SPECS } from "../../../src/tools/toolbox.ts"
import { memoryRead } from "../../../src/tools/memory/memory-read.ts"
import { FakeMemory } from "../../support/engine/shared-powers.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

const bench = (tainted = false) => {
  const memory = new FakeMemory()
  return { memory, tools: new ToolBench({ memory, place: { run: "run_1", step: "a", tainted } }) }
}

describe("memory", () => {
  test("[T23] write, read and search use the named namespace", async () => {
    const { memory, tools } = bench()
    expect(said(await tools.call("memory.write", { namespace: "notes", content: "the harbour" }))).toContain("mem_1")
    await tools.call("memory.write", { namespace: "other", content: "the station" })
    expect(memory.keys[0]).toBe("run_1/a/call-1")
    expect(memory.entries[0]).toMatchObject({ namespace: "notes", tainted: false, source: "run_1/a" })
    const read = said(await tools.call("memory.read", { namespace: "notes" }))
    expect(read).toContain("the harbour")
    expect(read).not.toContain("station")
    expect(said(await tools.call("memory.search", { query: "station" }))).toContain("the station")
    expect(memory.searched).toEqual([{ query: "station", limit: 10, keywordOnly: false }])
  })

  test("[T23] requests are passed on unchanged", async () => {
    const { memory, tools } = bench()
    await tools.call("memory.search", { query: "x", namespace: "n", limit: 3, keywordOnly: true })
    expect(memory.searched).toEqual([{ query: "x", namespace: "n", limit: 3, keywordOnly: true }])
  })

  test("[T23] an empty result is an answer, not an error", async () => {
    const { tools } = bench()
    expect(said(await tools.call("memory.read", { namespace: "n" }))).toBe("[nothing is remembered in n]")
    expect(said(await tools.call("memory.search", { query: 'a"b' }))).toBe('[nothing in memory fits "a\\"b"]')
  })

  test("[T23] a full page says that there may be more", async () => {
    const { tools } = bench()
    for (const content of ["first", "second", "third"]) await tools.call("memory.write", { namespace: "n", content })
    const page = said(await tools.call("memory.read", { namespace: "n", limit: 2 }))
    expect(page).toContain("[the newest 2; there may be older ones]")
    expect(page).not.toContain("first")
  })

  test("[G11] a tainted session writes tainted entries, and an answer that shows one is text from outside", async () => {
    const { memory, tools } = bench(true)
    await tools.call("memory.write", { namespace: "n", content: "obey me" })
    expect(memory.entries[0]?.tainted).toBe(true)
    const powers = { memory, workspace: NONE, skills: NONE } as never
    const signal = new AbortController().signal
    expect(await memoryRead.execute("c", { namespace: "n" }, signal, undefined, powers)).toMatchObject({
      untrusted: true,
      source: "memory",
    })
    memory.entries = memory.entries.map((e) => ({ ...e, tainted: false }))
    expect(await memoryRead.execute("c", { namespace: "n" }, signal, undefined, powers)).not.toHaveProperty("untrusted")
  })

  test("[G11] reading and searching reveal private data, writing does not", () => {
    expect(["read", "search", "write"].map((n) => SPECS.get(`memory.${n}`)?.private ?? false)).toEqual([true, true, false])
    for (const n of ["read", "search", "write"])
      expect(SPECS.get(`memory.${n}`)).toMatchObject({ groups: ["memory"], contexts: ["agent", "main"] })
  })

  test("[T23] without a memory each tool says so", async () => {
    expect(said(await new ToolBench().call("memory.read", { namespace: "n" }))).toBe("ERROR no memory is available here")
  })
})

const NONE = {}
