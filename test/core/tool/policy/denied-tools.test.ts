// What a policy denies although a file uses it, and the rule that does.

import { expect, test } from "vitest"
import { deniedFaults, type ToolUser } from "../../../../src/core/tool/policy/denied-tools.ts"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"

const told = (policy: object, users: readonly ToolUser[]): readonly string[] => {
  const read = parsePolicy(policy)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return deniedFaults(read.value, users).map(({ pointer, message }) => `${pointer} ${message}`)
}
const clerk = (...names: string[]): ToolUser => ({
  who: 'the agent "clerk"',
  does: "lists",
  holder: { agent: "clerk", provider: "house" },
  tools: names.map((name) => ({ name })),
})

test("[T30] each denial is told at its rule", () => {
  const says = 'denies shop.refund, which the agent "clerk" lists'
  expect(told({ tools: { deny: ["bash", "shop.*"] } }, [clerk("read", "shop.refund")])).toEqual([`/tools/deny/1 ${says}`])
  expect(told({ tools: { agents: { clerk: { deny: ["shop.refund"] } } } }, [clerk("shop.refund")])).toEqual([
    `/tools/agents/clerk/deny/0 ${says}`,
  ])
  expect(told({ tools: { providers: { house: { allow: ["read"] } } } }, [clerk("shop.refund")])).toEqual([`/tools/providers/house ${says}`])
  expect(told({ tools: { profile: "minimal" } }, [clerk("shop.refund")])).toEqual([`/tools/profile ${says}`])
  expect(told({ denylist: [{ tool: "shop.refund", reason: "never" }] }, [clerk("shop.refund")])).toEqual([`/denylist/0 ${says}`])
  expect(told({ tools: { agents: { other: { deny: ["shop.refund"] } } } }, [clerk("shop.refund")])).toEqual([])
})

test("[H3] 50 denials are told of one policy", () => {
  const many = Array.from({ length: 60 }, (_, i) => `shop.t${i}`)
  expect(told({ tools: { deny: ["shop.*"] } }, [clerk(...many)])).toHaveLength(50)
})
