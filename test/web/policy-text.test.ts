// The policy as people edit it, and how many calls it would stop.

import { expect, test } from "vitest"
import { parsePolicy } from "../../src/core/tool/policy/parse-policy.ts"
import { verdictsOf } from "../../web/policy/asked-calls.ts"
import { approvalOf, hoursOf, ofHours, spoken, spokenPolicy } from "../../web/policy/policy-text.ts"
import { bareSpec, type PastCall } from "../../web/policy/refused-calls.ts"

test("durations are said in their unit, and mean the same", () => {
  expect([spoken(86_400_000), spoken(90_000), spoken(1_500)]).toEqual(["24h", "90s", 1_500])
  const policy = { approvals: { expires: 86_400_000 }, max_timeout: 60_000, autonomy: "standard" }
  expect(spokenPolicy(policy)).toEqual({ approvals: { expires: "24h" }, max_timeout: "1m", autonomy: "standard" })
  const [one, other] = [parsePolicy(policy), parsePolicy(spokenPolicy(policy))]
  expect(one).toEqual(other)
  expect([hoursOf("36h"), hoursOf(5_400_000), ofHours(36), ofHours(1.5), hoursOf("soon")]).toEqual([36, 1.5, "36h", 5_400_000, undefined])
})

test("[Q4] an approval rule is never, always, or a condition", () => {
  expect(approvalOf("always")).toEqual({ kind: "always", condition: "" })
  expect(approvalOf({ kind: "dynamic", value: "args.amount > 100" })).toEqual({ kind: "when", condition: "args.amount > 100" })
  expect(approvalOf(undefined).kind).toBe("inherit")
})

test("[T30] of past calls, those that it refuses and those that it asks about are counted apart", () => {
  const read = parsePolicy({ tools: { deny: ["bash"] }, hooks: { confirm: ["refund"] } })
  if (!read.ok) throw new Error("the policy is wrong")
  const call = (tool: string): PastCall => ({ run: "r", tool, args: {}, holder: {} })
  expect(verdictsOf(["bash", "bash", "refund", "read"].map(call), read.value, bareSpec)).toEqual({ asked: 1, refused: 2 })
})
