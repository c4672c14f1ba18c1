// [K24] A write through the gate: held, tested, written with the proof.

import { describe, expect, test, vi } from "vitest"
import { gatedWrite, judged, type GateDeps } from "../../../src/engine/trial/gated-write.ts"
import { CatalogMoved, GateFailed, type Held, type WriteAs } from "../../../src/ports/tenant/authoring/gate.ts"

const deps = { now: () => 0, by: "k", tenant: "t" } as unknown as GateDeps
const held = (revision: number, more: Partial<Held> = {}) => ({ held: { proof: { revision, digest: "d" }, flows: [], ...more } })

describe("a write", () => {
  test("[K24] that no gate holds is done at once; a held one is written with its proof", async () => {
    const seen: WriteAs[] = []
    expect(await gatedWrite(deps, { by: "ann" }, async (as) => (seen.push(as), "done"))).toBe("done")
    expect(await gatedWrite(deps, { by: "ann" }, async (as) => (seen.push(as), as.proof ? "done" : held(7)))).toBe("done")
    expect(seen).toEqual([{ by: "ann" }, { by: "ann" }, { by: "ann", proof: { revision: 7, digest: "d" } }])
  })

  test("[K24] a catalog that keeps changing holds it again, three times at most", async () => {
    let revision = 0
    const write = async () => held(revision++)
    await expect(gatedWrite(deps, {}, write)).rejects.toThrow(CatalogMoved)
    expect(revision).toBe(4)
  })

  test("[K24] a flow that cannot start, or loses its tests, is broken; one that never had tests is not", async () => {
    const flows: Held["flows"] = [
      { flow: "a", tests: { ok: false, code: "no_tests" } },
      { flow: "b", lost: true },
      { flow: "c", tests: { ok: false, code: "not_pinned", why: { ok: false, code: "not_found" } } },
      {
        flow: "d",
        tests: {
          ok: false,
          code: "faults",
          diagnostics: { "agents/x.md": [{ code: "AV-PARSE", line: 3, severity: "error", message: "bad" }] },
        },
      },
    ]
    const failed = await gatedWrite(deps, {}, async () => held(1, { flows })).catch((e: unknown) => e)
    expect(failed).toBeInstanceOf(GateFailed)
    const { report, message } = failed as GateFailed
    expect(report.flows.map(({ flow, tests }) => [flow, tests?.failed])).toEqual([
      ["b", 1],
      ["c", 1],
      ["d", 1],
    ])
    expect(report.flows[2]?.tests?.cases[0]?.failures[0]?.found).toBe("agents/x.md: line 3: bad")
    expect(message).toContain("b (1 of its tests fail)")
  })

  test("[K24] a refusal counts the recorded runs that diverge, and no test that does not fail", async () => {
    const runs = [
      { run: "run_1", result: "same" },
      { run: "run_2", result: "diverged", why: "schema" },
    ] as const
    const asked = { ...deps, backtest: async () => runs }
    const flows = [{ flow: "a", backtest: { last: 2, allow: [] } }]
    const failed = await gatedWrite(asked, {}, async () => held(1, { flows })).catch((e: unknown) => e)
    expect((failed as GateFailed).message).toContain("breaks a (1 recorded run diverges).")
  })

  test("[K24] a plan says which recorded runs could not be tried, and so protect nothing", async () => {
    const runs = [
      { run: "run_1", result: "same" },
      { run: "run_2", result: "failed", message: "event 3 of its journal is not what this build would write" },
    ] as const
    const asked = { ...deps, backtest: async () => runs }
    const { held: one } = held(1, { flows: [{ flow: "a", backtest: { last: 2, allow: [] } }] })
    expect(await judged(asked, one)).toEqual({
      passed: true,
      reached: ["a"],
      report: { flows: [] },
      passed_over: [{ flow: "a", run: "run_2", message: "event 3 of its journal is not what this build would write" }],
    })
    expect(await judged({ ...deps, backtest: async () => [runs[0]] }, one)).not.toHaveProperty("passed_over")
  })

  test("[V42] waits twenty seconds at most for an experiment; a plan begins none", async () => {
    vi.useFakeTimers()
    const begun: boolean[] = []
    const rule = { match: "f", dataset: "d", scorers: { s: 0.1 } }
    const asked = held(1, { flows: [{ flow: "f", scores: [rule] }] })
    const evidence = async () => ({
      look: async (begins: boolean) => (begun.push(begins), { pending: true as const, experiment: "exp_1" }),
    })
    const slow = { ...deps, now: () => Date.now(), evidence } as GateDeps
    const from = Date.now()
    let over = 0
    const failed = gatedWrite(slow, {}, async () => asked).catch((e: unknown) => ((over = Date.now()), e))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await failed).toMatchObject({ name: "GatePending", experiment: "exp_1", flows: ["f"] })
    expect(over - from).toBe(20_000)
    expect(begun.filter(Boolean)).toEqual([true])
    begun.length = 0
    expect(await judged(slow, asked.held)).toEqual({ passed: true, pending: ["f"], reached: ["f"], report: { flows: [] } })
    expect(begun).toEqual([false])
    vi.useRealTimers()
  })

  test("[V41] [V42] is written once every rule passes, and refused with the first that does not; tests come first", async () => {
    const verdict = (dataset: string, decision: "passed" | "worse") => ({ look: async () => ({ decision, dataset }) })
    const rules = (...names: string[]) => names.map((dataset) => ({ match: "f", dataset, scorers: { s: 0.1 } }))
    const world = { ...deps, evidence: async ({ rule }) => verdict(rule.dataset, rule.dataset === "bad" ? "worse" : "passed") } as GateDeps
    const write = (flows: Held["flows"]) => gatedWrite(world, {}, async (as) => (as.proof ? "done" : held(1, { flows })))
    expect(await write([{ flow: "f", scores: rules("good", "fine") }])).toBe("done")
    const failed = await write([{ flow: "f", scores: rules("good", "bad") }]).catch((e: unknown) => e)
    expect((failed as GateFailed).report.flows).toEqual([{ flow: "f", score: { decision: "worse", dataset: "bad" } }])
    const tested = await write([{ flow: "f", lost: true, scores: rules("bad") }]).catch((e: unknown) => e)
    expect((tested as GateFailed).report.flows[0]).toMatchObject({ tests: { failed: 1 } })
    expect((tested as GateFailed).report.flows[0]?.score).toBeUndefined()
  })
})
