// People whom Cloudflare Access lets through [H14]: real signatures, and a team on loopback.

import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { accessOf, type AccessEnv } from "../../../src/cloudflare/clients/access.ts"
import { toBase64url } from "../../../src/core/text/base64url.ts"

const RSA = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" }
const NOW = 1_800_000_000_000
let asked = 0
let team = ""
let pair: CryptoKeyPair
let other: CryptoKeyPair
const certs: { body: string; status: number } = { body: "", status: 200 }
const server = createServer((_, answer) => {
  asked++
  answer.writeHead(certs.status, { "content-type": "application/json" }).end(certs.body)
})

beforeAll(async () => {
  pair = await crypto.subtle.generateKey(RSA, true, ["sign", "verify"])
  other = await crypto.subtle.generateKey(RSA, true, ["sign", "verify"])
  const { n, e } = await crypto.subtle.exportKey("jwk", pair.publicKey)
  certs.body = JSON.stringify({ keys: [{ kid: "k1", kty: "RSA", alg: "RS256", n, e }, null, { kid: "bad" }] })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  team = typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : ""
})
afterAll(() => server.close())

const env = (more: Partial<AccessEnv> = {}): AccessEnv => ({
  ENVIRONMENT: "local",
  ACCESS_TEAM: team,
  ACCESS_AUDIENCE: "aud-1, aud-2",
  ACCESS_KEYS: "anna@example.com=sl_acme_admin\n@example.com=sl_acme_reader, gone@other.example=sl_acme_revoked",
  ...more,
})
const KEYS: Readonly<Record<string, { tenant: string; name: string; scopes: readonly "runs:read"[]; keyId: string }>> = {
  sl_acme_admin: { tenant: "acme", name: "admins", scopes: ["runs:read"], keyId: "key_1" },
  sl_acme_reader: { tenant: "acme", name: "readers", scopes: ["runs:read"], keyId: "key_2" },
}
const access = (more: Partial<AccessEnv> = {}, at = NOW) =>
  accessOf(
    env(more),
    async (key) => KEYS[key],
    () => at,
  )

const part = (value: unknown): string => toBase64url(new TextEncoder().encode(JSON.stringify(value)))
async function jwt(claims: object = {}, header: object = {}, key = pair.privateKey): Promise<string> {
  const all = { iss: team, aud: ["aud-1"], exp: NOW / 1000 + 600, nbf: NOW / 1000, email: "anna@example.com", ...claims }
  const signed = `${part({ alg: "RS256", kid: "k1", typ: "JWT", ...header })}.${part(all)}`
  const seal = new Uint8Array(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, new TextEncoder().encode(signed)))
  return `${signed}.${toBase64url(seal)}`
}

describe("a token of Cloudflare Access", () => {
  test("[H14] is a person with the rights of the first key that fits", async () => {
    expect(await access()?.(await jwt())).toMatchObject({
      ok: true,
      caller: { tenant: "acme", name: "anna@example.com", keyId: "key_1", access: { key: "admins", until: NOW + 600_000 } },
    })
    expect(await access()?.(await jwt({ email: "Bob@Example.com", aud: "aud-2" }))).toMatchObject({
      ok: true,
      caller: { name: "bob@example.com", keyId: "key_2" },
    })
    expect(await access()?.(await jwt({ email: "eve@notexample.com" }))).toMatchObject({ ok: false, code: "forbidden" })
    expect(await access()?.(await jwt({ email: "gone@other.example" }))).toMatchObject({
      ok: false,
      detail: expect.stringContaining("not a valid key"),
    })
  })

  test("[H14] that is altered, foreign, late, early or of no person is refused, and says why", async () => {
    const good = await jwt()
    const [head = "", body = "", seal = ""] = good.split(".")
    const cases: readonly (readonly [token: string, why: string])[] = [
      ["", "not a JWT"],
      [`${head}.${body}`, "not a JWT"],
      [`${good}.x`, "not a JWT"],
      ["x".repeat(9_000), "not a JWT"],
      [`${head}.${part({ email: "anna@example.com" })}.${seal}`, "wrong signature"],
      [await jwt({}, {}, other.privateKey), "wrong signature"],
      [await jwt({}, { alg: "none" }), "RS256"],
      [await jwt({}, { alg: "HS256" }), "RS256"],
      [await jwt({}, { kid: "k9" }), "does not have"],
      [await jwt({}, { kid: 7 }), "RS256"],
      [await jwt({ iss: "https://evil.cloudflareaccess.com" }), "is not from"],
      [await jwt({ aud: ["aud-3"] }), "ACCESS_AUDIENCE"],
      [await jwt({ aud: undefined }), "ACCESS_AUDIENCE"],
      [await jwt({ exp: NOW / 1000 }), "expired"],
      [await jwt({ exp: "never" }), "expired"],
      [await jwt({ nbf: NOW / 1000 + 61 }), "not valid yet"],
      [await jwt({ email: undefined, common_name: "service" }), "names no person"],
      [await jwt({ email: "*" }), "names no person"],
    ]
    for (const [token, why] of cases)
      expect(await access()?.(token), why).toEqual({ ok: false, code: "unauthorized", detail: expect.stringContaining(why) })
  })

  test("[H14] the keys are read once, and for an unknown one at most once a minute", async () => {
    await access()?.(await jwt())
    const before = asked
    for (let n = 0; n < 5; n++) await access()?.(await jwt())
    expect(asked).toBe(before)
    for (let n = 0; n < 5; n++) await access({}, NOW + 120_000)?.(await jwt({}, { kid: "k2" }))
    expect(asked).toBe(before + 1)
  })

  test("[H14] too many keys, or too much of them, are not read", async () => {
    const [before, far] = [certs.body, NOW + 14_400_000]
    const late = { exp: far / 1000 + 60 }
    const [key] = (JSON.parse(before) as { keys: { kid: string }[] }).keys
    certs.body = JSON.stringify({ keys: [...Array.from({ length: 20 }, (_, n) => ({ ...key, kid: `a${n}` })), { ...key, kid: "a20" }] })
    expect(await access({}, far)?.(await jwt(late, { kid: "a20" }))).toMatchObject({
      ok: false,
      detail: expect.stringContaining("does not have"),
    })
    expect(await access({}, far)?.(await jwt(late, { kid: "a19" }))).toMatchObject({ ok: true })
    certs.body = JSON.stringify({ keys: [{ ...key, kid: "b", x5c: ["x".repeat(65_536)] }] })
    expect(await access({}, far + 120_000)?.(await jwt(late, { kid: "b" }))).toMatchObject({
      ok: false,
      detail: expect.stringContaining("without keys"),
    })
    certs.body = before
    expect(await access({}, far + 7_200_000)?.(await jwt({ exp: far / 1000 + 9_000 }))).toMatchObject({ ok: true })
  })

  test("[H14] a team that does not answer in 10 seconds is not waited for", async () => {
    const token = await jwt({ iss: "https://slow.cloudflareaccess.com" }, { kid: "slow" })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    vi.stubGlobal(
      "fetch",
      (_: string, { signal }: { signal: AbortSignal }) =>
        new Promise((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
    )
    try {
      const waiting = access({ ACCESS_TEAM: "slow.cloudflareaccess.com" })?.(token)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await waiting).toMatchObject({ ok: false, detail: expect.stringContaining("did not answer in time") })
    } finally {
      vi.unstubAllGlobals()
      vi.useRealTimers()
    }
  })

  test("[H14] keys that cannot be read are said; those that were good an hour ago go on", async () => {
    const later = NOW + 43_200_000
    certs.status = 500
    expect(await access({}, later)?.(await jwt({ exp: later / 1000 + 60 }))).toMatchObject({ ok: true })
    expect(await access({}, later)?.(await jwt({}, { kid: "k3" }))).toMatchObject({
      ok: false,
      detail: expect.stringContaining("cannot be read"),
    })
    certs.status = 200
  })
})

describe("the settings", () => {
  test("[H14] without any, Access is not used", () => {
    expect(access({ ACCESS_TEAM: "", ACCESS_AUDIENCE: " ", ACCESS_KEYS: "" })).toBeUndefined()
  })

  test.each([
    [{ ACCESS_AUDIENCE: "" }, "ACCESS_AUDIENCE is missing"],
    [{ ACCESS_KEYS: "", ACCESS_TEAM: "" }, "ACCESS_TEAM and ACCESS_KEYS are missing"],
    [{ ACCESS_TEAM: "https://evil.example" }, "ACCESS_TEAM must be"],
    [{ ACCESS_TEAM: "acme.cloudflareaccess.com.evil.example" }, "ACCESS_TEAM must be"],
    [{ ENVIRONMENT: "production" }, "ACCESS_TEAM must be"],
    [{ ACCESS_KEYS: "anna" }, "each entry of ACCESS_KEYS"],
    [{ ACCESS_KEYS: "anna@example.com=nokey" }, "each entry of ACCESS_KEYS"],
  ])("[H14] %j: every token is refused with what is wrong", async (more, why) => {
    expect(await access(more)?.(await jwt())).toEqual({ ok: false, code: "unauthorized", detail: expect.stringContaining(why) })
  })
})
