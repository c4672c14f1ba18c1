// Every call from outside a run passes the same gate [T3], also a question to a person and a tool with a time limit.

import { expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
import { text } from "../../../src/ports/tool.ts"
import { setUp } from "../../support/http/ask.ts"

const QUESTION = { type: "input", question: "How many?" }

test("[T30] ask_user can be denied, for callers outside a run too", async () => {
  const { ask, acme } = setUp()
  acme.settings.policy_ = { ...DEFAULT_POLICY, tools: { ...DEFAULT_POLICY.tools, deny: ["ask_user"] } }
  const r = await ask("POST", "/v1/tools/ask_user", { body: QUESTION })
  expect([r.status, r.body["code"], acme.questions.asked]).toEqual([403, "policy", []])
})

test("[T3] an ask_user that needs an approval asks no one", async () => {
  const { ask, acme } = setUp()
  acme.settings.policy_ = { ...DEFAULT_POLICY, hooks: { ...DEFAULT_POLICY.hooks, confirm: ["ask_user"] } }
  const r = await ask("POST", "/v1/tools/ask_user", { body: QUESTION })
  expect([r.status, r.body["code"], acme.questions.asked]).toEqual([403, "approval_required", []])
})

test("[T32] questions and answers outside a run are stored without the tenant's secrets", async () => {
  const { ask, acme } = setUp()
  const secret = "canary-0123456789"
  acme.secrets.stored.set("k", [secret])
  const asked = await ask("POST", "/v1/tools/ask_user", { body: { ...QUESTION, question: `Is it ${secret}?` } })
  expect(asked.status).toBe(202)
  const [question] = acme.questions.asked
  expect((await ask("POST", `/v1/interactions/${question?.id}`, { body: { answer: `no, not ${secret}` } })).status).toBe(200)
  expect(JSON.stringify(acme.questions.asked)).toContain("no, not")
  expect(JSON.stringify(acme.questions.asked)).not.toContain(secret)
})

test("[T6] the tenant's maximum timeout applies to a call from outside a run", async () => {
  const { services, ask, acme } = setUp()
  services.tools = [
    {
      name: "slow",
      description: "d",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      effect: "none",
      contexts: ["main"],
      execute: () => new Promise((resolve) => setTimeout(() => resolve(text("late")), 2_000)),
    },
  ]
  acme.settings.policy_ = { ...DEFAULT_POLICY, max_timeout: 20 }
  const r = await ask("POST", "/v1/tools/slow", { body: {} })
  expect([r.body["isError"], JSON.stringify(r.body["content"])]).toEqual([true, expect.stringContaining("timed out after 20 ms")])
})
