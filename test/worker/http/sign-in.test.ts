// Sign-in with real keys and objects [H13]: a session ends with its key, its streams too, and is no more than a key of its tenant.

import { runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test } from "vitest"
import { ask, call, flow, LOCAL, start, until } from "../../support/worker/house.ts"
import { admin, tenant } from "../../support/worker/service-client.ts"
import { MAX_SESSIONS_OF_KEY, SignInStore } from "../../../src/cloudflare/tenant/keys/sign-in-store.ts"
import { forgetKeys } from "../../../src/cloudflare/clients/cache/key-cache.ts"
import { sessionKey } from "../../../src/cloudflare/clients/session-rows.ts"
import { sha256 } from "../../../src/engine/sha256.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { MOST_LISTED } from "../../../src/ports/tenant/sign-ins.ts"

const SAME = { "sec-fetch-site": "same-origin" }

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", { flows: { "signed.yaml": flow("signed", "  - { id: w, type: wait, signal: go }\n") } })
})

const by = (
  cookie: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  origin = "http://sluice",
): Promise<Response> => SELF.fetch(`${origin}${path}`, { method, headers: { cookie, ...SAME, ...headers } })

async function signIn(key: string, body: object = {}, origin = "http://sluice"): Promise<string> {
  const made = await SELF.fetch(`${origin}/v1/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  expect(made.status).toBe(201)
  return made.headers.get("set-cookie")?.split(";")[0] ?? ""
}
/** The address of its row in KV. */
const rowOf = async (cookie: string, tenantId: string): Promise<string> =>
  sessionKey(tenantId, await sha256(cookie.slice(cookie.indexOf("=") + 1)))
const newKey = (scopes: readonly string[], more: object = {}) =>
  ask<{ id: string; key: string }>("POST", "/v1/keys", { name: "console", scopes, ...more })

describe("a session", () => {
  // The first three at once: each waits until a stream has asked again whether its session holds.
  test.concurrent("[H13] [S18] ends with its key at once here, and so do its streams", async () => {
    const key = await newKey(["runs:read"])
    const cookie = await signIn(key.key, { name: "Anna" })
    const id = await start("signed")
    await until(id, (run) => run.status === "waiting")
    const stream = (await by(cookie, "GET", `/v1/runs/${id}/events`, { accept: "text/event-stream" })).text()
    expect((await by(cookie, "GET", "/v1/runs")).status).toBe(200)
    expect((await call("DELETE", `/v1/keys/${key.id}`)).status).toBe(204)
    expect((await by(cookie, "GET", "/v1/runs")).status).toBe(401)
    // The run never ends by itself.
    expect(await stream).not.toContain("run.ended")
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test.concurrent("[H13] [S18] that is signed out ends its streams, and no other session", async () => {
    const key = await newKey(["runs:read"])
    const [cookie, other] = [await signIn(key.key), await signIn(key.key)]
    const id = await start("signed")
    const stream = (await by(cookie, "GET", `/v1/runs/${id}/events`, { accept: "text/event-stream" })).text()
    expect((await by(cookie, "DELETE", "/v1/session")).status).toBe(204)
    expect((await by(cookie, "GET", "/v1/runs")).status).toBe(401)
    expect((await by(other, "GET", "/v1/runs")).status).toBe(200)
    expect(await stream).not.toContain("run.ended")
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test.concurrent("[H13] of the key of local development ends too, and its streams with it", async () => {
    const cookie = await signIn(LOCAL, { name: "me" })
    const id = await start("signed")
    const stream = (await by(cookie, "GET", `/v1/runs/${id}/events`, { accept: "text/event-stream" })).text()
    expect(await (await by(cookie, "GET", "/v1/session")).json()).toMatchObject({ tenant: "local", by: "me", key: "local", via: "session" })
    expect((await by(cookie, "DELETE", "/v1/session")).status).toBe(204)
    expect(await stream).not.toContain("run.ended")
    await ask("POST", `/v1/runs/${id}/cancel`, {})
  })

  test("[H13] lasts no longer than its key", async () => {
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const cookie = await signIn((await newKey(["runs:read"], { expires })).key)
    const who: { until: string } = await (await by(cookie, "GET", "/v1/session")).json()
    expect(who.until).toBe(expires)
  })

  test("[H13] an altered or made-up cookie, and one of another place, is none", async () => {
    const cookie = await signIn((await newKey(["runs:read"])).key)
    const [name = "", value = ""] = cookie.split("=")
    for (let at = 0; at < value.length; at += 3) {
      const altered = value.slice(0, at) + (value[at] === "a" ? "b" : "a") + value.slice(at + 1)
      expect((await by(`${name}=${altered}`, "GET", "/v1/runs")).status, altered).toBe(401)
    }
    expect((await by(cookie, "GET", "/v1/runs", { "x-sluice-address": "/t/acme" })).status).toBe(401)
    expect((await by(`${name}-acme=${value}`, "GET", "/v1/runs", { "x-sluice-address": "/t/acme" })).status).toBe(401)
    expect((await by(cookie, "GET", "/v1/runs")).status).toBe(200)
  })

  test("[H13] [N1] is one of its own tenant, and goes with it", async () => {
    const t = await tenant("signer")
    const made = await t.raw("POST", "/v1/session", { name: "Bea" })
    const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? ""
    expect(await (await by(cookie, "GET", "/v1/session")).json()).toMatchObject({ tenant: "signer", by: "Bea" })
    expect(((await (await by(cookie, "GET", "/v1/runs")).json()) as { data: unknown[] }).data).toEqual([])
    await admin.raw("DELETE", "/v1/tenants/signer")
    expect((await by(cookie, "GET", "/v1/session")).status).toBe(401)
    await tenant("signer")
    expect((await by(cookie, "GET", "/v1/session")).status).toBe(401)
  })

  test("[O13] [O14] has a row in KV that names no person, and is good without it, too", async () => {
    const { id, key } = await newKey(["runs:read"])
    const cookie = await signIn(key, { name: "Dana" })
    const row = await rowOf(cookie, "local")
    expect(JSON.parse(String(await env.CACHE.get(row)))).toEqual({ holder: id, place: "", until: expect.any(Number) })
    await env.CACHE.delete(row)
    forgetKeys("local")
    expect(await (await by(cookie, "GET", "/v1/session")).json()).toMatchObject({ by: "Dana" })
    // KV serves a row of a session that is over.
    const kept = JSON.stringify({ holder: id, place: "", until: Date.now() + 3_600_000 })
    expect((await by(cookie, "DELETE", "/v1/session")).status).toBe(204)
    await env.CACHE.put(row, kept)
    expect((await by(cookie, "GET", "/v1/session")).status).toBe(401)
  })

  test("[O15] leaves no row in KV when it ends, nor when its tenant is deleted", async () => {
    const t = await tenant("row-signer")
    const cookies = await Promise.all(["a", "b"].map((name) => signIn(t.key, { name })))
    const [first = "", second = ""] = await Promise.all(cookies.map((cookie) => rowOf(cookie, t.id)))
    expect((await by(cookies[0] ?? "", "DELETE", "/v1/session")).status).toBe(204)
    expect([await env.CACHE.get(first), typeof (await env.CACHE.get(second))]).toEqual([null, "string"])
    await admin.raw("DELETE", "/v1/tenants/row-signer")
    expect(await env.CACHE.get(second)).toBe(null)
  })

  test("[H13] of one key there are at most a hundred: the oldest ends", async () => {
    const { key } = await newKey(["runs:read"])
    const first = await signIn(key)
    for (let n = 0; n < MAX_SESSIONS_OF_KEY - 1; n++) await signIn(key)
    const last = await signIn(key)
    // This isolate may remember it for a moment, but the object has no such session.
    expect([401, 404]).toContain((await by(first, "DELETE", "/v1/session")).status)
    expect((await by(last, "GET", "/v1/session")).status).toBe(200)
  })
})

describe("the sessions of a tenant", () => {
  interface Listed {
    readonly id: string
    readonly by: string
    readonly key: string
    readonly current: boolean
  }
  const people = async (): Promise<readonly Listed[]> => (await ask<{ data: Listed[] }>("GET", "/v1/sign-ins")).data

  test("[H13] are listed with their person and key; one that is ended is over, and no other", async () => {
    const key = await newKey(["runs:read"])
    const [cookie, other] = [await signIn(key.key, { name: "listed Anna" }), await signIn(key.key, { name: "listed Ben" })]
    const anna = (await people()).find((row) => row.by === "listed Anna")
    expect(anna).toMatchObject({ id: expect.stringMatching(/^si_[0-9a-f]{24}$/), key: "console", key_id: key.id, current: false })
    expect((await call("DELETE", `/v1/sign-ins/${anna?.id}`)).status).toBe(204)
    expect((await by(cookie, "GET", "/v1/runs")).status).toBe(401)
    expect((await by(other, "GET", "/v1/runs")).status).toBe(200)
    expect((await call("DELETE", `/v1/sign-ins/${anna?.id}`)).status).toBe(404)
    expect((await people()).some((row) => row.by === "listed Anna")).toBe(false)
  })

  test("[H13] leave the list with their key, and are no business of another tenant", async () => {
    const key = await newKey(["runs:read"])
    await signIn(key.key, { name: "listed Cleo" })
    const id = (await people()).find((row) => row.by === "listed Cleo")?.id ?? ""
    const t = await tenant("people-other")
    expect(await t.ask("GET", "/v1/sign-ins")).toMatchObject({ data: [] })
    const theirs = { authorization: `Bearer ${t.key}` }
    expect((await SELF.fetch(`http://sluice/v1/sign-ins/${id}`, { method: "DELETE", headers: theirs })).status).toBe(404)
    for (const odd of ["si_", "si_%25", id.slice(0, -1), `${id}0`, "si_zzzzzzzzzzzzzzzzzzzzzzzz"])
      expect((await call("DELETE", `/v1/sign-ins/${odd}`)).status, odd).toBe(404)
    expect((await call("DELETE", `/v1/keys/${key.id}`)).status).toBe(204)
    expect((await people()).some((row) => row.by === "listed Cleo")).toBe(false)
  })

  test("[H13] of more than a thousand, the newest are listed", async () => {
    await runInDurableObject(env.TENANT.get(env.TENANT.idFromName("people-many")), (_, ctx) => {
      const store = new SignInStore(new TenantSql(ctx.storage))
      for (let i = 0; i <= MOST_LISTED; i++) {
        const digest = i.toString(16).padStart(64, "0")
        store.open({ digest, key: `key_${i % 20}`, by: `person ${i}`, place: "", until: 10_000_000 }, i)
      }
      const rows = store.list(5_000)
      expect([rows.length, rows[0]?.by, rows.at(-1)?.by]).toEqual([MOST_LISTED, `person ${MOST_LISTED}`, "person 1"])
    })
  })
})
