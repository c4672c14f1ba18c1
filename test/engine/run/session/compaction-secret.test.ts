// A provider's error when no summary can be made [J23] is redacted like any other text: it contains none of the tenant's secrets [T32].

import { expect, test } from "vitest"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import { Stand } from "../../../support/engine/stand.ts"

const SECRET = "sk-very-secret-0123456789"
const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: w }\n"
const WORKER = "---\nname: w\ndescription: d\ntools: [write, read]\n---\nWork.\n"

test("[T32] a provider's refusal of a summary shows no key in the journal", async () => {
  const s = new Stand(FLOW, [WORKER])
  s.redactor = new Redactor([["provider/p", [SECRET]]])
  s.start()
  for (let n = 0; n < 3; n++) {
    await (await s.next("a")).answer({ calls: [{ name: "write", args: { path: `f${n}`, content: `x${n}` } }] })
    await s.settle()
  }
  await (await s.next("a")).answer({ error: { status: 400, retryable: false, overflow: true } })
  const summary = await s.next("a")
  expect(summary.request.place.agent).toBe("@compact")
  await summary.answer({ error: { status: 401, retryable: false, message: `Incorrect API key provided: ${SECRET}` } })
  await s.next("a")
  const text = JSON.stringify(s.events())
  expect(text).toContain("Incorrect API key provided")
  expect(text).not.toContain(SECRET)
})
