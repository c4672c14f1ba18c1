// A sticky session's conversation over its saved parts [J25]: pages by number and by size, a part that is lost, parts of earlier versions.

import { describe, expect, test } from "vitest"
import { MemoryBlobs } from "../../../../src/engine/run/memory-store.ts"
import { readSession } from "../../../../src/engine/run/read-session.ts"
import { MemorySessions } from "../../../support/engine/memory-sessions.ts"

const PROMPT = { definition: "", inputs: {}, body: "the prompt" }

async function saved(parts: readonly (readonly string[] | "lost")[]) {
  const [sessions, blobs] = [new MemorySessions(), new MemoryBlobs()]
  for (const [n, texts] of parts.entries()) {
    const by = `run_${n}/a/1`
    const chunk = {
      v: 1,
      ...(n === 0 ? {} : { run: `run_${n}` }),
      prompt: PROMPT,
      turns: texts === "lost" ? [] : texts.map((text) => ({ role: "user", text })),
    }
    const hash = texts === "lost" ? "0".repeat(64) : await blobs.put(new TextEncoder().encode(JSON.stringify(chunk)))
    await sessions.claim({ agent: "a", id: "s", by })
    await sessions.giveBack({ agent: "a", id: "s", by }, { chunk: hash, bytes: 1, tainted: false, private: false })
  }
  return { sessions, blobs }
}

describe("a page of a conversation", () => {
  test("[J25] ends with the message that reaches its size, and the next one continues there", async () => {
    const large = "x".repeat(700_000)
    const store = await saved([[large, large, "three"], ["four"]])
    const first = await readSession(store, "a", "s", { part: 1, index: 0, limit: 200 })
    expect([first?.data.length, first?.next]).toEqual([2, { part: 1, index: 2 }])
    const rest = await readSession(store, "a", "s", { part: 1, index: 2, limit: 200 })
    expect(rest?.data).toMatchObject([
      { text: "three", part: 1 },
      { text: "four", part: 2, run: "run_1" },
    ])
    expect([rest?.next, Object.hasOwn(rest?.data[0] ?? {}, "run")]).toEqual([null, false])
  })

  test("[J25] names the parts that are lost, and shows the others", async () => {
    const page = await readSession(await saved([["one"], "lost", ["three"]]), "a", "s", { part: 1, index: 0, limit: 200 })
    expect([page?.unreadable, page?.data.map((m) => m.part)]).toEqual([[2], [1, 3]])
  })

  test("[J25] over many parts is as long as asked, and the last one says so", async () => {
    const store = await saved(Array.from({ length: 11 }, (_, n) => [`m${n}`]))
    for (const limit of [1, 4, 10, 11, 12]) {
      const seen: string[] = []
      let place: { part: number; index: number } | null = { part: 1, index: 0 }
      while (place) {
        const page: Awaited<ReturnType<typeof readSession>> = await readSession(store, "a", "s", { ...place, limit })
        if (page?.next) expect(page.data.length).toBe(limit)
        for (const message of page?.data ?? []) if (message.role === "user") seen.push(message.text)
        place = page?.next ?? null
      }
      expect([limit, seen]).toEqual([limit, Array.from({ length: 11 }, (_, n) => `m${n}`)])
    }
    expect(await readSession(store, "a", "other", { part: 1, index: 0, limit: 5 })).toBeUndefined()
  })
})
