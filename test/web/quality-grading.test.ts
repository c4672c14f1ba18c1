import { expect, test } from "vitest"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"
import { evidenceOf } from "../../web/quality/evidence.ts"
import { back, worked, emptyQueue, heard } from "../../web/quality/grading.ts"
import { rowTitle } from "../../web/quality/row-title.ts"
import { scorerText } from "../../web/quality/scorer-words.ts"

const entry = (run: string) => ({ run, scorer: "helpful" })
const [a, b, c] = [entry("a"), entry("b"), entry("c")] as const

test("[V21] a grade leads to the next that is left, from the end to the beginning, and then to none", () => {
  const one = worked(heard(emptyQueue(), [a, b, c]), "graded")
  expect(one.at).toBe(1)
  const two = worked(worked({ ...one, at: 2 }, "skipped"), "graded")
  expect(two.at).toBe(3)
  expect(back(two).at).toBe(2)
  expect(worked({ ...one, at: 2 }, "graded").at).toBe(1)
})

test("[V21] what was done here stays in its place; what somebody else graded leaves, and new ones come last", () => {
  const begun = worked(heard(emptyQueue(), [a, b, c]), "graded")
  const next = heard(begun, [c, entry("d")])
  expect(next.entries.map(({ run }) => run)).toEqual(["a", "b", "c", "d"])
  expect(next.at).toBe(1)
  expect(heard(worked(next, "skipped"), [c]).entries.map(({ run }) => run)).toEqual(["a", "b", "c"])
  expect(heard(emptyQueue(), []).at).toBe(0)
})

test("[V21] the evidence has task, calls and answer, and no score", () => {
  const at = { at: 1_000, seq: 0 }
  const story = outlineOf([])
  const view = { task: "Where is it?", inputs: {}, output: { summary: "In Bergen." } }
  expect(evidenceOf(view, story)).toEqual({ task: "Where is it?", inputs: {}, calls: [], answer: "In Bergen.", error: undefined })
  expect(evidenceOf({ ...view, output: 4 }, story).answer).toBe("4")
  const call = { id: "1", args: { id: "cus", n: 2 }, begun: at.at, ended: 1_250, seq: 2 }
  const pass = {
    seq: 1,
    turns: [
      {
        calls: [
          { ...call, tool: "charges", state: "done" },
          { ...call, id: "2", tool: "refund", state: "refused" },
          { ...call, id: "3", tool: "finish", state: "done" },
        ],
      },
    ],
    calls: [],
    summary: "Done.",
  }
  const seen = evidenceOf({ task: "", inputs: {} }, { steps: new Map([["help", { passes: [pass] }]]) } as never)
  expect(seen.calls).toEqual([
    { id: "1", tool: "charges", about: "cus, 2", ms: 250, isBad: false },
    { id: "2", tool: "refund", about: "cus, 2", ms: 250, isBad: true },
  ])
  expect(seen.answer).toBe("Done.")
})

test("[V44] a new scorer's text keeps what was typed as one value, and a row is told by its name, task or inputs", () => {
  expect(scorerText({ name: "calm", description: 'Calm: "yes"\n# x', kind: "judge", rubric: "a: b\nc" })).toBe(
    'name: calm\ndescription: "Calm: \\"yes\\"\\n# x"\njudge:\n  rubric: "a: b\\nc"\n  levels: { 0: wrong or made up, 0.5: right but incomplete, 1: right and complete }\n',
  )
  expect(rowTitle({ id: "row_1", task: " Where\nis it? " })).toBe("Where is it?")
  expect(rowTitle({ id: "row_1", inputs: { order: 7 } })).toBe('{"order":7}')
  expect(rowTitle({ id: "row_1" })).toBe("row_1")
  expect(rowTitle({ id: "row_1", name: "x".repeat(300) }).length).toBe(140)
})
