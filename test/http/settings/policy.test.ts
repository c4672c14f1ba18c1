// A tenant's policy over HTTP: it is replaced as a whole, faults have their place, and tools are listed with the rule that applies.

import { expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
import { setUp } from "../../support/http/ask.ts"

const DEFAULTS = {
  tools: { profile: "full", allow: [], deny: [], agents: {}, providers: {} },
  approvals: { allow_relax: false, expires: 86_400_000 },
  hooks: { confirm: [], log: [], silent: [] },
  autonomy: "standard",
  denylist: [],
  network: { allow: [] },
}

test("[T30] it is replaced as a whole and read back with its defaults", async () => {
  const { ask } = setUp()
  expect((await ask("GET", "/v1/settings/policy")).body).toEqual(DEFAULTS)
  const put = await ask("PUT", "/v1/settings/policy", { body: { tools: { deny: ["bash"] }, approvals: { expires: "900ms" } } })
  expect(put.status).toBe(200)
  const expected = { ...DEFAULTS, tools: { ...DEFAULTS.tools, deny: ["bash"] }, approvals: { allow_relax: false, expires: 900 } }
  expect(put.body).toEqual(expected)
  expect((await ask("GET", "/v1/settings/policy")).body).toEqual(expected)
  expect((await ask("PUT", "/v1/settings/policy", { body: {} })).body).toEqual(DEFAULTS)
})

test.each([
  ["an unknown field", { tool: {} }, "/tool"],
  ["an unknown predicate", { approvals: { tools: { kind: "dynamic", value: "no_such_predicate" } } }, "/approvals/tools"],
  ["a pattern that is not linear", { denylist: [{ tool: "*", args: "(?=a)", reason: "r" }] }, "/denylist/0/args"],
  ["not an object", [], ""],
])("[T30] %s is 422 at its place, and nothing is stored", async (_what, body, pointer) => {
  const { ask, acme } = setUp()
  const refused = await ask("PUT", "/v1/settings/policy", { body })
  expect([refused.status, refused.body["code"]]).toEqual([422, "invalid"])
  expect(JSON.stringify(refused.body["errors"])).toContain(JSON.stringify(pointer))
  expect(acme.settings.policy_).toEqual(DEFAULT_POLICY)
})

test("[H1] it needs the scope admin", async () => {
  const { ask, services } = setUp()
  services.key("key-user", "acme", ["runs:write", "runs:read", "catalog:read", "catalog:write", "tools:call"])
  for (const method of ["GET", "PUT"]) {
    const refused = await ask(method, "/v1/settings/policy", { key: "key-user", ...(method === "PUT" ? { body: {} } : {}) })
    expect([method, refused.status]).toEqual([method, 403])
  }
})

test("[T30] a run starts with the rules that were pinned for it", async () => {
  const { ask, acme } = setUp()
  acme.catalog.flow()
  const rules = { policy: { ...DEFAULT_POLICY, autonomy: "conservative" as const }, scopes: ["search"], version: 7 }
  if (acme.catalog.pinResult.ok) acme.catalog.pinResult = { ...acme.catalog.pinResult, rules }
  await ask("POST", "/v1/flows/f/runs", { body: { task: "go" } })
  expect([...acme.runs.values()].map((run) => run.request?.rules)).toEqual([rules])
})

test("[T33] an agent's tools are listed; an unknown agent is 404", async () => {
  const { ask } = setUp()
  await ask("PUT", "/v1/agents/a", { body: "---\nname: a\n---\n", headers: { "content-type": "text/markdown" } })
  expect((await ask("GET", "/v1/agents/a/tools")).body).toEqual({
    data: [{ name: "finish", granted: true, rule: "always", asks: "never", tokens: 120, by: null, line: null }],
    next_cursor: null,
  })
  expect((await ask("GET", "/v1/agents/b/tools")).status).toBe(404)
  expect((await ask("GET", "/v1/agents/b/tools?flow=f")).status).toBe(404)
  expect((await ask("GET", "/v1/agents/a/tools?flow=f")).body).toMatchObject({ code: "invalid", errors: [{ pointer: "?step" }] })
  expect((await ask("GET", "/v1/agents/a/tools?flow=f&step=go")).body).toMatchObject({ code: "invalid", errors: [{ pointer: "?step" }] })
})

test("[T30b] a name that fits nothing is 422 at its place with the nearest, and nothing is stored; a warning is taken", async () => {
  const { ask, acme } = setUp()
  acme.catalog.nameFaults = [{ pointer: "/x", message: "matches no tool here", isWarning: true }]
  expect((await ask("PUT", "/v1/settings/policy", { body: { hooks: { confirm: ["refundd*"] } } })).status).toBe(200)
  acme.catalog.nameFaults = [{ pointer: "/hooks/confirm/0", message: "names no tool", suggestion: 'did you mean "refund"?' }]
  for (const [place, body] of [
    ["policy", {}],
    ["gate", { flows: [{ match: "x" }] }],
  ] as const) {
    const refused = await ask("PUT", `/v1/settings/${place}`, { body })
    expect([refused.status, refused.body["errors"]]).toEqual([422, acme.catalog.nameFaults])
  }
  expect(acme.settings.policy_.hooks.confirm).toEqual(["refundd*"])
})
