// A tenant that is deleted while it is working [N3]: an open stream, a running model call, a callback in flight and one that is due, a schedule.
// All of them end with the tenant, nothing more is sent, and a new tenant with its id finds none of its data.

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, expect, test, vi } from "vitest"
import { admin, ended, runObject, start, tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const SECRET = `whsec_${btoa("a secret of 24 bytes or so")}`
const HOSTS = ["model.example.com", "slow.example.com", "down.example.com"] as const

afterEach(() => void vi.unstubAllGlobals())

interface Sent {
  readonly host: string
  aborted: boolean
}

/** The outside world: a model and a receiver that never answer, and a receiver that is down. */
function outside(): Sent[] {
  const sent: Sent[] = []
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const host = HOSTS.find((name) => (input instanceof Request ? input.url : String(input)).includes(name))
    if (host === undefined) return real(input, init)
    const call: Sent = { host, aborted: false }
    sent.push(call)
    if (host === "down.example.com") return new Response(null, { status: 503 })
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        call.aborted = true
        reject(signal.reason)
      })
    })
  })
  return sent
}

const agent = (name: string, model: string): string => `---\nname: ${name}\ndescription: d\nmodel: ${model}\n---\nDo it. \${{task}}\n`
const flow = (name: string): string => `name: ${name}\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: ${name} }\n`

test("[N3] its streams end, its calls are aborted, nothing is sent afterward, and the next tenant with its id starts empty", async () => {
  const sent = outside()
  const to = (host: string): Sent[] => sent.filter((call) => call.host === host)
  const t = await tenant("midst")
  await t.ask("PUT", "/v1/settings/providers/p", {
    kind: "openai-compatible",
    baseUrl: "https://model.example.com/v1",
    apiKey: "key-of-the-model",
  })
  await t.ask("PUT", "/v1/secrets/cb", { value: SECRET })
  await t.ask("PUT", "/v1/catalog", {
    agents: { "asks.md": agent("asks", "p/m1"), "quick.md": agent("quick", "rehearsal/default") },
    flows: { "asks.yaml": flow("asks"), "quick.yaml": flow("quick") },
  })
  for (const host of ["slow", "down"])
    await t.ask("POST", "/v1/callbacks", { url: `https://${host}.example.com/in`, secret: "cb", events: ["run.succeeded"] })
  const { id: schedule } = await t.ask<{ id: string }>("POST", "/v1/schedules", { flow: "quick", cron: "0 0 29 2 *" })

  const asking = await start(t, "asks")
  await until(async () => to("model.example.com").length > 0, "a call of the model")
  const stream = await t.raw("GET", `/v1/runs/${asking}/events`, undefined, { accept: "text/event-stream" })
  const reading = stream.text()
  await start(t, "quick")
  await until(async () => to("slow.example.com").length === 1 && to("down.example.com").length === 1, "both receivers being told")
  await until(async () => {
    const { data } = await t.ask<{ data: { status: string; attempts: number }[] }>("GET", "/v1/callback-deliveries")
    return data.length === 2 && data.some((row) => row.status === "pending" && row.attempts === 1)
  }, "one callback waiting for its second try")
  // Everything that waits for its time is due now.
  await runInDurableObject(tenantObject(t.id), async (_, ctx) => {
    ctx.storage.sql.exec("UPDATE callback_message SET due = 1 WHERE url LIKE '%down%'")
    ctx.storage.sql.exec("UPDATE schedule SET next = 1")
    await ctx.storage.setAlarm(Date.now() + 3_600_000)
  })

  const { deleted } = await admin.ask<{ deleted: object }>("DELETE", `/v1/tenants/${t.id}`)
  expect(deleted).toMatchObject({ runs: 2, callbacks: 2, schedules: 1, keys: 1, secrets: 1 })
  const heard = await reading
  expect(heard).toContain("event: run.started\n")
  expect(heard).not.toContain("event: run.ended\n")
  await until(async () => to("model.example.com").every((call) => call.aborted), "the end of the model's call")
  await until(async () => to("slow.example.com").every((call) => call.aborted), "the end of the callback's try")

  const before = sent.length
  const ring = async (): Promise<void> => {
    await runDurableObjectAlarm(tenantObject(t.id))
    await runDurableObjectAlarm(runObject(t.id, asking))
    await evictDurableObject(runObject(t.id, asking))
    await runDurableObjectAlarm(runObject(t.id, asking))
  }
  await ring()
  expect(sent.length).toBe(before)

  const next = await tenant(t.id)
  await ring()
  expect((await t.raw("GET", "/v1/runs")).status).toBe(401)
  const lists = ["runs", "hooks", "callbacks", "callback-deliveries", "schedules", "secrets", "interactions", "settings/providers"]
  for (const list of lists) expect([list, (await next.ask<{ data: unknown[] }>("GET", `/v1/${list}`)).data]).toEqual([list, []])
  expect(await next.ask("GET", "/v1/catalog/export")).toEqual({ agents: {}, flows: {}, skills: {}, code: {} })
  for (const path of [`/v1/runs/${asking}`, `/v1/runs/${asking}/events`, `/v1/schedules/${schedule}`, "/v1/settings/providers/p"])
    expect([path, (await next.raw("GET", path)).status]).toEqual([path, 404])
  expect(sent.length).toBe(before)
})

test("[N3] [F71] the next tenant with its id keeps the texts that its own runs pin, which the caches still have", async () => {
  const shipped = "name: shipped\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: source-reader }\n"
  const pinnedBy = async (t: Tenant): Promise<readonly string[]> => {
    await t.ask("PUT", "/v1/catalog", { agents: {}, flows: { "shipped.yaml": shipped } })
    const { id } = await t.ask<{ id: string }>("POST", "/v1/flows/shipped/runs", { task: "go", rehearse: true })
    await ended(t, id)
    const { pinned } = await t.ask<{ pinned: { agents: Record<string, string> } }>("GET", `/v1/runs/${id}`)
    return Object.values(pinned.agents)
  }
  const isKept = async (hash: string): Promise<boolean> => (await env.BLOBS.head(`t/again/blob/${hash}`)) !== null
  const first = await tenant("again")
  const pinned = await pinnedBy(first)
  expect(pinned).toHaveLength(1)
  for (const hash of pinned) expect(await isKept(hash)).toBe(true)

  await admin.ask("DELETE", "/v1/tenants/again")
  await until(async () => !(await isKept(pinned[0] ?? "")), "the end of the deletion")

  const next = await tenant("again")
  expect(await pinnedBy(next)).toEqual(pinned)
  for (const hash of pinned) expect(await isKept(hash)).toBe(true)
})
