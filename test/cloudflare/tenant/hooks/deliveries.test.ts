// Deliveries and their runs [W3]: what a filter held back, how many runs are begun at once, and starts whose answers were lost.

import { Redactor } from "../../../../src/core/secrets/redact.ts"
import { expect, test, vi } from "vitest"
import { Deliveries, BEGUN_AT_ONCE } from "../../../../src/cloudflare/tenant/hooks/deliveries.ts"
import { DeliveryStore } from "../../../../src/cloudflare/tenant/hooks/delivery-store.ts"
import { launch, type Launch } from "../../../../src/cloudflare/tenant/starts/launch.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import type { Delivered, HookRow } from "../../../../src/ports/tenant/hooks.ts"
import { pause } from "../../../../src/ports/timers.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const HOOK: HookRow = {
  id: "h1",
  created: 1,
  flow: "f",
  kind: "token",
  secret: "in",
  mapping: { task: "${{trigger.body.title}}" },
  enabled: true,
  autonomous: true,
} as HookRow

function stand() {
  const storage = sqliteStorage()
  const sql = new TenantSql(storage)
  const store = new DeliveryStore(sql)
  sql.write((rows) => rows.exec("INSERT INTO hook (id, body, created) VALUES ('h1', '{}', 1)"))
  const launched: Launch[] = []
  const ends: (() => void)[] = []
  const deliveries = new Deliveries({
    store,
    runId: (letters) => `run_${letters}`,
    launch: (wish) => {
      launched.push(wish)
      return new Promise((resolve) => ends.push(() => resolve(undefined)))
    },
    payloadOf: async () => undefined,
    want: () => undefined,
  })
  return { storage, store, deliveries, launched, ends }
}

const payload = (title: string) => ({ headers: {}, body: { title }, query: {} })
const what = (verdict: "filtered" | "accepted", title = "T"): Delivered["what"] =>
  verdict === "filtered" ? { verdict, payload: payload(title) } : { verdict, task: title, inputs: {}, payload: payload(title) }
const sent = (n: number, verdict: "filtered" | "accepted" = "accepted"): Delivered => ({
  external: `e${n}`,
  keys: [`id:${n}`],
  what: what(verdict),
})
const turn = (): Promise<void> => pause(0).then(() => pause(0))

test("[W3] what an earlier filter held back is no duplicate once the filter lets it through", () => {
  const { deliveries } = stand()
  expect(deliveries.take(HOOK, sent(1, "filtered"))).toMatchObject({ verdict: "filtered", run: null })
  expect(deliveries.take(HOOK, sent(1, "filtered"))).toMatchObject({ verdict: "duplicate", run: null })
  const taken = deliveries.take(HOOK, sent(1))
  expect(taken).toMatchObject({ verdict: "accepted", run: expect.stringMatching(/^run_/) })
  for (const verdict of ["accepted", "filtered"] as const)
    expect(deliveries.take(HOOK, sent(1, verdict))).toMatchObject({ verdict: "duplicate", run: taken.run })
})

test("[R11] a delivery that is sent again after a reset is answered when its start is decided, with the run that it joined", async () => {
  const { store, deliveries } = stand()
  const { delivery } = deliveries.take(HOOK, sent(1))
  // The object is started again: nothing is under way.
  const later = new Deliveries({
    store,
    runId: (letters) => `run_${letters}`,
    launch: async () => ({ as: "merged", run: "run_joined" }),
    payloadOf: async () => undefined,
    want: () => undefined,
  })
  const again = later.take(HOOK, sent(1))
  expect(await later.settled(HOOK.id, again)).toEqual({ delivery, run: "run_joined", verdict: "duplicate" })
})

test("[R17] [H4] a redelivery that is asked for again under its Idempotency-Key says once more that it was merged, or skipped and why", async () => {
  const outcomes = [
    [
      { as: "merged", run: "run_joined" },
      { verdict: "merged", run: "run_joined" },
    ],
    [
      { as: "skipped", why: "its key is busy" },
      { verdict: "skipped", run: null, reason: "its key is busy" },
    ],
  ] as const
  for (const [launched, told] of outcomes) {
    const { store } = stand()
    const deliveries = new Deliveries({
      store,
      runId: (letters) => `run_${letters}`,
      launch: async () => launched,
      payloadOf: async () => undefined,
      want: () => undefined,
    })
    const taken = deliveries.take(HOOK, sent(1))
    expect(await deliveries.settled(HOOK.id, taken)).toMatchObject(told)
    const first = await deliveries.redeliver(HOOK, taken.delivery, "act")
    expect(first).toMatchObject({ delivery: "dl_act", ...told })
    expect(await deliveries.redeliver(HOOK, taken.delivery, "act")).toEqual(first)
  }
})

test("[R11] one whose start is not decided in time is answered without a run, and told it when it is sent again", async () => {
  vi.useFakeTimers()
  const { deliveries, ends } = stand()
  const taken = deliveries.take(HOOK, sent(1))
  const settled = deliveries.settled(HOOK.id, taken)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await settled).toMatchObject({ verdict: "accepted", run: null })
  const again = deliveries.settled(HOOK.id, deliveries.take(HOOK, sent(1)))
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(1)
  expect(await again).toMatchObject({ verdict: "duplicate", run: taken.run })
  vi.useRealTimers()
})

test("[W3] a filtered delivery is redelivered with the filter and the mapping of now", async () => {
  const { deliveries, launched, ends } = stand()
  const { delivery } = deliveries.take(HOOK, sent(1, "filtered"))
  const closed = { ...HOOK, filter: 'title == "other"' } as HookRow
  expect(await deliveries.redeliver(closed, delivery)).toEqual({ delivery, run: null, verdict: "filtered" })
  const mended = { ...HOOK, flow: "g", mapping: { task: "again ${{trigger.body.title}}" } } as HookRow
  const again = deliveries.redeliver(mended, delivery)
  await turn()
  ends[0]?.()
  expect(await again).toMatchObject({ verdict: "accepted" })
  expect(launched).toMatchObject([{ flow: "g", task: "again T", payload: payload("T") }])
})

test("[W2] GitHub's form that an earlier filter held back is redelivered as the event in it", async () => {
  const { deliveries, launched, ends } = stand()
  const github = { ...HOOK, kind: "github" } as HookRow
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const payload = { headers, body: { payload: { title: "T", n: 3 } }, query: {} }
  const { delivery } = deliveries.take(github, { external: null, keys: [], what: { verdict: "filtered", reason: "no", payload } })
  const again = deliveries.redeliver({ ...github, filter: "n == 3" }, delivery)
  await turn()
  ends[0]?.()
  expect(await again).toMatchObject({ verdict: "accepted" })
  expect(launched).toMatchObject([{ task: "T", payload: { body: { title: "T", n: 3 } } }])
})

test("[F40] [W1] the log says why the filter stopped it, and which references had no value; the run is told too", async () => {
  const { deliveries, store, launched, ends } = stand()
  const missing = ["trigger.body.sender.login"]
  deliveries.take(HOOK, { ...sent(1), what: { verdict: "filtered", reason: "it is 7" } })
  const { delivery } = deliveries.take(HOOK, { ...sent(2), what: { ...what("accepted"), missing } as Delivered["what"] })
  await turn()
  ends[0]?.()
  await turn()
  const again = deliveries.redeliver(HOOK, delivery)
  await turn()
  ends[1]?.()
  await again
  const log = store.list("h1", { limit: 9 })
  const lacks = { verdict: "accepted", reason: expect.stringContaining("${{trigger.body.sender.login}}") }
  expect("data" in log && log.data).toMatchObject([lacks, lacks, { verdict: "filtered", reason: "it is 7" }])
  expect(launched.map(({ trigger }) => trigger.missing)).toEqual([missing, missing])
})

test("[W3] payloads of filtered deliveries are kept for the newest fifty, and none that is large", async () => {
  const { deliveries, storage } = stand()
  const first = deliveries.take(HOOK, sent(0, "filtered"))
  for (let n = 1; n <= 50; n++) deliveries.take(HOOK, sent(n, "filtered"))
  expect(storage.sql.exec("SELECT DISTINCT delivery FROM delivery_given").toArray()).toHaveLength(50)
  expect(await deliveries.redeliver(HOOK, first.delivery)).toBe("refused")
  const large = deliveries.take(HOOK, { external: "l", keys: [], what: what("filtered", "x".repeat(70_000)) })
  expect(await deliveries.redeliver(HOOK, large.delivery)).toBe("refused")
})

test("[W3] a delivery is answered before its run begins, and so many runs are begun at once", async () => {
  const { deliveries, launched, ends, store } = stand()
  for (let n = 0; n < 50; n++) deliveries.take(HOOK, sent(n))
  expect(launched).toHaveLength(0)
  await turn()
  expect(launched).toHaveLength(BEGUN_AT_ONCE)
  // All are durable, and an alarm waits for them.
  expect(store.due(Number.MAX_SAFE_INTEGER, 100)).toHaveLength(50)
  for (let n = 0; n < 50; n++) {
    ends[n]?.()
    await turn()
  }
  expect(launched).toHaveLength(50)
  expect(store.due(Number.MAX_SAFE_INTEGER, 100)).toHaveLength(0)
})

test("[W3] whoever asks for a promised run hears whether its start goes on beyond three seconds", async () => {
  vi.useFakeTimers()
  try {
    const { deliveries, ends } = stand()
    const { run } = deliveries.take(HOOK, sent(1))
    const late = deliveries.begin(run ?? "")
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await late).toBe(true)
    const begun = deliveries.begin(run ?? "")
    await vi.advanceTimersByTimeAsync(1)
    ends[0]?.()
    expect(await begun).toBe(false)
    expect(await deliveries.begin(run ?? "")).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test("[W3] [H5] no later try begins a run that was deleted while its start was on its way", async () => {
  const { deliveries, launched, store } = stand()
  const { run } = deliveries.take(HOOK, sent(1))
  await turn()
  expect(launched).toHaveLength(1)
  deliveries.deleted(run ?? "")
  expect(store.due(Number.MAX_SAFE_INTEGER, 9)).toEqual([])
  expect(await deliveries.begin(run ?? "")).toBe(false)
  await deliveries.work(Date.now() + 60_000)
  expect(launched).toHaveLength(1)
})

test("[W3] [W8] a start whose answer was lost is a start, whatever has become of the flow since", async () => {
  const view = (status: string, message?: string) => ({ status, ...(message ? { error: { message } } : {}) }) as RunView
  const wish = { run: "r", flow: "f", task: "t", inputs: {}, trigger: { kind: "webhook", hook: "h", delivery: "d" } } as Launch
  const with_ = (there: RunView) =>
    launch(
      {
        tenant: "t",
        pin: async () => ({ ok: false, code: "not_found" }) as never,
        run: () => ({ start: async () => there, join: async () => true }),
        keepFiles: async () => ({ ok: true, value: [] }) as never,
        giveBack: async () => undefined,
        arrive: async () => ({ ok: true, do: "stands" }),
        nextId: async (run) => `${run} again`,
        redactor: async () => new Redactor([]),
        tenancy: () => undefined,
      },
      wish,
    )
  const why = 'there is no flow "f"'
  expect(await with_(view("failed", why))).toEqual({ as: "failed", why })
  expect(await with_(view("running"))).toBeUndefined()
  expect(await with_(view("failed", "a step failed"))).toBeUndefined()
})
