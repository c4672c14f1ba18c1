// [K24] A write through the gate: held, tested, written with the proof.

import { describe, expect, test } from "vitest"
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
})
