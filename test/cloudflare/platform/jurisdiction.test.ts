// [N1] Where the Worker looks for each object and body of a tenant with a jurisdiction, from every entry point. The namespaces here record the
// jurisdiction of each stub, because local workerd has no jurisdictions.

import { readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, test } from "vitest"
import { memoryEraser, runEraser } from "../../../src/cloudflare/tenant/eraser.ts"
import type { Env } from "../../../src/cloudflare/platform/env.ts"
import { newHookId, readHookId } from "../../../src/cloudflare/tenant/hooks/hook-id.ts"
import { bucketOf, canLie, idOf, jurisdictionOf, nameOf, whyNotIn } from "../../../src/cloudflare/platform/jurisdiction.ts"
import { markedKey, tenantOf } from "../../../src/cloudflare/platform/tokens/key-text.ts"
import { memoryPort } from "../../../src/cloudflare/clients/memory.ts"
import { r2Blobs } from "../../../src/cloudflare/blobs/blobs-r2.ts"
import { r2Objects } from "../../../src/cloudflare/blobs/objects-r2.ts"
import { runPort } from "../../../src/cloudflare/clients/run-port.ts"
import { signToken } from "../../../src/cloudflare/platform/tokens/signed-token.ts"
import { assertPlace } from "../../../src/cloudflare/platform/stubs.ts"
import { servicesOf } from "../../../src/cloudflare/worker/wire.ts"
import { createApp } from "../../../src/http/app.ts"
import { SCOPES } from "../../../src/api/route/route.ts"
import { DEFAULT_QUOTAS } from "../../../src/ports/tenant/tenants.ts"

const RUN = `run_${"0".repeat(26)}`
const ADMIN = "an-admin-key-of-this-test"
const VAULT = { VAULT_KEY: "a secret of 32 bytes for this test" }
const src = fileURLToPath(new URL("../../../src/", import.meta.url))

interface Seen {
  readonly of: string
  readonly within: string | null
  readonly name: string
  readonly method: string
}
type Answers = Readonly<Record<string, (name: string, ...args: readonly never[]) => unknown>>

/** The bindings of a Worker. Every call of an object or a bucket is recorded. */
function ground(vars: Partial<Env> & { readonly without?: readonly string[]; readonly isLocal?: boolean } = {}) {
  const seen: Seen[] = []
  const rows = new Map<string, { id: string; name: string; jurisdiction: string | null; state: string }>()
  const namespace = (of: string, answers: Answers, within: string | null = null): object => ({
    idFromName: (name: string) => name,
    get: (name: string) =>
      called((method, args) => {
        seen.push({ of, within, name, method })
        return answers[method]?.(name, ...args)
      }),
    jurisdiction(jurisdiction: string) {
      if (vars.isLocal === true) throw new Error("Jurisdiction restrictions are not implemented in workerd.")
      if (within !== null) throw new Error("a namespace of one jurisdiction has no others")
      return namespace(of, answers, jurisdiction)
    },
  })
  const bucket = (of: string): object => {
    const bodies = new Map<string, Uint8Array>()
    const note = (method: string, name: string): void => void seen.push({ of, within: null, name, method })
    return {
      async put(key: string, body: Uint8Array) {
        note("put", key)
        bodies.set(key, body)
      },
      async get(key: string) {
        note("get", key)
        const body = bodies.get(key)
        return body && { size: body.byteLength, body: new Blob([body.slice()]).stream(), arrayBuffer: async () => body.slice().buffer }
      },
      async list({ prefix }: { prefix: string }) {
        note("list", prefix)
        return { objects: [] }
      },
    }
  }
  const entry = (id: string): object | undefined => {
    const row = rows.get(id)
    return row && { ...row, created: 1, quotas: DEFAULT_QUOTAS }
  }
  const env = {
    ENVIRONMENT: "production",
    REQUEST_LOG: "off",
    ADMIN_KEY: ADMIN,
    ...VAULT,
    DIRECTORY: namespace("DIRECTORY", {
      find: (_, id: string) => entry(id),
      claim(_, id: string, name: string, jurisdiction: string | null) {
        if (rows.has(id)) return "taken"
        rows.set(id, { id, name, jurisdiction, state: "making" })
        return entry(id)
      },
      settle(_, { id }: { id: string }, state: string) {
        const row = rows.get(id)
        if (row) rows.set(id, { ...row, state })
        return row !== undefined
      },
      remove: (_, { id }: { id: string }) => void rows.delete(id),
      list: () => ({ data: [...rows.keys()].map(entry), next_cursor: null }),
    }),
    TENANT: namespace("TENANT", {
      "tenancy.found": () => DEFAULT_QUOTAS,
      "account.quotas": () => DEFAULT_QUOTAS,
      "tenancy.putQuotas": () => DEFAULT_QUOTAS,
      "account.storage": () => ({ total: 0, runs: 0, objects: 0, memory: 0, workspaces: 0 }),
      "tenancy.erase": () => ({ done: true, deleted: {} }),
      "keys.create": (name, key: object) => ({
        ...key,
        id: "key_1",
        prefix: "sl_",
        created: 1,
        expires: null,
        last_used: null,
        key: keyOf(name),
      }),
      "keys.verify": () => ({ id: "key_1", name: "k", scopes: SCOPES, expires: null, since: 1 }),
      "keys.holds": () => true,
      "account.origins": () => [],
      "runs.knows": () => true,
      "runs.list": () => ({ data: [], next_cursor: null }),
      "hooks.open": () => undefined,
      "hooks.list": () => [],
      "secrets.open": () => ({ vault: [], keys: [] }),
    }),
    RUN: namespace("RUN", {
      begin: () => ({ state: "first" }),
      "reading.view": () => ({ id: RUN, status: "running" }),
      "reading.interaction": () => ({ id: "q1", run: RUN, status: "open", kind: "approval.plan", payload: {} }),
      "reading.events": () => ({ data: [], ended: true, more: false }),
    }),
    MEMORY: namespace("MEMORY", { add: () => ({ ok: true, value: { numbers: [1], version: 1 } }), read: () => [] }),
    BLOBS: bucket("BLOBS"),
    BLOBS_EU: bucket("BLOBS_EU"),
    BLOBS_US: bucket("BLOBS_US"),
    CACHE: new Proxy(
      {},
      { get: (_, method: string) => async (key: string) => (seen.push({ of: "CACHE", within: null, name: key, method }), null) },
    ),
    ...vars,
  }
  for (const name of vars.without ?? []) Reflect.deleteProperty(env, name)
  // The bindings imitate those of the platform.
  const whole = env as unknown as Env
  const app = createApp(servicesOf(whole, () => {}))
  const ask = async (method: string, path: string, key?: string, body?: unknown): Promise<Response> =>
    app.fetch(
      new Request(`https://sluice.example${path}`, {
        method,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      whole,
      { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext,
    )
  const json = async (method: string, path: string, key?: string, body?: unknown): Promise<Record<string, unknown>> =>
    (await ask(method, path, key, body)).json()
  /** The calls since the last look. */
  const since = (): Seen[] => seen.splice(0)
  return { env: whole, ask, json, since }
}

/** A call of a room (rooms.ts) is recorded as `keys.verify`. */
const called = (answer: (method: string, args: readonly never[]) => unknown): object =>
  new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        async (...args: never[]) => {
          const [room, method, given] = args as readonly unknown[]
          return name === "ask" ? answer(`${String(room)}.${String(method)}`, given as readonly never[]) : answer(name, args)
        },
    },
  )

const keyOf = (name: string): string => markedKey(VAULT, `sl_${name}_${"k".repeat(40)}`)
const astray = (seen: readonly Seen[], of = "DIRECTORY"): Seen[] =>
  seen.filter((s) => s.of !== of && !(s.of.startsWith("BLOBS") ? s.of === "BLOBS_EU" : s.within === "eu"))

beforeAll(() => {
  // Node has it elsewhere.
  if (!("timingSafeEqual" in crypto.subtle))
    Object.defineProperty(crypto.subtle, "timingSafeEqual", {
      value: (a: ArrayBuffer, b: ArrayBuffer) => Buffer.from(a).equals(Buffer.from(b)),
    })
})

describe("a tenant's name", () => {
  test("[N1] contains its jurisdiction, and no tenant's id equals another's name", () => {
    expect([nameOf("acme", "eu"), nameOf("acme", "us"), nameOf("acme", null)]).toEqual(["acme_eu", "acme_us", "acme"])
    expect(["acme_eu", "acme_us", "acme", "acme-eu", "local", ""].map(jurisdictionOf)).toEqual([
      "eu",
      "us",
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(["acme_eu", "acme", "a-b_us"].map(idOf)).toEqual(["acme", "acme", "a-b"])
    for (const odd of ["acme_fedramp", "_eu", "acme_eu_us", "acme/x_eu"]) expect(jurisdictionOf(odd), odd).toBeUndefined()
  })

  test("[N1] is in its keys and hooks", () => {
    expect(tenantOf(keyOf("acme_eu"))).toBe("acme_eu")
    expect(readHookId(VAULT, newHookId(VAULT, "acme_eu"))).toEqual({ tenant: "acme_eu", isOwn: true })
    expect(readHookId(VAULT, newHookId(VAULT, "acme_xx"))).toBeUndefined()
  })
})

const BINDINGS = "RUN TENANT MEMORY DIRECTORY CACHE BLOBS BLOBS_EU BLOBS_US DATA SANDBOX SANDBOX_EU SANDBOX_US BROWSER".split(" ")
/** Matches a member by a dot, in brackets, or in a destructuring. */
const TOUCHED = new RegExp(`(?:\\.|\\[")(${BINDINGS.join("|")})\\b|\\{[^{}=]*\\b(${BINDINGS.join("|")})\\b[^{}=]*\\} = \\w*env`, "g")
/** readiness.ts reads keys that no tenant has; the tenant's object passes KV to the erasure; missing-tools.ts and system-facts.ts check what is bound. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  "cloudflare/blobs/blobs-r2.ts": ["CACHE"],
  "cloudflare/clients/session-rows.ts": ["CACHE"],
  "cloudflare/sandbox/containers.ts": ["SANDBOX", "SANDBOX_EU", "SANDBOX_US"],
  "cloudflare/capabilities/data-d1.ts": ["DATA"],
  "cloudflare/platform/jurisdiction.ts": ["BLOBS", "BLOBS_EU", "BLOBS_US", "TENANT"],
  "cloudflare/capabilities/missing-tools.ts": ["BROWSER"],
  "cloudflare/worker/readiness.ts": ["BLOBS", "CACHE"],
  "cloudflare/run/load-run.ts": ["BROWSER"],
  "cloudflare/platform/stubs.ts": ["DIRECTORY", "MEMORY", "RUN", "TENANT"],
  "cloudflare/capabilities/system-facts.ts": ["BROWSER"],
  "cloudflare/tenant/tenant-resources.ts": ["CACHE"],
}

interface Override {
  readonly files: readonly string[]
  readonly rules: Readonly<Record<string, string | readonly { readonly property?: string }[]>>
}

describe("the only access to objects", () => {
  test("[N1] no other file makes a stub", async () => {
    const files = (await readdir(src, { recursive: true })).filter((f) => f.endsWith(".ts"))
    const makers = files.filter((f) => /\.(?:idFromName|getByName|idFromString|newUniqueId)\(/.test(readFileSync(src + f, "utf8")))
    // A sandbox is an object of another Worker, with its own binding; containers.ts makes the same check.
    expect(makers).toEqual(["cloudflare/sandbox/containers.ts", "cloudflare/platform/stubs.ts"])
  })

  test("[N1] each binding is used only by the files that may use it", async () => {
    const files = (await readdir(src, { recursive: true })).filter((f) => f.endsWith(".ts"))
    const found = files.flatMap((f) => {
      const touched = [...new Set([...readFileSync(src + f, "utf8").matchAll(TOUCHED)].map((m) => m[1] ?? m[2] ?? ""))]
      return touched.length === 0 ? [] : [[f, touched.sort()] as const]
    })
    expect(Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))).toEqual(DOORS)
  })

  test("[N1] outside src/cloudflare no type has a binding for a member either", async () => {
    const files = (await readdir(src, { recursive: true })).filter((f) => f.endsWith(".ts") && !f.startsWith("cloudflare/"))
    const member = new RegExp(`^\\s*(?:readonly )?(?:${BINDINGS.join("|")})\\??:|Pick<Env\\b`, "m")
    expect(files.filter((f) => member.test(readFileSync(src + f, "utf8")))).toEqual([])
  })

  test("[N1] the linter has the same bindings and files", () => {
    const { overrides } = JSON.parse(readFileSync(`${src}../.oxlintrc.json`, "utf8")) as { overrides: readonly Override[] }
    const about = overrides.flatMap(({ files, rules }) => {
      const rule = rules["no-restricted-properties"]
      return rule === undefined ? [] : [{ files, properties: Array.isArray(rule) ? rule.flatMap((r) => r.property ?? []) : rule }]
    })
    expect(about).toEqual([
      { files: ["src/**"], properties: BINDINGS },
      { files: Object.keys(DOORS).map((f) => `src/${f}`), properties: "off" },
      { files: ["src/core/**"], properties: ["now", "random", ...BINDINGS] },
    ])
  })

  test("[N1] an object that is not in the jurisdiction of its name does not start", () => {
    expect(() => assertPlace({ name: "acme_eu", jurisdiction: "eu" }, {})).not.toThrow()
    expect(() => assertPlace({ name: `acme_eu/${RUN}`, jurisdiction: "eu" }, {})).not.toThrow()
    expect(() => assertPlace({ name: "acme" }, {})).not.toThrow()
    expect(() => assertPlace({ name: "acme_eu" }, {})).toThrow("must be in the jurisdiction eu, but this one is in none")
    expect(() => assertPlace({ name: `acme_eu/${RUN}`, jurisdiction: "us" }, {})).toThrow("eu")
    expect(() => assertPlace({ name: "directory" }, { JURISDICTION: "eu" })).toThrow("eu")
  })
})

describe("every entry point", () => {
  test("[N1] the admin's calls: create, find, quotas, keys, delete; only the list of tenants is elsewhere", async () => {
    const { ask, json, since } = ground()
    const made = await json("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "eu" })
    expect(made).toMatchObject({ id: "acme", jurisdiction: "eu" })
    expect(await json("GET", "/v1/tenants/acme", ADMIN)).toMatchObject({ id: "acme", jurisdiction: "eu" })
    expect((await ask("PUT", "/v1/tenants/acme/quotas", ADMIN, { concurrent_runs: 1 })).status).toBe(200)
    const { key } = await json("POST", "/v1/tenants/acme/keys", ADMIN, { scopes: ["runs:read"] })
    expect(key).toBe(keyOf("acme_eu"))
    expect((await ask("DELETE", "/v1/tenants/acme", ADMIN)).status).toBe(200)
    const seen = since()
    expect(new Set(seen.filter((s) => s.of === "TENANT").map((s) => s.name))).toEqual(new Set(["acme_eu"]))
    expect(seen.map((s) => s.method)).toEqual(
      expect.arrayContaining(["tenancy.found", "account.quotas", "tenancy.putQuotas", "keys.create", "tenancy.erase"]),
    )
    expect(astray(seen)).toEqual([])
  })

  test("[N1] a key, and what it reaches: catalog, runs, hooks; one call for the key, none for the place", async () => {
    const { ask, since } = ground()
    expect((await ask("GET", "/v1/runs", keyOf("path-key_eu"))).status).toBe(200)
    const first = since()
    expect(first.map((s) => `${s.of} ${s.method}`)).toEqual(["TENANT keys.verify", "TENANT runs.list"])
    expect((await ask("GET", `/v1/runs/${RUN}`, keyOf("path-key_eu"))).status).toBe(200)
    expect((await ask("GET", "/v1/hooks", keyOf("path-key_eu"))).status).toBe(200)
    const seen = [...first, ...since()]
    expect(seen.some((s) => s.of === "RUN" && s.name === `path-key_eu/${RUN}`)).toBe(true)
    expect(astray(seen, "none")).toEqual([])
  })

  test("[N1] a tenant without a jurisdiction stays where it was", async () => {
    const { ask, since } = ground()
    await ask("GET", "/v1/runs", keyOf("path-key"))
    await ask("GET", `/v1/runs/${RUN}`, keyOf("path-key"))
    expect(new Set(since().map((s) => s.within))).toEqual(new Set([null]))
  })

  test("[N1] a per-run token and its stream", async () => {
    const { ask, json, since } = ground()
    const { token } = await json("POST", `/v1/runs/${RUN}/token`, keyOf("path-token_eu"), {})
    expect((await ask("GET", `/v1/runs/${RUN}?token=${String(token)}`)).status).toBe(200)
    expect((await ask("GET", `/v1/runs/${RUN}/events?token=${String(token)}`)).status).toBe(200)
    const seen = since()
    expect(seen.filter((s) => s.of === "RUN").length).toBeGreaterThanOrEqual(2)
    expect(astray(seen, "none")).toEqual([])
  })

  test("[N1] an answer link", async () => {
    const { env, ask, since } = ground()
    const token = await signToken(env, "interaction", { tenant: "path-link_eu", run: RUN, interaction: "q1" }, Date.now() + 60_000)
    expect((await ask("GET", `/i/${token}`)).status).toBe(200)
    const seen = since()
    expect(seen).toEqual([{ of: "RUN", within: "eu", name: `path-link_eu/${RUN}`, method: "reading.interaction" }])
  })

  test("[N1] a shared file and its download", async () => {
    const { env, ask, since } = ground()
    const objects = r2Objects(env, "path-file_eu", "")
    await env.BLOBS_EU?.put("t/path-file_eu/objects/a.txt", new Uint8Array([104, 105]))
    const { url } = await objects.link("a.txt", 60)
    const got = await ask("GET", url)
    expect([got.status, await got.text()]).toEqual([200, "hi"])
    await objects.list("", 10)
    expect(
      new Set(
        since()
          .filter((s) => s.of.startsWith("BLOBS"))
          .map((s) => s.of),
      ),
    ).toEqual(new Set(["BLOBS_EU"]))
  })

  test("[N1] a delivery to a hook, by the hook's id alone", async () => {
    const { ask, since } = ground()
    expect((await ask("POST", `/v1/hooks/${newHookId(VAULT, "path-hook_us")}`, undefined, {})).status).toBe(404)
    expect(since()).toMatchObject([{ of: "TENANT", within: "us", name: "path-hook_us", method: "hooks.open" }])
  })

  test("[N1] bodies: its own bucket, and never KV, which stores data worldwide", async () => {
    const { env, since } = ground()
    const later: Promise<unknown>[] = []
    const blobs = r2Blobs(env, "path-body_eu", (work) => later.push(work))
    const hash = await blobs.put(new TextEncoder().encode("theirs"))
    await blobs.get(hash)
    await blobs.get("f".repeat(64))
    await Promise.all(later)
    expect(new Set(since().map((s) => s.of))).toEqual(new Set(["BLOBS_EU"]))
    await r2Blobs(env, "path-body").get("f".repeat(64))
    expect(new Set(since().map((s) => s.of))).toEqual(new Set(["CACHE", "BLOBS"]))
  })

  test("[N1, N3] from within its own objects: runs, children, memory, and their deletion", async () => {
    const { env, since } = ground()
    await runPort(env, "path-in_eu", RUN).view()
    await memoryPort(env, "path-in_eu").write({ namespace: "n", content: "c", tainted: false })
    await runEraser(env, "path-in_eu")(RUN)
    await memoryEraser(env, "path-in_eu")()
    const seen = since()
    expect(seen.map((s) => s.of)).toEqual(["RUN", "MEMORY", "RUN", "MEMORY"])
    expect(astray(seen, "none")).toEqual([])
  })
})

describe("unavailable jurisdictions", () => {
  test("[N1] without a bucket there, the tenant is not created, and the answer names the binding", async () => {
    const { ask, since } = ground({ without: ["BLOBS_EU"] })
    const refused = await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "eu" })
    expect(refused.status).toBe(422)
    const problem = await refused.json()
    expect(problem).toMatchObject({ code: "unsupported", errors: [{ pointer: "/jurisdiction" }] })
    expect(JSON.stringify(problem)).toContain("BLOBS_EU")
    expect(since().filter((s) => s.of !== "RUN")).toEqual([])
  })

  test("[N1] local workerd has no jurisdictions, and says so", async () => {
    const { ask } = ground({ isLocal: true })
    const refused = await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "us" })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain("local development has none")
  })

  test("[N1] a key or a hook that names an unavailable place belongs to no tenant, and no object is called", async () => {
    for (const { env, ask, since } of [ground({ isLocal: true }), ground({ without: ["BLOBS_EU"] })]) {
      expect(canLie(env, "acme_eu")).toBe(false)
      expect((await ask("GET", "/v1/runs", keyOf("nowhere_eu"))).status).toBe(401)
      expect((await ask("POST", `/v1/hooks/${newHookId(VAULT, "nowhere_eu")}`, undefined, {})).status).toBe(404)
      expect(since()).toEqual([])
    }
  })

  test("[N1] a jurisdiction cannot be changed: an existing tenant stays where it is, and the answer says why", async () => {
    const { ask, json } = ground()
    await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "eu" })
    const again = await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "us" })
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({
      code: "taken",
      detail: expect.stringContaining("the jurisdiction eu, which cannot be changed"),
    })
    expect(await json("GET", "/v1/tenants/acme", ADMIN)).toMatchObject({ jurisdiction: "eu" })
    expect((await ask("PUT", "/v1/tenants/acme/quotas", ADMIN, { jurisdiction: "us" })).status).toBe(422)
  })

  test("[N1] a tenant that is deleted and created again elsewhere starts there", async () => {
    const { ask, json, since } = ground()
    await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "eu" })
    await ask("DELETE", "/v1/tenants/acme", ADMIN)
    since()
    expect(await json("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "us" })).toMatchObject({ jurisdiction: "us" })
    expect(since().filter((s) => s.of === "TENANT")).toMatchObject([{ within: "us", name: "acme_us" }])
  })
})

describe("a whole instance in a jurisdiction", () => {
  const vars = { JURISDICTION: "eu", without: ["BLOBS_EU", "BLOBS_US"] } as const

  test("[N2] everything is there: the list of tenants, the admin's records, and a tenant that names no place", async () => {
    const { env, ask, json, since } = ground(vars)
    expect(await json("POST", "/v1/tenants", ADMIN, { id: "acme" })).toMatchObject({ id: "acme", jurisdiction: "eu" })
    const { key } = await json("POST", "/v1/tenants/acme/keys", ADMIN, { scopes: ["runs:read"] })
    expect((await ask("GET", "/v1/runs", String(key))).status).toBe(200)
    expect((await ask("GET", "/readyz")).status).toBeLessThan(600)
    expect(since().filter((s) => s.within !== "eu" && s.of !== "BLOBS" && s.of !== "CACHE")).toEqual([])
    expect(bucketOf(env, "acme_eu")).toBe(env.BLOBS)
  })

  test("[N2] another jurisdiction is not available in it", async () => {
    const { env, ask } = ground(vars)
    const refused = await ask("POST", "/v1/tenants", ADMIN, { id: "acme", jurisdiction: "us" })
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("keeps everything in the jurisdiction eu")])
    expect(whyNotIn(env, "eu")).toBeUndefined()
    expect(() => whyNotIn({ ...env, JURISDICTION: "EU" }, "eu")).toThrow('JURISDICTION is "EU"')
  })
})
