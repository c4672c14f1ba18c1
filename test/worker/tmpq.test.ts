import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { test, vi } from "vitest"
import { agent, ask, ended, flow, start, stub, until } from "./house.ts"
test("x", async () => {
  try { console.log(await env.TENANT.get(env.TENANT.idFromName("~ready")).answers()) } catch (e) { console.log("ERR", String(e), e.stack) }
  await ask("PUT", "/v1/catalog", { agents: { "a.md": agent("a") }, flows: { "quick.yaml": flow("quick", "  - { id: a, type: agent, agent: a }\n") } })
  vi.spyOn(globalThis, "fetch").mockImplementation(async (to, init) => { console.log("FETCH", String(to)); return new Response("{}", { status: 200 }) })
  Object.assign(env, { OTLP_ENDPOINT: "https://otlp.example" })
  const id = await start("quick")
  await until(id, ended)
  await new Promise((r) => setTimeout(r, 300))
  console.log(JSON.stringify(await runInDurableObject(stub(id), async (_, ctx) => [...ctx.storage.kv.list()])))
})
