// The vault's routes [T32]: values are stored and counted, and never shown.

import { describe, expect, test } from "vitest"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { setUp } from "../../support/http/ask.ts"

const VALUE = "CANARY-s3cr3t-7f3a"

describe("the vault", () => {
  test("[T32] a value is stored and counted, and never shown", async () => {
    const { ask, acme } = setUp()
    const put = await ask("PUT", "/v1/secrets/web_search", { body: { value: VALUE } })
    expect([put.status, put.text]).toEqual([204, ""])
    expect(acme.secrets.stored.get("web_search")).toEqual([VALUE])
    const list = await ask("GET", "/v1/secrets")
    expect(list.body).toEqual({
      data: [{ scope: "web_search", values: 1, updated: "1970-01-01T00:00:01.000Z" }],
      next_cursor: null,
    })
    const one = await ask("GET", "/v1/secrets/web_search")
    expect(one.status).toBe(405)
    expect(list.text + one.text).not.toContain("CANARY")
  })

  test("[T32] a rotation sends all values at once, newest first", async () => {
    const { ask, acme } = setUp()
    const values = ["the-new-value", "the-old-value", "the-oldest-one"]
    expect((await ask("PUT", "/v1/secrets/hook", { body: { values } })).status).toBe(204)
    expect(acme.secrets.stored.get("hook")).toEqual(values)
    expect((await ask("PUT", "/v1/secrets/hook", { body: { value: "the-newest-value" } })).status).toBe(204)
    expect(acme.secrets.stored.get("hook")).toEqual(["the-newest-value"])
  })

  test("[T32] a deleted scope is gone", async () => {
    const { ask } = setUp()
    await ask("PUT", "/v1/secrets/k8s", { body: { value: VALUE } })
    expect((await ask("DELETE", "/v1/secrets/k8s")).status).toBe(204)
    expect((await ask("DELETE", "/v1/secrets/k8s")).status).toBe(404)
    expect((await ask("GET", "/v1/secrets")).body["data"]).toEqual([])
  })

  test.each([
    ["a short value", { value: "CANARY7" }, "/value"],
    ["a short value padded with spaces", { value: "  CANARY7   " }, "/value"],
    ["a number", { value: 12_345_678 }, "/value"],
    ["a value that is too long", { value: "x".repeat(16_385) }, "/value"],
    ["half a surrogate pair", { value: "CANARY-half-\ud800" }, "/value"],
    ["no values", { values: [] }, "/values"],
    ["a short old value", { values: [VALUE, "CANARY7"] }, "/values/1"],
    ["four values", { values: [VALUE, VALUE, VALUE, VALUE] }, "/values"],
    ["value and values", { value: VALUE, values: [VALUE] }, "/value"],
    ["nothing", {}, "/value"],
    ["another field", { value: VALUE, note: "CANARY" }, "/note"],
  ])("[T32] %s is 422, and the answer does not repeat it", async (_, body, pointer) => {
    const { ask, acme } = setUp()
    const r = await ask("PUT", "/v1/secrets/a", { body })
    expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer }]])
    expect(r.text).not.toContain("CANARY")
    expect(acme.secrets.stored.size).toBe(0)
  })

  test.each(["a%2Fb", "a%20b", ".hidden", "..", "far-too-long-".repeat(6), "__proto__", "%C3%A4"])(
    "[T32] %s is not a scope",
    async (scope) => {
      const { ask, acme } = setUp()
      expect((await ask("PUT", `/v1/secrets/${scope}`, { body: { value: VALUE } })).status).toBeGreaterThanOrEqual(404)
      expect(acme.secrets.stored.size).toBe(0)
    },
  )

  test("[T32] a full vault refuses new values and gives the reason", async () => {
    const { ask, acme } = setUp()
    acme.secrets.full = true
    const r = await ask("PUT", "/v1/secrets/a", { body: { value: VALUE } })
    expect([r.status, r.body["detail"]]).toEqual([422, expect.stringContaining("full")])
  })

  test("[T32] an instance without a key for the vault stores nothing unencrypted", async () => {
    const { ask, acme } = setUp()
    acme.secrets.fault = Object.assign(new Error("no VAULT_KEY"), { name: "VaultError" })
    expect((await ask("PUT", "/v1/secrets/a", { body: { value: VALUE } })).status).toBe(503)
  })

  test("[T32] it needs the scope admin", async () => {
    const { ask, services } = setUp()
    services.key("weak", "acme", ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "interactions:answer"])
    for (const [method, path] of [
      ["GET", "/v1/secrets"],
      ["PUT", "/v1/secrets/a"],
      ["DELETE", "/v1/secrets/a"],
    ] as const)
      expect((await ask(method, path, { key: "weak", ...(method === "PUT" ? { body: { value: VALUE } } : {}) })).status).toBe(403)
  })
})

describe("a tool called directly", () => {
  const tool = (execute: Tool["execute"]): Tool => ({
    name: "leaky",
    description: "repeats its secret",
    parameters: { type: "object", properties: { say: { type: "string" } }, additionalProperties: false },
    effect: "none",
    contexts: ["main"],
    requiredSecretScopes: ["mine"],
    execute,
  })

  test("[T32] it gets its own scopes, and neither its answer nor its error shows their values", async () => {
    const { ask, acme, services } = setUp()
    acme.secrets.stored.set("mine", [VALUE, "old-value-of-mine"])
    acme.secrets.stored.set("other", ["value-of-another-scope"])
    Object.assign(acme.settings, { rules: async () => ({ ...DEFAULT_RULES, scopes: ["mine", "other"] }) })
    const got: unknown[] = []
    services.tools = [
      tool(async (_id, { say }, _signal, _update, powers) => {
        got.push(say, await powers.secrets?.get("mine"), await powers.secrets?.get("other"))
        if (say === "fail") throw new Error(`401 for ${VALUE}`)
        return { content: [{ type: "text", text: `key ${VALUE}` }], details: { [Buffer.from(VALUE).toString("hex")]: `k=${VALUE}` } }
      }),
    ]
    const r = await ask("POST", "/v1/tools/leaky", { body: { say: `is it ${VALUE}?` } })
    expect(got).toEqual(["is it [secret:mine]?", VALUE, undefined])
    expect(r.body).toEqual({ content: [{ type: "text", text: "key [secret:mine]" }], details: { "[secret:mine]": "k=[secret:mine]" } })
    const failed = await ask("POST", "/v1/tools/leaky", { body: { say: "fail" } })
    expect(failed.body).toMatchObject({ isError: true, content: [{ text: "401 for [secret:mine]" }] })
  })
})
