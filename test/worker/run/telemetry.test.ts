// Telemetry of an ended run [N9] in workerd: one data point, and a trace whose export is retried a limited number of times; and
// /readyz over real stores [N7].

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { readiness } from "../../../src/cloudflare/worker/readiness.ts"
import { RunTelemetry, type TelemetryEnv } from "../../../src/cloudflare/run/run-telemetry.ts"
import { agent, ask, call, ended, eventsOf, flow, start, stub, until } from "../../support/worker/house.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const COLLECTOR = "https://otlp.example/v1/traces"

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a") },
    flows: {
      "quick.yaml": flow("quick", "  - { id: a, type: agent, agent: a }\n"),
      "counted.yaml": flow("counted", "  - { id: a, type: agent, agent: a }\n"),
      "parent.yaml": flow("parent", "  - { id: r, type: flow-ref, flow: quick }\n"),
    },
  })
})

interface Sent {
  readonly spans: { traceId: string; spanId: string; parentSpanId?: string; name: string }[]
}
let sent: { readonly text: string; readonly scopes: readonly Sent[] }[] = []
/** What was sent for these runs: all objects of this isolate have one `env`, so runs of other tests and files report too. */
const sentFor = (...ids: string[]): Sent[] => sent.filter(({ text }) => ids.some((id) => text.includes(id))).flatMap(({ scopes }) => scopes)
/** The collector's answers in order; then 200. */
let answers: number[] = []
let points: AnalyticsEngineDataPoint[] = []

/** The test's objects run in this isolate and see this same `env`. */
const bind = (more: Partial<TelemetryEnv>): void => void Object.assign(env, more)
const METRICS = { writeDataPoint: (point?: AnalyticsEngineDataPoint) => void points.push(point ?? {}) }

function collect(): void {
  sent = []
  const real = globalThis.fetch
  vi.spyOn(globalThis, "fetch").mockImplementation(async (to, init) => {
    if (to !== COLLECTOR) return real(to, init)
    const text = String(init?.body)
    const body: { resourceSpans: { scopeSpans: Sent[] }[] } = JSON.parse(text)
    sent.push({ text, scopes: body.resourceSpans.flatMap((r) => r.scopeSpans) })
    return new Response("{}", { status: answers.shift() ?? 200 })
  })
}

afterEach(() => {
  bind({ OTLP_ENDPOINT: "", METRICS: undefined as never })
  answers = []
  points = []
  vi.restoreAllMocks()
})

const marks = (id: string) =>
  runInDurableObject(stub(id), async (_, ctx) => ({ traces: ctx.storage.kv.get<unknown>("traces"), alarm: await ctx.storage.getAlarm() }))
const soon = () => ({ timeout: 30_000, interval: 20 })

describe("a trace", () => {
  test("[N9] is sent once after the run has ended, in the caller's trace", async () => {
    collect()
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    const begun = await call("POST", "/v1/flows/quick/runs", { task: "go" }, { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })
    const { id } = await begun.json<{ id: string }>()
    await until(id, ended)
    await vi.waitFor(async () => expect((await marks(id)).traces).toBe("done"), soon())
    const spans = sentFor(id).flatMap((s) => s.spans)
    expect(spans.map((s) => s.name.split(" ")[0])).toEqual(["chat", "invoke_agent", "invoke_workflow"])
    expect(new Set(spans.map((s) => s.traceId))).toEqual(new Set([TRACE]))
    expect(spans.at(-1)?.parentSpanId).toBe("00f067aa0ba902b7")
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    expect(sentFor(id)).toHaveLength(1)
  })

  test("[N9] a child's spans are children of its parent's step", async () => {
    collect()
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    const id = await start("parent")
    await until(id, ended)
    await vi.waitFor(() => expect(sentFor(id)).toHaveLength(1), soon())
    const trace = sentFor(id)[0]?.spans[0]?.traceId ?? "none"
    await vi.waitFor(() => expect(sentFor(trace)).toHaveLength(2), soon())
    const spans = sentFor(trace).flatMap((s) => s.spans)
    expect(new Set(spans.map((s) => s.traceId))).toEqual(new Set([trace]))
    const step = spans.find((s) => s.name === "flow-ref r")
    expect(spans.find((s) => s.name === "invoke_workflow quick")?.parentSpanId).toBe(step?.spanId)
  })

  test("[N9] if the collector does not answer, the alarm tries again, and the run's end is not delayed", async () => {
    collect()
    vi.spyOn(console, "error").mockImplementation(() => {})
    answers = [503]
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    const id = await start("quick")
    expect((await until(id, ended)).status).toBe("succeeded")
    await vi.waitFor(async () => expect((await marks(id)).traces).toMatchObject({ tries: 1 }), soon())
    expect((await marks(id)).alarm).toBeLessThan(Date.now() + 60_000)
    // It is due.
    await runInDurableObject(stub(id), (_, ctx) => ctx.storage.kv.put("traces", { tries: 1, next: 0 }))
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    await vi.waitFor(async () => expect((await marks(id)).traces).toBe("done"), soon())
    const [first, second, ...more] = sentFor(id)
    expect([second, more]).toEqual([first, []])
    // Nothing is left to do until the run is deleted [H6].
    await vi.waitFor(async () => expect((await marks(id)).alarm).toBeGreaterThan(Date.now() + 86_400_000), soon())
  })

  test("[N9] after six tries the export gives up and logs a line", async () => {
    collect()
    const lines: string[] = []
    vi.spyOn(console, "error").mockImplementation((line: unknown) => void lines.push(String(line)))
    const id = await start("quick")
    await until(id, ended)
    const log = await eventsOf(id)
    const seen: Record<string, unknown> = {}
    const kept = { get: (key: string) => seen[key], put: (key: string, value: unknown) => void (seen[key] = value), delete: () => true }
    const telemetry = new RunTelemetry({
      env: { ENVIRONMENT: "local", OTLP_ENDPOINT: "https://otlp.example" },
      marks: kept as never,
      journal: { fork: () => undefined, read: (after: number) => log.filter((e) => e.seq > after) },
      hash: () => "0".repeat(64),
      now: () => 1_000,
    })
    answers = [503, 503, 503, 503, 503, 503, 503]
    for (let n = 1; n <= 5; n++) await expect(telemetry.export()).rejects.toThrow(`try ${n}`)
    await telemetry.export()
    expect(seen["traces"]).toBe("done")
    await telemetry.export()
    expect(sentFor(id)).toHaveLength(6)
    expect(lines.join()).toContain("trace.lost")
  })

  test("[N9] nothing is sent if the caller's trace is not sampled or no collector is configured", async () => {
    collect()
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    const begun = await call("POST", "/v1/flows/quick/runs", { task: "go" }, { traceparent: `00-${TRACE}-00f067aa0ba902b7-00` })
    const { id } = await begun.json<{ id: string }>()
    await until(id, ended)
    bind({ OTLP_ENDPOINT: "" })
    const second = await start("quick")
    await until(second, ended)
    await runDurableObjectAlarm(stub(id))
    expect(sentFor(id, second)).toEqual([])
  })
})

describe("a tenant's own collector", () => {
  const OWN = "https://traces.tenant.example/base/v1/traces"
  interface Heard {
    readonly to: string
    readonly authorization: string | null
    readonly text: string
  }
  let heard: Heard[] = []
  const heardOf = (id: string) => heard.filter(({ text }) => text.includes(id))
  let status = 200
  const listen = (): void => {
    heard = []
    status = 200
    const real = globalThis.fetch
    vi.spyOn(globalThis, "fetch").mockImplementation(async (to, init) => {
      const url = String(to)
      if (url !== OWN && url !== COLLECTOR) return real(to, init)
      heard.push({ to: url, authorization: new Headers(init?.headers).get("authorization"), text: String(init?.body) })
      return new Response("{}", { status: url === OWN ? status : 200 })
    })
  }
  const own = (id: string) => runInDurableObject(stub(id), async (_, ctx) => ctx.storage.kv.get<unknown>("traces_own"))

  beforeAll(async () => {
    await call("PUT", "/v1/secrets/tracekey", { value: "Bearer of-the-tenant" })
  })
  afterEach(async () => {
    await ask("PUT", "/v1/settings/telemetry", {})
  })

  test("[N9] gets the spans with a header from the vault, beside the instance's, and alone what was said", async () => {
    listen()
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    const setting = { endpoint: "https://traces.tenant.example/base", headers: { Authorization: "tracekey" }, content: true }
    expect(await ask("PUT", "/v1/settings/telemetry", setting)).toEqual(setting)
    const id = await start("quick", { task: "canary-task, and Bearer of-the-tenant" })
    await until(id, ended)
    await vi.waitFor(async () => expect([(await marks(id)).traces, await own(id)]).toEqual(["done", "done"]), soon())
    const [tenant, ...more] = heardOf(id).filter(({ to }) => to === OWN)
    const [instance] = heardOf(id).filter(({ to }) => to === COLLECTOR)
    expect([more, tenant?.authorization, instance?.authorization]).toEqual([[], "Bearer of-the-tenant", null])
    expect([tenant?.text.includes("canary-task"), tenant?.text.includes("of-the-tenant")]).toEqual([true, false])
    expect(instance?.text).not.toContain("canary-task")
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    expect(heardOf(id)).toHaveLength(2)
  })

  test("[N9] is tried again when it does not answer, and the instance's gets nothing twice", async () => {
    listen()
    vi.spyOn(console, "error").mockImplementation(() => {})
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    await ask("PUT", "/v1/settings/telemetry", { endpoint: "https://traces.tenant.example/base" })
    status = 503
    const id = await start("quick")
    await until(id, ended)
    await vi.waitFor(async () => expect(await own(id)).toMatchObject({ tries: 1 }), soon())
    status = 200
    await runInDurableObject(stub(id), (_, ctx) => ctx.storage.kv.put("traces_own", { tries: 1, next: 0 }))
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    await vi.waitFor(async () => expect(await own(id)).toBe("done"), soon())
    expect(
      heardOf(id)
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual([COLLECTOR, OWN, OWN].toSorted())
    expect(heardOf(id).some(({ text }) => text.includes("messages"))).toBe(false)
  })

  test("[N9] of several collectors one that is down gets the spans later, and the others not again", async () => {
    listen()
    vi.spyOn(console, "error").mockImplementation(() => {})
    const down = { endpoint: "https://traces.tenant.example/base", headers: { authorization: "tracekey" }, content: true }
    const setting = { collectors: { down, up: { endpoint: "https://otlp.example", plain: { "x-team": "blue" } } } }
    expect(await ask("PUT", "/v1/settings/telemetry", setting)).toEqual(setting)
    status = 503
    const id = await start("quick", { task: "canary-task" })
    await until(id, ended)
    await vi.waitFor(async () => expect(await own(id)).toMatchObject({ tries: 1, sent: ["up"] }), soon())
    status = 200
    await runInDurableObject(stub(id), (_, ctx) => ctx.storage.kv.put("traces_own", { tries: 1, next: 0, sent: ["up"] }))
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    await vi.waitFor(async () => expect(await own(id)).toBe("done"), soon())
    expect(
      heardOf(id)
        .map(({ to, authorization, text }) => `${to} ${authorization} ${text.includes("canary-task")}`)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual([`${COLLECTOR} null false`, `${OWN} Bearer of-the-tenant true`, `${OWN} Bearer of-the-tenant true`])
  })

  test("[N9] without an endpoint of its own, a tenant that opts in lets the instance's collector have what was said", async () => {
    listen()
    bind({ OTLP_ENDPOINT: "https://otlp.example" })
    await ask("PUT", "/v1/settings/telemetry", { content: true })
    const id = await start("quick", { task: "canary-task" })
    await until(id, ended)
    await vi.waitFor(() => expect(heardOf(id)).toHaveLength(1), soon())
    expect(heardOf(id)[0]?.text).toContain("canary-task")
    expect(await own(id)).toBeUndefined()
  })

  test("[N9] [T21] its address must lead outside, and its headers must be in the vault", async () => {
    for (const [body, pointer] of [
      [{ endpoint: "http://127.0.0.1:1" }, "/endpoint"],
      [{ endpoint: "http://traces.example.com" }, "/endpoint"],
      [{ endpoint: "https://169.254.169.254/" }, "/endpoint"],
      [{ endpoint: "https://u:p@traces.example.com" }, "/endpoint"],
      [{ endpoint: "https://traces.example.com/?key=1" }, "/endpoint"],
      [{ endpoint: "https://traces.example.com", headers: { authorization: "nothing" } }, "/headers/authorization"],
      [{ endpoint: "https://traces.example.com", headers: { "a b": "tracekey" } }, "/headers"],
      [{ headers: { authorization: "tracekey" } }, "/headers"],
      [{ content: "yes" }, "/content"],
      [{ endpont: "https://traces.example.com" }, "/endpont"],
    ] as const) {
      const r = await call("PUT", "/v1/settings/telemetry", body)
      expect([JSON.stringify(body), r.status, await r.text()]).toEqual([JSON.stringify(body), 422, expect.stringContaining(`"${pointer}`)])
    }
    expect(await ask("GET", "/v1/settings/telemetry")).toEqual({})
  })
})

describe("a data point", () => {
  test("[N9] is written once for each run that ends, with the tenant as its index", async () => {
    bind({ METRICS })
    const id = await start("counted")
    const run = await until(id, ended)
    await evictDurableObject(stub(id))
    await runDurableObjectAlarm(stub(id))
    // Runs of other flows may end meanwhile.
    const [point, ...more] = points.filter(({ blobs }) => blobs?.[0] === "counted")
    expect(more).toEqual([])
    expect(point?.indexes).toEqual(["local"])
    expect(point?.blobs).toEqual(["counted", "succeeded", "api", "", "rehearsed", ""].map((b, i) => (i === 4 && !run.rehearsed ? "" : b)))
    expect(point?.doubles?.[0]).toBe(Date.parse(run.ended ?? "") - Date.parse(run.created))
    expect((point?.doubles?.[1] ?? 0) + (point?.doubles?.[2] ?? 0)).toBe(run.usage.tokens)
    expect(point?.doubles?.[4]).toBe(run.usage.tool_calls)
  })
})

describe("readiness", () => {
  test("[N7] KV, R2 and a tenant's object answer, and the check leaves nothing behind", async () => {
    const r = await SELF.fetch("http://sluice/readyz")
    expect([r.status, await r.json()]).toEqual([200, { status: "ok", checks: { kv: true, r2: true, tenant: true } }])
    const nobody = env.TENANT.get(env.TENANT.idFromName("_ready"))
    expect(
      await runInDurableObject(nobody, (_, ctx) =>
        ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
      ),
    ).toEqual([])
  })

  test("[N7] a service that hangs or fails counts as not answering; the result is cached for a second", async () => {
    let asked = 0
    const broken = {
      CACHE: { get: () => Promise.reject(new Error("down")) },
      BLOBS: { head: () => new Promise(() => {}) },
      TENANT: { idFromName: () => "id", get: () => ({ answers: async () => void asked++, hasRoom: async () => true }) },
    }
    let now = 1_000
    const ready = readiness(broken as never, () => now, 20)
    expect(await ready()).toEqual({ kv: false, r2: false, tenant: true })
    now += 999
    await ready()
    expect(asked).toBe(1)
    now += 1
    await ready()
    expect(asked).toBe(2)
  })
})
