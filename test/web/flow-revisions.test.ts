// What the editor says of a flow's revisions, and of a refusal of the gate.

import { describe, expect, test } from "vitest"
import { brokenFlows, brokenWords, marginWords } from "../../web/flow/gate-report.ts"
import { ownOf, plusMinus, whatOf, type Told } from "../../web/flow/revision-words.ts"

const own = ownOf("a:b", "flows/a/b.yaml")
const row = (revision: number, before: string | null, after: string | null, more: Partial<Told> = {}): Told => ({
  revision,
  action: "merge",
  changed: 1,
  changes: [{ path: "flows/a/b.yaml", before, after }],
  ...more,
})

describe("a revision", () => {
  const rows = [row(7, "2", "1"), row(6, "1", "2"), row(3, null, "1")]

  test("[F72] is the first one, a change, or the way back to an earlier one", () => {
    expect(rows.map((one) => whatOf(one, rows, own))).toEqual(["Rolled back to r3: b.yaml", "Saved: b.yaml", "First saved: b.yaml"])
  })

  test("[F72] of the whole catalog names its target, one that deletes says so, and one that brings back too", () => {
    expect(whatOf(row(8, "1", "2", { action: "rollback", target: 6 }), rows, own)).toBe("Rolled back to r6: b.yaml")
    expect(whatOf(row(8, "1", null), rows, own)).toBe("Deleted: b.yaml")
    expect(whatOf(row(9, null, "1"), rows, own)).toBe("Restored: b.yaml")
    expect(whatOf({ ...row(9, "1", "2"), changes: [], changed: 2 }, rows, own)).toBe("Saved: 2 other files")
  })

  test("[F72] touches what stands beside the flow, and no other", () => {
    expect(["flows/a/b.test.yaml", "flows/a/b.rehearsal.yaml", "code/a/b/x.ts", "flows/a/bb.yaml"].map(own)).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect(plusMinus(["@@\n-a\n+b\n+c"])).toEqual({ plus: 2, minus: 1 })
  })
})

describe("a refusal of the gate", () => {
  const report = {
    flows: [
      {
        flow: "support:reply",
        tests: { failed: 0, cases: [{ name: "well", passed: true }] },
        backtest: {
          runs: [
            { run: "run_1", result: "same" },
            { run: "run_2", result: "diverged", step: "look", pass: 2, why: "schema" },
          ],
        },
      },
      { flow: "b", tests: { failed: 1, cases: [{ name: "bad", passed: false }] } },
    ],
  }

  test("[K24] names the runs that diverge and the tests that fail, and no test that does not", () => {
    const [first, second] = brokenFlows(report)
    expect(first?.tests).toEqual([])
    expect(first?.runs).toEqual([{ run: "run_2", step: "look", pass: 2, why: "a reply no longer fits the declared outputs" }])
    expect(brokenFlows(report).map(brokenWords)).toEqual(["support:reply: 1 recorded run diverges", "b: the test “bad” fails"])
    expect(second?.tests).toEqual(["bad"])
  })

  test("[V41] names the scores that would be lost, and what is not decided", () => {
    const scorers = {
      kind: { decision: "worse", difference: -0.5, lower: -0.7, margin: 0.05 },
      fine: { decision: "passed", difference: 0, lower: -0.02, margin: 0.1 },
    }
    const flows = [
      { flow: "a", score: { decision: "worse", dataset: "d", experiment: "exp_1", needs: 60, scorers } },
      { flow: "b", score: { decision: "undecided", dataset: "d", why: "the judge is flagged" } },
    ]
    expect(brokenFlows({ flows }).map(brokenWords)).toEqual([
      "a: it is worse: kind −50 points, at worst −70; −5 is allowed",
      "b: the scores decide nothing: the judge is flagged",
    ])
    expect(brokenFlows({ flows })[0]?.score).toMatchObject({
      experiment: "exp_1",
      needs: 60,
      scorers: [{ isKept: false }, { isKept: true }],
    })
    expect(marginWords({ kind: 0.05, fine: 0.125 })).toBe("kind may lose 5 points at most, fine may lose 12.5 points at most")
  })
})
