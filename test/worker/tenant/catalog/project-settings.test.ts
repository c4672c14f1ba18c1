// [F79] Providers, prices, origins, retention and telemetry are files of a project too: the same stored settings, told once.

import { SELF } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import type { Applied } from "../../../../src/api/doc/catalog.doc.ts"
import { admin, CATALOG, client, tenant, type Tenant } from "../../../support/worker/service-client.ts"

const ORIGIN = "https://app.project.example"
const PROJECT = {
  ...CATALOG,
  providers: {
    "own.yaml": "kind: scripted\nturns: { '*': [{ text: hi }] }\n",
    "gateway.yaml": "kind: openai-compatible\nbaseUrl: https://models.example.com/v1\nkey: { secret: models }\n",
  },
  settings: {
    "prices.yaml": "own/*: { input: 1, output: 2 }\n",
    "cors.yaml": `origins: [${ORIGIN}]\n`,
    "retention.yaml": "runs: 7d\n",
    "pacing.yaml": "models:\n  own/*: { rpm: 50 }\n",
    "telemetry.yaml": "collectors:\n  team: { endpoint: https://otlp.example.com, plain: { x-team: blue } }\n",
  },
}
const ROUTES = ["providers", "prices", "cors", "retention", "telemetry", "pacing"]
const settings = async (t: Tenant): Promise<unknown> => Promise.all(ROUTES.map((name) => t.ask("GET", `/v1/settings/${name}`)))
const refused = async (answer: Promise<Response>): Promise<unknown> => {
  const r = await answer
  const body = r.status === 204 ? {} : ((await r.json()) as { code?: string; errors?: { pointer: string; message: string }[] })
  return [r.status, body.code, ...(body.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`)]
}
const preflight = async (origin: string): Promise<string | null> => {
  const headers = { origin, "access-control-request-method": "POST" }
  return (await SELF.fetch("https://sluice.example/v1/runs", { method: "OPTIONS", headers })).headers.get("access-control-allow-origin")
}

describe("settings in a project's folder", () => {
  test("[F79] one apply sets them all, GET shows them, and without their files each has its default again", async () => {
    const t = await tenant("settings-all")
    expect(await t.ask<Applied>("PUT", "/v1/catalog", PROJECT)).toMatchObject({ revision: 1 })
    const [providers, prices, cors, retention, telemetry, pacing] = (await settings(t)) as [{ data: unknown }, ...unknown[]]
    expect(providers.data).toEqual([
      { name: "gateway", kind: "openai-compatible", baseUrl: "https://models.example.com/v1", key: { secret: "models" }, apiKey: false },
      { name: "own", kind: "scripted", turns: { "*": [{ text: "hi" }] }, apiKey: false },
    ])
    expect(prices).toEqual({ "own/*": { input: 1, output: 2 } })
    expect(cors).toEqual({ origins: [ORIGIN] })
    expect(retention).toEqual({ runs: "7d" })
    expect(telemetry).toEqual({ collectors: { team: { endpoint: "https://otlp.example.com", plain: { "x-team": "blue" } } } })
    expect(pacing).toEqual({ models: { "own/*": { rpm: 50 } } })
    expect(await preflight(ORIGIN)).toBe(ORIGIN)
    expect(await t.ask("GET", "/v1/catalog/export")).toMatchObject({ providers: PROJECT.providers, settings: PROJECT.settings })
    await t.ask("PUT", "/v1/catalog", { ...CATALOG, providers: {}, settings: {} })
    expect(await settings(t)).toMatchObject([{ data: [] }, {}, { origins: [] }, { runs: "30d" }, {}, {}])
    expect(await preflight(ORIGIN)).toBeNull()
    await t.ask("POST", "/v1/catalog/rollback", { revision: 1 })
    expect(await settings(t)).toMatchObject([{ data: [{ name: "gateway" }, { name: "own" }] }, prices, cors, retention, telemetry, pacing])
  })

  test("[F79] a role of a provider in the same folder is no warning, and any other is", async () => {
    const t = await tenant("settings-roles")
    const put = (role: string) =>
      t.ask<Applied>("POST", "/v1/catalog/plan", {
        mode: "merge",
        providers: PROJECT.providers,
        settings: { "roles.yaml": `fast: ${role}\n` },
      })
    expect((await put("own/m")).diagnostics["roles.yaml"] ?? []).toEqual([])
    expect((await put("oen/m")).diagnostics["roles.yaml"]).toMatchObject([{ code: "PV-MODEL", severity: "warning" }])
  })

  test("[R24] a line of a provider that is not there is a warning", async () => {
    const t = await tenant("settings-pacing")
    const plan = (line: string) =>
      t.ask<Applied>("POST", "/v1/catalog/plan", {
        mode: "merge",
        providers: PROJECT.providers,
        settings: { "pacing.yaml": `models:\n  ${line}: { rpm: 50 }\n` },
      })
    expect((await plan("own/m")).diagnostics["pacing.yaml"] ?? []).toEqual([])
    expect((await plan("oen/m")).diagnostics["pacing.yaml"]).toMatchObject([{ code: "PV-MODEL", severity: "warning", line: 2 }])
  })

  test("[F79] a plan warns of what a request has set and the file would replace, and of nothing else", async () => {
    const t = await tenant("settings-replaced")
    await t.ask("PUT", "/v1/settings/prices", { "own/*": { output: 2, input: 1 } })
    await t.ask("PUT", "/v1/settings/retention", { runs: "1d" })
    await t.ask("PUT", "/v1/settings/providers/own", { kind: "workers-ai" })
    const { providers, settings } = PROJECT
    const plan = () => t.ask<Applied>("POST", "/v1/catalog/plan", { mode: "merge", providers, settings })
    const told = ({ diagnostics }: Applied): unknown =>
      Object.entries(diagnostics).flatMap(([path, list]) => list.flatMap(({ code }) => (code === "PV-REPLACES" ? [path] : [])))
    expect(told(await plan())).toEqual(["providers/own.yaml", "retention.yaml"])
    await t.ask("PATCH", "/v1/catalog", { providers, settings })
    expect(told(await plan())).toEqual([])
  })

  test("[F79] one bad file, and nothing of the apply is written; each fault has its place", async () => {
    const t = await tenant("settings-bad")
    await t.ask("PUT", "/v1/settings/prices", { "own/m": { input: 3, output: 4 } })
    const before = await settings(t)
    const bad = (more: object) => refused(t.raw("PUT", "/v1/catalog", { ...PROJECT, ...more }))
    expect(await bad({ settings: { ...PROJECT.settings, "retention.yaml": "runs: 4000d\n" } })).toEqual([
      422,
      "not_written",
      expect.stringContaining("/settings/retention.yaml `runs` exceeds this instance's maximum retention"),
    ])
    expect(await bad({ settings: { "prices.yaml": "own: { input: 1, output: 2 }\n" } })).toEqual([
      422,
      "not_written",
      "/settings/prices.yaml `own` must be provider/model",
    ])
    expect(await bad({ settings: { "telemetry.yaml": "endpoint: https://otlp.example.com\nsignals: [metrics]\n" } })).toEqual([
      422,
      "not_written",
      '/settings/telemetry.yaml unknown field "signals"',
    ])
    expect(await bad({ providers: { "x.yaml": "kind: openai\napiKey: sk-not-in-a-file\n" } })).toEqual([
      422,
      "not_written",
      expect.stringContaining("/providers/x.yaml"),
    ])
    expect(await bad({ providers: { "x.yaml": "kind: openai-compatible\nbaseUrl: https://10.0.0.1/v1\n" } })).toEqual([
      422,
      "not_written",
      "/providers/x.yaml `baseUrl` must be a public host name, not an IP address",
    ])
    expect(await settings(t)).toEqual(before)
  })

  test("[F79] what such a file sets is changed through the file alone", async () => {
    const t = await tenant("settings-owned")
    await t.ask("PUT", "/v1/catalog", PROJECT)
    const put = (name: string, body: object) => refused(t.raw("PUT", `/v1/settings/${name}`, body))
    const owned = [409, "owned_by_file"]
    expect(await put("prices", {})).toEqual(owned)
    expect(await put("cors", { origins: [] })).toEqual(owned)
    expect(await put("retention", { runs: "1d" })).toEqual(owned)
    expect(await put("telemetry", {})).toEqual(owned)
    expect(await put("providers/own", { kind: "workers-ai" })).toEqual(owned)
    expect(await refused(t.raw("DELETE", "/v1/settings/providers/own"))).toEqual(owned)
    expect(await put("providers/free", { kind: "workers-ai" })).toEqual([200, undefined])
  })

  test("[N6] [F79] a key that was sent is not lost to a file: the vault must have the scope that the file names", async () => {
    const t = await tenant("settings-key")
    const kind = { kind: "openai-compatible", baseUrl: "https://models.example.com/v1" }
    await t.ask("PUT", "/v1/settings/providers/own", { ...kind, apiKey: "key-of-the-provider" })
    const file = (key: string) => ({ providers: { "own.yaml": `kind: openai-compatible\nbaseUrl: https://models.example.com/v1\n${key}` } })
    for (const key of ["", "key: { secret: models }\n"])
      expect(await refused(t.raw("PATCH", "/v1/catalog", file(key)))).toEqual([
        422,
        "not_written",
        expect.stringContaining('would end the key that the provider "own" has here'),
      ])
    expect(await t.ask("GET", "/v1/settings/providers/own")).toMatchObject({ apiKey: true })
    await t.raw("PUT", "/v1/secrets/models", { value: "key-in-the-vault" })
    await t.ask("PATCH", "/v1/catalog", file("key: { secret: models }\n"))
    expect(await t.ask("GET", "/v1/settings/providers/own")).toEqual({ name: "own", ...kind, key: { secret: "models" }, apiKey: true })
    expect(await t.ask("PATCH", "/v1/catalog", file("key: { secret: models }\n"))).toMatchObject({ revision: 1 })
  })

  test("[F79] a key without the scope admin may send them unchanged, and change none", async () => {
    const t = await tenant("settings-scope")
    await t.ask("PUT", "/v1/catalog", PROJECT)
    const given = { name: "ci", scopes: ["catalog:write", "catalog:read"] }
    const ci = client((await admin.ask<{ key: string }>("POST", `/v1/tenants/${t.id}/keys`, given)).key)
    expect(await ci.ask("PUT", "/v1/catalog", PROJECT)).toMatchObject({ revision: 1 })
    for (const path of ["providers/own.yaml", "prices.yaml", "cors.yaml", "retention.yaml", "telemetry.yaml"])
      expect(await refused(ci.raw("PATCH", "/v1/catalog", { delete: [path] }))).toEqual([403, "forbidden"])
    expect(await refused(ci.raw("PATCH", "/v1/catalog", { settings: { "prices.yaml": "{}\n" } }))).toEqual([403, "forbidden"])
  })
})
