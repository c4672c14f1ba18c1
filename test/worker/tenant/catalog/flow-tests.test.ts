// [K20, K21] Flows under test, over HTTP: the file in the catalog, the runs of its cases, what each failure says.

import { describe, expect, test } from "vitest"
import type { TestReport } from "../../../../src/core/case/test-report.ts"
import { agent, ask, call, eventsOf, flow, runOf } from "../../../support/worker/house.ts"

const put = (path: string, text: string): Promise<Response> => raw("PUT", path, text)
async function raw(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
  const { SELF } = await import("cloudflare:test")
  return SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { authorization: "Bearer sl_local_dev", "content-type": "text/plain", ...headers },
    ...(body === undefined ? {} : { body }),
  })
}
const replace = (catalog: object): Promise<unknown> =>
  ask("PUT", "/v1/catalog", { agents: {}, flows: {}, skills: {}, code: {}, ...catalog })
const run = (name: string, body: object = {}): Promise<TestReport> => ask("POST", `/v1/flows/${name}/test`, body)
const failures = ({ cases }: TestReport): string[][] => cases.map((one) => one.failures.map(({ at }) => at))

describe("the file", () => {
  test("[K20] tests go with their flow: export, import, history, rollback, removal, folders", async () => {
    const text = "cases:\n  - { name: works, expect: { status: succeeded } }\n"
    const nda = { "legal/nda.yaml": flow("nda", "  - { id: a, type: agent, agent: a }\n"), "legal/nda.test.yaml": text }
    await replace({ agents: { "a.md": agent("a") }, flows: nda })
    expect(await (await raw("GET", "/v1/flows/legal:nda/tests")).text()).toBe(text)
    const exported = await ask<{ flows: Record<string, string> }>("GET", "/v1/catalog/export")
    expect(exported.flows["legal/nda.test.yaml"]).toBe(text)
    await replace(exported)
    expect((await run("legal:nda")).passed).toBe(1)
    const { revision } = await ask<{ revision: number }>("GET", "/v1/catalog")
    const list = await ask<{ data: { id: string }[] }>("GET", "/v1/flows")
    expect(list.data.map(({ id }) => id)).not.toContain("legal:nda.test")

    const changed = await put("/v1/flows/legal:nda/tests", text.replace("works", "still works"))
    expect([changed.status, ((await changed.json()) as { path: string }).path]).toEqual([200, "flows/legal/nda.test.yaml"])
    const diff = await ask<{ data: { path: string; diff: string }[] }>("GET", "/v1/catalog/diff")
    expect(diff.data).toMatchObject([{ path: "flows/legal/nda.test.yaml", diff: expect.stringContaining("still works") }])
    await ask("POST", "/v1/catalog/rollback", { revision })
    expect(await (await raw("GET", "/v1/flows/legal:nda/tests")).text()).toBe(text)
    await raw("DELETE", "/v1/flows/legal:nda")
    expect((await raw("GET", "/v1/flows/legal:nda/tests")).status).toBe(404)
    await ask("POST", "/v1/catalog/rollback", { revision })
    expect((await run("legal:nda")).passed).toBe(1)
    expect((await raw("DELETE", "/v1/flows/legal:nda/tests")).status).toBe(204)
    expect((await raw("POST", "/v1/flows/legal:nda/test", "{}", { "content-type": "application/json" })).status).toBe(422)
  })

  test("[K20] a fault is 422 with its line, and nothing is written", async () => {
    await replace({ agents: { "a.md": agent("a") }, flows: { "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n") } })
    const r = await put("/v1/flows/f/tests", "cases:\n  - name: x\n    expect: { statu: succeeded }\n")
    const body = (await r.json()) as { written: boolean; diagnostics: { line: number; code: string; suggestion?: string }[] }
    expect([r.status, body.written, body.diagnostics[0]]).toMatchObject([422, false, { code: "TV-EXPECT", line: 3 }])
    expect(body.diagnostics[0]?.suggestion).toContain("status")
    expect((await raw("GET", "/v1/flows/f/tests")).status).toBe(404)
    expect(await ask("POST", "/v1/validate", { kind: "test", content: "cases: 5" })).toMatchObject({ valid: false })
  })
})

const TWO = {
  agents: { "a.md": agent("a", "write, ask_user"), "b.md": agent("b") },
  flows: {
    "f.yaml": flow("f", "  - { id: a, type: agent, agent: a }\n  - { id: b, type: agent, agent: b, blockedBy: a }\n"),
  },
}

describe("a test", () => {
  test("[K21] its runs are rehearsed, dry and hidden, and each failure names its place", async () => {
    const cases = `cases:
  - name: writes
    task: go
    rehearsal:
      a:
        - calls: [ { tool: write, args: { path: x.txt, content: hello } }, { tool: bash, args: { command: ls } } ]
        - finish: { status: complete, summary: all good }
    expect:
      status: succeeded
      steps: { a: { status: complete, passes: 1, called: [write], refused: [bash] }, b: { status: complete } }
      files: { x.txt: { equals: hello } }
      output: { summary: { matches: "^Rehearsed" } }
      error: null
      turns: 3
      tool_calls: { at_most: 1 }
  - name: is wrong
    task: go
    expect:
      status: failed
      steps: { a: { called: [write] }, c: { status: complete } }
      files: { y.txt: { contains: z } }
      branches: { a: left }
      output: { summary: { schema: { type: number } } }
      turns: { at_least: 5 }
`
    await replace({ ...TWO, flows: { ...TWO.flows, "f.test.yaml": cases } })
    const report = await run("f")
    expect([report.flow, report.passed, report.failed, failures(report)[0]]).toEqual(["f", 1, 1, []])
    expect(failures(report)[1]?.toSorted()).toEqual(
      ["/status", "/steps/a/called", "/steps/c", "/files/y.txt", "/branches/a", "/output/summary", "/turns"].toSorted(),
    )
    const id = report.cases[0]?.run ?? ""
    expect(await runOf(id)).toMatchObject({ rehearsed: true, effects: "dry", trigger: { kind: "test", key: "local" } })
    const shown = async (query: string): Promise<string[]> =>
      (await ask<{ data: { id: string }[] }>("GET", `/v1/runs?flow=f${query}`)).data.map((row) => row.id)
    expect(await shown("")).not.toContain(id)
    expect(await shown("&trigger=test")).toContain(id)
    expect((await run("f", { case: "writes" })).cases.map(({ name }) => name)).toEqual(["writes"])
    expect((await call("POST", "/v1/flows/f/test", { case: "none" })).status).toBe(422)
    expect((await call("POST", "/v1/flows/nope/test", {})).status).toBe(404)
    expect((await call("POST", "/v1/flows/f/test", { casee: "x" })).status).toBe(422)
  })

  test("[K21] as JUnit", async () => {
    const cases = `cases:\n  - { name: "a <b> & \\"c\\"", expect: {} }\n  - { name: no, expect: { status: failed, tool_calls: 9 } }\n`
    await replace({ ...TWO, flows: { ...TWO.flows, "f.test.yaml": cases } })
    const r = await raw("POST", "/v1/flows/f/test", undefined, { accept: "application/xml" })
    const xml = await r.text()
    expect([r.status, r.headers.get("content-type")]).toEqual([200, "application/xml; charset=utf-8"])
    expect(xml).toMatch(/<testsuite [^>]*tests="2"[^>]*failures="1"/)
    expect(xml).toContain(`name="a &lt;b&gt; &amp; &quot;c&quot;"`)
    expect(xml.match(/<failure /g)).toHaveLength(2)
  })

  test("[K21] questions are answered in their order, and a question without an answer fails its case at once", async () => {
    const asks = (more: string): string =>
      `        - calls: [ { tool: ask_user, args: { question: q, type: select, options: [x, y] } } ]\n${more}        - finish: { status: complete, summary: done }\n`
    const cases = `cases:
  - name: answered
    task: go
    autonomous: false
    answers: [ { answer: y } ]
    rehearsal:
      a:
${asks("")}
    expect: { status: succeeded, steps: { a: { called: [ask_user] } } }
  - name: nobody there
    task: go
    autonomous: false
    rehearsal:
      a:
${asks("")}
    expect: { status: failed }
  - name: wrong answer
    task: go
    autonomous: false
    answers: [ { answer: z } ]
    rehearsal:
      a:
${asks("")}
    expect: { status: succeeded }
`
    await replace({ ...TWO, flows: { ...TWO.flows, "f.test.yaml": cases } })
    const report = await run("f")
    expect(failures(report)).toEqual([[], ["/answers"], ["/answers/0"]])
    expect(report.cases[1]?.failures[0]?.found).toMatchObject({ kind: "ask_user", question: "q" })
    expect((await runOf(report.cases[1]?.run ?? "")).status).toBe("canceled")
    expect(report.cases.every(({ ms }) => ms < 8_000)).toBe(true)
    // Other files' questions may be open in the same tenant.
    const open = (await ask<{ data: { run: string | null }[] }>("GET", "/v1/interactions")).data
    const own = new Set<string | null | undefined>(report.cases.map((made) => made.run))
    expect(open.filter((asked) => own.has(asked.run))).toEqual([])
  })

  test("[K21] waits, retries and delays are over at once", async () => {
    const steps = `  - { id: w, type: wait, for: 3d }
  - { id: u, type: wait, until: "2199-01-01T00:00:00Z", blockedBy: w }
  - { id: s, type: wait, signal: go, blockedBy: u }
  - { id: t, type: wait, signal: go, timeout: 1h, on_timeout: a, blockedBy: s }
  - { id: a, type: agent, agent: b }
`
    const cases = `cases:
  - name: at once
    task: go
    rehearsal:
      a:
        - error: { status: 503, retry_after: 100 }
        - { delay: 5m, finish: { status: complete, summary: done } }
    expect: { status: succeeded, branches: { t: timeout }, steps: { s: { outputs: { payload: null } } } }
`
    await replace({ ...TWO, flows: { "f.yaml": flow("f", steps), "f.test.yaml": cases } })
    const began = Date.now()
    const report = await run("f")
    expect(report.cases[0]?.failures).toEqual([])
    // A wait that is waited for takes 100 s at least.
    expect(Date.now() - began).toBeLessThan(90_000)
  })

  test("[K21] children take the turns of their flow, of one child, and their questions are answered", async () => {
    const cases = `cases:
  - name: children
    task: go
    autonomous: false
    inputs: { items: [1, 2, 3] }
    answers: [ { step: child/x, answer: true } ]
    rehearsal:
      child/x:
        - finish: { status: complete, summary: every child }
      m[1]/x:
        - calls: [ { tool: ask_user, args: { question: sure, type: confirm } } ]
        - finish: { status: complete, summary: the second child }
    expect:
      status: succeeded
      turns: 4
      steps: { m: { outputs: { succeeded: 3, results: [ { summary: { matches: . } }, { index: 1 }, { index: 2 } ] } } }
`
    const flows = {
      "f.yaml": flow("f", '  - { id: m, type: map, over: "${{flow.input.items}}", do: child }\n', "inputs:\n  items: { type: array }\n"),
      "child.yaml": flow("child", "  - { id: x, type: agent, agent: a }\n", "autonomous: false\n"),
      "f.test.yaml": cases,
    }
    await replace({ ...TWO, flows })
    const report = await run("f")
    expect(report.cases[0]?.failures).toEqual([])
    const events = await eventsOf(report.cases[0]?.run ?? "")
    const ended = events.filter((e) => e.type === "child.ended").toSorted((a, b) => a.index - b.index)
    expect(ended.map(({ summary }) => summary)).toEqual(["every child", "the second child", "every child"])
  })

  test("[K21] definitions are tried without being written; faults in them are 422 with pointer and line", async () => {
    const cases = `cases:\n  - { name: has n, task: go, expect: { steps: { a: { outputs: { n: { schema: { type: number } } } } } } }\n`
    await replace({ ...TWO, flows: { ...TWO.flows, "f.test.yaml": cases } })
    const { revision } = await ask<{ revision: number }>("GET", "/v1/catalog")
    expect((await run("f")).failed).toBe(1)
    const better = "---\nname: a\ndescription: a\ntools: write\noutputs:\n  - { name: n, type: number }\n---\nDo it."
    expect((await run("f", { definitions: { "agents/a.md": better } })).failed).toBe(0)
    expect((await ask<{ revision: number }>("GET", "/v1/catalog")).revision).toBe(revision)
    const r = await call("POST", "/v1/flows/f/test", { definitions: { "agents/a.md": "no frontmatter", "x/y": "z" } })
    const body = (await r.json()) as { errors: { pointer: string; line: number }[] }
    expect([r.status, body.errors.map(({ pointer }) => pointer)]).toEqual([
      422,
      expect.arrayContaining(["/definitions/agents~1a.md", "/definitions/x~1y"]),
    ])
    const gone = await call("POST", "/v1/flows/f/test", { definitions: { "flows/f.yaml": null } })
    expect(gone.status).toBe(404)
    const fresh = { "flows/g.yaml": TWO.flows["f.yaml"].replace("name: f", "name: g"), "flows/g.test.yaml": cases, "agents/a.md": better }
    expect((await run("g", { definitions: fresh })).passed).toBe(1)
  })

  test("[K21] inputs that do not fit, a missing task, given files and a trigger's data", async () => {
    const head = "task_required: true\ninputs:\n  n: { type: number, required: true }\n"
    const steps = `  - { id: a, type: agent, agent: a, task: "\${{trigger.body.x}}" }\n`
    const cases = `cases:
  - { name: no task, inputs: { n: 1 }, expect: {} }
  - { name: no n, task: go, expect: {} }
  - name: whole
    task: go
    inputs: { n: 1 }
    trigger: { body: { x: hello } }
    files: { notes.md: some text }
    expect: { status: succeeded, files: { notes.md: { equals: some text } } }
`
    await replace({ ...TWO, flows: { "f.yaml": flow("f", steps, head), "f.test.yaml": cases } })
    const report = await run("f")
    expect(failures(report)).toEqual([["/task"], ["/inputs"], []])
    expect(report.cases.map((one) => one.run === null)).toEqual([true, true, false])
    const opened = (await eventsOf(report.cases[2]?.run ?? "")).find((e) => e.type === "step.opened")
    expect(opened).toMatchObject({ task: "hello", tainted: true })
  })
})
