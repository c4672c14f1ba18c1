// Tools for a caller outside a run [T2] [G8].

import { describe, expect, test } from "vitest"
import type { SubagentResult } from "../../../src/ports/tool.ts"
import { setUp } from "../../support/http/ask.ts"
import { SCOPES } from "../../support/http/fake-services.ts"

describe("the list", () => {
  test("[T2] has every tool, with a reason if it cannot be called", async () => {
    const { services, ask } = setUp()
    services.key("writer-less", "acme", ["tools:call"])
    const r = await ask("GET", "/v1/tools", { key: "writer-less" })
    expect(r.body["data"]).toMatchObject([
      {
        name: "agent_catalog",
        available: true,
        effect: "read",
        contexts: ["main", "architect"],
        parameters: { type: "object" },
      },
      { name: "agent_write", available: false, reason: "the key lacks the scope catalog:write" },
      { name: "finish", available: false, reason: "only in an agent's session" },
      { name: "read", available: false, reason: "only in an agent's session" },
      { name: "echo", available: true },
      { name: "fails", available: true },
      { name: "subagent", available: false, reason: "the key lacks the scope runs:write" },
      { name: "ask_user", available: true },
    ])
  })
})

describe("a call", () => {
  test("[T2] answers content and details", async () => {
    const { ask } = setUp()
    const r = await ask("POST", "/v1/tools/echo", { body: { say: "hi" } })
    expect([r.status, r.body]).toEqual([200, { content: [{ type: "text", text: "hi" }], details: { said: true } }])
  })

  test("[T2] the authoring tools answer exactly the seed's shapes", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/tools/agent_catalog", { body: {} })).text).toBe(
      '[{"name":"a","description":"d","tools":[],"source_type":"local","architect":{}}]',
    )
    const w = await ask("POST", "/v1/tools/agent_write", { body: { path: "agents/w.md", content: "x" } })
    expect([w.status, w.body]).toEqual([200, { written: true, path: "agents/w.md", diagnostics: [] }])
  })

  test("[A4] a tool that fails is a 200 with isError", async () => {
    const { ask } = setUp()
    const r = await ask("POST", "/v1/tools/fails", { body: {} })
    expect([r.status, r.body["isError"], r.body["content"]]).toEqual([200, true, [{ type: "text", text: "it broke" }]])
  })

  test("[G6] arguments that the schema refuses are 422 with the place of each fault, and the tool does not run", async () => {
    const { ask, acme } = setUp()
    const r = await ask("POST", "/v1/tools/agent_write", { body: { path: "agents/w.md", contents: "x" } })
    expect([r.status, r.body["code"]]).toEqual([422, "invalid"])
    expect(JSON.stringify(r.body["errors"])).toMatch(/content/)
    expect(acme.catalog.puts).toEqual([])
  })

  test.each(["[]", "null", '"x"'])("[G6] %s is not an object of arguments: 422", async (body) => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/tools/echo", { body, headers: { "content-type": "application/json" } })).status).toBe(422)
  })

  test.each(["nope", "finish", "read", "__proto__", "agent_catalog%00"])(
    "[G8] %s is the usual 404: unknown, or for agents only",
    async (name) => {
      const { ask } = setUp()
      expect((await ask("POST", `/v1/tools/${name}`, { body: {} })).status).toBe(404)
    },
  )

  test.each([
    ["agent_write", "catalog:write", { path: "agents/w.md", content: "x" }],
    ["subagent", "runs:write", { agent: "a", task: "t" }],
  ])("[H1] %s does what a route does that needs %s, and needs it too", async (tool, scope, body) => {
    const { services, ask, acme } = setUp()
    for (const [key, scopes] of [
      ["tools", ["tools:call"]],
      ["all-but-one", SCOPES.filter((s) => s !== scope)],
      ["no-tools", SCOPES.filter((s) => s !== "tools:call")],
    ] as const)
      services.key(key, "acme", [...scopes])
    for (const key of ["tools", "all-but-one", "no-tools"])
      expect((await ask("POST", `/v1/tools/${tool}`, { key, body })).status, key).toBe(403)
    expect(acme.catalog.puts).toEqual([])
    services.key("both", "acme", ["tools:call", scope as (typeof SCOPES)[number]])
    expect((await ask("POST", `/v1/tools/${tool}`, { key: "both", body })).status).toBe(200)
  })
})

describe("subagent", () => {
  const call = async (child: SubagentResult) => {
    const { ask, acme } = setUp()
    acme.child = child
    return ask("POST", "/v1/tools/subagent", { body: { agent: "a", task: "x" } })
  }

  test("[F30] a child run that ended is 200; one that waits for a person is 202 with its id", async () => {
    const finalized = { status: "SUCCESS", result: "x" } as const
    expect((await call({ kind: "ended", runId: "run_1", sessionId: "s", finish: {}, finalized })).status).toBe(200)
    const r = await call({ kind: "waiting", runId: "run_2", sessionId: "s" })
    expect([r.status, r.body["details"]]).toEqual([202, { runId: "run_2", sessionId: "s" }])
  })

  test("[F30] a child run that could not start is 422; one that failed later is a tool error", async () => {
    const never = await call({ kind: "failed", message: 'no agent "nobody"' })
    expect([never.status, never.body["code"], never.body["detail"]]).toEqual([422, "not_started", 'no agent "nobody"'])
    const later = await call({ kind: "failed", runId: "run_3", message: "broke" })
    expect([later.status, later.body["isError"]]).toEqual([200, true])
  })

  test("[H6] one for which there is no room is 429, so that the same key may start it later", async () => {
    const limits = { concurrent: { quota: 1, left: 0 }, starts: { quota: 60, left: 5, reset: 0 } }
    const r = await call({ kind: "failed", message: "1 run is active", noRoom: { message: "1 run is active", retry: 2_000, limits } })
    expect([r.status, r.body["code"]]).toEqual([429, "quota"])
  })

  test("[H4] one whose object cannot be reached is a fault, which no key keeps, and no text for a model", async () => {
    const { ask, acme } = setUp()
    acme.child = () => Promise.reject(new Error("Network connection lost."))
    const r = await ask("POST", "/v1/tools/subagent", { body: { agent: "a", task: "x" } })
    expect([r.status, r.body["code"]]).toEqual([500, "internal"])
  })

  test("[J25] an unknown or busy session is a tool error, not a refusal", async () => {
    const r = await call({ kind: "session", sessionId: "s", message: "unknown session" })
    expect([r.status, r.body["isError"], r.body["content"]]).toEqual([200, true, [{ type: "text", text: "unknown session" }]])
  })
})
