// A tenant's memory inside workerd: workerd's FTS5, vectors from a test model, and both rankings merged.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { embed, fuse, nearest, type Embedder } from "../../../src/cloudflare/memory/memory-meaning.ts"
import { MemoryObject, type MemoryEnv } from "../../../src/cloudflare/memory/memory-object.ts"
import { memoryOver, memoryPort } from "../../../src/cloudflare/clients/memory.ts"
import { matchExpression } from "../../../src/core/text/match-expression.ts"
import type { Memory } from "../../../src/ports/tool.ts"

const stubOf = (tenant: string) => env.MEMORY.get(env.MEMORY.idFromName(tenant))
const tablesOf = (tenant: string) =>
  runInDurableObject(stubOf(tenant), (_, ctx) =>
    ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
  )

async function holding(tenant: string, entries: Readonly<Record<string, readonly string[]>>): Promise<Memory> {
  const memory = memoryPort(env, tenant)
  for (const [namespace, contents] of Object.entries(entries))
    for (const content of contents) await memory.write({ namespace, content, tainted: false })
  return memory
}
const found = async (memory: Memory, query: string, namespace?: string): Promise<string[]> =>
  (await memory.search({ query, ...(namespace === undefined ? {} : { namespace }), limit: 10, keywordOnly: true })).map((e) => e.content)

describe("words", () => {
  test("[T23] the entry with more of the words comes first, and a namespace shows no entries of another", async () => {
    const memory = await holding("m-words", {
      notes: ["The harbour opens at seven in the morning.", "Cats sleep most of the day.", "An old harbour."],
      other: ["The harbour master is called Ines; the harbour is old."],
    })
    expect(await found(memory, "harbour morning", "notes")).toEqual(["The harbour opens at seven in the morning.", "An old harbour."])
    expect(await found(memory, "zeppelin", "notes")).toEqual([])
    expect(await found(memory, "harbour")).toHaveLength(3)
    expect(await found(memory, "harbour", "none")).toEqual([])
    expect(await memory.search({ query: "harbour", limit: 1, keywordOnly: true })).toHaveLength(1)
  })

  test("[T23] one tenant's memory is not another's", async () => {
    await holding("m-one", { notes: ["the secret recipe"] })
    expect(await found(memoryPort(env, "m-two"), "recipe")).toEqual([])
    expect(await memoryPort(env, "m-two").read("notes")).toEqual([])
    expect(await tablesOf("m-two")).toEqual([])
  })

  test("[T23] case and accents do not matter", async () => {
    const memory = await holding("m-fold", { notes: ["Das Café am Ölberg öffnet um acht."] })
    expect(await found(memory, "CAFE olberg")).toHaveLength(1)
  })

  test.each([
    'foo" OR "bar',
    "harbour AND",
    "NEAR(harbour",
    "content:harbour",
    "harbour*",
    "-harbour ^x",
    "(((",
    '"',
    "''; DROP TABLE entry; --",
    "harbour\0null",
    "{content} : +",
    "NOT",
    "x".repeat(2000),
    "\u{1F600} \u0301",
    Array.from({ length: 900 }, (_, i) => `w${i}`).join(" "),
  ])("[T23] a query is words, never syntax: %j", async (query) => {
    const memory = await holding("m-syntax", { notes: ["nothing of the kind"] })
    expect(await found(memory, query)).toEqual([])
  })

  test("[T23] words joined by a sign must be next to each other", async () => {
    const memory = await holding("m-phrase", { notes: ["the re-index job failed", "index of first editions, re: printing"] })
    expect(await found(memory, "re-index")).toEqual(["the re-index job failed"])
  })

  test("[T23] the FTS5 query made from a text", () => {
    expect(matchExpression('foo "bar baz" foo')).toBe('"foo" OR "bar" OR "baz"')
    expect(matchExpression(" -- ?! ")).toBeUndefined()
  })
})

describe("entries", () => {
  test("[T23] writing adds and never changes; reading returns the newest entries, oldest first", async () => {
    const memory = await holding("m-append", { notes: ["one", "two", "three"] })
    expect(await memory.write({ namespace: "notes", content: "four", tainted: false })).toMatchObject({ version: 4 })
    expect((await memory.read("notes")).map((e) => e.content)).toEqual(["one", "two", "three", "four"])
    expect((await memory.read("notes", 2)).map((e) => e.content)).toEqual(["three", "four"])
    await evictDurableObject(stubOf("m-append"))
    expect(await memory.read("notes")).toHaveLength(4)
  })

  test("[G11] an entry keeps its taint and its source", async () => {
    const memory = memoryPort(env, "m-taint")
    await memory.write({ namespace: "notes", content: "from a page", tainted: true, source: "run_1/a" })
    await memory.write({ namespace: "notes", content: "from here", tainted: false })
    expect(await memory.read("notes")).toMatchObject([{ tainted: true, source: "run_1/a" }, { tainted: false }])
    expect(await memory.search({ query: "page", limit: 5, keywordOnly: true })).toMatchObject([{ tainted: true }])
  })

  test("[J11] a write repeated under its key is one entry; a different text under that key is another", async () => {
    const memory = memoryPort(env, "m-again")
    const entry = { namespace: "notes", content: "once", tainted: false, key: "run_1/a/call_1" }
    const first = await memory.write(entry)
    expect(await memory.write(entry)).toEqual(first)
    await memory.write({ ...entry, content: "twice" })
    await memory.append("notes", ["a", "b"], { tainted: false, key: "k" })
    await memory.append("notes", ["a", "b"], { tainted: false, key: "k" })
    expect((await memory.read("notes")).map((e) => e.content)).toEqual(["once", "twice", "a", "b"])
  })

  test("[T23] replacing leaves nothing of the old entries in any index", async () => {
    const memory = await holding("m-replace", { notes: ["old harbour"], other: ["other harbour"] })
    await memory.replace("notes", ["new port", "new quay"], false)
    expect((await memory.read("notes")).map((e) => e.content)).toEqual(["new port", "new quay"])
    expect(await found(memory, "harbour")).toEqual(["other harbour"])
    expect(await found(memory, "quay")).toEqual(["new quay"])
  })

  test("[T23] a batch that is too large is refused, and nothing is written", async () => {
    const memory = memoryPort(env, "m-large")
    await expect(memory.write({ namespace: "notes", content: "é".repeat(33_000), tainted: false })).rejects.toThrow("65536")
    await expect(memory.write({ namespace: "a\nb", content: "x", tainted: false })).rejects.toThrow("namespace")
    expect(await tablesOf("m-large")).toEqual([])
  })
})

describe("meaning", () => {
  // Three directions: the sea, cats, everything else.
  const direction = (text: string): number[] => [/harbour|ship|sea/i.test(text) ? 1 : 0, /cat|kitten/i.test(text) ? 1 : 0, 0.1]
  const asked: string[][] = []
  const ai: Embedder = {
    run: async (_model, input) => {
      const texts = input["text"] as string[]
      asked.push(texts)
      return { data: texts.map(direction) }
    },
  }
  const withAi = <T>(tenant: string, work: (memory: Memory) => Promise<T>, it: Embedder = ai): Promise<T> =>
    runInDurableObject(stubOf(tenant), (_, ctx) =>
      work(memoryOver(() => new MemoryObject(ctx, { AI: it, TENANT: env.TENANT } satisfies MemoryEnv))),
    )

  test("[T23] with a model, an entry that shares no word is found; keywordOnly searches by words alone", async () => {
    await withAi("m-meaning", async (memory) => {
      await memory.write({ namespace: "notes", content: "The harbour is old.", tainted: false })
      await memory.write({ namespace: "notes", content: "Cats sleep.", tainted: false })
      const query = { query: "ships", namespace: "notes", limit: 10 }
      expect((await memory.search({ ...query, keywordOnly: false })).map((e) => e.content)).toEqual(["The harbour is old."])
      expect(await memory.search({ ...query, keywordOnly: true })).toEqual([])
      const before = asked.length
      await memory.search({ ...query, keywordOnly: true })
      expect(asked.length).toBe(before)
    })
  })

  test("[T23] an entry in both rankings comes first", async () => {
    await withAi("m-fused", async (memory) => {
      for (const content of ["a ship in the fog", "fog on the hill", "the sea", "harbour fog and sea"])
        await memory.write({ namespace: "n", content, tainted: false })
      const [first, ...rest] = await memory.search({ query: "sea fog", limit: 10, keywordOnly: false })
      expect(first?.content).toBe("harbour fog and sea")
      expect(rest).toHaveLength(3)
    })
  })

  test("[T23] while the model is down no entry is lost, and a later search asks it again", async () => {
    const down: Embedder = { run: () => Promise.reject(new Error("3040: out of capacity")) }
    await withAi(
      "m-down",
      async (memory) => {
        await memory.write({ namespace: "n", content: "the harbour", tainted: false })
        expect(await memory.search({ query: "harbour", limit: 5, keywordOnly: false })).toHaveLength(1)
        expect(await memory.search({ query: "ship", limit: 5, keywordOnly: false })).toHaveLength(0)
      },
      down,
    )
    await withAi("m-down", async (memory) => expect(await memory.search({ query: "ship", limit: 5, keywordOnly: false })).toHaveLength(1))
  })

  test("[T23] an answer that is not a list of vectors is ignored", async () => {
    for (const data of [undefined, [], [[1, "x"]], [[0, 0]], [[1], [1]], "no"])
      expect(await embed({ run: async () => ({ data }) }, ["a"])).toBeUndefined()
    expect(await embed(undefined, ["a"])).toBeUndefined()
  })

  test("[T23] similarity and fusion", () => {
    const v = (...xs: number[]) => Float32Array.from(xs)
    const all = [
      { n: 1, vector: v(0, 1) },
      { n: 2, vector: v(1, 0) },
      { n: 3, vector: v(0.8, 0.6) },
      { n: 4, vector: v(1) },
    ]
    expect(nearest(v(1, 0), all, 5).map((h) => h.n)).toEqual([2, 3])
    expect(nearest(v(1, 0), all, 1).map((h) => h.n)).toEqual([2])
    expect(
      fuse([
        [{ n: 1 }, { n: 2 }],
        [{ n: 2 }, { n: 3 }],
      ]).map((h) => h.n),
    ).toEqual([2, 1, 3])
    expect(fuse([[{ n: 7 }]])).toEqual([{ n: 7, score: 1 / 61 }])
  })
})
