// [K22] Runs that cannot be a case, and why.

import { describe, expect, test } from "vitest"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { recordCase, type RecordDeps } from "../../../src/engine/trial/record-case.ts"
import { withCase } from "../../../src/engine/trial/add-case.ts"
import { parseTests } from "../../../src/core/case/parse-tests.ts"
import type { RunPort } from "../../../src/ports/run.ts"

const pins = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} }
const started = { type: "run.started", run: "r", flow: "f", task: "", inputs: {}, autonomous: true, pinned: pins }
const view = (more: object = {}): RunView =>
  ({
    id: "r",
    flow: "f",
    status: "succeeded",
    ended: "x",
    steps: {},
    children: [],
    usage: { tokens: 0, usd: null, tool_calls: 0 },
    ...more,
  }) as unknown as RunView

function deps(events: readonly object[], shown: () => RunView): RecordDeps {
  const numbered = events.map((e, i) => ({ seq: i + 1, ...e }))
  const port = (id: string) =>
    ({
      start: async () => shown(),
      wait: async () => shown(),
      view: async () => shown(),
      files: async () => [],
      events: async (after: number) => ({ data: id === "r" ? numbered.filter((e) => e.seq > after) : [], ended: true }),
    }) as unknown as RunPort
  return {
    tenant: "t",
    by: "k",
    runId: async () => "new",
    run: port,
    keepFiles: async () => ({ ok: true, value: [] }),
    now: () => 0,
    pinned: async () => ({ ok: true, pins, flow: { id: "f", autonomous: true, task_required: false, inputs: {} }, rehearsed: true }),
  }
}

describe("a run", () => {
  test("[K22] that was canceled, or has more than 500 children, is no case", async () => {
    const error = async (d: RecordDeps, v: RunView) => {
      const made = await recordCase(d, v, "n")
      return made.ok ? "made" : made.error
    }
    expect(await error(deps([started], view), view({ status: "canceled" }))).toContain("canceled")
    const children = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ type: "child.started", step: "m", run: `c${i}`, index: i, pass: 1 }))
    expect(await error(deps([started, ...children(501)], view), view())).toContain("more than 500 children")
    expect(await error(deps([started, ...children(500)], view), view())).toBe("made")
  })

  test("[K22] whose outcome is another each time is no case", async () => {
    let calls = 0
    const changing = () =>
      view({ output: Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`k${i}`, i < calls ? calls : 0])), tries: calls++ })
    const made = await recordCase(deps([started], changing), view({ status: "failed", error: { source: "budget", message: "m" } }), "n")
    expect(made.ok ? "" : made.error).toContain("does not come again")
    const lists = { output: [[[[[1]]]]] }
    let depth = 0
    const other = () => view({ output: { a: [depth++, { b: depth }] } })
    const again = await recordCase(deps([started], other), view({ output: { a: [0, { b: 1 }] } }), "n")
    expect([again.ok, lists.output.length]).toEqual([true, 1])
  })
})

describe("the file", () => {
  test("[K22] a case is added with comments kept, and without aliases", () => {
    const shared = { x: 1 }
    const one = { name: "n", inputs: { a: shared, b: shared }, expect: {} }
    for (const text of [undefined, "", "cases: []\n", "# c\ncases: [ { name: m, expect: {} } ] # d\n"]) {
      const made = withCase(text, one)
      const { tests, diagnostics } = parseTests(made)
      expect([diagnostics, tests?.cases.at(-1)?.inputs]).toEqual([[], { a: { x: 1 }, b: { x: 1 } }])
      if (text?.startsWith("#")) expect(made).toMatch(/^# c\n[^]*# d/)
    }
  })
})
