// [H1] An answer link is valid only as long as the key that made it: it ends when the key is revoked, expires, or is deleted with its tenant.

import { SELF } from "cloudflare:test"
import { beforeAll, expect, test } from "vitest"
import { admin, CATALOG, client, start, tenant, until, type Client, type Tenant } from "../../support/worker/service-client.ts"

let t: Tenant
beforeAll(async () => {
  t = await tenant("links")
  const fork =
    '  - { id: how, type: fork, question: "How?", options: [x, y], branches: { x: a, y: a } }\n  - { id: a, type: agent, agent: a }\n'
  const asks = `name: asks\ndescription: d\nautonomous: false\nsteps:\n${fork}`
  await t.ask("PUT", "/v1/catalog", { ...CATALOG, flows: { ...CATALOG.flows, "asks.yaml": asks } })
})

async function linkBy(by: Client): Promise<string> {
  const run = await start(t, "asks")
  const path = `/v1/runs/${run}/interactions`
  const id = await until(async () => (await t.ask<{ data: { id: string }[] }>("GET", path)).data[0]?.id, "a question")
  return (await by.ask<{ url: string }>("POST", `${path}/${id}/link`, {})).url
}
const answer = (url: string) =>
  SELF.fetch(url, { method: "POST", body: JSON.stringify({ answer: "x" }), headers: { "content-type": "application/json" } })
const keyFor = async (more: object = {}) => {
  const made = await t.ask<{ id: string; key: string }>("POST", "/v1/keys", { scopes: ["interactions:answer"], ...more })
  return { ...made, ...client(made.key) }
}

test("[H1] a link is invalid once its key is, at once in the isolate that revoked it, and its question stays open", async () => {
  const key = await keyFor()
  const url = await linkBy(key)
  expect((await SELF.fetch(url)).status).toBe(200)
  expect((await t.raw("DELETE", `/v1/keys/${key.id}`)).status).toBe(204)
  expect([(await SELF.fetch(url)).status, (await answer(url)).status]).toEqual([403, 403])
  const open = await t.ask<{ data: { status: string }[] }>("GET", "/v1/interactions")
  expect(open.data.map((i) => i.status)).toEqual(["pending"])
})

test("[H1] another key's link still works", async () => {
  const [gone, stays] = [await keyFor(), await keyFor()]
  const [first, second] = [await linkBy(gone), await linkBy(stays)]
  await t.ask("DELETE", `/v1/keys/${gone.id}`)
  expect([(await answer(first)).status, (await answer(second)).status]).toEqual([403, 200])
})

test("[Q2] [Q3] a link works once: the first answer counts, later ones are 409, and viewing does not use it up", async () => {
  const url = await linkBy(await keyFor())
  for (let n = 0; n < 3; n++) expect((await SELF.fetch(url)).status).toBe(200)
  // An answer that does not match the schema does not count.
  const bad = await SELF.fetch(url, { method: "POST", body: '{"answer":"z"}', headers: { "content-type": "application/json" } })
  expect(bad.status).toBe(422)
  const first = await answer(url)
  expect([first.status, await first.json()]).toEqual([200, { id: expect.any(String), run: expect.any(String), status: "answered" }])
  const again = await SELF.fetch(url, { method: "POST", body: '{"answer":"y"}', headers: { "content-type": "application/json" } })
  expect([again.status, await again.json()]).toMatchObject([409, { code: "already_answered", interaction: { status: "answered" } }])
  expect(await (await SELF.fetch(url)).text()).not.toContain("How?")
  const form = await SELF.fetch(url, { method: "POST", body: new URLSearchParams({ answer: '"y"' }), redirect: "manual" })
  expect(form.status).toBe(409)
})

test("[Q2] of a hundred simultaneous answers over one link, one is accepted", async () => {
  const url = await linkBy(await keyFor())
  const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await answer(url)).status))
  expect([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 409).length]).toEqual([1, 99])
})

test("[N3] a deleted tenant's links end with it", async () => {
  const url = await linkBy(await keyFor())
  await admin.ask("DELETE", "/v1/tenants/links")
  expect([(await SELF.fetch(url)).status, (await answer(url)).status]).toEqual([403, 403])
})
