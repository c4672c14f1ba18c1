// A forged delivery leaves only a verdict and a reason [W2]. The test searches every column of every table of the tenant's object, its other
// keys, KV and R2 for words of the body, the headers and the query, and for digests of the body.

import { runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Webhook } from "standardwebhooks"
import { beforeAll, describe, expect, test } from "vitest"
import { HOOK_KINDS, type HookKind } from "../../../../src/core/webhook/hook.ts"
import { tenant, tenantObject, type Tenant } from "../../../support/worker/service-client.ts"

const SECRET = `whsec_${btoa("a standard secret of 32 bytes ok")}`
const CANARY = "CanaryThatWasForged"
/** A word of the authenticated delivery, which may be stored. */
const PROVED = "CanaryThatWasProved"
const bodyOf = (word: string): string =>
  JSON.stringify({ id: `evt_${word}`, event_id: word, title: word, type: "event_callback", challenge: word, [word]: word })

let t: Tenant
beforeAll(async () => {
  t = await tenant("forged")
  await t.ask("PUT", "/v1/catalog", {
    agents: {},
    flows: { "f.yaml": "name: f\ndescription: d\nsteps:\n  - { id: x, type: wait, for: 1ms }\n" },
  })
  await t.ask("PUT", "/v1/secrets/hs", { value: SECRET })
})

const hookOf = async (kind: HookKind): Promise<string> => {
  const own = kind === "hmac" || kind === "token" ? { header: "x-proof", dedupe: "${{trigger.body.id}}" } : {}
  const hook = { flow: "f", kind, secret: "hs", mapping: { task: "${{trigger.body.title}}" }, ...own }
  return (await t.ask<{ id: string }>("POST", "/v1/hooks", hook)).id
}

const hex = (bytes: Uint8Array): string => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("")
/** Bytes as characters, so that a word is also found in a blob. */
const latin = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((b) => String.fromCharCode(b)).join("")
const told = (value: unknown): string =>
  value instanceof ArrayBuffer ? latin(value) : typeof value === "string" ? value : (JSON.stringify(value) ?? "")

type Place = { readonly at: string; readonly text: string }

/** Everything stored for the tenant, and everything in KV and R2 for any tenant. */
async function everything(): Promise<Place[]> {
  const rows = await runInDurableObject(tenantObject(t.id), (_, ctx) => {
    const { sql, kv } = ctx.storage
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
    const found = tables.toArray().flatMap(({ name }) =>
      sql
        .exec<Record<string, SqlStorageValue>>(`SELECT * FROM "${name}"`)
        .toArray()
        .flatMap((row) => Object.entries(row).map(([column, value]) => ({ at: `${name}.${column}`, value }))),
    )
    return [...found, ...Array.from(kv.list(), ([key, value]) => ({ at: `kv.${key}`, value: [key, value] as unknown }))]
  })
  const places: Place[] = rows.map(({ at, value }) => ({ at, text: told(value) }))
  const bodies = (await env.BLOBS.list({ include: ["customMetadata", "httpMetadata"] })).objects
  for (const { key, customMetadata } of bodies) {
    const body = await (await env.BLOBS.get(key))?.arrayBuffer()
    places.push({ at: `r2 ${key}`, text: `${key}${JSON.stringify(customMetadata)}${body ? latin(body) : ""}` })
  }
  for (const { name, metadata } of (await env.CACHE.list()).keys) {
    const body = await env.CACHE.get(name, "arrayBuffer")
    places.push({ at: `cache ${name}`, text: `${name}${JSON.stringify(metadata)}${body ? latin(body) : ""}` })
  }
  return places
}

async function traces(word: string): Promise<string[]> {
  const body = bodyOf(word)
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)))
  const words = [word.toLowerCase(), hex(digest), btoa(String.fromCharCode(...digest)).toLowerCase(), btoa(body).toLowerCase()]
  return (await everything()).filter(({ text }) => words.some((word) => text.toLowerCase().includes(word))).map(({ at }) => at)
}

const NOW = Math.floor(Date.now() / 1000)
const FORGED = hex(new TextEncoder().encode("thirty-two bytes of no signature"))
const PROOFS: Readonly<Record<HookKind, Readonly<Record<string, string>>>> = {
  github: { "x-hub-signature-256": `sha256=${FORGED}`, "x-github-delivery": CANARY, "x-github-event": CANARY },
  stripe: { "stripe-signature": `t=${NOW},v1=${FORGED}` },
  slack: { "x-slack-signature": `v0=${FORGED}`, "x-slack-request-timestamp": String(NOW) },
  standard: { "webhook-id": CANARY, "webhook-timestamp": String(NOW), "webhook-signature": `v1,${btoa(CANARY)}` },
  hmac: { "x-proof": FORGED },
  token: { "x-proof": CANARY },
}

const post = (hook: string, word: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  SELF.fetch(`https://sluice.test/v1/hooks/${hook}?q=${word}`, {
    method: "POST",
    body: bodyOf(word),
    headers: { "content-type": "application/json", "user-agent": word, [`x-${word}`]: word, traceparent: word, ...headers },
  })

describe("a forged delivery", () => {
  test.each(HOOK_KINDS)("[W2] of kind %s leaves a verdict and a reason, and none of its own text anywhere", async (kind) => {
    const hook = await hookOf(kind)
    const before = await everything()
    // A wrong signature, a malformed signature, no signature, and every header twice.
    const proof = PROOFS[kind]
    const broken = Object.fromEntries(Object.keys(proof).map((name) => [name, CANARY]))
    const twice = Object.fromEntries(Object.entries(proof).map(([name, value]) => [name, `${value}, ${CANARY}`]))
    const forged = [proof, broken, {}, twice]
    for (const headers of forged) {
      const answer = await post(hook, CANARY, headers)
      expect([answer.status, (await answer.text()).includes(CANARY)]).toEqual([401, false])
    }
    expect(await traces(CANARY)).toEqual([])
    const { data } = await t.ask<{ data: Record<string, unknown>[] }>("GET", `/v1/hooks/${hook}/deliveries`)
    expect(data).toHaveLength(forged.length)
    for (const row of data) {
      const { id: _id, at: _at, verdict, reason, ...rest } = row
      expect([verdict, typeof reason]).toEqual(["rejected", "string"])
      expect(Object.values(rest).filter((value) => value !== null && value !== 0 && value !== "")).toEqual([])
    }
    // Only rows of that list were written.
    const count = (places: readonly Place[]): Map<string, number> => {
      const counted = new Map<string, number>()
      for (const { at } of places) {
        const table = at.includes(".") ? at.slice(0, at.indexOf(".")) : at
        counted.set(table, (counted.get(table) ?? 0) + 1)
      }
      counted.delete("delivery")
      return counted
    }
    expect(count(await everything())).toEqual(count(before))
  })

  test("[W2] the search works: it does find the text of an authenticated delivery", async () => {
    const hook = await hookOf("standard")
    const at = new Date()
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(Math.floor(at.getTime() / 1000)) }
    const good = await post(hook, PROVED, { ...headers, "webhook-signature": new Webhook(SECRET).sign("msg_1", at, bodyOf(PROVED)) })
    expect(good.status).toBe(202)
    expect(await traces(PROVED)).not.toEqual([])
  })
})
