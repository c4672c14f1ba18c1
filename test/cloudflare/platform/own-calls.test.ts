// A call between own objects ends in time, and what was asked to wait is given that time.

import { afterEach, describe, expect, test, vi } from "vitest"
import { bounded, limitOf, LONG_CALL_MS, OWN_CALL_MS } from "../../../src/cloudflare/platform/own-calls.ts"

afterEach(() => void vi.useRealTimers())

interface Answers {
  ask(room: string, method: string, args: readonly unknown[]): Promise<unknown>
}

describe("a call between own objects", () => {
  test("[J12] that is never answered fails after its limit, and one that is answered leaves no timer", async () => {
    vi.useFakeTimers()
    const asked: unknown[] = []
    const own = bounded<Answers>({
      ask: (...call) => {
        asked.push(call)
        return call[0] === "dead" ? new Promise(() => {}) : Promise.resolve("said")
      },
    })
    expect(await own.ask("notes", "noted", ["a"])).toBe("said")
    expect(vi.getTimerCount()).toBe(0)
    const late = own.ask("dead", "note", []).catch((e: unknown) => e)
    // It leaves at once, not in a later turn.
    expect(asked).toEqual([
      ["notes", "noted", ["a"]],
      ["dead", "note", []],
    ])
    await vi.advanceTimersByTimeAsync(OWN_CALL_MS)
    expect(await Promise.race([late, Promise.resolve("not yet")])).toMatchObject({
      name: "OwnCallLate",
      message: expect.stringContaining("dead.note"),
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  test("[J12] that fails, or whose object has no such method, says so", async () => {
    const own = bounded<Answers>({ ask: () => Promise.reject(new RangeError("broken")) })
    await expect(own.ask("a", "b", [])).rejects.toThrow("broken")
    expect(() => (own as unknown as { other(): void }).other()).toThrow("this object has no other")
  })

  test.each([
    ["ask", ["reading", "wait", [90_000]], OWN_CALL_MS + 90_000],
    ["ask", ["reading", "report", [60_000]], OWN_CALL_MS + 60_000],
    ["ask", ["questions", "wait", ["q_1", 30_000]], OWN_CALL_MS + 30_000],
    ["ask", ["feed", "look", [{ reader: "r", wait: 25_000 }]], OWN_CALL_MS + 25_000],
    ["start", [{}, undefined, 90_000], LONG_CALL_MS + 90_000],
    ["start", [{}], LONG_CALL_MS],
    ["ask", ["catalog", "apply", [{}]], LONG_CALL_MS],
    ["ask", ["signals", "childEnded", [{}]], OWN_CALL_MS],
    ["ask", ["effects", "carryOut", ["k", "p"]], OWN_CALL_MS],
    ["release", [], OWN_CALL_MS],
    ["ask", ["reading", "wait", ["nonsense"]], OWN_CALL_MS],
  ])("[J12] has a limit of its own: %s %j", (method, args, limit) => {
    expect(limitOf(method, args)).toBe(limit)
  })
})
