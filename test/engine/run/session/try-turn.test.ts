// A try of a recorded turn [K19]: its bounds, and what is taken from the tenant's day and closed.

import { afterEach, describe, expect, test, vi } from "vitest"
import type { Amount } from "../../../../src/core/money/amount.ts"
import { tryTurn, type TryDeps } from "../../../../src/engine/run/try-turn.ts"
import type { FinalMessage, Model, ModelRequest } from "../../../../src/ports/model.ts"
import type { TriedTurn } from "../../../../src/ports/tenant/usage.ts"
import type { TurnRecord, TurnWish } from "../../../../src/ports/turn.ts"
import { NO_SECRETS } from "../../../../src/core/secrets/redact.ts"

const RECORD: TurnRecord = {
  ok: true,
  pass: 1,
  turn: 0,
  ref: "p/m",
  request: {
    model: "",
    system: "s",
    tools: [],
    maxOutputTokens: 100,
    place: { flow: "f", step: "a", pass: 1, turn: 0, failures: 0, agent: "w", stepType: "agent" },
  },
  turns: [{ role: "user", text: "go" }],
  chunks: [],
  input: 1_000,
  recorded: null,
}
const FINAL: FinalMessage = {
  type: "final",
  text: "hello",
  thinking: false,
  toolCalls: [],
  stopReason: "stop",
  usage: { input: 10, output: 5 },
}

interface Day {
  readonly daily?: Amount
  /** What the day grants; all, if absent. */
  readonly granted?: Amount
}

function world(answer: FinalMessage | ((signal: AbortSignal) => FinalMessage), { daily = {}, granted }: Day = {}, record = RECORD) {
  const asked: ModelRequest[] = []
  const moved: { readonly leased: Amount[]; readonly closed: Amount[] } = { leased: [], closed: [] }
  const used: TriedTurn[] = []
  const model: Model = {
    async *reply(request, signal) {
      asked.push(request)
      yield typeof answer === "function" ? answer(signal) : answer
    },
  }
  const deps: TryDeps = {
    turn: async () => record,
    ground: async () => ({ model: { ok: true, value: record.ref }, price: { input: 1, output: 10 }, daily }),
    choose: async () => ({ model, id: "m" }),
    redactor: async () => NO_SECRETS,
    hash: (text) => text,
    blobs: { get: async () => undefined, put: async () => "" },
    sealing: { seal: async () => new ArrayBuffer(0), open: async () => "" },
    dayBudget: {
      async lease(_run, _key, amount) {
        moved.leased.push(amount)
        return { granted: granted ?? amount, until: 86_400_000, ...(granted ? { retry: 5 } : {}) }
      },
      async close(_run, _until, spent) {
        moved.closed.push(spent)
      },
    },
    used: async (turn) => void used.push(turn),
    clock: { now: () => 0, id: () => "1", random: () => 0 },
  }
  return { asked, moved, used, run: (wish: Partial<TurnWish> = {}) => tryTurn(deps, { step: "a", ...wish }) }
}

afterEach(() => vi.restoreAllMocks())

describe("a turn that is tried", () => {
  test("[K19] [H13] says what it has used, once, also when its day has no limit; what a provider does not bill is not said", async () => {
    const done = world(FINAL)
    await done.run()
    expect(done.used).toEqual([{ at: 0, flow: "f", agent: "w", model: "p/m", usage: { input: 10, output: 5 }, cost: 0.00006 }])
    const checked = world(FINAL)
    await checked.run({ check: true })
    const refused = world({ ...FINAL, text: "", stopReason: "error", error: { message: "no", status: 401, retryable: false } })
    await refused.run()
    const begun = world({ ...FINAL, stopReason: "error", error: { message: "cut", retryable: true, begun: true } })
    await begun.run()
    expect([checked.used.length, refused.used.length, begun.used.length]).toEqual([0, 0, 1])
  })

  test("[K19] [B4] takes the most that it may cost from the day, and gives back what it did not use", async () => {
    const { run, moved } = world(FINAL, { daily: { usd: 1, tokens: 10_000, tool_calls: 3 } })
    expect(await run()).toMatchObject({ ok: true, tried: { usage: { input: 10, output: 5 }, cost: 0.00006, reply: { text: "hello" } } })
    expect(moved.leased).toEqual([{ usd: 0.002, tokens: 1_100 }])
    expect(moved.closed).toEqual([{ usd: 0.00006, tokens: 15 }])
  })

  test("[K19] [B3] a reply without usage is billed as the most that it could cost, and a failed call by what it had begun", async () => {
    const { usage: _, ...silent } = FINAL
    const unsure = world(silent, { daily: { tokens: 10_000 } })
    expect(await unsure.run()).toMatchObject({ tried: { usage: { input: 1_000, output: 100, estimated: true } } })
    expect(unsure.moved.closed).toEqual([{ tokens: 1_100 }])
    const error = { message: "gone", retryable: true }
    const begun = world({ ...FINAL, stopReason: "error", error: { ...error, begun: true } }, { daily: { tokens: 10_000 } })
    expect(await begun.run()).toMatchObject({ ok: false, code: "model_failed" })
    expect(begun.moved.closed).toEqual([{ tokens: 15 }])
    const early = world({ ...FINAL, stopReason: "error", error }, { daily: { tokens: 10_000 } })
    await early.run()
    expect(early.moved.closed).toEqual([{ tokens: 0 }])
  })

  test("[K19] [B4] with less left than it may cost, nothing is asked and nothing is kept", async () => {
    const { run, asked, moved } = world(FINAL, { daily: { tokens: 10_000 }, granted: { tokens: 500 } })
    expect(await run()).toEqual({ ok: false, code: "quota", need: { tokens: 1_100 }, retry: 5 })
    expect(asked).toEqual([])
    expect(moved.closed).toEqual([{ tokens: 0 }])
  })

  test("[K19] the built-in model costs nothing, and takes nothing from the day", async () => {
    const { run, moved } = world({ ...FINAL, unbilled: true }, { daily: { usd: 1, tokens: 1 } }, { ...RECORD, ref: "rehearsal/default" })
    expect(await run()).toMatchObject({ ok: true, tried: { model: "rehearsal/default" } })
    expect(await run({ check: true })).toMatchObject({ check: { most: { tokens: 0, usd: 0 } } })
    expect(moved.leased).toEqual([])
  })

  test("[K19] a file that the request showed and that is gone is named, and no model is asked", async () => {
    const file = { path: "in/a.png", hash: "h", type: "image/png" as const, size: 10, tokens: 5 }
    const { run, asked } = world(FINAL, {}, { ...RECORD, turns: [{ role: "user", text: "look", attached: [file] }] })
    expect(await run()).toMatchObject({ ok: false, code: "not_triable", why: expect.stringContaining('"in/a.png"') })
    expect(asked).toEqual([])
  })

  test("[K19] MAX_START_CHARS: of a reply that is too large only the start is shown", async () => {
    const error = { message: "too long", retryable: false, tooLong: 900_000 }
    const { run } = world({ ...FINAL, text: "x".repeat(500_000), stopReason: "error", error })
    expect(await run()).toMatchObject({ ok: true, tried: { stopReason: "length", reply: { text: "x".repeat(2_000) } } })
  })

  test("[K19] MAX_WHY_CHARS: a provider's message is cut", async () => {
    for (const retryable of [true, false]) {
      const { run } = world({ ...FINAL, stopReason: "error", error: { message: "y".repeat(9_000), retryable } })
      const done = await run()
      expect(done).toMatchObject({ ok: false, why: expect.stringMatching(/^.{1999}y$/) })
    }
  })

  test("[K19] PATIENCE_MS: an answer that does not come in time ends the try, and is billed as if it had come", async () => {
    const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort())
    const { run, moved } = world(
      (signal) => ({ ...FINAL, stopReason: "aborted", error: { message: String(signal.aborted), retryable: true } }),
      { daily: { tokens: 10_000 } },
    )
    expect(await run()).toMatchObject({ ok: false, code: "model_failed", why: "no answer came within 180 seconds" })
    expect(limit).toHaveBeenCalledWith(180_000)
    expect(moved.closed).toEqual([{ tokens: 15 }])
  })
})
