// Context overflow [J23] through the conductor: glimpses, a summary by another model call, and no loop of refused requests.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { contextWindow } from "../../../../src/core/money/context-window.ts"
import { failureOf } from "../../../../src/models/reply/failure.ts"
import { Stand, type Asked, type Turn } from "../../../support/engine/stand.ts"

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
  expect(said("maximum context length", 503)).toBe(false)
  expect([contextWindow("anthropic/claude-haiku-4-5:high"), contextWindow("script/a")]).toEqual([200_000, 128_000])
})

describe("a request that its provider has refused for its length", () => {
  /** Plays a provider with this window, in characters of its whole request, until the run ends. */
  async function against(stand: Stand, window: number, turns: readonly Turn[]): Promise<{ sent: string[]; refused: number }> {
    const script = [...turns]
    const sent: string[] = []
    let refused = 0
    while (stand.conductor.run.status === "running" && sent.length < 60) {
      const asked = await stand.next("a")
      const { place: _place, ...request } = asked.request
      const body = JSON.stringify(request.messages)
      sent.push(JSON.stringify(request))
      if (body.length > window) {
        refused += 1
        await asked.answer(TOO_LONG)
      } else
        await asked.answer(
          asked.request.place.agent === "@compact" ? { text: `What was done by ${sent.length}.` } : (script.shift() ?? done),
        )
      await stand.settle()
    }
    return { sent, refused }
  }
  const write = (name: string, size: number): Turn => ({
    calls: [{ name: "write", args: { path: name, content: "line\n".repeat(size / 5) } }],
  })
  const read = (name: string): Turn => ({ calls: [{ name: "read", args: { path: name } }] })
  const stand = (task = "count"): Stand => {
    const s = new Stand(FLOW, [WORKER])
    s.start(task)
    return s
  }

  test.each([
    ["one long result, of the first turn", [read("f0")], 20_000],
    ["one long result, of the last of many turns", [write("a", 50), read("a"), read("a"), read("a"), read("f0")], 20_000],
    ["two long results of the last two turns", [read("f0"), read("f0")], 20_000],
    ["three long results", [read("f0"), read("f0"), read("f0")], 60_000],
    ["long arguments", [write("b", 40_000)], 20_000],
    ["long arguments of the last two turns", [write("b", 40_000), write("c", 40_000)], 20_000],
    ["a long text", [{ text: "words ".repeat(8_000) }], 20_000],
  ] as const)("[J23] %s: something is shortened, and the step goes on", async (_what, turns, window) => {
    const s = stand()
    await (await s.next("a")).answer(write("f0", 45_000))
    await s.settle()
    // The file is there now, and the arguments that wrote it are gone with the first overflow.
    const { sent, refused } = await against(s, window, turns)
    expect(s.conductor.run).toMatchObject({ status: "succeeded" })
    expect(refused).toBeGreaterThan(0)
    expect(new Set(sent).size).toBe(sent.length)
  })

  test("[J23] a task that is too long is the step's failure at once", async () => {
    const s = stand("x".repeat(30_000))
    const { sent } = await against(s, 20_000, [])
    expect(sent).toHaveLength(1)
    expect(s.conductor.run.error).toMatchObject({ source: "api_error" })
    expect(s.conductor.run.error?.message).toContain("too long for its model")
  })

  test("[J23] no two requests are the same, whatever the window, until the run ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 500, max: 40_000 }),
        fc.array(
          fc.oneof(
            fc.constantFrom(0, 1).map((n) => read(`f${n}`)),
            fc.nat(20_000).map((n) => write("f1", n)),
            fc.nat(9_000).map((n): Turn => ({ text: "t".repeat(n) })),
          ),
          { maxLength: 6 },
        ),
        async (window, turns) => {
          const s = stand()
          const { sent } = await against(s, window, [write("f0", 15_000), ...turns])
          expect(s.conductor.run.status).not.toBe("running")
          expect(new Set(sent).size).toBe(sent.length)
        },
      ),
      { numRuns: 40 },
    )
  })

  test("[J23] a summary that is itself too long is asked for with less, and a model that fails leaves glimpses", async () => {
    const s = await reading(3, 45_000)
    await (await s.next("a")).answer(TOO_LONG)
    const first = await s.next("a")
    await first.answer(TOO_LONG)
    const second = await s.next("a")
    expect(second.request.place.agent).toBe("@compact")
    expect(texts(second).length).toBeLessThan(texts(first).length / 2)
    await second.answer({ error: { status: 500, retryable: false } })
    const after = await s.next("a")
    expect(after.request.place.agent).toBe("w")
    expect(texts(after)).toContain("older result, shortened")
    await after.answer(done)
    expect(s.conductor.run.status).toBe("succeeded")
  })
})

test.each([
  { fails: { retryable: true }, lost: true },
  { fails: { status: 503, retryable: true, begun: true as const }, lost: true },
  { fails: { status: 503, retryable: true }, lost: undefined },
])("[B3] a summary that fails as $fails is counted as a lost call: $lost", async ({ fails, lost }) => {
  const s = await reading(3, 45_000)
  await (await s.next("a")).answer(TOO_LONG)
  await (await s.next("a")).answer({ error: fails })
  await (await s.next("a")).answer(done)
  expect(s.events().findLast((e) => e.type === "context.compacted")?.lost).toBe(lost)
  expect(s.conductor.run.usage.lost?.calls).toBe(lost && 1)
})

test("[J23] without a model for the summary, the beginnings of what was said stand in for it, within their bounds", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.start("count the marks")
  for (let n = 0; n < 12; n++) {
    await (
      await s.next("a")
    ).answer({ text: `${n} ${"w".repeat(5_000)}`, calls: [{ name: "write", args: { path: `f${n}`, content: "x" } }] })
    await s.settle()
  }
  await (await s.next("a")).answer(TOO_LONG)
  await (await s.next("a")).answer({ error: { status: 401, retryable: false } })
  const after = await s.next("a")
  expect(texts(after)).toContain("count the marks")
  const { summary = "" } = s.events().find((e) => e.type === "context.compacted") ?? {}
  expect(summary).toContain("9 www")
  expect(summary).not.toContain("0 www")
  expect(summary).not.toContain("w".repeat(1_000))
  expect(summary.length).toBeLessThan(8_200)
})

test.each([
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 400],
  ["Input is too long for requested model.", 400],
  ["the request exceeds the available context size, try increasing it", 400],
  ["Request too large", 413],
  ["input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000", 400],
])("[J23] %s is an overflow", (message, status) => {
  expect(failureOf({ statusCode: status, responseBody: JSON.stringify({ error: { message } }) }, [])).toMatchObject({
    overflow: true,
    retryable: false,
  })
})

test("[J23] an overflow that the stream itself reports is one too", () => {
  expect(failureOf({ type: "error", code: "context_length_exceeded", message: "Your input exceeds the limit" }, [])).toMatchObject({
    overflow: true,
    retryable: false,
  })
})
