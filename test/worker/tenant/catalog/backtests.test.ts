// [K23] Backtests: recorded replies and results are given again; an unchanged flow is all the same for nothing, and a regression is named with its
// run, step, turn and cause.

import { describe, expect, test, beforeAll } from "vitest"
import { ask, call, ended, flow, start, until } from "../../../support/worker/house.ts"

interface Row {
  readonly run: string
  readonly result: string
  readonly step?: string
  readonly pass?: number
  readonly turn?: number
  readonly why?: string
  readonly message?: string
}
interface Backtest {
  readonly status: string
  readonly usage: { readonly tokens: number }
  readonly runs: readonly Row[]
}

const agent = (name: string, { tools = "ls", more = "", body = "Do it. ${{task}}", model = "script" } = {}): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: ${model}/${name}\ntools: ${tools}\n${more}---\n${body}\n`
const OUT = "outputs:\n  - { name: n, type: number }\n"
const AGENTS = {
  "a.md": agent("a", { tools: "ls, memory.read, write", more: OUT }),
  "d.md": agent("d"),
  "c.md": agent("c", { more: "skills: [s]\n" }),
  "z.md": agent("z"),
}
const steps = ({
  task = "start",
  label = "left",
  wait = "1s",
  map = "item ${{item}}",
  after = "z",
} = {}): string => `  - { id: a, type: agent, agent: a, task: "${task}" }
  - { id: d, type: agent-decision, agent: d, task: choose, branches: { ${label}: h, right: r } }
  - { id: r, type: agent, agent: d, task: right, on_complete: w }
  - { id: h, type: code, outputs: [ { name: x, type: number } ], inputs: { n: "\${{result.a.n}}" } }
  - { id: w, type: wait, for: ${wait} }
  - { id: m, type: map, over: "\${{flow.input.items}}", do: child, task: "${map}" }
  - { id: ${after}, type: agent, agent: z, task: end }
`
const HEAD = "inputs:\n  items: { type: array }\n"
const CODE = "export default function (input) { return { x: input.n * 2 } }\n"
const CATALOG = {
  agents: AGENTS,
  flows: { "f.yaml": flow("f", steps(), HEAD), "child.yaml": flow("child", "  - { id: c, type: agent, agent: c }\n") },
  skills: { "s/SKILL.md": "---\nname: s\ndescription: s\n---\nBe kind.\n" },
  code: { "f/h.ts": CODE },
}
const ids: string[] = []

async function backtest(body: object): Promise<Backtest> {
  const { id } = await ask<{ id: string }>("POST", "/v1/flows/f/backtest", body)
  for (let i = 0; i < 500; i++) {
    const found = await ask<Backtest>("GET", `/v1/backtests/${id}`)
    if (found.status === "done") return found
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error("the backtest does not end")
}
const changed = (definitions: object, more: object = {}) => backtest({ against: { runs: [ids[0]] }, change: { definitions }, ...more })

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/script", {
    kind: "scripted",
    turns: {
      a: [
        {
          calls: [
            { tool: "ls", args: { path: "." } },
            { tool: "memory.read", args: { namespace: "n" } },
          ],
        },
        { calls: [{ tool: "write", args: { path: "x", content: "1" } }] },
        { finish: { status: "complete", summary: "A", n: 4 } },
      ],
      d: [{ finish: { status: "complete", summary: "D", branch: "left" } }],
      c: [{ text: "hm" }, { finish: { status: "complete", summary: "C" } }],
      z: [{ finish: { status: "complete", summary: "Z" } }],
    },
  })
  await ask("PUT", "/v1/catalog", CATALOG)
  for (let i = 0; i < 2; i++) {
    const id = await start("f", { inputs: { items: [1, 2] } })
    expect((await until(id, ended)).status).toBe("succeeded")
    ids.unshift(id)
  }
}, 60_000)

describe("a backtest", () => {
  test("[K23] of an unchanged flow is all the same, for nothing", async () => {
    const done = await backtest({ against: { last: 2 } })
    expect(done.runs.map(({ run, result, message }) => [run, result, message])).toEqual(ids.map((id) => [id, "same", undefined]))
    expect(done.usage.tokens).toBe(0)
    const exact = await backtest({ against: { runs: ids }, match: "exact", beyond: "live" })
    expect([exact.runs.map((row) => row.result), exact.usage.tokens]).toEqual([["same", "same"], 0])
  })

  test("[K23] a prompt's text is `changed` by position, and `diverged` exactly", async () => {
    const body = { "agents/d.md": agent("d", { body: "Choose well. ${{task}}" }) }
    expect((await changed(body)).runs).toEqual([{ run: ids[0], result: "changed", step: "d", pass: 1, turn: 0, why: "prompt" }])
    expect((await changed(body, { match: "exact" })).runs).toEqual([
      { run: ids[0], result: "diverged", step: "d", pass: 1, turn: 0, why: "prompt" },
    ])
  })

  const flowOf = (parts: Parameters<typeof steps>[0]) => ({ "flows/f.yaml": flow("f", steps(parts), HEAD) })
  const regressions: readonly (readonly [name: string, definitions: object, expected: Partial<Row>])[] = [
    [
      "an agent's body",
      { "agents/a.md": agent("a", { tools: "ls, memory.read, write", more: OUT, body: "Hurry." }) },
      { result: "changed", step: "a", turn: 0, why: "prompt" },
    ],
    ["a step's task", flowOf({ task: "begin" }), { result: "changed", step: "a", turn: 0, why: "prompt" }],
    [
      "a skill's text",
      { "skills/s/SKILL.md": "---\nname: s\ndescription: s\n---\nBe rude.\n" },
      { result: "changed", step: "child/c", turn: 0, why: "prompt" },
    ],
    ["the task of a map's children", flowOf({ map: "thing ${{item}}" }), { result: "changed", why: "prompt" }],
    [
      "a tool taken away",
      { "agents/a.md": agent("a", { tools: "ls, memory.read", more: OUT }) },
      { result: "diverged", step: "a", turn: 0, why: "tools" },
    ],
    ["a tool added", { "agents/z.md": agent("z", { tools: "ls, read" }) }, { result: "diverged", step: "z", turn: 0, why: "tools" }],
    [
      "a tool of a child",
      { "agents/c.md": agent("c", { tools: "read", more: "skills: [s]\n" }) },
      { result: "diverged", step: "child/c", turn: 0, why: "tools" },
    ],
    [
      "another output",
      { "agents/a.md": agent("a", { tools: "ls, memory.read, write", more: `${OUT}  - { name: m, type: string }\n` }) },
      { result: "diverged", step: "a", turn: 0, why: "schema" },
    ],
    [
      "another type of output",
      { "agents/a.md": agent("a", { tools: "ls, memory.read, write", more: OUT.replace("number", "string") }) },
      { result: "diverged", step: "a", turn: 0, why: "schema" },
    ],
    ["a new output", { "agents/z.md": agent("z", { more: OUT }) }, { result: "diverged", step: "z", turn: 0, why: "schema" }],
    ["a branch renamed", flowOf({ label: "west" }), { result: "diverged", step: "d", turn: 0, why: "schema" }],
    [
      "a branch that leads elsewhere",
      { "flows/f.yaml": flow("f", steps().replace("left: h", "left: m"), HEAD) },
      { result: "diverged", why: "route" },
    ],
    [
      "a step less",
      {
        "flows/f.yaml": flow("f", steps().replace(/ {2}- \{ id: z[^\n]*\n/, ""), HEAD),
      },
      { result: "diverged", why: "route" },
    ],
    [
      "a step more",
      { "flows/f.yaml": flow("f", `${steps()}  - { id: y, type: agent, agent: z, task: more }\n`, HEAD) },
      { result: "diverged", step: "y", why: "route" },
    ],
    ["a step renamed", flowOf({ after: "zz" }), { result: "diverged", why: "route" }],
    [
      "a child's step more",
      { "flows/child.yaml": flow("child", "  - { id: c, type: agent, agent: c }\n  - { id: e, type: agent, agent: z, task: t }\n") },
      { result: "diverged", step: "child/e", why: "route" },
    ],
    ["a handler's result", { "code/f/h.ts": CODE.replace("* 2", "* 3") }, { result: "diverged", step: "h", why: "code" }],
    [
      "a handler that throws",
      { "code/f/h.ts": "export default function () { throw new Error('no') }\n" },
      { result: "diverged", step: "h", why: "code" },
    ],
    [
      "a handler's text alone",
      { "code/f/h.ts": CODE.replace("input.n * 2", "2 * input.n") },
      { result: "changed", step: "h", why: "code" },
    ],
    [
      "another agent for a step",
      { "flows/f.yaml": flow("f", steps().replace("agent: z, task: end", "agent: d, task: end"), HEAD) },
      { result: "diverged", step: "z", turn: 0, why: "model" },
    ],
    [
      "a role that may call less",
      { "agents/a.md": agent("a", { tools: "ls, memory.read, write", more: `${OUT}access:\n  write: [docs/**]\n` }) },
      { result: "diverged", step: "a", turn: 1, why: "guard" },
    ],
    [
      "the flow's output",
      { "flows/f.yaml": flow("f", steps(), `${HEAD}outputs: { total: "\${{result.h.x}}" }\n`) },
      { result: "changed", why: "schema" },
    ],
  ]
  test.each(regressions)("[K23] names %s", async (_, definitions, expected) => {
    const { runs, usage } = await changed(definitions)
    expect(runs[0], JSON.stringify(runs)).toMatchObject({ run: ids[0], ...expected })
    expect(usage.tokens).toBe(0)
  })

  test("[K23] a model, a revision, a filter, and the ends of the recording", async () => {
    const model = await backtest({ against: { runs: [ids[1]] }, change: { models: { z: "script/other" } } })
    expect(model.runs).toEqual([{ run: ids[1], result: "diverged", step: "z", pass: 1, turn: 0, why: "model" }])
    const { revision } = await ask<{ revision: number }>("GET", "/v1/catalog")
    const never = await call("POST", "/v1/flows/f/backtest", { against: { last: 1 }, change: { revision: revision + 100 } })
    expect([never.status, (await never.json<{ errors: { pointer: string }[] }>()).errors[0]?.pointer]).toEqual([422, "/change/revision"])
    for (const status of ["succeeded", ["succeeded"]])
      expect((await backtest({ against: { last: 1, status, since: "2020-01-01T00:00:00Z" }, change: { revision } })).runs).toMatchObject([
        { result: "same" },
      ])
    expect((await backtest({ against: { last: 5, tag: "nobody" } })).runs).toEqual([])
    const bad: [object, string][] = [
      [{ against: {} }, "/against"],
      [{ against: { last: 0 } }, "/against/last"],
      [{ against: { last: 1, status: "running" } }, "/against/status"],
      [{ against: { runs: [ids[0]], last: 2 } }, "/against"],
      [{ against: { runs: ["run_x"] } }, "/against/runs/0"],
      [{ against: { last: 1 }, change: { models: { nobody: "a/b" } } }, "/change/models/nobody"],
      [{ against: { last: 1 }, change: { definitions: { "agents/a.md": "x" } } }, "/change/definitions/agents~1a.md"],
      [{ against: { last: 1 }, change: { session: "run_00000000000000000000000000" } }, "/change/session"],
    ]
    for (const [body, pointer] of bad) {
      const r = await call("POST", "/v1/flows/f/backtest", body)
      const said = (await r.json()) as { errors: { pointer: string }[] }
      expect([r.status, said.errors?.[0]?.pointer], JSON.stringify(said)).toEqual([422, pointer])
    }
    expect((await call("POST", "/v1/flows/nope/backtest", { against: { last: 1 } })).status).toBe(404)
    expect((await call("GET", "/v1/backtests/nope")).status).toBe(404)
  })
})
