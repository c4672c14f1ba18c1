// Schedules [W5]: what the clock fires, how often, and that a crash in between changes nothing.

import { runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import type { Launch, Launched } from "../../../../src/cloudflare/tenant/starts/launch.ts"
import { ScheduleStore } from "../../../../src/cloudflare/tenant/schedules/schedule-store.ts"
import { Schedules } from "../../../../src/cloudflare/tenant/schedules/schedules.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import type { ScheduleSettings } from "../../../../src/ports/tenant/schedules.ts"

const START = Date.parse("2026-11-22T00:00:30Z")
const MINUTE = 60_000
/** A time limit for tests of calls that hang. */
const SOON = { timeout: 30_000 }

/** Schedules of a tenant whose clock and starts the test controls. Create it under fake timers, because it reads the clock. */
class Stand {
  readonly launched: Launch[] = []
  readonly wanted: number[] = []
  start: (wish: Launch) => Promise<Launched> = async () => undefined
  readonly store: ScheduleStore
  schedules: Schedules
  readonly #sql: TenantSql
  #starting: Promise<unknown>[] = []

  constructor(storage: DurableObjectStorage) {
    this.#sql = new TenantSql(storage)
    this.store = new ScheduleStore(this.#sql)
    this.schedules = this.#made()
  }
  #made(): Schedules {
    return new Schedules({
      store: this.store,
      tenant: "acme",
      runId: (letters) => `run_${letters}`,
      launch: (wish) => {
        this.launched.push(wish)
        return this.start(wish)
      },
      waits: () => false,
      want: (at) => void this.wanted.push(at),
      later: (work) => void this.#starting.push(work),
    })
  }
  crash(): void {
    this.schedules = this.#made()
    this.#starting = []
  }
  every(cron: string, more: Partial<ScheduleSettings> = {}): string {
    const id = `sch_${cron}`
    this.store.create(id, Date.now(), { flow: "f", cron, zone: "UTC", overlap: "skip", enabled: true, task: "tick", ...more })
    return id
  }
  /** Does what the alarm does if something is due by then. */
  async ring(): Promise<void> {
    const due = this.schedules.due()
    if (due === undefined || due > Date.now()) return
    await this.schedules.work(Date.now())
    await Promise.all(this.#starting.splice(0))
  }
  /** Rings an exact alarm until `ms` have passed. */
  async pass(ms: number): Promise<void> {
    const until = Date.now() + ms
    for (let due = this.schedules.due(); due !== undefined && due <= until; due = this.schedules.due()) {
      vi.setSystemTime(Math.max(Date.now(), due))
      await this.ring()
    }
    vi.setSystemTime(until)
  }
  ends(n: number): void {
    this.schedules.ended(this.launched[n]?.run ?? "")
  }
  runs(): string[] {
    return this.launched.map((wish) => wish.run)
  }
}

let stands = 0
const stand = (work: (s: Stand) => Promise<void>): Promise<void> =>
  runInDurableObject(env.TENANT.get(env.TENANT.idFromName(`sch-${stands++}`)), async (_, ctx) => {
    vi.useFakeTimers({ now: START, toFake: ["Date"] })
    try {
      await work(new Stand(ctx.storage))
    } finally {
      vi.useRealTimers()
    }
  })

describe("the clock", () => {
  test("[W5] fires on the minute, and shows the next and the last fire", () =>
    stand(async (s) => {
      const id = s.every("* * * * *", { overlap: "parallel" })
      expect(s.store.find(id)).toMatchObject({ next: START + 30_000, last: null })
      await s.pass(3 * MINUTE)
      expect(s.launched).toHaveLength(3)
      expect(new Set(s.runs()).size).toBe(3)
      expect(s.launched[0]).toMatchObject({ flow: "f", task: "tick", inputs: {}, trigger: { kind: "schedule", schedule: id } })
      expect(s.store.find(id)).toMatchObject({
        next: START + 30_000 + 3 * MINUTE,
        last: { at: START + 30_000 + 2 * MINUTE, run: s.runs()[2] },
      })
    }))

  test("[W5] all missed fires become one fire", () =>
    stand(async (s) => {
      const id = s.every("*/5 * * * *", { overlap: "parallel" })
      vi.setSystemTime(START + 3 * 60 * MINUTE)
      await s.ring()
      await s.ring()
      expect(s.launched).toHaveLength(1)
      expect(s.store.find(id)).toMatchObject({ next: START + 30_000 + 184 * MINUTE, last: { at: START + 180 * MINUTE } })
    }))

  test("[W5] a disabled schedule does not fire, and a deleted one is gone", () =>
    stand(async (s) => {
      const id = s.every("* * * * *", { enabled: false })
      expect(s.store.find(id)?.next).toBeNull()
      await s.pass(5 * MINUTE)
      s.store.replace(id, { flow: "f", cron: "0 * * * *", zone: "UTC", overlap: "skip", enabled: true }, Date.now())
      expect(s.store.find(id)).toMatchObject({ next: START + 30_000 + 59 * MINUTE, cron: "0 * * * *" })
      expect([s.store.remove(id), s.store.remove(id)]).toEqual([true, false])
      await s.pass(120 * MINUTE)
      expect(s.launched).toEqual([])
    }))
})

describe("overlap", () => {
  test("[W5] skip: does not fire while a run is live", () =>
    stand(async (s) => {
      const id = s.every("* * * * *")
      await s.pass(3 * MINUTE)
      expect(s.launched).toHaveLength(1)
      expect(await s.schedules.fire(id)).toEqual({ run: null, verdict: "skipped" })
      s.ends(0)
      await s.pass(MINUTE)
      expect(s.launched).toHaveLength(2)
    }))

  test("[W5] queue: only one fire waits, and starts when the run has ended", () =>
    stand(async (s) => {
      const id = s.every("* * * * *", { overlap: "queue" })
      await s.pass(MINUTE)
      expect(await s.schedules.fire(id)).toEqual({ run: null, verdict: "queued" })
      expect(await s.schedules.fire(id)).toEqual({ run: null, verdict: "skipped" })
      await s.pass(10 * MINUTE)
      expect(s.launched).toHaveLength(1)
      s.ends(0)
      // The alarm is set at once.
      expect(s.wanted.at(-1)).toBe(Date.now())
      await s.ring()
      expect(s.launched).toHaveLength(2)
      s.ends(1)
      await s.ring()
      expect(s.launched).toHaveLength(2)
    }))

  test("[W5] queue: a waiting fire is dropped when the schedule is disabled", () =>
    stand(async (s) => {
      const id = s.every("* * * * *", { overlap: "queue" })
      await s.pass(2 * MINUTE)
      s.store.replace(id, { flow: "f", cron: "* * * * *", zone: "UTC", overlap: "queue", enabled: false }, Date.now())
      s.ends(0)
      await s.pass(5 * MINUTE)
      expect(s.launched).toHaveLength(1)
    }))

  test("[W5] parallel: every fire starts a run", () =>
    stand(async (s) => {
      const id = s.every("* * * * *", { overlap: "parallel" })
      await s.pass(2 * MINUTE)
      expect(await s.schedules.fire(id)).toEqual({ run: expect.stringMatching(/^run_[0-9a-z]{26}$/), verdict: "started" })
      expect(s.launched).toHaveLength(3)
    }))
})

describe("faults", () => {
  test("[W5] [S1] after a crash between a fire and its start, the alarm starts the same run and no other", () =>
    stand(async (s) => {
      s.every("0 * * * *")
      s.start = () => new Promise(() => undefined)
      vi.setSystemTime(START + 60 * MINUTE)
      await s.schedules.work(Date.now())
      await vi.waitFor(() => expect(s.launched).toHaveLength(1), SOON)
      s.crash()
      s.start = async () => undefined
      await s.pass(5 * MINUTE)
      expect(s.launched).toHaveLength(2)
      expect(new Set(s.runs()).size).toBe(1)
    }))

  test("[W5] whoever asks for a run that was fired waits for the start under way, and hears when it takes too long", () =>
    stand(async (s) => {
      s.every("0 * * * *")
      let end = (): void => undefined
      s.start = () => new Promise((resolve) => (end = () => resolve(undefined)))
      vi.setSystemTime(START + 60 * MINUTE)
      await s.schedules.work(Date.now())
      await vi.waitFor(() => expect(s.launched).toHaveLength(1), SOON)
      const run = s.runs()[0] ?? ""
      expect(await s.schedules.begin(run)).toBe(true)
      const begun = s.schedules.begin(run)
      end()
      expect(await begun).toBe(false)
      expect(s.launched).toHaveLength(1)
      expect(await s.schedules.begin("run_of_nobody")).toBe(false)
    }))

  test("[W5] a start that fails temporarily is tried again under the same id", () =>
    stand(async (s) => {
      const id = s.every("0 * * * *")
      s.start = async () => {
        if (s.launched.length < 4) throw new Error("overloaded")
        return undefined
      }
      vi.setSystemTime(START + 60 * MINUTE)
      await s.pass(5 * MINUTE)
      expect(s.launched).toHaveLength(4)
      expect(new Set(s.runs()).size).toBe(1)
      expect(s.store.find(id)?.last?.run).toBe(s.runs()[0])
    }))

  test("[W5] a refused start says why, and the next fire is still tried", () =>
    stand(async (s) => {
      const id = s.every("* * * * *")
      s.start = async () => ({ as: "failed", why: 'there is no flow "f"' })
      await s.pass(MINUTE)
      expect(s.store.find(id)?.last).toEqual({ at: START + 30_000, run: s.runs()[0], error: 'there is no flow "f"' })
      expect(await s.schedules.fire(id)).toEqual({ run: s.runs()[1], verdict: "failed", reason: 'there is no flow "f"' })
      s.start = async () => undefined
      await s.pass(MINUTE)
      expect(s.store.find(id)?.last).toEqual({ at: START + 30_000 + MINUTE, run: s.runs().at(-1) })
    }))

  test("[W5] a start that hangs delays no other schedule, and is not begun twice", () =>
    stand(async (s) => {
      const slow = s.every("0 * * * *", { flow: "slow" })
      const quick = s.every("*/2 * * * *", { flow: "quick", overlap: "parallel" })
      s.start = (wish) => (wish.flow === "slow" ? new Promise(() => undefined) : Promise.resolve(undefined))
      vi.setSystemTime(START + 60 * MINUTE)
      for (let i = 0; i < 10; i++) {
        await s.schedules.work(Date.now())
        vi.setSystemTime(Date.now() + MINUTE)
      }
      await vi.waitFor(() => expect(s.launched.filter((w) => w.flow === "quick").length).toBeGreaterThan(3), SOON)
      expect(s.launched.filter((w) => w.flow === "slow")).toHaveLength(1)
      expect([slow, quick].map((id) => s.store.find(id)?.last?.run === null)).toEqual([false, false])
    }))
})

describe("a tenant's schedules", () => {
  const ask = async (method: string, path: string, body?: unknown) => {
    const r = await SELF.fetch(`http://sluice${path}`, {
      method,
      headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await r.text()
    return { status: r.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const local = () => env.TENANT.get(env.TENANT.idFromName("local"))
  const set = () =>
    ask("PUT", "/v1/catalog", {
      agents: { "v.md": "---\nname: v\ndescription: v\nmodel: rehearsal/default\n---\nDo it.\n" },
      flows: {
        "tick.yaml":
          "name: tick\ndescription: d\ninputs: { n: { type: number, required: true } }\nsteps:\n  - { id: go, type: agent, agent: v }\n",
        "wait.yaml": "name: wait\ndescription: d\nsteps:\n  - { id: w, type: wait, signal: go }\n",
      },
    })

  test("[W5] the alarm and a manual fire start an ordinary run, with the schedule as its trigger", async () => {
    await set()
    const made = await ask("POST", "/v1/schedules", { flow: "tick", cron: "0 0 29 2 *", zone: "Asia/Tokyo", inputs: { n: 3 } })
    expect(made).toMatchObject({ status: 201, body: { overlap: "skip", enabled: true, zone: "Asia/Tokyo", last: null } })
    expect(made.body.next).toMatch(/-02-28T15:00:00\.000Z$/)
    const { id } = made.body
    try {
      const fired = await ask("POST", `/v1/schedules/${id}/fire`, {})
      expect(fired).toEqual({ status: 202, body: { run: expect.any(String), verdict: "started" } })
      await vi.waitFor(async () => expect((await ask("GET", `/v1/runs/${fired.body.run}`)).body.status).toBe("succeeded"), SOON)
      // Makes the schedule due.
      await runInDurableObject(local(), (_, ctx) => {
        ctx.storage.sql.exec("UPDATE schedule SET next = ? WHERE id = ?", Date.now() - 1, id)
        return ctx.storage.setAlarm(Date.now() + 60_000)
      })
      await runDurableObjectAlarm(local())
      const seen = await vi.waitFor(async () => {
        const { body } = await ask("GET", `/v1/schedules/${id}`)
        expect(body.last.run).not.toBe(fired.body.run)
        return body
      }, SOON)
      expect(seen.next).toBe(made.body.next)
      await vi.waitFor(
        async () =>
          expect((await ask("GET", `/v1/runs/${seen.last.run}`)).body).toMatchObject({
            status: "succeeded",
            inputs: { n: 3 },
            trigger: { kind: "schedule", schedule: id },
          }),
        SOON,
      )
    } finally {
      expect((await ask("DELETE", `/v1/schedules/${id}`)).status).toBe(204)
    }
  })

  test("[W5] a queued fire starts when the run before it has ended, with any outcome", async () => {
    await set()
    const { body: schedule } = await ask("POST", "/v1/schedules", { flow: "wait", cron: "0 0 29 2 *", overlap: "queue" })
    const fire = async () => (await ask("POST", `/v1/schedules/${schedule.id}/fire`, {})).body
    try {
      const first = await fire()
      expect([await fire(), await fire()]).toEqual([
        { run: null, verdict: "queued" },
        { run: null, verdict: "skipped" },
      ])
      await ask("POST", `/v1/runs/${first.run}/cancel`, {})
      await vi.waitFor(async () => {
        await runDurableObjectAlarm(local())
        const { last } = (await ask("GET", `/v1/schedules/${schedule.id}`)).body
        expect(last.run).not.toBe(first.run)
        await ask("POST", `/v1/runs/${last.run}/cancel`, {})
      }, SOON)
    } finally {
      await ask("DELETE", `/v1/schedules/${schedule.id}`)
    }
  })

  test("[W5] time zones come from the runtime, and this Worker has them", async () => {
    const preview = await ask("POST", "/v1/schedules/preview", {
      cron: "30 2 * * *",
      zone: "Europe/Berlin",
      from: "2026-03-28T12:00:00Z",
      count: 2,
    })
    expect(preview.body).toEqual({ next: ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"] })
  })
})
