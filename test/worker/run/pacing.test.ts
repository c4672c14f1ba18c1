// A provider's limit that runs share, from the settings to the journal [R24–R31], with a limit of sixty a minute where calls wait.

import { runInDurableObject } from "cloudflare:test"
import { afterEach, describe, expect, test, vi } from "vitest"
import type { PacingNow } from "../../../src/api/doc/settings.doc.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { LimitedProvider } from "../../support/worker/limited-provider.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import { amount } from "../../support/amount.ts"
import { objectCalls, tenantOf } from "../../support/worker/object-calls.ts"
import { tenant, tenantObject, until, type Tenant } from "../../support/worker/service-client.ts"

const agent = "---\nname: w\ndescription: works\nmodel: p/m\nmax_output_tokens: 200\n---\nWork.\n"
const flow = (name: string, head = ""): string => `name: ${name}\ndescription: d\n${head}steps:\n  - { id: a, type: agent, agent: w }\n`

const AT_ONCE = 20
const TEN = Array.from({ length: 10 }, (_, n) => `  - { id: s${n}, type: agent, agent: w${n > 0 ? `, blockedBy: [s${n - 1}]` : ""} }\n`)

let provider: LimitedProvider | undefined
afterEach(() => {
  provider?.restore()
  vi.restoreAllMocks()
})

async function stand(
  id: string,
  limits: { readonly rpm: number; readonly tells?: boolean },
  pacing: object,
): Promise<[Tenant, LimitedProvider]> {
  const t = await tenant(id)
  provider = new LimitedProvider(`${id}.example`, limits)
  await t.ask("PUT", "/v1/settings/providers/p", provider.settings)
  await t.ask("PUT", "/v1/settings/pacing", pacing)
  await t.ask("PUT", "/v1/catalog", {
    agents: { "w.md": agent },
    flows: {
      "f.yaml": flow("f"),
      "ten.yaml": `name: ten\ndescription: d\nsteps:\n${TEN.join("")}`,
      "low.yaml": flow("low", "start: { priority: low }\n"),
    },
  })
  return [t, provider]
}

const begin = async (t: Tenant, name: string, task: string): Promise<string> =>
  (await t.ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task })).id
const runOf = (t: Tenant, id: string): Promise<RunView> => t.ask("GET", `/v1/runs/${id}`)
const eventsOf = async (t: Tenant, id: string): Promise<RunEvent[]> =>
  (await t.ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data
const ended = (t: Tenant, id: string): Promise<RunView> =>
  until(async () => {
    const run = await runOf(t, id)
    return run.ended === undefined ? undefined : run
  }, `the end of ${id}`)
const many = (n: number): string[] => Array.from({ length: n }, (_, i) => `task ${i}`)

/** Counts the questions about models, not the mere reading of a provider's settings. */
function asked(id: string): { count(): number; stop(): void } {
  let count = 0
  const { ask } = TenantObject.prototype
  const spy = vi.spyOn(TenantObject.prototype, "ask").mockImplementation(function (this: TenantObject, ...call) {
    const [room, method, args] = call
    const questions: unknown = room === "settings" && method === "paced" ? args[1] : undefined
    if (tenantOf(this) === id && Array.isArray(questions)) count += questions.length
    return Reflect.apply(ask, this, call)
  })
  return { count: () => count, stop: () => spy.mockRestore() }
}

test("[R24–R30] 22 runs at once share sixty requests a minute without an error, and the run that someone waits for goes before them", async () => {
  const [t, { taken }] = await stand("paced-many", { rpm: 60 }, { models: { "p/m": { rpm: 60 } } })
  const questions = asked(t.id)
  const began = Date.now()
  const ids = await Promise.all(many(22).map((task) => begin(t, "f", task)))
  // The first ten leave at once, the others each second.
  const waits = await until(async () => {
    const { data } = await t.ask<PacingNow>("GET", "/v1/settings/pacing/now")
    return data.find(({ waiting }) => waiting > 3)
  }, "calls that wait")
  expect(waits).toMatchObject({ model: "p/m", set: { rpm: 60 }, learned: {} })
  await until(async () => taken.length >= 11, "the calls that leave at once")
  const before = taken.length
  const chat = await t.ask<RunView>("POST", "/v1/flows/f/runs", { task: "someone waits" }, { prefer: "wait=60" })
  expect(chat).toMatchObject({ status: "succeeded", start: { attended: true } })
  const place = taken.findIndex(({ said }) => said.includes("someone waits"))
  // Among the next two; one more had its turn before.
  const arrived = Date.parse(chat.created)
  expect(taken.slice(before, place).filter(({ at }) => at >= arrived).length).toBeLessThanOrEqual(3)
  const runs = await Promise.all(ids.map((id) => ended(t, id)))
  questions.stop()
  expect(runs.map(({ status }) => status)).toEqual(ids.map(() => "succeeded"))
  expect(taken.map(({ status }) => status)).toEqual(Array.from({ length: 23 }, () => 200))
  // No step made more than one call, whatever it waited.
  expect(runs.map(({ steps }) => steps["a"]?.attempts)).toEqual(ids.map(() => 1))
  // [R28] At most one a second.
  expect(questions.count()).toBeGreaterThan(0)
  expect(questions.count()).toBeLessThanOrEqual((Date.now() - began) / 1_000 + 1)

  const paced = runs.filter(({ steps }) => (steps["a"]?.paced_ms ?? 0) > 0)
  expect(paced.length).toBeGreaterThan(0)
  const [last] = paced.toSorted((a, b) => (b.steps["a"]?.paced_ms ?? 0) - (a.steps["a"]?.paced_ms ?? 0))
  const events = await eventsOf(t, last?.id ?? "")
  expect(events.flatMap((e) => (e.type === "run.waiting" ? [e.reason] : []))[0]).toBe("pace")
  const times = events.flatMap((e) => (e.type === "model.paced" ? [e.at] : []))
  expect(times.every((at, i) => i === 0 || at - (times[i - 1] ?? 0) >= 9_900)).toBe(true)
  expect(await t.ask("GET", `/v1/runs/${last?.id}/replay`)).toMatchObject({ identical: true })
}, 120_000)

describe("[R28] 1,000 calls of 100 runs far from a limit", () => {
  test.each([
    ["none", {}, false],
    ["set", { models: { "p/m": { rpm: 100_000 } } }, false],
    ["learned", {}, true],
  ])(
    "%s: a run asks its tenant's object for settings, and again after five seconds, and no event tells of it",
    async (how, pacing, tells) => {
      const [t] = await stand(`paced-thousand-${how}`, { rpm: 100_000, tells }, pacing)
      await ended(t, await begin(t, "ten", "the first one"))
      const { calls, stop } = objectCalls(t.id)
      const ids: string[] = []
      const began = Date.now()
      for (let n = 0; n < amount(100, AT_ONCE); n += AT_ONCE) {
        const some = await Promise.all(many(AT_ONCE).map((task) => begin(t, "ten", task)))
        await Promise.all(some.map((id) => ended(t, id)))
        ids.push(...some)
      }
      stop()
      // With a limit as without: on a busy machine each of the twenty under way asks more than once.
      const most = ids.length + (AT_ONCE * (Date.now() - began)) / 5_000
      expect(calls.filter((call) => call.startsWith("tenant settings.")).length).toBeLessThanOrEqual(most)
      for (const id of ids) {
        const events = await eventsOf(t, id)
        expect(events.filter(({ type }) => type === "model.replied")).toHaveLength(10)
        expect(events.filter(({ type }) => type === "model.paced" || type === "run.waiting")).toEqual([])
      }
    },
    120_000,
  )
})

describe("[R28] far from a limit", () => {
  test.each([
    ["none", {}, false],
    ["set", { models: { "p/m": { rpm: 100_000 } } }, false],
    ["learned", {}, true],
  ])(
    "%s: forty calls ask no more than the settings are read, and no event tells of it",
    async (how, pacing, tells) => {
      const [t, { taken }] = await stand(`paced-far-${how.replaceAll(" ", "-")}`, { rpm: 100_000, tells }, pacing)
      const { calls, stop } = objectCalls(t.id)
      const began = Date.now()
      const ids = await Promise.all(many(40).map((task) => begin(t, "f", task)))
      await Promise.all(ids.map((id) => ended(t, id)))
      stop()
      expect(taken).toHaveLength(40)
      // Runs that begin while the first one asks ask too, as they always did.
      const reads = calls.filter((call) => call === "tenant settings.paced" || call === "tenant settings.provider").length
      expect(reads).toBeLessThanOrEqual(40)
      const later = Date.now()
      const { calls: more, stop: end } = objectCalls(t.id)
      const again = await begin(t, "f", "later")
      await ended(t, again)
      end()
      expect(more.filter((call) => call.startsWith("tenant settings.")).length).toBeLessThanOrEqual(1 + (later - began > 4_000 ? 1 : 0))
      expect((await eventsOf(t, again)).map(({ type }) => type)).toEqual([
        "run.started",
        "step.opened",
        "action.begun",
        "model.replied",
        "step.finished",
        "run.ended",
      ])
    },
    60_000,
  )
})

test("[R25] headers teach a limit, which is one row and holds for the next object", async () => {
  const [t] = await stand("paced-learns", { rpm: 600, tells: true }, {})
  await ended(t, await begin(t, "f", "one"))
  const learned = async () => (await t.ask<PacingNow>("GET", "/v1/settings/pacing/now")).data.find(({ model }) => model === "p/m")?.learned
  // What it said is told with the next question.
  await until(async () => {
    await ended(t, await begin(t, "f", "next"))
    return (await learned())?.rpm !== undefined
  }, "what was learned")
  expect(await learned()).toEqual({ rpm: 600 })
  const rows = await runInDurableObject(tenantObject(t.id), (_, ctx) => ctx.storage.sql.exec("SELECT model FROM learned_rate").toArray())
  expect(rows).toEqual([{ model: "p/m" }])
  await t.ask("PUT", "/v1/settings/pacing", { learn: false })
  expect(await learned()).toEqual({})
}, 60_000)

describe("[R31] a refusal", () => {
  test("with a time stops all calls to the model until then, and is no try", async () => {
    const [t, limited] = await stand("paced-stopped", { rpm: 60_000 }, {})
    await ended(t, await begin(t, "f", "before"))
    limited.stop(3_000)
    const stopped = Date.now()
    const first = await begin(t, "f", "refused")
    await until(async () => limited.taken.some(({ status }) => status === 429), "the refusal")
    const others = await Promise.all(many(5).map((task) => begin(t, "f", task)))
    const runs = await Promise.all([first, ...others].map((id) => ended(t, id)))
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "succeeded"))
    expect(limited.taken.filter(({ status }) => status === 429)).toHaveLength(1)
    expect(limited.taken.slice(2).every(({ at }) => at >= stopped + 2_900)).toBe(true)
    const events = await eventsOf(t, first)
    expect(events.filter(({ type }) => type === "model.failed" || type === "model.paced")).toMatchObject([
      { type: "model.failed", status: 429, paced: true, attempt: 1 },
      { type: "model.paced", model: "p/m", ahead: 0 },
    ])
    expect(runs[0]?.steps["a"]).toMatchObject({ attempts: 1 })
    expect(await t.ask("GET", `/v1/runs/${first}/replay`)).toMatchObject({ identical: true })
  }, 60_000)

  test("without any number teaches a limit of its own", async () => {
    const [t, limited] = await stand("paced-taught", { rpm: 60_000 }, {})
    const ids = await Promise.all(many(40).map((task) => begin(t, "f", task)))
    await Promise.all(ids.map((id) => ended(t, id)))
    limited.stop(300, false)
    await ended(t, await begin(t, "f", "refused"))
    await ended(t, await begin(t, "f", "next"))
    const now = await until(async () => {
      const { data } = await t.ask<PacingNow>("GET", "/v1/settings/pacing/now")
      return data.find(({ learned }) => learned.rpm !== undefined)
    }, "a limit")
    // Four fifths of those that were answered in the minute before, and a tenth more after a minute.
    expect(now.learned.rpm).toBeGreaterThanOrEqual(1)
    expect(now.learned.rpm).toBeLessThanOrEqual(36)
  }, 90_000)
})
