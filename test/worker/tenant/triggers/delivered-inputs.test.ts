// A delivery whose values are text starts a flow whose inputs are not [W1].

import { SELF } from "cloudflare:test"
import { expect, test } from "vitest"
import { ended, tenant } from "../../../support/worker/service-client.ts"

const AGENT = "---\nname: a\ndescription: a\nmodel: rehearsal/default\ntools: read\n---\n${{task}}\n"
const FLOW =
  "name: f\ndescription: d\ninputs: { n: { type: number }, on: { type: boolean, default: true }, l: { type: array } }\noutputs: { n: '${{flow.input.n}}', on: '${{flow.input.on}}', l: '${{flow.input.l}}' }\nsteps:\n  - { id: s, type: agent, agent: a }\n"

test("[W1] a query's number, a form's list and a null of the payload", async () => {
  const t = await tenant("delivered-inputs")
  await t.ask("PUT", "/v1/catalog", { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW } })
  await t.ask("PUT", "/v1/secrets/hs", { value: "12345678" })
  const inputs = { n: "${{trigger.query.n}}", on: "${{trigger.body.on}}", l: "${{trigger.body.l}}" }
  const { id } = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "f", kind: "token", secret: "hs", mapping: { inputs } })
  const sent = async (query: string, type: string, body: string): Promise<unknown> => {
    const headers = { authorization: "Bearer 12345678", "content-type": type }
    const answer = await SELF.fetch(`http://sluice/v1/hooks/${id}${query}`, { method: "POST", headers, body })
    const { run } = await answer.json<{ run: string }>()
    const { status } = await ended(t, run)
    const { output, error } = await t.ask<{ output?: object; error?: { message: string } }>("GET", `/v1/runs/${run}`)
    return status === "succeeded" ? output : error?.message
  }
  expect(await sent("?n=-1.5", "application/x-www-form-urlencoded", "l=%5B1%2C2%5D&on=false")).toEqual({ n: -1.5, on: false, l: [1, 2] })
  expect(await sent("?n=3", "application/json", '{"on":null,"l":["x"]}')).toEqual({ n: 3, on: true, l: ["x"] })
  expect(await sent("?n=three", "application/json", "{}")).toBe("/inputs/n must be of type number, but is of type string")
})
