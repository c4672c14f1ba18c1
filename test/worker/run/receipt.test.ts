// Receipts over HTTP [K40–K42]: read, verified with the published key alone, and refused where they must be.

import { createHash } from "node:crypto"
import { SELF } from "cloudflare:test"
import { beforeAll, describe, expect, test } from "vitest"
import { MAX_SIGNING_KEYS } from "../../../src/cloudflare/directory/signing-keys.ts"
import type { PublicKey, Verified } from "../../../src/ports/tenant/receipts.ts"
import { agent, ask, call, ended, eventsOf, flow, LOCAL, start, until } from "../../support/worker/house.ts"

const ADMIN = "sl_admin_local"
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a").replace("tools: write\n", "tools: write\nskills: s\n"), "b.md": agent("b") },
    skills: { "s/SKILL.md": "---\nname: s\ndescription: a skill\n---\nSKILL BODY\n", "s/extra.md": "more" },
    flows: {
      "parent.yaml": flow("parent", "  - { id: a, type: agent, agent: a }\n  - { id: r, type: flow-ref, flow: child, blockedBy: a }\n"),
      "child.yaml": flow("child", "  - { id: b, type: agent, agent: b }\n"),
      "waits.yaml": flow("waits", "  - { id: w, type: wait, signal: go }\n"),
    },
  })
})

const receiptOf = async (id: string): Promise<string> => {
  const r = await call("GET", `/v1/runs/${id}/receipt`)
  expect(r.status).toBe(200)
  expect(r.headers.get("content-type")).toContain("application/jsonl")
  return new TextDecoder().decode(await r.arrayBuffer())
}
const check = async (text: string, key = LOCAL): Promise<Verified> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "text/plain" }
  const sent = await SELF.fetch("http://sluice/v1/receipts/verify", { method: "POST", headers, body: text })
  expect(sent.status).toBe(200)
  return sent.json()
}
const keys = async (): Promise<PublicKey[]> => {
  const r = await call("GET", "/.well-known/sluice-keys.json", undefined, {}, "")
  return ((await r.json()) as { keys: PublicKey[] }).keys
}

/** By hashes and the published keys, without any code of ours. */
async function proven(text: string): Promise<{ header: Record<string, unknown>; events: unknown[]; footer: Record<string, unknown> }> {
  const lines = text.slice(0, -1).split("\n")
  const [header = {}, ...rest] = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const { signature, ...footer } = rest.pop() ?? {}
  let prev = "0".repeat(64)
  rest.forEach((e, i) => {
    expect([e["seq"], e["prev"]]).toEqual([i + 1, prev])
    prev = sha256(JSON.stringify(e))
  })
  expect([footer["header"], footer["head"], footer["events"], footer["at"]]).toEqual([
    sha256(lines[0] ?? ""),
    prev,
    rest.length,
    rest.at(-1)?.["at"],
  ])
  for (const d of header["definitions"] as { text: string; hash: string }[]) expect(sha256(d.text)).toBe(d.hash)
  const jwk = (await keys()).find(({ kid }) => kid === footer["key"])
  if (!jwk) throw new Error("the key is not published")
  const key = await crypto.subtle.importKey("jwk", { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, { name: "Ed25519" }, false, ["verify"])
  const bytes = Uint8Array.from(atob(String(signature).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
  expect(await crypto.subtle.verify({ name: "Ed25519" }, key, bytes, new TextEncoder().encode(JSON.stringify(footer)))).toBe(true)
  return { header, events: rest, footer: { ...footer, signature } }
}

describe("GET /v1/runs/{id}/receipt", () => {
  test("[K40] has every definition, the events byte for byte and the children's heads, and is the same when it is asked again", async () => {
    const id = await start("parent", { rehearse: true })
    const { children } = await until(id, ended)
    const text = await receiptOf(id)
    const { header, events } = await proven(text)
    expect(events).toEqual(await eventsOf(id))
    expect(header).toMatchObject({
      receipt: 1,
      run: id,
      flow: "parent",
      status: "succeeded",
      events: events.length,
      tenant: sha256("local"),
    })
    expect((header["definitions"] as { path: string }[]).map(({ path }) => path)).toEqual([
      "agents/a.md",
      "agents/b.md",
      "flows/child.yaml",
      "flows/parent.yaml",
      "skills/s/SKILL.md",
      "skills/s/extra.md",
    ])
    const [child = ""] = children
    const { footer } = await proven(await receiptOf(child))
    expect(header["children"]).toEqual([{ run: child, head: footer["head"] }])
    expect(await receiptOf(id)).toBe(text)
    expect(await check(text)).toEqual({
      valid: true,
      checks: { form: true, sequence: true, chain: true, definitions: true, signature: true, replay: true },
    })
    const lines = text.split("\n")
    expect(await check([...lines.slice(0, 3), ...lines.slice(4)].join("\n"))).toMatchObject({ valid: false, line: 4 })
  })

  test("[K40] a run that is not over has none: 409; one that does not exist: 404; both scopes are needed", async () => {
    const id = await start("waits")
    const r = await call("GET", `/v1/runs/${id}/receipt`)
    expect([r.status, ((await r.json()) as { code: string }).code]).toEqual([409, "run_not_over"])
    await ask("POST", `/v1/runs/${id}/cancel`)
    expect(await check(await receiptOf(id))).toMatchObject({ valid: true })
    expect((await call("GET", `/v1/runs/run_${"0".repeat(26)}/receipt`)).status).toBe(404)
    const keyWith = async (scopes: string[]): Promise<string> => (await ask<{ key: string }>("POST", "/v1/keys", { scopes })).key
    expect((await call("GET", `/v1/runs/${id}/receipt`, undefined, {}, await keyWith(["runs:read"]))).status).toBe(403)
    expect((await call("GET", `/v1/runs/${id}/receipt`, undefined, {}, await keyWith(["catalog:read"]))).status).toBe(403)
    expect((await call("GET", `/v1/runs/${id}/receipt`, undefined, {}, await keyWith(["runs:read", "catalog:read"]))).status).toBe(200)
    expect((await call("POST", "/v1/receipts/verify", undefined, {}, await keyWith(["tools:call"]))).status).toBe(200)
  })

  test("[K41] a new key signs from then on, and what the old one signed still holds", async () => {
    const id = await start("parent", { rehearse: true })
    await until(id, ended)
    const old = await receiptOf(id)
    expect((await call("POST", "/v1/signing-keys", {})).status).toBe(403)
    const made = await ask<PublicKey>("POST", "/v1/signing-keys", {}, {}, ADMIN)
    expect(made).toMatchObject({ kty: "OKP", crv: "Ed25519", use: "sig", alg: "EdDSA" })
    expect((await keys()).at(-1)).toEqual(made)
    const fresh = await receiptOf(id)
    expect((await proven(fresh)).footer["key"]).toBe(made.kid)
    expect((await proven(old)).footer["key"]).not.toBe(made.kid)
    expect(await check(old)).toMatchObject({ valid: true })
    expect(JSON.stringify(await keys())).not.toContain('"d"')
  })

  test("[K41] an instance has at most 100 keys; one more is 409, and the newest goes on signing", { timeout: 60_000 }, async () => {
    const id = await start("parent", { rehearse: true })
    await until(id, ended)
    const old = await receiptOf(id)
    let newest = (await keys()).at(-1)?.kid
    for (let n = (await keys()).length; n < MAX_SIGNING_KEYS; n++)
      newest = (await ask<PublicKey>("POST", "/v1/signing-keys", {}, {}, ADMIN)).kid
    const r = await call("POST", "/v1/signing-keys", {}, {}, ADMIN)
    expect([r.status, ((await r.json()) as { code: string }).code]).toEqual([409, "too_many_signing_keys"])
    const all = await keys()
    expect([all.length, new Set(all.map(({ kid }) => kid)).size, all.at(-1)?.kid]).toEqual([MAX_SIGNING_KEYS, MAX_SIGNING_KEYS, newest])
    expect((await proven(await receiptOf(id))).footer["key"]).toBe(newest)
    expect(await check(old)).toMatchObject({ valid: true })
  })

  test("[K42] what is no receipt is answered too, and too much is 413", async () => {
    for (const text of ["", "x", "{}\n", "\u{0}", '{"receipt":1}\n']) expect(await check(text)).toMatchObject({ valid: false })
    expect((await call("POST", "/v1/receipts/verify", "x".repeat(16 * 1_048_576 + 1))).status).toBe(413)
    expect((await call("POST", "/v1/receipts/verify", "x", {}, "")).status).toBe(401)
  })
})
