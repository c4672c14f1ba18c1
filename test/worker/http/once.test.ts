// [H4] An Idempotency-Key and a crash: the first try has begun, perhaps even finished, and its answer was lost. Together both tries act once.
//
// The crash is simulated: the record is set back to "begun", and its object is evicted.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import { derivedId } from "../../../src/cloudflare/platform/clock.ts"
import { runIdOf } from "../../../src/cloudflare/platform/run-id.ts"
import { ROUTES } from "../../../src/http/app.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { admin, CATALOG, ended, start, tenant, until, type Tenant } from "../../support/worker/service-client.ts"

/** How each POST is safe to send again after a crash. */
type Safety =
  /** The id of what it creates is derived from the key, so the second try finds it. */
  | "derived"
  /** It sets a state, so a second try changes nothing more; that try may be told that the state is already set. */
  | "state"
  /** It changes nothing. */
  | "pure"
  /** Made safe by its own content: outside [H4]. */
  | "exempt"

const SAFE: Readonly<Record<string, Safety>> = {
  "/v1/flows/:flow/runs": "derived",
  "/v1/flows/:flow/test": "pure",
  "/v1/flows/:flow/backtest": "derived",
  "/v1/chat/completions": "exempt",
  "/v1/flows/:flow/agui": "exempt",
  "/v1/flows/:flow/chat": "exempt",
  "/a2a/:flow": "exempt",
  "/a2a/:flow/:call{message:send}": "exempt",
  "/a2a/:flow/:call{message:stream}": "exempt",
  "/a2a/:flow/tasks/:task/pushNotificationConfigs": "exempt",
  "/a2a/:flow/tasks/:task{[^/]+:cancel}": "exempt",
  "/a2a/:flow/tasks/:task{[^/]+:subscribe}": "exempt",
  "/v1/responses": "exempt",
  "/v1/responses/:id/cancel": "state",
  "/v1/runs/:run/fork": "derived",
  "/v1/runs/:run/again": "derived",
  "/v1/runs/:run/steps/:step/try": "pure",
  "/v1/bulk": "derived",
  "/v1/bulk/:bulk/stop": "state",
  "/v1/datasets/:dataset/rows": "state",
  "/v1/experiments": "derived",
  "/v1/experiments/:experiment/stop": "state",
  "/v1/runs/:run/repair": "derived",
  "/v1/runs/:run/test": "state",
  "/v1/runs/:run/undo": "state",
  "/v1/runs/:run/effects/:effect{.+}": "state",
  "/v1/runs/:run/scores": "derived",
  "/v1/runs/:run/feedback": "derived",
  "/v1/grading": "state",
  "/v1/scorers/:scorer/probe": "derived",
  "/v1/failures/:failure": "state",
  "/v1/receipts/verify": "pure",
  "/v1/signing-keys": "state",
  "/v1/mcp-servers/:server/connect": "pure",
  "/v1/runs/:run/cancel": "state",
  "/v1/runs/:run/pause": "state",
  "/v1/runs/:run/resume": "state",
  "/v1/runs/:run/token": "pure",
  "/v1/flows/:flow/chat-token": "pure",
  "/v1/runs/:run/interactions/:interaction": "state",
  "/v1/interactions/:question": "state",
  "/v1/runs/:run/interactions/:interaction/link": "pure",
  "/i/:token": "state",
  "/v1/runs/:run/signals/:signal": "derived",
  "/v1/runs/:run/steps/:step/steer": "derived",
  "/v1/catalog/rollback": "state",
  "/v1/catalog/plan": "pure",
  "/v1/import": "state",
  "/v1/validate": "pure",
  "/v1/architect": "derived",
  "/v1/architect/:session/accept": "state",
  "/v1/architect/:session/revise": "derived",
  "/v1/tools/import": "state",
  "/v1/tools/:tool": "derived",
  "/mcp": "exempt",
  "/v1/references/:kind": "state",
  "/v1/mcp-servers/:server/refresh": "state",
  "/v1/mcp-servers/:server/approve": "state",
  "/v1/hooks": "derived",
  "/v1/hooks/:hook": "exempt",
  "/v1/hooks/:hook/test": "pure",
  "/v1/hooks/:hook/deliveries/:delivery/redeliver": "derived",
  "/v1/callbacks": "derived",
  "/v1/callback-deliveries/:message/redrive": "state",
  "/v1/schedules": "derived",
  "/v1/schedules/preview": "pure",
  "/v1/schedules/:schedule/fire": "derived",
  "/v1/settings/providers/:provider/test": "pure",
  "/v1/settings/providers/:provider/models": "pure",
  "/v1/keys": "derived",
  "/v1/session": "exempt",
  "/v1/tenants": "state",
  "/v1/tenants/:tenant/keys": "derived",
}

let t: Tenant
let since = 0
const agent = "---\nname: a\ndescription: a\nmodel: rehearsal/default\ntools: read\n---\nDo it. ${{task}}\n"

beforeAll(async () => {
  t = await tenant("once")
  since = Date.parse((await admin.ask<{ created: string }>("GET", "/v1/tenants/once")).created)
  await t.ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent },
    flows: {
      ...CATALOG.flows,
      "slow.yaml": "name: slow\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n",
      "signaled.yaml": "name: signaled\ndescription: d\nsteps:\n  - { id: w, type: wait, signal: go }\n",
      "slow.rehearsal.yaml": "steps:\n  a:\n    - delay: 10m\n      finish: { status: complete, summary: done }\n",
    },
  })
  await t.ask("PUT", "/v1/secrets/sign", { value: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" })
})

const recordOf = async (tenantId: string, key: string) =>
  env.RUN.get(env.RUN.idFromName(`${tenantId}/${tenantId === "" ? `run_${await derivedId("", key)}` : await runOf(tenantId, key)}`))

/** A record and the run that it is about share an object. */
const runOf = async (tenantId: string, key: string) => runIdOf(env, tenantId, await derivedId(`${tenantId}@${since}`, key))

/** The answer was never stored, and the object that did the work is gone. */
async function crash(key: string, tenantId = "once"): Promise<void> {
  const object = await recordOf(tenantId, key)
  await runInDurableObject(object, (_, ctx) => void ctx.storage.sql.exec("UPDATE answer SET body = ''"))
  await evictDurableObject(object)
}

let n = 0
async function twice<T>(path: string, body: unknown, as = t.ask): Promise<[T, T]> {
  const key = `once-${n++}`
  const first = await as<T>("POST", path, body, { "idempotency-key": key })
  await crash(key, as === admin.ask ? "" : "once")
  const second = await as<T>("POST", path, body, { "idempotency-key": key })
  return [first, second]
}
const rows = async (path: string): Promise<unknown[]> => (await t.ask<{ data: unknown[] }>("GET", path)).data

describe("after a crash, the same key again", () => {
  test("[H4] every POST says how it is safe", () => {
    expect(Object.keys(SAFE).sort()).toEqual(ROUTES.flatMap(([method, path]) => (method === "POST" ? [path] : [])).sort())
  })

  test("[H4] with another body is still refused as another request", async () => {
    const run = await start(t, "signaled")
    const path = `/v1/runs/${run}/signals/go`
    await t.ask("POST", path, { n: 1 }, { "idempotency-key": "other" })
    await crash("other")
    expect((await t.raw("POST", path, { n: 2 }, { "idempotency-key": "other" })).status).toBe(422)
    await t.ask("POST", `/v1/runs/${run}/cancel`, {})
  })

  test("[H4] a start is one run", async () => {
    const before = (await rows("/v1/runs?limit=200")).length
    const [a, b] = await twice<{ id: string }>("/v1/flows/long/runs", { task: "go" })
    expect(b.id).toBe(a.id)
    expect((await rows("/v1/runs?limit=200")).length).toBe(before + 1)
    await t.ask("POST", `/v1/runs/${a.id}/cancel`, {})
  })

  test("[H4] a signal is received once", async () => {
    const run = await start(t, "signaled")
    await twice(`/v1/runs/${run}/signals/go`, { n: 1 })
    const events = (await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${run}/events`)).data
    expect(events.filter((e) => e.type === "signal.received")).toHaveLength(1)
    await t.ask("POST", `/v1/runs/${run}/cancel`, {})
  })

  test("[H4] [J24] a message is queued once, under one id, although the run has ended in the meantime", async () => {
    const run = await start(t, "slow")
    await until(async () => (await t.ask<RunView>("GET", `/v1/runs/${run}`)).steps["a"]?.status === "running", "a running step")
    const path = `/v1/runs/${run}/steps/a/steer`
    const [a, b] = await twice<{ id: string }>(path, { message: "left" })
    expect(b.id).toBe(a.id)
    await t.ask("POST", path, { message: "right" }, { "idempotency-key": "late" })
    await t.ask("POST", `/v1/runs/${run}/cancel`, {})
    await crash("late")
    expect((await t.raw("POST", path, { message: "right" }, { "idempotency-key": "late" })).status).toBe(202)
    const events = (await t.ask<{ data: { type: string }[] }>("GET", `/v1/runs/${run}/events`)).data
    expect(events.filter((e) => e.type === "steer.queued")).toHaveLength(2)
  })

  test("[H4] subagent is one run and one session", async () => {
    type Told = { details: { runId: string; sessionId: string; finish: unknown } }
    const before = (await rows("/v1/runs?limit=200")).length
    const [a, b] = await twice<Told>("/v1/tools/subagent", { agent: "a", task: "go" })
    expect(b.details).toEqual(a.details)
    expect((await rows("/v1/runs?limit=200")).length).toBe(before + 1)
    const sessions = (await rows("/v1/sessions")) as { id: string; busy?: boolean }[]
    expect(sessions.map(({ id }) => id)).toEqual([a.details.sessionId])
    // After that, no one has claimed it.
    const on = await t.ask<Told>("POST", "/v1/tools/subagent", { agent: "a", task: "on", sessionId: a.details.sessionId })
    expect(on.details.finish).toBeDefined()
  })

  test("[H4] ask_user asks once", async () => {
    const [a, b] = await twice<{ interaction: { id: string } }>("/v1/tools/ask_user", { question: "Well?", type: "input" })
    expect(b.interaction.id).toBe(a.interaction.id)
    expect(await rows("/v1/interactions")).toHaveLength(1)
  })

  test("[H4] [J11] a call that must not be repeated is not repeated: its outcome is unknown", async () => {
    // Nothing is sent, because the address is refused; a caller that lost the answer cannot know that.
    const send = () => t.raw("POST", "/v1/tools/web.fetch", { url: "http://10.0.0.1/", method: "POST" }, { "idempotency-key": "post-it" })
    expect((await send()).status).toBe(200)
    await crash("post-it")
    const again = await send()
    expect([again.status, (await again.json<{ code: string }>()).code]).toEqual([409, "outcome_unknown"])
  })

  test("[H4] a hook, a callback and a schedule exist once, with the id from the first answer", async () => {
    const [hook, hookAgain] = await twice<{ id: string }>("/v1/hooks", { flow: "quick", kind: "hmac", secret: "sign" })
    expect([hookAgain, await rows("/v1/hooks")]).toEqual([hook, [hook]])
    const [callback, callbackAgain] = await twice<{ id: string }>("/v1/callbacks", { url: "https://example.com/", secret: "sign" })
    expect([callbackAgain, await rows("/v1/callbacks")]).toEqual([callback, [callback]])
    // No callback is to be sent for the runs of this file.
    await t.ask("DELETE", `/v1/callbacks/${callback.id}`)
    const [schedule, scheduleAgain] = await twice<{ id: string }>("/v1/schedules", { flow: "quick", cron: "0 3 * * *" })
    expect([scheduleAgain, await rows("/v1/schedules")]).toEqual([schedule, [schedule]])
  })

  test("[H4] a fire is one run", async () => {
    const { id } = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "long", cron: "0 3 * * *", overlap: "parallel" })
    const [a, b] = await twice<{ run: string }>(`/v1/schedules/${id}/fire`, {})
    expect([b, (await rows(`/v1/runs?flow=long&trigger=schedule`)).length]).toEqual([a, 1])
    await t.ask("POST", `/v1/runs/${a.run}/cancel`, {})
  })

  test("[H4] a redelivery is one run", async () => {
    const { id } = await t.ask<{ id: string }>("POST", "/v1/hooks", { flow: "quick", kind: "token", secret: "sign" })
    const token = { authorization: "Bearer whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }
    const sent = await t.ask<{ delivery: string; run: string }>("POST", `/v1/hooks/${id}`, { n: 1 }, token)
    await ended(t, sent.run)
    const [a, b] = await twice<{ run: string }>(`/v1/hooks/${id}/deliveries/${sent.delivery}/redeliver`, {})
    expect([b, (await rows(`/v1/hooks/${id}/deliveries`)).length]).toEqual([a, 2])
  })

  test("[H1] [H4] a key is one row, and only the text from the last answer is valid", async () => {
    const before = (await rows("/v1/keys")).length
    const [a, b] = await twice<{ id: string; key: string }>("/v1/keys", { scopes: ["runs:read"] })
    expect([b.id, (await rows("/v1/keys")).length]).toEqual([a.id, before + 1])
    const opens = async (key: string) => (await t.raw("GET", "/v1/runs", undefined, { authorization: `Bearer ${key}` })).status
    expect([await opens(a.key), await opens(b.key)]).toEqual([401, 200])
    const [c, d] = await twice<{ id: string }>("/v1/tenants/once/keys", { scopes: ["runs:read"] }, admin.ask)
    expect(d.id).toBe(c.id)
  })
})
