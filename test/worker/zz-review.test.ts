import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, expect, test } from "vitest"
import { SqlJournal } from "../../src/cloudflare/journal-sql.ts"
import type { RunEvent } from "../../src/core/run/event.ts"

const KEY = { authorization: "Bearer sl_local_dev" }
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, { method, headers: { ...KEY, "content-type": "application/json", ...headers }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
const agent = (name: string): string => `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: write\n---\nDo it. \${{task}}\n`
const flow = (name: string, steps: string, head = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n${steps}`
const stub = (id: string) => env.RUN.get(env.RUN.idFromName(`local/${id}`))
beforeAll(async () => {
  const r = await call("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "one.yaml": flow("one", "  - { id: a, type: agent, agent: a }\n"),
      "long.yaml": flow("long", "  - { id: w, type: wait, for: 999999999999999ms }\n"),
      "longd.yaml": flow("longd", "  - { id: w, type: wait, for: 104249991d }\n"),
      "sig.yaml": flow("sig", "  - { id: w, type: wait, signal: go }\n"),
    },
  })
  if (!r.ok) throw new Error(await r.text())
})
test("big task", async () => {
  const r = await call("POST", "/v1/flows/one/runs", { task: "x".repeat(1_040_000) }, { prefer: "wait=10", "idempotency-key": "big" })
  console.log(r.status, (await r.text()).slice(0, 300))
  const r2 = await call("POST", "/v1/flows/one/runs", { task: "x".repeat(1_040_000) }, { prefer: "wait=10", "idempotency-key": "big" })
  console.log(r2.status, (await r2.text()).slice(0, 300))
})
test("long wait", async () => {
  for (const f of ["long", "longd"]) {
    const r = await call("POST", `/v1/flows/${f}/runs`, { task: "x" })
    const t = await r.text()
    console.log(f, r.status, t.slice(0, 300))
  }
})
test("signals", async () => {
  const { id } = (await (await call("POST", "/v1/flows/sig/runs", { task: "x" })).json()) as { id: string }
  for (let i = 0; i < 5; i++) { const r = await call("POST", `/v1/runs/${id}/signals/other`, "y".repeat(900_000)); console.log("sig", r.status) }
})
test("definitions gone", async () => {
  const id = "run_" + "z".repeat(26)
  await runInDurableObject(stub(id), async (_, ctx) => {
    const j = new SqlJournal(ctx.storage)
    j.commit({ after: 0, events: [{ seq: 1, at: 1, v: 1, prev: "0".repeat(64), type: "run.started", tenant: "local", run: id, flow: "x", task: "", inputs: {}, autonomous: true, rehearsed: false, trigger: { kind: "api" }, pinned: { revision: 1, flow: { id: "x", hash: "a".repeat(64) }, agents: {}, skills: {}, models: {} } } as RunEvent] })
    ctx.storage.kv.put("alarm_failures", 11)
    await ctx.storage.setAlarm(Date.now() + 60_000)
  })
  await evictDurableObject(stub(id))
  console.log(await runDurableObjectAlarm(stub(id)))
  console.log("alarm after", await runInDurableObject(stub(id), (_, ctx) => ctx.storage.getAlarm()))
  console.log((await call("GET", `/v1/runs/${id}`)).status)
})
