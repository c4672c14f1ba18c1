// Context overflow [J23] through the conductor: glimpses, a summary by another model call, and no loop of refused requests.

import { describe, expect, test } from "vitest"
import { contextWindow } from "../../../src/core/money/context-window.ts"
import { failureOf } from "../../../src/models/failure.ts"
import { Stand, type Asked } from "../../support/engine/stand.ts"

const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [write, read]\n---\nWork.\n"
const TOO_LONG = { error: { status: 400, retryable: false, overflow: true } }
const done = { finish: { status: "complete", summary: "done" } }

const texts = ({ request }: Asked): string =>
  request.messages.map((m) => (m.role === "tool" ? m.content.map((p) => (p.type === "text" ? p.text : "")).join("") : m.text)).join("\n")

async function reading(rounds: number, size: number): Promise<Stand> {
  const stand = new Stand(FLOW, [WORKER])
  stand.start("count the marks")
  for (let n = 0; n < rounds; n++) {
    const asked = await stand.next("a")
    await asked.answer({ text: `round ${n}`, calls: [{ name: "write", args: { path: `f${n}`, content: `MARK${n} ${"x".repeat(size)}` } }] })
    await stand.settle()
    const again = await stand.next("a")
    await again.answer({ calls: [{ name: "read", args: { path: `f${n}` } }] })
    await stand.settle()
  }
  return stand
}

describe("a conversation that is too long", () => {
  test("[J23] after a provider's overflow error the call is repeated with a summary", async () => {
    const stand = await reading(3, 2_000)
    const first = await stand.next("a")
    expect(texts(first)).toContain("MARK0 xxx")
    await first.answer(TOO_LONG)
    const summary = await stand.next("a")
    expect(summary.request.place.agent).toBe("@compact")
    expect(summary.request.tools).toEqual([])
    expect(texts(summary)).toContain("MARK0")
    await summary.answer({ text: "MARK0 and MARK1 were read." })
    const after = await stand.next("a")
    expect(after.request.place.agent).toBe("w")
    expect(texts(after)).toContain("count the marks")
    expect(texts(after)).toContain("MARK0 and MARK1 were read.")
    expect(texts(after)).not.toContain("MARK0 xxx")
    expect(texts(after)).toContain("MARK2 xxx")
    await after.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
    expect(stand.events().filter((e) => e.type === "context.compacted")).toMatchObject([{ kind: "summary", step: "a" }])
  })

  test("[J23] after three attempts to shorten the conversation, the refusal is the step's failure", async () => {
    const stand = await reading(3, 500)
    let calls = 0
    while (stand.conductor.run.status === "running" && calls < 20) {
      const asked = await stand.next("a")
      if (asked.request.place.agent === "w") calls += 1
      await asked.answer(asked.request.place.agent === "w" ? TOO_LONG : { text: "short" })
      await stand.settle()
    }
    expect(calls).toBe(4)
    expect(stand.conductor.run.error).toMatchObject({ source: "api_error" })
    expect(stand.events().filter((e) => e.type === "model.failed")).toHaveLength(4)
  })

  test("[J23] before a turn that would not fit, older results become glimpses without a model call", async () => {
    // 32 reads of 45 KB each exceed the 128,000 tokens of an unknown model, even at the lowest plausible tokens per byte.
    const stand = await reading(1, 45_000)
    for (let n = 1; n < 32; n++) {
      await (await stand.next("a")).answer({ calls: [{ name: "read", args: { path: "f0", limit: 2_000 - n } }] })
      await stand.settle()
    }
    const compacted = stand.events().filter((e) => e.type === "context.compacted")
    expect(compacted.length).toBeGreaterThan(0)
    expect(compacted[0]).toMatchObject({ kind: "glimpse" })
    const last = await stand.next("a")
    expect(texts(last)).toContain("older result, shortened")
    await last.answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
  })

  test("[J23] after a crash during the summary it is requested again, and the journal folds to the same state", async () => {
    const stand = await reading(3, 500)
    await (await stand.next("a")).answer(TOO_LONG)
    await stand.next("a")
    stand.crash()
    const again = await stand.next("a")
    expect(again.request.place.agent).toBe("@compact")
    await again.answer({ text: "short" })
    await (await stand.next("a")).answer(done)
    expect(stand.conductor.run.status).toBe("succeeded")
  })
})

test("[J23] recognizes providers' errors for requests that are too long, and no other refusals", () => {
  const said = (message: string, status = 400) =>
    failureOf({ statusCode: status, responseBody: JSON.stringify({ error: { message } }) }, []).overflow ?? false
  expect(said("prompt is too long: 210000 tokens > 200000 maximum")).toBe(true)
  expect(said("This model's maximum context length is 128000 tokens.")).toBe(true)
  expect(said("input length and `max_tokens` exceed context limit")).toBe(true)
  expect(said("messages.0: roles must alternate")).toBe(false)
  expect(said("maximum context length", 500)).toBe(false)
  expect([contextWindow("anthropic/claude-haiku-4-5:high"), contextWindow("script/a")]).toEqual([200_000, 128_000])
})
