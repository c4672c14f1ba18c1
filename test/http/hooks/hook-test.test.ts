// The test of a hook over HTTP: signed as the sender would, judged as a delivery, and nothing comes of it.

import { describe, expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const SECRET = "a-secret-of-the-test"

async function ready(more: Record<string, unknown> = {}, face: object = {}) {
  const all = setUp()
  await all.acme.catalog.put("flow", "flows/f.yaml", "x")
  all.acme.catalog.flow(face)
  await all.acme.secrets.put("hs", [SECRET])
  all.acme.hooks.secrets = [SECRET]
  const { body } = await all.ask("POST", "/v1/hooks", { body: { flow: "f", kind: "github", secret: "hs", ...more } })
  const id = String(body["id"])
  const tried = async (wish?: unknown) => all.ask("POST", `/v1/hooks/${id}/test`, wish === undefined ? {} : { body: wish })
  return { ...all, id, tried, hooks: all.acme.hooks }
}

describe("the test of a hook", () => {
  test("[W1] says what a delivery would start, and stores and starts nothing", async () => {
    const { tried, hooks, acme } = await ready({ mapping: { task: "${{trigger.body.issue.title}} (${{trigger.headers.x-github-event}})" } })
    const { status, body, text } = await tried()
    expect(status).toBe(200)
    expect(body).toMatchObject({
      verdict: "accepted",
      reason: null,
      sent: { headers: ["x-github-event", "x-github-delivery", "x-hub-signature-256"], body: { action: "opened" } },
      starts: { flow: "f", task: "A sample issue (issues)", inputs: {}, files: [], thread: null },
    })
    expect([text.includes(SECRET), text.includes("sha256=")]).toEqual([false, false])
    expect([hooks.delivered, hooks.refused, acme.runs.size]).toEqual([[], [], 0])
  })

  test("[W1] the body and the event are the caller's, and the filter judges them", async () => {
    const { tried } = await ready({ filter: 'action == "closed"', mapping: { task: "${{trigger.headers.x-github-event}}" } })
    expect((await tried()).body).toMatchObject({ verdict: "filtered", starts: null, reason: expect.stringContaining("filter") })
    const own = await tried({ body: { action: "closed" }, event: "pull_request" })
    expect(own.body).toMatchObject({ verdict: "accepted", sent: { body: { action: "closed" } }, starts: { task: "pull_request" } })
    expect((await tried({ event: "ping" })).body).toMatchObject({ verdict: "ping", starts: null })
    expect((await tried({ body: [1, "two"] })).body).toMatchObject({ verdict: "filtered" })
  })

  test("[W1] what the filter stops is told with what it compared, and the body is shown as it sees it", async () => {
    const { tried } = await ready({ filter: 'action == "closed"' })
    const sent = { action: "opened" }
    for (const type of ["json", "form"])
      expect((await tried({ body: sent, type })).body).toMatchObject({
        verdict: "filtered",
        reason: expect.stringContaining('it is "opened"'),
        sent: { body: sent },
        seen: sent,
      })
    const mapped = await ready({ kind: "token", filter: "n > 2", mapping: { task: "${{trigger.body.of.a}}" } })
    expect((await mapped.tried({ body: { n: 3, of: { a: 1 }, list: [1, "b"] }, type: "form" })).body).toMatchObject({
      verdict: "accepted",
      seen: { n: "3", of: '{"a":1}', list: ["1", "b"] },
      missing: ["trigger.body.of.a"],
    })
    const none = await mapped.tried({ body: [1], type: "form" })
    expect([none.status, none.body["errors"]]).toMatchObject([422, [{ pointer: "/body" }]])
  })

  test("[F40] a reference without a value is named, also where the flow cannot start without it", async () => {
    const { tried } = await ready({ mapping: { task: "${{trigger.body.issue.ttle}}" } }, { task_required: true })
    expect((await tried()).body).toMatchObject({ verdict: "failed", missing: ["trigger.body.issue.ttle"] })
    const greets = await ready({ mapping: { task: "Greet ${{trigger.body.sender.login}}." } })
    const { body } = await greets.tried({ body: {} })
    expect(body).toMatchObject({ verdict: "accepted", starts: { task: "Greet ." }, missing: ["trigger.body.sender.login"] })
  })

  test.each(["stripe", "slack", "hmac", "token"])("[W1] a sample of %s is accepted", async (kind) => {
    const { tried } = await ready({ kind })
    expect((await tried()).body).toMatchObject({ verdict: "accepted" })
  })

  test("[W2] a secret that cannot sign is named, and so is one that is gone", async () => {
    const { tried, hooks } = await ready({ kind: "standard" })
    expect((await tried()).body).toMatchObject({ verdict: "rejected", reason: expect.stringContaining("whsec_") })
    hooks.secrets = []
    expect((await tried()).body).toMatchObject({ verdict: "rejected", reason: expect.stringContaining('"hs"'), sent: { headers: [] } })
    hooks.secrets = [`whsec_${btoa("a standard secret of 32 bytes ok")}`]
    expect((await tried()).body).toMatchObject({ verdict: "accepted" })
  })

  test("[W1] a hook that is switched off, and a flow that cannot start, say so", async () => {
    const off = await ready({ enabled: false })
    expect((await off.tried()).body).toMatchObject({ verdict: "rejected", reason: expect.stringContaining("is disabled"), starts: null })
    const inputs = { n: { type: "number", required: true } }
    const { tried, acme } = await ready({ mapping: { inputs: { n: "${{trigger.body.n}}" } } }, { inputs })
    expect((await tried({ body: { n: "many" } })).body).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("n"),
      starts: null,
    })
    expect((await tried({ body: { n: 3 } })).body).toMatchObject({ verdict: "accepted", starts: { inputs: { n: 3 } } })
    expect((await tried({ body: { n: "4" } })).body).toMatchObject({ verdict: "accepted", starts: { inputs: { n: 4 } } })
    expect((await tried({ body: { n: null } })).body).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("needs the input"),
    })
    acme.catalog.flow({ task_required: true })
    expect((await tried({ body: {} })).body).toMatchObject({ verdict: "failed", reason: expect.stringContaining("task") })
    acme.catalog.pinResult = { ok: false, code: "not_found" }
    expect((await tried()).body).toMatchObject({ verdict: "failed", reason: expect.stringContaining('"f"') })
  })

  test("[W1] [H3] another body is 422, no hook is 404, and another scope is 403", async () => {
    const { ask, tried, id } = await ready()
    expect((await tried({ event: "Not An Event" })).status).toBe(422)
    expect((await tried({ bdy: {} })).status).toBe(422)
    expect((await ask("POST", "/v1/hooks/nope/test", { body: {} })).status).toBe(404)
    expect((await ask("POST", `/v1/hooks/${id}/test`, { key: "key-b", body: {} })).status).toBe(404)
  })
})
