import { describe, expect, test } from "vitest"
import { parseRehearsal, readTurns, turnAt, turnsOfPass } from "../../../src/core/case/rehearsal.ts"

const file = `# a comment
steps:
  triage:
    - calls: [{ tool: read, args: { path: a.md } }]
      text: Looking.
    - error: { status: 429, message: slow down, retry_after: 2 }
    - delay: 300ms
      finish: { status: complete, summary: "is a bug", branch: bug }
    - finish: { status: complete, summary: fine, branch: none }
  fix:
    - text: only text
`

describe("parseRehearsal", () => {
  test("[M3] turns with 200,000 faults give 100 of them", () => {
    const wrong = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key${i}`, 1]))
    const read = readTurns([wrong])
    expect(read.ok ? [] : read.error).toHaveLength(100)
  })

  test("[M3] every kind of turn is read", () => {
    const { rehearsal, diagnostics } = parseRehearsal(file, ["triage", "fix"])
    expect(diagnostics).toEqual([])
    expect(rehearsal?.steps.get("triage")).toEqual([
      { text: "Looking.", calls: [{ tool: "read", args: { path: "a.md" } }] },
      { error: { status: 429, message: "slow down", retry_after: 2 } },
      { delay: 300, finish: { status: "complete", summary: "is a bug", branch: "bug" } },
      { finish: { status: "complete", summary: "fine", branch: "none" } },
    ])
    expect(rehearsal?.steps.get("fix")).toEqual([{ text: "only text" }])
  })

  test("[F2] unknown keys are errors at the key, with the nearest name", () => {
    const { rehearsal, diagnostics } = parseRehearsal(`stepz:
  a: []
steps:
  a:
    - finsh: { status: complete }
      text: x
    - calls:
        - { tool: read, arg: {} }
    - error: { code: 429 }
`)
    expect(rehearsal).toBeUndefined()
    expect(diagnostics.map((d) => [d.line, d.column, d.severity, d.message])).toEqual([
      [1, 1, "error", 'unknown key "stepz"'],
      [5, 7, "error", 'unknown key "finsh"'],
      [8, 25, "error", 'unknown key "arg"'],
      [9, 16, "error", 'unknown key "code"'],
    ])
    expect(diagnostics[0]?.suggestion).toContain('did you mean "steps"')
    expect(diagnostics[1]?.suggestion).toContain('did you mean "finish"')
    expect(diagnostics[2]?.suggestion).toContain('did you mean "args"')
  })

  test("[F2] every fault is reported at its place", () => {
    const { diagnostics } = parseRehearsal(`steps:
  a: nothing
  b:
    - {}
    - just words
    - delay: soon
      text: [no]
    - calls: []
    - calls: [{ args: {} }, read]
    - finish: done
    - error: { status: 200, retry_after: -1 }
      text: both
`)
    expect(diagnostics.map((d) => d.line)).toEqual([2, 4, 5, 6, 7, 8, 9, 9, 10, 11, 11, 11])
    expect(diagnostics.every((d) => d.severity === "error" && d.message !== "")).toBe(true)
  })

  test("[M3] [K22] `raw` is a text that is sent in place of the arguments", () => {
    const calls = (call: string) => parseRehearsal(`steps:\n  a:\n    - calls: [${call}]\n`)
    const good = calls('{ tool: read, raw: "{not json" }').rehearsal
    expect(good?.steps.get("a")).toEqual([{ calls: [{ tool: "read", args: {}, raw: "{not json" }] }])
    for (const bad of ["{ tool: read, raw: 5 }", "{ tool: read, raw: x, args: {} }", '{ tool: read, args: "{not json" }'])
      expect(calls(bad).diagnostics).toMatchObject([{ line: 3, severity: "error" }])
  })

  test("[F2] a step that the flow does not have is a warning with the nearest id", () => {
    const { rehearsal, diagnostics } = parseRehearsal(file, ["triage", "fixx"])
    expect(diagnostics).toMatchObject([
      { code: "RV-STEP", severity: "warning", line: 10, column: 3, suggestion: expect.stringContaining('did you mean "fixx"') },
    ])
    expect(rehearsal?.steps.size).toBe(2)
  })

  test("[F2] a call of a tool that does not exist is a warning with the nearest name", () => {
    const text = "steps:\n  a:\n    - calls: [{ tool: raed }, { tool: read }, { tool: ask_user }, { tool: finish }, { tool: storePlan }]\n"
    const { rehearsal, diagnostics } = parseRehearsal(text, ["a"], new Set(["read", "write"]))
    expect(diagnostics).toMatchObject([
      { code: "RV-TOOL", severity: "warning", line: 3, column: 23, suggestion: expect.stringContaining('did you mean "read"') },
    ])
    expect(rehearsal).toBeDefined()
    expect(parseRehearsal(text, ["a"]).diagnostics).toEqual([])
  })

  test.each(["", "- a list", "42", "steps: 3", "steps:", "a: [", "x: &a 1\ny: *a", "steps: { __proto__: [] }", "\0"])(
    "[F2] %j is told and never thrown",
    (text) => {
      const { rehearsal, diagnostics } = parseRehearsal(text)
      expect(rehearsal).toBeUndefined()
      expect(diagnostics.length).toBeGreaterThan(0)
    },
  )

  test("[M3] a delay of hours is refused: it would hold an object awake", () => {
    expect(parseRehearsal("steps: { a: [ { delay: 2h, text: x } ] }").diagnostics).toMatchObject([{ severity: "error" }])
  })
})

describe("turnAt", () => {
  const turns = parseRehearsal(file).rehearsal?.steps.get("triage") ?? []
  const at = (pass: number, turn: number, failures: number) => turnAt(turns, { pass, turn, failures })

  test("[M3] an error is met once: a failure moves on as a turn does", () => {
    expect(at(1, 0, 0)?.calls).toBeDefined()
    expect(at(1, 1, 0)?.error).toBeDefined()
    expect(at(1, 1, 1)?.finish).toMatchObject({ branch: "bug" })
    expect(at(1, 2, 1)).toBeUndefined()
  })

  test("[M3] a finish ends a group; passes beyond the last play it again", () => {
    expect(at(2, 0, 0)?.finish).toMatchObject({ branch: "none" })
    expect(at(7, 0, 0)?.finish).toMatchObject({ branch: "none" })
    expect(turnsOfPass([], 1)).toEqual([])
    expect(turnsOfPass([{ finish: {} }, { text: "open end" }], 3)).toEqual([{ text: "open end" }])
  })
})

test("[M2] the turns of a scripted provider are read by the same rules", () => {
  expect(readTurns([{ text: "hi", delay: "1s" }])).toEqual({ ok: true, value: [{ text: "hi", delay: 1000 }] })
  expect(readTurns({})).toMatchObject({ ok: false })
  const bad = readTurns([{ text: "hi" }, { calls: [{ toll: "x" }] }])
  expect(bad).toMatchObject({
    ok: false,
    error: [expect.stringContaining('turns[1].calls[0].toll: unknown key "toll"'), expect.stringContaining("turns[1].calls[0]")],
  })
})
