// The vault inside workerd [T32]: sealed at rest, opened only for the executor, and invisible after a run that was given a secret in every
// form [S11].

import { eventsOf } from "../../../src/cloudflare/run/journal/journal-pages.ts"
import { SqlJournal } from "../../../src/cloudflare/run/journal/journal-sql.ts"
import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { cachedProvider } from "../../../src/cloudflare/clients/cache/provider-cache.ts"
import { openVault, secretsPort } from "../../../src/cloudflare/clients/secrets.ts"
import { SecretStore } from "../../../src/cloudflare/tenant/secrets/secret-store.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { gatedWrite, type GateDeps } from "../../../src/engine/trial/gated-write.ts"
import { settingsPort } from "../../../src/cloudflare/clients/settings.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { Vault } from "../../../src/cloudflare/platform/vault.ts"
import { formsOf } from "../../../src/core/secrets/secret-forms.ts"

const VALUE = 'CANARY/"+7f3a 9b'
const stubOf = (tenant: string) => env.TENANT.get(env.TENANT.idFromName(tenant))
const now = (): number => Date.now()

/** Every byte that an object has stored. */
const bytesOf = (tenant: string): Promise<string> =>
  runInDurableObject(stubOf(tenant), (_, ctx) => {
    const { sql } = ctx.storage
    const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
    return tables
      .toArray()
      .flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray())
      .map((row) =>
        Object.values(row)
          .map((v) => (v instanceof ArrayBuffer ? String.fromCharCode(...new Uint8Array(v)) : String(v)))
          .join("|"),
      )
      .join("\n")
  })

describe("stored secrets", () => {
  test("[T32] values are sealed and counted, and can be opened again after an eviction", async () => {
    const port = secretsPort(env, "v-rest", now)
    expect(await port.put("github", [VALUE, "the-old-value"])).toBe("ok")
    expect(await port.list()).toEqual([{ scope: "github", values: 2, updated: expect.any(Number) }])
    const stored = await bytesOf("v-rest")
    expect(stored).toContain("github")
    for (const form of [...formsOf(VALUE), ...formsOf("the-old-value")]) expect(stored).not.toContain(form)
    await evictDurableObject(stubOf("v-rest"))
    const { secrets } = await openVault(env, "v-rest", now)(true)
    expect([...secrets]).toEqual([["github", [VALUE, "the-old-value"]]])
  })

  test("[T32] a row can be opened only for its own tenant and scope", async () => {
    await secretsPort(env, "v-place", now).put("a", [VALUE])
    await runInDurableObject(stubOf("v-place"), async (_, ctx) => {
      const sql = new TenantSql(ctx.storage)
      const vault = new Vault({ ENVIRONMENT: "local" })
      expect(await new SecretStore(sql, vault, "v-place").all("a")).toEqual([VALUE])
      expect(await new SecretStore(sql, vault, "v-place").all("b")).toEqual([])
      await expect(new SecretStore(sql, vault, "other").all("a")).rejects.toThrow(/cannot be opened/)
      expect(await new SecretStore(sql, new Vault({ VAULT_KEY: "another" }), "v-place").open()).toEqual({})
    })
  })

  test("[T32] without VAULT_KEY nothing is stored", async () => {
    await runInDurableObject(stubOf("v-none"), async (_, ctx) => {
      const store = new SecretStore(new TenantSql(ctx.storage), new Vault({ ENVIRONMENT: "production" }), "v-none")
      await expect(store.put("a", [VALUE])).rejects.toThrow(/VAULT_KEY/)
      expect(store.list()).toEqual([])
    })
  })

  test("[T32] the size of the vault is limited", async () => {
    const port = secretsPort(env, "v-full", now)
    const big = "x".repeat(16_000)
    for (const scope of ["a", "b", "c", "d"]) expect(await port.put(scope, [big])).toBe("ok")
    expect(await port.put("e", [big])).toBe("full")
    // The replaced values free their space for the new ones.
    expect(await port.put("a", [`${big}y`])).toBe("ok")
    expect(await port.remove("b")).toBe(true)
    expect(await port.remove("b")).toBe(false)
    expect(await port.put("e", [big])).toBe("ok")
    expect((await port.list()).map((row) => row.scope)).toEqual(["a", "c", "d", "e"])
  })

  test("[T32] a run's rules list the scopes, and change with them", async () => {
    const [port, settings] = [secretsPort(env, "v-rules", now), portOf(env, "v-rules", "settings")]
    const before = await settings.rules()
    await port.put("a", [VALUE])
    const after = await settings.rules()
    expect([before.scopes, after.scopes]).toEqual([[], ["a"]])
    expect(after.version).toBeGreaterThan(before.version)
    await port.put("a", ["another-value"])
    expect((await settings.rules()).version).toBe(after.version)
    await port.remove("a")
    expect((await settings.rules()).version).toBeGreaterThan(after.version)
  })
})

const ungated: Parameters<typeof settingsPort>[2] = (write) => gatedWrite({ now } as unknown as GateDeps, {}, write)

describe("the redactor", () => {
  test("[N6] changed or removed settings of a provider take effect at once in the isolate that changed them", async () => {
    const port = settingsPort(env, "v-provider", ungated)
    const provider = cachedProvider("v-provider", (name) => port.provider(name), now)
    for (const apiKey of ["sk-one", "sk-two"]) {
      await port.putProvider("p", { kind: "openai", apiKey })
      expect((await provider("p"))?.apiKey).toBe(apiKey)
    }
    await port.removeProvider("p")
    expect(await provider("p")).toBeUndefined()
  })

  test("[T32] knows a new value at once in the isolate that stored it, and providers' keys too [N6]", async () => {
    const port = secretsPort(env, "v-red", now)
    expect((await port.redactor()).idle).toBe(true)
    await port.put("a", [VALUE])
    await settingsPort(env, "v-red", ungated).putProvider("p", { kind: "openai", apiKey: "sk-CANARY-provider" })
    const redactor = (await openVault(env, "v-red", now)(true)).redactor
    expect(redactor.text(`${VALUE} sk-CANARY-provider`)).toBe("[secret:a] [secret:provider/p]")
    await port.put("a", ["another-value"])
    expect((await port.redactor()).text(`${VALUE} another-value`)).toBe(`${VALUE} [secret:a]`)
  })
})

describe("text from people and other systems", () => {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const r = await SELF.fetch(`http://sluice${path}`, {
      method,
      headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await r.text()
    if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
    return text === "" ? (undefined as T) : (JSON.parse(text) as T)
  }

  test("[T32] [S11] a task, an input, a tag, an answer, a steering message and a signal are journaled without the secret", async () => {
    await ask("PUT", "/v1/secrets/said", { value: VALUE })
    await ask("PUT", "/v1/catalog", {
      agents: { "v.md": "---\nname: v\ndescription: v\nmodel: rehearsal/default\n---\nDo it. ${{task}}\n" },
      flows: {
        "said.yaml": [
          "name: said",
          "description: d",
          "autonomous: false",
          "inputs: { note: { type: string } }",
          "steps:",
          '  - { id: how, type: fork, question: "How?", options: [x, y], branches: { x: go, y: go } }',
          "  - { id: go, type: wait, signal: ready }",
          "  - { id: slow, type: agent, agent: v }",
          "",
        ].join("\n"),
        "said.rehearsal.yaml": "steps:\n  slow:\n    - delay: 10m\n      finish: { status: complete, summary: done }\n",
      },
    })
    const said = `${VALUE} ${encodeURIComponent(VALUE)} ${btoa(`key: ${VALUE}`)}`
    const start = { task: `task ${said}`, inputs: { note: `note ${said}` }, tags: [`tag ${VALUE}`] }
    const { id } = await ask<{ id: string }>("POST", "/v1/flows/said/runs", start)
    const { data } = await ask<{ data: { id: string }[] }>("GET", `/v1/runs/${id}/interactions`)
    await ask("POST", `/v1/runs/${id}/interactions/${data[0]?.id}`, { answer: "x", notes: `notes ${said}` })
    await ask("POST", `/v1/runs/${id}/signals/ready`, { [VALUE]: `signal ${said}` })
    await ask("POST", `/v1/runs/${id}/steps/slow/steer`, { message: `steer ${said}` })
    await ask("POST", `/v1/runs/${id}/cancel`)

    const seen = JSON.stringify([await ask("GET", `/v1/runs/${id}`), await ask("GET", `/v1/runs/${id}/events?limit=500`)])
    for (const mark of ["task", "note", "notes", "signal", "steer"]) expect(seen).toContain(`${mark} [secret:said] [secret:said] `)
    expect(seen).toContain("tag [secret:said]")
    const stored = await runInDurableObject(env.RUN.get(env.RUN.idFromName(`local/${id}`)), (_, ctx) =>
      // Long rows are compressed, so the journal is read as it reads itself.
      JSON.stringify([[...eventsOf(new SqlJournal(ctx.storage))], ctx.storage.sql.exec("SELECT * FROM entry").toArray()]),
    )
    for (const form of formsOf(VALUE)) expect(seen + stored).not.toContain(form)
    await ask("DELETE", "/v1/secrets/said")
  })

  test("[H4] a repeated start under an Idempotency-Key is replayed, although its run was stored without the secret in its task", async () => {
    await ask("PUT", "/v1/secrets/said", { value: VALUE })
    const start = (task: string): Promise<Response> =>
      SELF.fetch("http://sluice/v1/flows/said/runs", {
        method: "POST",
        headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json", "idempotency-key": "said" },
        body: JSON.stringify({ task }),
      })
    const [first, again] = [await start(`task ${VALUE}`), await start(`task ${VALUE}`)]
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([202, 202, "true"])
    const { id } = await first.json<{ id: string }>()
    await ask("POST", `/v1/runs/${id}/cancel`)
    await ask("DELETE", "/v1/secrets/said")
  })
})
