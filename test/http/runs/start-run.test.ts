// Starting a run: its checks, what the run gets, and the three kinds of answers [H9] [F52] [J14].

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../src/core/json.ts"
import { setUp } from "../../support/http/ask.ts"
import type { FakeRun } from "../../support/http/fake-services.ts"

const SSE = { accept: "text/event-stream" }

async function ready(face: Parameters<ReturnType<typeof setUp>["acme"]["catalog"]["flow"]>[0] = {}, rehearsed = false) {
  const all = setUp()
  all.acme.catalog.flow(face, rehearsed)
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  const start = (body: unknown = {}, headers: Record<string, string> = {}) => all.ask("POST", "/v1/flows/f/runs", { body, headers })
  const only = (): FakeRun => {
    const [run, ...rest] = [...all.acme.runs.values()]
    if (!run || rest.length > 0) throw new Error("there is not exactly one run")
    return run
  }
  return { ...all, start, only }
}

describe("the answer", () => {
  test("[J14] a start is 202 with Location and the run's URLs", async () => {
    const { start, only } = await ready()
    const r = await start({ task: "go", tags: ["x"] })
    const self = `/v1/runs/${only().id}`
    expect([r.status, r.headers.get("location")]).toEqual([202, self])
    expect(r.body).toEqual({
      id: only().id,
      flow: "f",
      status: "running",
      urls: { self, events: `${self}/events`, cancel: `${self}/cancel` },
    })
    expect(only().request).toMatchObject({
      tenant: "acme",
      flow: "f",
      task: "go",
      inputs: {},
      autonomous: true,
      rehearsed: false,
      tags: ["x"],
      trigger: { kind: "api", key: "name of key-a" },
    })
  })

  test("[J14] a start needs no body", async () => {
    const { ask } = await ready()
    expect((await ask("POST", "/v1/flows/f/runs")).status).toBe(202)
  })

  test("[M3] a rehearsed run is marked", async () => {
    const { start, acme, only } = await ready({}, true)
    expect((await start({ rehearse: true })).body["rehearsed"]).toBe(true)
    expect(acme.catalog.pinned).toMatchObject([{ target: { flow: "f" }, options: { rehearse: true, start: { kind: "api" } } }])
    expect(only().request?.rehearsed).toBe(true)
  })

  test("[F21] autonomous is the flow's default unless the start says otherwise", async () => {
    for (const [face, body, want] of [
      [true, {}, true],
      [false, {}, false],
      [true, { autonomous: false }, false],
      [false, { autonomous: true }, true],
    ] as const) {
      const { start, only } = await ready({ autonomous: face })
      await start(body)
      expect(only().request?.autonomous).toBe(want)
    }
  })

  test("[F5] a flow id may contain colons, percent-encoded or not", async () => {
    for (const id of ["legal:nda", "legal%3Anda"]) {
      const { ask, acme } = await ready({ id: "legal:nda" })
      expect((await ask("POST", `/v1/flows/${id}/runs`)).status).toBe(202)
      expect(acme.catalog.pinned).toMatchObject([{ target: { flow: "legal:nda" } }])
    }
  })
})

describe("Prefer: wait", () => {
  test("[H9] 200 with the run if it ends in time", async () => {
    const { start, only } = await ready()
    const r = await start({}, { prefer: "wait=15" })
    expect([r.status, r.headers.get("preference-applied"), r.body["status"]]).toEqual([200, "wait=15", "succeeded"])
    expect(r.headers.get("location")).toBe(`/v1/runs/${only().id}`)
    expect(only().waited).toEqual([15_000])
  })

  test("[H9] 200 if it waits for a person, 202 if it waits for anything else or is still running", async () => {
    for (const [settles, want] of [
      [{ status: "waiting", pending: 1 }, 200],
      [{ status: "waiting", pending: 0 }, 202],
      [{ status: "running", pending: 1 }, 202],
      [{ status: "running" }, 202],
    ] as const) {
      const { start, acme } = await ready()
      acme.run(await acme.runId()).settles = settles
      acme.next = 0
      const r = await start({}, { prefer: "wait=1" })
      expect([r.status, r.body["status"], r.headers.get("preference-applied")]).toEqual([want, settles.status, "wait=1"])
      expect("urls" in r.body).toBe(want === 202)
    }
  })

  test("[H9] more than 90 s counts as 90 s; other preferences are allowed beside it", async () => {
    const { start, only } = await ready()
    const r = await start({}, { prefer: "respond-async, wait=9999; x=1" })
    expect(r.headers.get("preference-applied")).toBe("wait=90")
    expect(only().waited).toEqual([90_000])
  })

  test.each(["wait=soon", "wait", "await=5", "wait=-1", ""])("[H9] the preference %j is not understood and not applied", async (prefer) => {
    const { start, only } = await ready()
    const r = await start({}, { prefer })
    expect([r.status, r.headers.get("preference-applied"), only().waited]).toEqual([202, null, []])
  })
})

describe("streaming", () => {
  test("[E4] Accept: text/event-stream streams the run from its first event", async () => {
    const { start, only } = await ready()
    const r = await start({}, { ...SSE, prefer: "wait=5" })
    expect([r.status, r.headers.get("content-type")]).toEqual([200, "text/event-stream"])
    expect(r.headers.get("location")).toBe(`/v1/runs/${only().id}`)
    expect([only().streamed, only().waited]).toEqual([[{ after: 0, snapshot: false }], []])
  })
})

describe("refusals", () => {
  test("[F72] name@revision pins that revision; anything else after @ is 404", async () => {
    const { ask, acme } = await ready()
    for (const id of ["f@2", "f%402"]) expect((await ask("POST", `/v1/flows/${id}/runs`)).status).toBe(202)
    expect(acme.catalog.pinned).toMatchObject(Array(2).fill({ target: { flow: "f", revision: 2 }, options: { rehearse: false } }))
    for (const id of ["f@", "f@x", "f@-1", "f@1.5", "f%40sha256:ab", "@2", "f@2@3", "f@draft:", "f@draft:X", "f@draft:a@2"])
      expect((await ask("POST", `/v1/flows/${id}/runs`)).status, id).toBe(404)
    expect((await ask("POST", "/v1/flows/f@99/runs", { body: { nonsense: 1 } })).status).toBe(404)
    expect((await ask("POST", "/v1/flows/f@2/runs", { body: { nonsense: 1 } })).status).toBe(422)
    expect(acme.catalog.pinned).toHaveLength(2)
  })

  test("[H2] a flow that does not exist is the usual 404, and so is the id of a one-agent flow", async () => {
    const { ask } = setUp()
    for (const id of ["nope", "@subagent", "@subagent%2Fa", "a%2Fb", "a..b"])
      expect((await ask("POST", `/v1/flows/${id}/runs`)).status, id).toBe(404)
  })

  test("[F2] a flow with errors is 422 with each of them at its line", async () => {
    const { start, acme } = await ready()
    acme.catalog.pinResult = {
      ok: false,
      code: "invalid_flow",
      message: "flow f has errors",
      diagnostics: [
        { code: "FV-NAME", line: 3, column: 5, severity: "error", message: "bad", suggestion: "good" },
        { code: "FV-ID-DOT", line: 1, severity: "warning", message: "meh" },
      ],
    }
    const r = await start()
    expect([r.status, r.body["code"], r.body["detail"]]).toEqual([422, "invalid_flow", "flow f has errors"])
    expect(r.body["errors"]).toEqual([{ pointer: "", line: 3, column: 5, message: "bad", suggestion: "good", code: "FV-NAME" }])
  })

  test("[F30] an unknown agent is 422 and names the step", async () => {
    const { start, acme } = await ready()
    acme.catalog.pinResult = { ok: false, code: "unknown_agent", step: "draft", message: 'step "draft": no agent "writr"', diagnostics: [] }
    const r = await start()
    expect([r.status, r.body["code"], r.body["step"]]).toEqual([422, "unknown_agent", "draft"])
    expect(r.body["errors"]).toEqual([{ pointer: "/steps/draft", message: 'step "draft": no agent "writr"' }])
  })

  test.each(["no_model", "unsupported"] as const)("[F52] %s is 422 with what the catalog says", async (code) => {
    const { start, acme } = await ready()
    acme.catalog.pinResult = { ok: false, code, message: "why not", diagnostics: [] }
    const r = await start()
    expect([r.status, r.body["code"], r.body["detail"]]).toEqual([422, code, "why not"])
  })

  test("[H3] a flow that needs a task is refused without one, with its own prompt", async () => {
    for (const body of [{}, { task: " \n" }]) {
      const { start, acme } = await ready({ task_required: true, task_prompt: "Which issue?" })
      const r = await start(body)
      expect([r.status, r.body["code"], r.body["detail"]]).toEqual([422, "task_required", "Which issue?"])
      expect(acme.runs.size).toBe(0)
    }
    const { start } = await ready({ task_required: true })
    expect((await start({ task: "this" })).status).toBe(202)
  })
})

describe("typed inputs", () => {
  const inputs: JsonObject = {
    topic: { type: "string", required: true },
    depth: { type: "number", required: false, default: 3 },
    tags: { type: "array", required: false },
    extra: { type: "object", required: false, default: null },
    loud: { type: "boolean", required: false },
  }
  const given = async (values: JsonObject) => {
    const all = await ready({ inputs })
    return { ...all, r: await all.start({ inputs: values }) }
  }

  test("[H3] defaults are filled in, and given values stay unchanged", async () => {
    const { r, only } = await given({ topic: "x", tags: [1, "b"] })
    expect(r.status).toBe(202)
    expect(only().request?.inputs).toEqual({ topic: "x", depth: 3, tags: [1, "b"], extra: null })
  })

  test("[H3] missing, mistyped and unknown inputs are listed at once, with the nearest name as a suggestion", async () => {
    const { r } = await given({ topc: "x", depth: "3", tags: {}, loud: null })
    expect(r.status).toBe(422)
    expect(r.body["errors"]).toEqual([
      { pointer: "/inputs/topc", message: 'unknown input "topc"', suggestion: 'did you mean "topic"?' },
      { pointer: "/inputs/topic", message: 'the flow needs the input "topic" (string)' },
      { pointer: "/inputs/depth", message: "must be of type number, but is of type string" },
      { pointer: "/inputs/tags", message: "must be of type array, but is of type object" },
      { pointer: "/inputs/loud", message: "must be of type boolean, but is of type null" },
    ])
  })

  test("[H3] inherited names are unknown inputs", async () => {
    const { r } = await given({ topic: "x", constructor: 1, toString: 2 })
    expect(r.body["errors"]).toMatchObject([{ pointer: "/inputs/constructor" }, { pointer: "/inputs/toString" }])
  })

  test("[H3] a flow without inputs takes none", async () => {
    const { start } = await ready()
    expect((await start({ inputs: { a: 1 } })).status).toBe(422)
    expect((await start({ inputs: {} })).status).toBe(202)
  })
})
