// Approvals before a call: five layers with the tenant's floor, hooks and autonomy, dynamic rules, the denylist.

import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../../../src/core/json.ts"
import { parseApprovalRule } from "../../../../src/core/tool/policy/approval-rule.ts"
import { askFor, hookOf, type AskInput } from "../../../../src/core/tool/policy/approval.ts"
import { denied } from "../../../../src/core/tool/policy/denylist.ts"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"
import type { ApprovalRule, Policy } from "../../../../src/core/tool/policy/policy.ts"
import { PREDICATES } from "../../../../src/core/tool/policy/predicates.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"

const policyOf = (body: unknown): Policy => {
  const policy = parsePolicy(body)
  if (!policy.ok) throw new Error(JSON.stringify(policy.error))
  return policy.value
}
const tool = (more: Partial<ToolSpec> = {}): ToolSpec => ({
  name: "send",
  description: "",
  parameters: {},
  effect: "write",
  contexts: ["agent"],
  ...more,
})
const asked = (input: Partial<AskInput> = {}) => askFor({ policy: policyOf({}), tool: tool(), args: {}, ...input })

type Layer = "floor" | "flow" | "agent" | "tool" | "tool_approvals"
/** `undefined` in a layer: the layer has no rule. */
function asks(layers: Partial<Record<Layer, ApprovalRule | "default" | undefined>>, allow_relax: boolean): boolean {
  const rule = (layer: Layer): { tools?: ApprovalRule } => {
    const said = layers[layer]
    return said === undefined || said === "default" ? {} : { tools: said }
  }
  const own = rule("tool").tools
  const mine = layers.tool_approvals
  const result = asked({
    policy: policyOf({ approvals: { ...rule("floor"), allow_relax } }),
    flow: rule("flow"),
    agent: { approvals: rule("agent"), ...(mine === undefined ? {} : { tool_approvals: { send: mine } }) },
    tool: tool(own === undefined ? {} : { approval: own }),
  })
  return result !== undefined && "ask" in result && result.ask === "policy"
}

describe("layers", () => {
  const ORDER: readonly Layer[] = ["floor", "flow", "agent", "tool", "tool_approvals"]

  test("[Q4] every combination of five layers, relaxed and not: the most specific rule applies, and the floor beside it", () => {
    const words = [undefined, "never", "always"] as const
    for (let code = 0; code < 3 ** 5; code++) {
      const said = ORDER.map((_layer, i) => words[Math.floor(code / 3 ** i) % 3])
      const layers = Object.fromEntries(ORDER.map((layer, i) => [layer, said[i]]))
      const specific = said.findLast((word) => word !== undefined)
      expect([said, asks(layers, true)]).toEqual([said, specific === "always"])
      expect([said, asks(layers, false)]).toEqual([said, specific === "always" || said[0] === "always"])
    }
  })

  test("[Q4] `default` sets no rule, and unset is not never", () => {
    expect(asks({ tool_approvals: "default", tool: "always" }, true)).toBe(true)
    expect(asks({ floor: "always" }, true)).toBe(true)
    expect(asks({ floor: "always", tool: "never" }, false)).toBe(true)
    expect(asks({ floor: "always", tool: "never" }, true)).toBe(false)
    expect(asks({}, false)).toBe(false)
  })

  test("[Q4] an agent's own rules: a name beats a glob, other names count, and either of two globs may ask", () => {
    const own = (tool_approvals: Record<string, ApprovalRule | "default">, name = "send") =>
      asked({ agent: { tool_approvals }, tool: tool({ name }) })
    expect(own({ "*": "always", send: "never" })).toBeUndefined()
    expect(own({ "*": "never", send: "always" })).toEqual({ ask: "policy" })
    expect(own({ "*": "always", send: "default" })).toBeUndefined()
    expect(own({ "s*": "never", "*d": "always" })).toEqual({ ask: "policy" })
    expect(own({ "file.write": "always" }, "write")).toEqual({ ask: "policy" })
    expect(own({ "group:fs": "always" }, "write")).toEqual({ ask: "policy" })
    expect(own({ other: "always" })).toBeUndefined()
  })

  test("[Q4] a floor that is a condition asks when the condition is true", () => {
    const policy = policyOf({ approvals: { tools: { kind: "dynamic", value: "args.amount > 10000" } } })
    expect(asked({ policy, args: { amount: 9999 } })).toBeUndefined()
    expect(asked({ policy, args: { amount: 10_001 } })).toEqual({ ask: "policy" })
    expect(asked({ policy, args: {} })).toEqual({ ask: "policy" })
    expect(asked({ policy, args: { amount: "9999" } })).toEqual({ ask: "policy" })
  })
})

describe("hooks and autonomy", () => {
  const HOOKS = { confirm: { confirm: ["send"] }, log: { log: ["send"] }, silent: { silent: ["send"] } }
  test.each([
    ["conservative", "confirm", { ask: "hook" }, { ask: "hook" }],
    ["conservative", "log", { ask: "autonomy" }, { hook: "log" }],
    ["conservative", "silent", { ask: "autonomy" }, undefined],
    ["standard", "confirm", { ask: "hook" }, { ask: "hook" }],
    ["standard", "log", { hook: "log" }, { hook: "log" }],
    ["standard", "silent", undefined, undefined],
    ["autonomous", "confirm", { ask: "hook" }, { ask: "hook" }],
    ["autonomous", "log", { hook: "log" }, { hook: "log" }],
    ["autonomous", "silent", undefined, undefined],
  ] as const)("[Q5] %s with %s: a write and a look", (autonomy, hook, write, look) => {
    const policy = policyOf({ autonomy, hooks: HOOKS[hook] })
    expect(asked({ policy })).toEqual(write)
    expect(asked({ policy, tool: tool({ effect: "read" }) })).toEqual(look)
  })

  test("[Q5] confirm beats log beats silent, by any name of the tool", () => {
    const policy = policyOf({ hooks: { confirm: ["se*", "shell.exec"], log: ["*"], silent: ["send", "group:fs"] } })
    expect(["send", "bash", "read"].map((name) => hookOf(policy, { name }))).toEqual(["confirm", "confirm", "log"])
    expect(hookOf(policyOf({ hooks: { silent: ["*"] } }), { name: "read" })).toBe("silent")
  })

  test("[Q5] conservative asks for a fetch that is not a GET", () => {
    const policy = policyOf({ autonomy: "conservative" })
    const fetch = tool({ name: "web.fetch", effect: "read", reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } } })
    expect(asked({ policy, tool: fetch, args: { url: "https://a.example/" } })).toBeUndefined()
    expect(asked({ policy, tool: fetch, args: { url: "https://a.example/", method: "head" } })).toBeUndefined()
    expect(asked({ policy, tool: fetch, args: { url: "https://a.example/", method: "POST" } })).toEqual({ ask: "autonomy" })
  })

  test("[Q5] taint is the first reason: an unanswered call is refused as tainted", () => {
    expect(asked({ tainted: true, policy: policyOf({ approvals: { tools: "always" } }) })).toEqual({ ask: "tainted" })
  })
})

describe("parsing of rules", () => {
  test.each([
    "never",
    "always",
    { kind: "dynamic", value: "args.a == 1" },
    ...[...PREDICATES.keys()].map((value) => ({ kind: "dynamic", value })),
  ])("[Q4] %j is a rule", (rule) => {
    expect(parseApprovalRule(rule)).toEqual({ ok: true, value: rule })
  })

  test.each([
    "sometimes",
    "",
    true,
    null,
    1,
    [],
    {},
    { kind: "dynamic" },
    { kind: "dynamic", value: "" },
    { kind: "dynamic", value: "no_such_predicate" },
    { kind: "dynamic", value: "amount > 1" },
    { kind: "static", value: "writes" },
    { kind: "dynamic", value: "writes", more: 1 },
    { kind: "dynamic", value: "constructor" },
    "default",
  ])("[Q4] %j is not a rule", (rule) => {
    const read = parseApprovalRule(rule)
    expect(read.ok).toBe(false)
    if (!read.ok) expect(read.error.message.length).toBeGreaterThan(10)
  })

  test("[Q4] a near miss gets the likely name as a suggestion", () => {
    const read = parseApprovalRule({ kind: "dynamic", value: "write" })
    expect(read.ok ? "" : read.error.suggestion).toContain("did you mean writes?")
  })

  test("[Q4] predicates test the call", () => {
    const rule = (value: string, spec: ToolSpec, args: JsonObject = {}) =>
      asked({ tool: { ...spec, approval: { kind: "dynamic", value } }, args })
    const get = tool({ effect: "read", reach: { to: { host: "a" }, method: { fixed: "GET" } } })
    const post = tool({ effect: "write", reach: { to: { host: "a" }, method: { fixed: "POST" } } })
    const file = tool({ effect: "write", groups: ["fs"] })
    expect([get, post, file].map((t) => rule("leaves_run", t) !== undefined)).toEqual([true, true, false])
    expect([get, post, file].map((t) => rule("writes_outside", t) !== undefined)).toEqual([false, true, false])
    expect([get, post, file].map((t) => rule("writes", t) !== undefined)).toEqual([false, true, true])
  })
})

describe("the denylist", () => {
  const list = policyOf({
    denylist: [
      { tool: "shell.exec", args: "rm\\s+-rf", reason: "no wiping" },
      { tool: "k8s.*", reason: "not from here" },
      { tool: "send", args: '"to":"[^"]*@rival\\.example"', reason: "not to them" },
    ],
  }).denylist
  const why = (name: string, args: JsonObject) => denied(list, { name }, args)

  test("[T30] by any name, by pattern over the canonical arguments, with the reason", () => {
    expect(why("bash", { command: "ls; rm  -rf /" })).toBe("no wiping")
    expect(why("bash", { command: "ls" })).toBeUndefined()
    expect(why("k8s.pods", {})).toBe("not from here")
    expect(why("send", { text: "hi", to: "eve@rival.example" })).toBe("not to them")
    expect(why("send", { text: "to eve@rival.example", to: "bob" })).toBeUndefined()
  })

  test.each([".env", "./.env", "/.env", "@.env", "a/../.env", ".//.env", "@/./.env"])(
    "[T30] [G7] %s is the file .env for a rule",
    (path) => {
      const rules = policyOf({ denylist: [{ tool: "read", args: '"path":"\\.env"', reason: "no keys" }] }).denylist
      const paths = { read: ["path"] }
      expect(denied(rules, { name: "read", paths }, { path })).toBe("no keys")
      expect(denied(rules, { name: "read", paths }, { path: `${path}x`, note: path })).toBeUndefined()
      expect(denied(rules, { name: "read" }, { path: "./.env" })).toBeUndefined()
    },
  )

  test("[T30] a rule sees the arguments as they are given, too", () => {
    const rules = policyOf({ denylist: [{ tool: "read", args: "\\.\\./", reason: "no climbing" }] }).denylist
    expect(denied(rules, { name: "read", paths: { read: ["path"] } }, { path: "a/../b" })).toBe("no climbing")
    expect(denied(rules, { name: "read", paths: { read: ["path"] } }, { path: "../../b" })).toBe("no climbing")
    expect(denied(rules, { name: "read", paths: { read: ["toString"] } }, { path: "b" })).toBeUndefined()
  })

  test("[G10] an invalid pattern refuses the call", () => {
    expect(denied([{ tool: "*", args: "(?=x)", reason: "r" }], { name: "read" }, {})).toContain("r (")
  })
})
