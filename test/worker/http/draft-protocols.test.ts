// A flow that only a draft has, through other protocols [F80]: the draft's name works there as it does at a start.

import { beforeAll, expect, test } from "vitest"
import { CATALOG, tenant, type Tenant } from "../../support/worker/service-client.ts"

const FRESH = "name: fresh\ndescription: d\nsteps:\n  - { id: drafted, type: agent, agent: a }\n"
const PLACE = "fresh@draft:mine"

let t: Tenant
beforeAll(async () => {
  t = await tenant("draft-protocols")
  await t.ask("PUT", "/v1/catalog", CATALOG)
  await t.ask("PUT", "/v1/catalog/drafts/mine", { mode: "merge", flows: { "fresh.yaml": FRESH } })
})

const MESSAGE = { role: "user", id: "m1", content: "go", parts: [{ type: "text", text: "go" }] }
const A2A = { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "go" }] } }
const AGUI = { threadId: "t1", runId: "r1", state: {}, messages: [MESSAGE], tools: [], context: [], forwardedProps: {} }
const ways = (flow: string): [method: string, path: string, body: object | undefined][] => [
  ["POST", "/v1/chat/completions", { model: flow, messages: [{ role: "user", content: "go" }] }],
  ["POST", "/v1/responses", { model: flow, input: "go" }],
  ["POST", `/v1/flows/${flow}/chat`, { id: "chat-1", messages: [MESSAGE], trigger: "submit-message" }],
  ["POST", `/v1/flows/${flow}/agui`, AGUI],
  ["POST", `/v1/flows/${flow}/chat-token`, {}],
  ["GET", `/v1/flows/${flow}/chat/chat-2/stream`, undefined],
  ["GET", `/a2a/${flow}/.well-known/agent-card.json`, undefined],
  ["POST", `/a2a/${flow}/message:send`, A2A],
]

async function statusOf(method: string, path: string, body?: object): Promise<number> {
  const answer = await t.raw(method, path, body, { "a2a-version": "1.0" })
  await answer.text()
  return answer.status
}

test.each(ways(PLACE))("[F80] %s %s knows the flow of the draft", async (method, path, body) => {
  expect([200, 201, 204]).toContain(await statusOf(method, path, body))
})

test.each([...ways("fresh"), ...ways("other@draft:mine")])(
  "[F80] %s %s is 404: nothing applied has the flow, nor the draft",
  async (method, path, body) => {
    expect(await statusOf(method, path, body)).toBe(404)
  },
)

test("[H10, F80] a body at fault of a flow that the draft does not have is 404, of one that it has 422", async () => {
  expect(await statusOf("POST", `/v1/flows/${PLACE}/runs`, { tsak: "go" })).toBe(422)
  expect(await statusOf("POST", "/v1/flows/other@draft:mine/runs", { tsak: "go" })).toBe(404)
})

test("[P12, F80] the card of a draft's flow has its name and the version of its text", async () => {
  const card = await t.ask<{ name: string; version: string }>("GET", `/a2a/${PLACE}/.well-known/agent-card.json`)
  await t.ask("PUT", "/v1/catalog/drafts/mine", {
    mode: "merge",
    flows: { "fresh.yaml": FRESH.replace("description: d", "description: e") },
  })
  const later = await t.ask<{ name: string; version: string }>("GET", `/a2a/${PLACE}/.well-known/agent-card.json`)
  expect([card.name, later.name, later.version === card.version]).toEqual(["fresh", "fresh", false])
})
