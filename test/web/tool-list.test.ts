// The tools of a tenant: their sources, what the policy says of each, and the switch.

import { expect, test } from "vitest"
import { parsePolicy } from "../../src/core/tool/policy/parse-policy.ts"
import { isShown, switched, toolGroups, toolState, type GivenTool } from "../../web/tools/tool-list.ts"

const policyOf = (body: unknown) => {
  const read = parsePolicy(body)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}
const tool = (name: string, more: Partial<GivenTool> = {}): GivenTool => ({
  name,
  available: true,
  effect: "read",
  parameters: {},
  ...more,
})
const REFUND = tool("refund", { effect: "write", source: { kind: "http", name: "api.pay.example" } })
const SEARCH = tool("mcp:docs:search", { source: { kind: "mcp", name: "docs" } })

test("tools stand under their source, what is built in last, with their calls and refusals", () => {
  const groups = toolGroups([tool("read"), REFUND, SEARCH], policyOf({}), [
    { tool: "refund", calls: 9, errors: 0, refused: { policy: 2, taint: 1 } },
  ])
  expect(groups.map(({ key, tools }) => [key, tools.map(({ name }) => name)])).toEqual([
    ["http:api.pay.example", ["refund"]],
    ["mcp:docs", ["mcp:docs:search"]],
    ["built-in", ["read"]],
  ])
  expect(groups[0]?.tools[0]).toMatchObject({ calls: 9, refused: 3, effect: "write" })
  const [refund] = groups[0]?.tools ?? []
  expect(
    refund && [isShown(refund, "refused", "", ""), isShown(refund, "unused", "", ""), isShown(refund, "all", "PAY", "api.pay.example")],
  ).toEqual([true, false, true])
})

test("[T30] a tool that the policy names can be switched on again, one that a rule denies is the rule's", () => {
  const denied = switched({ tools: { deny: ["bash"], profile: "full" } }, "refund", false)
  expect(denied).toEqual({ tools: { deny: ["bash", "refund"], profile: "full" } })
  expect(toolState(REFUND, policyOf(denied))).toEqual({ is: "off", why: "own" })
  expect(switched(denied, "refund", true)).toEqual({ tools: { deny: ["bash"], profile: "full" } })
  expect(toolState(REFUND, policyOf(switched(denied, "refund", true)))).toEqual({ is: "on" })
  expect(toolState(SEARCH, policyOf({ tools: { deny: ["mcp:*"] } }))).toEqual({ is: "off", why: "rule", rule: "deny mcp:*" })
})

test("what the instance lacks is said, and what only agents may call is on", () => {
  expect(toolState(tool("k8s", { available: false, reason: "no cluster is configured" }), policyOf({}))).toMatchObject({ is: "missing" })
  expect(toolState(tool("finish", { available: false, reason: "only in an agent's session" }), policyOf({}))).toEqual({ is: "on" })
})
