// Per-run tokens [H1]: which routes they open, and that they end with their key.

import { describe, expect, test } from "vitest"
import { runId, setUp } from "../../support/http/ask.ts"

const ID = runId("r")
const OTHER = runId("other")

function ready() {
  const all = setUp()
  all.acme.run(ID).begin()
  all.acme.run(OTHER).begin()
  all.services.runTokens.set("good", { run: ID, caller: { tenant: "acme", name: "a", scopes: ["runs:read"], keyId: "key_1" } })
  const bare = (method: string, path: string) => all.ask(method, path, { key: null })
  return { ...all, bare }
}

describe("creating a run token", () => {
  test("[H1] it is valid for 300 s or for the requested time, and the answer has the time when it expires", async () => {
    const { ask } = ready()
    const before = Date.now()
    const r = await ask("POST", `/v1/runs/${ID}/token`)
    expect([r.status, r.body["run"], typeof r.body["token"]]).toEqual([201, ID, "string"])
    const until = Date.parse(String(r.body["expires"]))
    expect([until >= before + 300_000, until <= Date.now() + 300_000]).toEqual([true, true])
    const short = await ask("POST", `/v1/runs/${ID}/token`, { body: { ttl: 1 } })
    expect(Date.parse(String(short.body["expires"]))).toBeLessThanOrEqual(Date.now() + 1_000)
  })

  test("[H1] [P9] a token expires with the key that makes it, and says so", async () => {
    const { ask, acme, services } = ready()
    await acme.catalog.put("flow", "flows/f.yaml", "x")
    const keyUntil = Date.now() + 20_000
    services.callers.set("brief", { tenant: "acme", name: "b", scopes: ["runs:read", "runs:write"], keyId: "key_2", keyUntil })
    for (const path of [`/v1/runs/${ID}/token`, "/v1/flows/f/chat-token"]) {
      const long = await ask("POST", path, { key: "brief", body: { ttl: 900 } })
      expect([long.status, Date.parse(String(long.body["expires"]))], path).toEqual([201, keyUntil])
    }
    const short = await ask("POST", `/v1/runs/${ID}/token`, { key: "brief", body: { ttl: 1 } })
    expect(Date.parse(String(short.body["expires"]))).toBeLessThan(keyUntil)
  })

  test.each([0, 901, 1.5, "60", null])("[H1] ttl %s is 422", async (ttl) => {
    const { ask } = ready()
    expect((await ask("POST", `/v1/runs/${ID}/token`, { body: { ttl } })).status).toBe(422)
  })

  test("[H1] it needs the scope runs:read and an existing run", async () => {
    const { ask, services } = ready()
    services.key("key-w", "acme", ["runs:write"])
    expect((await ask("POST", `/v1/runs/${ID}/token`, { key: "key-w" })).status).toBe(403)
    for (const id of [runId("none"), "run_1"]) expect((await ask("POST", `/v1/runs/${id}/token`)).status).toBe(404)
    expect((await ask("POST", `/v1/runs/${runId("none")}/token`, { body: { ttl: 0 } })).status).toBe(404)
  })

  test("[H4] a replay does not show the token again", async () => {
    const { ask } = ready()
    const headers = { "idempotency-key": "k" }
    await ask("POST", `/v1/runs/${ID}/token`, { headers })
    const again = await ask("POST", `/v1/runs/${ID}/token`, { headers })
    expect([again.status, again.body["run"], again.body["token"]]).toEqual([201, ID, undefined])
  })
})

describe("using a run token", () => {
  test("[H1] it opens GET of its run and its events, any number of times", async () => {
    const { bare } = ready()
    for (let i = 0; i < 2; i++)
      for (const path of [`/v1/runs/${ID}`, `/v1/runs/${ID}/events`])
        expect((await bare("GET", `${path}?token=good`)).status, path).toBe(200)
  })

  test("[H1] another run and a run that does not exist are the same 404", async () => {
    const { bare } = ready()
    const answers = await Promise.all([OTHER, runId("none"), "run_1"].map((id) => bare("GET", `/v1/runs/${id}/events?token=good`)))
    const bodies = answers.map((r) => [r.status, { ...r.body, instance: "" }])
    expect(bodies).toEqual(Array(3).fill(bodies[0]))
    expect(answers[0]?.status).toBe(404)
  })

  test.each([
    ["GET", "/v1/runs"],
    ["GET", "/v1/flows/f"],
    ["GET", `/v1/runs/${ID}/files`],
    ["GET", `/v1/runs/${ID}/steps/a/messages`],
    ["POST", `/v1/runs/${ID}/cancel`],
    ["DELETE", `/v1/runs/${ID}`],
    ["POST", `/v1/runs/${ID}/token`],
    ["GET", "/v1/nothing"],
  ])("[H1] %s %s is 401", async (method, path) => {
    const { bare } = ready()
    expect((await bare(method, `${path}?token=good`)).status).toBe(401)
  })

  test("[H1] an altered token, a key in its place, and a token as Bearer are 401", async () => {
    const { ask, bare } = ready()
    for (const token of ["bad", "key-a", ""]) expect((await bare("GET", `/v1/runs/${ID}?token=${token}`)).status, token).toBe(401)
    expect((await ask("GET", `/v1/runs/${ID}`, { key: "good" })).status).toBe(401)
    expect((await ask("GET", `/v1/runs/${ID}?token=good`, { key: "wrong" })).status).toBe(401)
  })

  test("[H1] [S18] it is invalid once its key is revoked", async () => {
    const { services, bare } = ready()
    services.revoked.add("key_1")
    expect((await bare("GET", `/v1/runs/${ID}?token=good`)).status).toBe(401)
  })
})
