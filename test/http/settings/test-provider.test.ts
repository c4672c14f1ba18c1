// POST /v1/settings/providers/{name}/test: which model is asked, and who may ask [N6].

import { expect, test } from "vitest"
import { setUp } from "../../support/http/ask.ts"

const path = (name: string): string => `/v1/settings/providers/${name}/test`
const KEY = "sk-CANARY-123"

test("[N6] the model is the given one, then one that a role names, then a small one of the kind", async () => {
  const { ask, acme } = setUp()
  acme.settings.byName.set("mine", { kind: "anthropic", apiKey: KEY })
  acme.settings.byName.set("own", { kind: "openai-compatible", baseUrl: "https://models.example/v1" })
  acme.settings.byName.set("script", { kind: "scripted", turns: { only: [{ text: "hm" }] } })
  expect((await ask("POST", path("mine"))).body).toEqual({
    ok: true,
    provider: "mine",
    model: "claude-haiku-4-5",
    host: null,
    message: "ready",
    ms: 1,
  })
  await acme.settings.put("roles", { fast: "own/small:high", planning: ["own/big", "mine/opus"] })
  await ask("POST", path("mine"), { body: {} })
  await ask("POST", path("own"), { body: {} })
  await ask("POST", path("own"), { body: { model: "a/b" } })
  await ask("POST", path("script"), { body: {} })
  expect(acme.tested).toEqual(["mine/claude-haiku-4-5", "mine/opus", "own/small", "own/a/b", "script/only"])
})

test("[N6] without any model to ask it is 422 at the model, and an unknown provider is 404", async () => {
  const { ask, acme } = setUp()
  acme.settings.byName.set("own", { kind: "openai-compatible", baseUrl: "https://models.example/v1" })
  const r = await ask("POST", path("own"), { body: {} })
  expect([r.status, r.body["errors"]]).toMatchObject([422, [{ pointer: "/model" }]])
  for (const name of ["gone", "__proto__", "constructor"]) expect((await ask("POST", path(name), { body: {} })).status).toBe(404)
  expect((await ask("POST", path("own"), { body: { modle: "x" } })).status).toBe(422)
  expect(acme.tested).toEqual([])
})

test("[H1] only the scope admin may ask", async () => {
  const { ask, services, acme } = setUp()
  acme.settings.byName.set("mine", { kind: "anthropic", apiKey: KEY })
  services.key("key-r", "acme", ["runs:write", "runs:read", "catalog:write", "tools:call"])
  expect((await ask("POST", path("mine"), { key: "key-r", body: {} })).status).toBe(403)
})

test("[N6] a provider's own models: with its name; an unknown provider is 404, and only admin may ask", async () => {
  const { ask, services, acme } = setUp()
  acme.settings.byName.set("mine", { kind: "anthropic", apiKey: KEY })
  const models = "/v1/settings/providers/mine/models"
  expect((await ask("GET", models)).body).toEqual({
    ok: true,
    provider: "mine",
    host: null,
    models: [{ id: "mine-1" }],
    complete: true,
    ms: 1,
  })
  expect((await ask("GET", "/v1/settings/providers/gone/models")).status).toBe(404)
  services.key("key-r", "acme", ["runs:write", "runs:read", "catalog:write", "tools:call"])
  expect((await ask("GET", models, { key: "key-r" })).status).toBe(403)
})

const GIVEN = { kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: KEY } as const

test("[N6] settings in the body are tried in place of the saved ones, with the question given, and nothing is kept", async () => {
  const { ask, acme } = setUp()
  acme.testAnswer = { ...acme.testAnswer, usage: { input: 20, output: 9 } }
  const r = await ask("POST", path("fresh"), { body: { settings: GIVEN, model: "m", ask: "What is a sluice?" } })
  expect([r.status, r.body]).toMatchObject([200, { provider: "fresh", model: "m", usage: { input: 20, output: 9 } }])
  expect(acme.wishes).toEqual([{ settings: GIVEN, ask: "What is a sluice?" }])
  const listed = await ask("POST", "/v1/settings/providers/fresh/models", { body: GIVEN })
  expect(listed.body["models"]).toEqual([{ id: "fresh-1" }])
  expect(acme.settings.byName.size).toBe(0)
  expect(JSON.stringify([r.body, listed.body])).not.toContain(KEY)
})

test("[N6] settings in the body are checked like those that are saved, each fault at its place", async () => {
  const { ask, acme } = setUp()
  const none = { kind: "anthropic" }
  const at = async (place: string, body: object): Promise<unknown> => {
    const { status, body: said } = await ask("POST", place, { body })
    return [status, (said["errors"] as { pointer: string }[] | undefined)?.map(({ pointer }) => pointer)]
  }
  expect(await at(path("fresh"), { settings: none })).toEqual([422, ["/settings/apiKey"]])
  expect(await at("/v1/settings/providers/fresh/models", none)).toEqual([422, ["/apiKey"]])
  expect(await at("/v1/settings/providers/rehearsal/models", GIVEN)).toEqual([422, [""]])
  expect(await at("/v1/settings/providers/fresh/models", { ...GIVEN, baseUrl: "http://10.0.0.1/v1" })).toEqual([422, ["/baseUrl"]])
  expect(await at(path("fresh"), { ask: "x".repeat(2_001) })).toEqual([422, ["/ask"]])
  expect(acme.tested).toEqual([])
})
