// [K22] A test made of a run: its replies, answers and results; it passes as it is, whatever the run did.

import { describe, expect, test } from "vitest"
import type { TestReport } from "../../../../src/core/case/test-report.ts"
import { ask, call, ended, flow, runOf, start, until } from "../../../support/worker/house.ts"

const agent = (name: string, tools: string, more = ""): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: script/${name}\ntools: ${tools}\n${more}---\nDo it. \${{task}}\n`
const scripts = (turns: object) => ask("PUT", "/v1/settings/providers/script", { kind: "scripted", turns })
const replace = (catalog: object) => ask("PUT", "/v1/catalog", { agents: {}, flows: {}, skills: {}, code: {}, ...catalog })
const done = (summary: string, more: object = {}) => ({ finish: { status: "complete", summary, ...more } })
interface Made {
  readonly flow: string
  readonly case: {
    readonly name: string
    readonly expect: Record<string, unknown>
    readonly rehearsal: Record<string, unknown>
    readonly answers?: unknown[]
  }
  readonly revision: number
}
const made = (id: string, name: string): Promise<Made> => ask("POST", `/v1/runs/${id}/test`, { name })
async function passes(name: string): Promise<TestReport> {
  const report = await ask<TestReport>("POST", `/v1/flows/${name}/test`)
  expect(report.failed, JSON.stringify(report.cases)).toBe(0)
  return report
}

describe("a test of a run", () => {
  test("[K22] input, replies and results of calls that left the run; the workspace's are made again", async () => {
    await ask("PUT", "/v1/objects/notes.md", "shared")
    await scripts({
      a: [
        { text: "hm" },
        {
          calls: [
            { tool: "memory.write", args: { namespace: "n", content: "x" } },
            { tool: "web.nothing", args: {} },
          ],
        },
        {
          calls: [
            { tool: "write", args: { path: "x.txt", content: "1" } },
            { tool: "read", args: { path: "x.txt" } },
          ],
        },
        { calls: [{ tool: "memory.read", args: { namespace: "n" } }], error: undefined },
        done("A"),
      ].map(({ error: _none, ...turn }: Record<string, unknown>) => turn),
      b: [{ error: { status: 503, retry_after: 0 } }, done("B", { n: 4 })],
    })
    await replace({
      agents: {
        "a.md": agent("a", "memory.write, memory.read, write, read"),
        "b.md": agent("b", "ls", "outputs:\n  - { name: n, type: number }\n"),
      },
      flows: {
        "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n"),
        "f.test.yaml": "# Ours.\ncases:\n  # The first.\n  - { name: first, task: go, expect: { status: succeeded } }\n",
      },
    })
    const id = await start("f", { task: "it" })
    const view = await until(id, ended)
    expect(view.status).toBe("succeeded")
    const one = await made(id, "as it was")
    expect([one.flow, one.case.name, one.case.expect["status"]]).toEqual(["f", "as it was", "succeeded"])
    expect(one.case.rehearsal["a"]).toMatchObject([
      { text: "hm" },
      { calls: [{ tool: "memory.write", result: expect.any(String) }, { tool: "web.nothing" }] },
      { calls: [{ tool: "write" }, { tool: "read" }] },
      { calls: [{ tool: "memory.read", result: expect.stringContaining("x") }] },
      { finish: { status: "complete", summary: "A" } },
    ])
    expect(one.case.expect).toMatchObject({
      steps: {
        a: { passes: 1, called: ["memory.write", "write", "read", "memory.read"], refused: ["web.nothing"] },
        b: { outputs: { n: 4 } },
      },
      files: { "x.txt": { equals: "1" } },
    })
    await scripts({ a: [{ error: { status: 400 } }] })
    const text = await (await call("GET", "/v1/flows/f/tests")).text()
    expect(text).toMatch(/^# Ours\.\ncases:\n {2}# The first\./)
    const report = await passes("f")
    expect(report.cases.map(({ name }) => name)).toEqual(["first", "as it was"])
    expect(await ask("GET", `/v1/runs/${report.cases[1]?.run}/replay`)).toMatchObject({ identical: true })
    const again = await call("POST", `/v1/runs/${id}/test`, { name: "as it was" })
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([409, "taken"])
    expect((await call("POST", "/v1/runs/run_00000000000000000000000000/test", { name: "x" })).status).toBe(404)
    expect((await call("POST", `/v1/runs/${id}/test`, {})).status).toBe(422)
  })

  test("[K22] loops, retries, branches, children of a map that differ, and approvals by their step", async () => {
    const items = ["one", "two", "three"]
    await scripts({
      loop: [done("once more", { branch: "loop" }), done("enough", { branch: "exit" })],
      child: items.flatMap(() => [{ calls: [{ tool: "ask_user", args: { question: "sure", type: "confirm" } }] }, done("a child")]),
      fails: [{ text: "I will not finish" }, { text: "no" }, { text: "never" }, { text: "at all" }],
    })
    await replace({
      agents: { "loop.md": agent("loop", "ls"), "child.md": agent("child", "ask_user"), "fails.md": agent("fails", "ls") },
      flows: {
        "f.yaml": flow(
          "f",
          '  - { id: b, type: agent, agent: fails, on_error: l }\n  - { id: l, type: agent-loop-decision, agent: loop, task: again, loop_target: b, exit_target: m, max_iterations: 3 }\n  - { id: m, type: map, over: "${{flow.input.items}}", do: child, task: "${{item}}" }\n  - { id: x, type: agent, agent: fails, on_error: e }\n  - { id: e, type: flow-ref, flow: child }\n',
          "autonomous: false\ninputs:\n  items: { type: array }\n",
        ),
        "child.yaml": flow("child", "  - { id: c, type: agent, agent: child }\n", "autonomous: false\n"),
      },
    })
    const r = await call("POST", "/v1/flows/f/runs", { task: "go", inputs: { items } })
    expect(r.status, await r.clone().text()).toBe(202)
    const { id } = (await r.json()) as { id: string }
    for (let i = 0; i < 400; i++) {
      const view = await runOf(id)
      if (view.ended !== undefined) break
      const { data } = await ask<{ data: { id: string; run: string }[] }>("GET", "/v1/interactions")
      for (const one of data) await call("POST", `/v1/runs/${one.run}/interactions/${one.id}`, { answer: i % 2 === 0 })
      await new Promise((next) => setTimeout(next, 20))
    }
    const view = await until(id, ended)
    const one = await made(id, "everything")
    expect(one.case.expect["status"]).toBe(view.status)
    await scripts({ loop: [{ error: { status: 400 } }] })
    await passes("f")
  })

  test("[K22] a failed run is a test of its failure; a canceled, a running and a lost one are not", async () => {
    await scripts({ a: [{ error: { status: 400, message: "no such model" } }], w: [{ delay: 60_000, text: "x" }] })
    await replace({
      agents: { "a.md": agent("a", "ls"), "w.md": agent("w", "ls") },
      flows: {
        "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n"),
        "g.yaml": flow("g", "  - { id: a, type: agent, agent: w }\n"),
      },
    })
    const id = await start("f")
    expect((await until(id, ended)).status).toBe("failed")
    expect((await made(id, "fails")).case.expect).toMatchObject({ status: "failed", error: { source: "api_error" } })
    await passes("f")
    const waiting = await start("g")
    const early = await call("POST", `/v1/runs/${waiting}/test`, { name: "x" })
    expect([early.status, ((await early.json()) as { code: string }).code]).toEqual([409, "run_not_over"])
    await ask("POST", `/v1/runs/${waiting}/cancel`)
    expect((await call("POST", `/v1/runs/${waiting}/test`, { name: "x" })).status).toBe(422)
  })

  test("[K22] of a run that failed beside other steps, only what does not depend on time is expected", async () => {
    const many = (n: number, end: object): object[] => [...Array.from({ length: n }, () => ({ calls: [{ tool: "ls", args: {} }] })), end]
    const done = { finish: { status: "complete", summary: "done" } }
    await scripts({ w: many(1, done), x: many(4, { finish: { status: "error", summary: "no" } }), y: many(9, done) })
    await replace({
      agents: { "w.md": agent("w", "ls"), "x.md": agent("x", "ls"), "y.md": agent("y", "ls") },
      flows: {
        "f.yaml": flow(
          "f",
          "  - { id: v, type: agent, agent: w }\n  - { id: c, type: wait, for: 1 }\n  - { id: w, type: agent, agent: w }\n  - { id: x, type: agent, agent: x }\n  - { id: y, type: agent, agent: y }\n  - { id: z, type: agent, agent: w, blockedBy: w }\n  - { id: last, type: wait, for: 1 }\n  - { id: end, type: agent, agent: w }\n",
        ),
      },
    })
    const id = await start("f")
    expect((await until(id, ended)).status).toBe("failed")
    const { expect: said } = (await made(id, "beside")).case
    expect(said).toMatchObject({ status: "failed", error: { step: "x" }, steps: { v: { status: "complete" }, x: { status: "error" } } })
    expect(Object.keys(said["steps"] as object)).toEqual(["v", "c", "x"])
    for (const name of ["turns", "tool_calls", "files"]) expect(said).not.toHaveProperty(name)
    await passes("f")
  })
})
