// Outgoing callbacks [W6]: the outbox in the tenant's object and its sender, with a clock and receivers that the test controls; then a real run.

import { runInDurableObject, SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { Webhook } from "standardwebhooks"
import { afterEach, describe, expect, test, vi } from "vitest"
import { CallbackSender, WAITS } from "../../../../src/cloudflare/tenant/callbacks/callback-sender.ts"
import { Vault } from "../../../../src/cloudflare/platform/vault.ts"
import { CallbackStore } from "../../../../src/cloudflare/tenant/callbacks/callback-store.ts"
import { PushStore } from "../../../../src/protocols/a2a/push-store.ts"
import { SealedValues } from "../../../../src/cloudflare/tenant/secrets/sealed-values.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { Redactor } from "../../../../src/core/secrets/redact.ts"
import type { NoticeType } from "../../../../src/core/run/notice.ts"
import { NOTICES } from "../../../../src/core/run/notice.ts"
import type { CallbackRow } from "../../../../src/ports/tenant/callbacks.ts"
import type { ListedRun } from "../../../../src/ports/tenant/run-list.ts"

const SECRET = `whsec_${btoa("a secret of 24 bytes or so")}`
const OLD = `whsec_${btoa("the secret that was before")}`
const START = Date.parse("2026-11-22T00:00:00Z")

interface Try {
  readonly at: number
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}
type Answer = number | Response | Error | "hang" | "drop"

/** A tenant's outbox. The test controls everything around it. */
function storeOf(storage: DurableObjectStorage): CallbackStore {
  const sql = new TenantSql(storage)
  return new CallbackStore(sql, "acme", new PushStore(sql, new SealedValues(new Vault({ ENVIRONMENT: "local" }), "push", "acme")))
}

class Stand {
  now = START
  readonly tries: Try[] = []
  readonly vault = new Map([["cb", [SECRET]]])
  vaultIsDown = false
  answer: (t: Try, n: number) => Answer = () => 204
  readonly wanted: number[] = []
  readonly store: CallbackStore
  sender: CallbackSender
  #flying: Promise<unknown>[] = []

  constructor(storage: DurableObjectStorage) {
    this.store = storeOf(storage)
    this.sender = this.#sender()
  }
  #sender(): CallbackSender {
    return new CallbackSender({
      store: this.store,
      secrets: async (scope) => this.vault.get(scope) ?? [],
      redactor: async () => {
        if (this.vaultIsDown) throw new Error("no answer")
        return new Redactor(this.vault)
      },
      way: { allowedPrivateHosts: [], fetch: (url, init) => this.#fetch(url, init) },
      later: (work) => void this.#flying.push(work),
      want: (at) => void this.wanted.push(at),
      now: () => this.now,
    })
  }
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const t = { at: this.now, url, headers: Object.fromEntries(new Headers(init.headers)), body: String(init.body) }
    this.tries.push(t)
    const answer = this.answer(t, this.tries.length - 1)
    if (answer instanceof Error) throw answer
    if (answer === "drop") throw new TypeError("connection reset")
    if (answer === "hang") return new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
    return typeof answer === "number" ? new Response(null, { status: answer }) : answer
  }
  /** The object is evicted; its rows stay. */
  crash(): void {
    this.sender = this.#sender()
    this.#flying = []
  }
  endpoint(id: string, more: Partial<CallbackRow> = {}): void {
    this.store.create({ id, url: `https://${id}.example.com/in`, events: [...NOTICES], secret: "cb", created: START, ...more })
  }
  say(run: string, types: readonly NoticeType[], more: Partial<ListedRun> = {}): boolean {
    const notices = types.map((type, i) => ({ type, seq: 10 * (i + 1), at: START + i }))
    return this.store.recordNotice({ id: run, flow: "f", status: "x", created: START, view: {}, notices, ...more }, 0, this.now)
  }
  async landed(): Promise<void> {
    for (let all = this.#flying.splice(0); all.length > 0; all = this.#flying.splice(0)) await Promise.all(all)
  }
  /** Does what the alarm does, until nothing is due for `ms`. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (let due = this.sender.due(); due !== undefined && due <= until; due = this.sender.due()) {
      this.now = Math.max(this.now, due)
      await this.sender.work()
      await this.landed()
    }
    this.now = until
  }
  rows() {
    const page = this.store.messages({ limit: 200 })
    if ("badCursor" in page) throw new Error("no cursor was given")
    return page.data
  }
}

let stands = 0
const stand = (work: (s: Stand) => Promise<void>): Promise<void> =>
  runInDurableObject(env.TENANT.get(env.TENANT.idFromName(`cb-${stands++}`)), (_, ctx) => work(new Stand(ctx.storage)))

const HOUR = 3_600_000
const LONG = "hunter2, (the) 'long' one; and {more} of it until the end"
/** A time limit for tests of calls that hang. */
const SOON = { timeout: 30_000 }

describe("a message", () => {
  test("[T32] a failed try shows no part of a secret, wherever its text is cut", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.vault.set("crm", [LONG])
      let pad = 200
      s.answer = () => new Error(`${"a ".repeat((pad += 10) / 2)}${LONG} and more${" z".repeat(400)}`)
      s.say("run_1", ["run.failed"])
      for (const [n, wait] of [0, ...WAITS.slice(0, 7)].entries()) {
        await s.pass(wait)
        const [row] = s.rows()
        expect(row?.attempts).toBe(n + 1)
        expect(row?.last_error).toMatch(/did not answer: a a /)
        expect(row?.last_error).not.toMatch(/hunter2|'long'|\{more\}|until the e/)
        expect(row?.last_error?.length).toBeLessThanOrEqual(301)
      }
      s.vaultIsDown = true
      await s.pass(20 * HOUR)
      expect(s.rows()).toMatchObject([{ last_error: expect.stringContaining("the secrets vault does not answer") }])
    }))

  test("[W6] is signed according to Standard Webhooks with every value of the scope, and says what happened to which run", () =>
    stand(async (s) => {
      s.vault.set("cb", [SECRET, OLD, "not base64 at all!"])
      s.endpoint("a")
      expect(s.say("run_1", ["run.failed"])).toBe(true)
      await s.pass(0)
      const [t] = s.tries
      if (!t) throw new Error("nothing was sent")
      for (const secret of [SECRET, OLD]) {
        // This uses the real clock.
        vi.useFakeTimers({ now: START })
        const verified = new Webhook(secret).verify(t.body, t.headers)
        vi.useRealTimers()
        expect(verified).toEqual({
          type: "run.failed",
          timestamp: "2026-11-22T00:00:00.000Z",
          data: { run: "run_1", flow: "f", status: "failed", rehearsed: false },
        })
      }
      expect(() => new Webhook(`whsec_${btoa("somebody else's secret")}`).verify(t.body, t.headers)).toThrow()
      expect(t.headers["webhook-signature"]?.split(" ")).toHaveLength(2)
      expect(s.rows()).toMatchObject([{ id: t.headers["webhook-id"], status: "delivered", attempts: 1, last_status: 204, callback: "a" }])
    }))

  test("[W6] after three failures the receiver gets it exactly once more, with the same id and body and the timestamp of that try", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = (_, n) => [500, "drop" as const, 429][n] ?? 200
      s.say("run_1", ["run.succeeded"])
      await s.pass(100 * HOUR)
      expect(s.tries.map((t) => t.at - START)).toEqual([0, 1_000, 3_000, 7_000])
      expect(new Set(s.tries.map((t) => `${t.headers["webhook-id"]} ${t.body}`)).size).toBe(1)
      expect(s.tries.map((t) => Number(t.headers["webhook-timestamp"]) * 1_000)).toEqual(s.tries.map((t) => t.at))
      expect(s.rows()).toMatchObject([{ status: "delivered", attempts: 4, last_status: 200, last_error: null }])
    }))

  test("[W6] a message to a receiver that is down is dead after three days of tries; a redrive sends it again with all tries", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = () => 503
      s.say("run_1", ["run.succeeded"])
      await s.pass(100 * HOUR)
      const waits = s.tries.slice(1).map((t, i) => t.at - (s.tries[i]?.at ?? 0))
      expect(waits).toEqual([1e3, 2e3, 4e3, 30e3, 300e3, 1_800e3, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR])
      expect(waits).toEqual(WAITS)
      expect(s.rows()).toMatchObject([{ status: "dead", attempts: 13, last_status: 503, last_error: "the receiver answered 503" }])
      const id = s.rows()[0]?.id ?? ""
      s.answer = (_, n) => (n < 15 ? 503 : 200)
      expect(s.store.redrive(id, s.now)).toBe("ok")
      await s.pass(HOUR)
      expect(s.tries).toHaveLength(16)
      expect(new Set(s.tries.map((t) => t.headers["webhook-id"]))).toEqual(new Set([id]))
      expect(s.store.redrive(id, s.now)).toBe("delivered")
      expect(s.store.redrive("msg_none", s.now)).toBe("not_found")
    }))

  const asking = (status: number, headers: Record<string, string>): Response => new Response(null, { status, headers })

  test("[W6] a receiver that asks for time is left alone so long, at each try, and not beyond the longest wait", () =>
    stand(async (s) => {
      s.endpoint("a")
      const answers = [
        asking(429, { "retry-after": "6" }),
        asking(503, { "retry-after": new Date(START + 96_000).toUTCString(), date: new Date(START + 6_000).toUTCString() }),
        asking(429, { "retry-after": "1" }),
        asking(429, { "retry-after": "99999999" }),
        asking(500, { "retry-after": "3600" }),
        asking(429, { "retry-after": "soon" }),
      ]
      s.answer = (_, n) => answers[n] ?? 200
      s.say("run_1", ["run.succeeded"])
      await s.pass(0)
      expect(s.rows()).toMatchObject([{ status: "pending", last_status: 429, last_error: "the receiver answered 429 and asks for 6 s" }])
      await s.pass(100 * HOUR)
      const waits = s.tries.slice(1).map((t, i) => t.at - (s.tries[i]?.at ?? 0))
      expect(waits).toEqual([6e3, 90e3, 4e3, 20 * HOUR, 300e3, 1_800e3])
      expect(s.rows()).toMatchObject([{ status: "delivered", attempts: 7 }])
    }))

  test("[W6] [J12] what was asked for is kept when the object starts anew, and a clock that stepped back holds nothing up", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = (_, n) => (n === 0 ? asking(429, { "retry-after": "600" }) : 200)
      s.say("run_1", ["run.succeeded"])
      await s.pass(0)
      s.sender.mend(s.now)
      await s.pass(599_000)
      expect(s.tries).toHaveLength(1)
      s.now = START - 30 * HOUR
      s.sender.mend(s.now)
      await s.pass(1_000)
      expect(s.tries).toHaveLength(2)
    }))

  test("[W6] a receiver that was down for an hour gets everything", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = (t) => (t.at < START + HOUR ? "drop" : 200)
      for (let i = 0; i < 30; i++) s.say(`run_${i}`, ["run.succeeded"])
      await s.pass(4 * HOUR)
      expect(s.rows().map((row) => row.status)).toEqual(Array.from({ length: 30 }, () => "delivered"))
    }))

  test("[W6] a redirect is a failure, and its target is not requested", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example.com/" } })
      s.say("run_1", ["run.succeeded"])
      await s.pass(500)
      expect(s.tries.map((t) => t.url)).toEqual(["https://a.example.com/in"])
      expect(s.rows()).toMatchObject([
        { status: "pending", last_status: 307, last_error: "the receiver redirects, and redirects are not followed" },
      ])
    }))

  test("[W6] an address is checked again before sending: a private or unencrypted address is never requested", () =>
    stand(async (s) => {
      for (const [i, url] of ["https://10.0.0.1/", "http://plain.example.com/", "https://localhost/"].entries())
        s.endpoint(`e${i}`, { url })
      s.say("run_1", ["run.succeeded"])
      await s.pass(500)
      expect(s.tries).toEqual([])
      expect(s.rows().map((row) => row.last_error?.slice(0, 17))).toEqual(Array.from({ length: 3 }, () => "address refused: "))
    }))

  test("[W6] 410 disables the receiver: its queued messages are dead and no new ones are made; a redrive is still sent", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.endpoint("b")
      s.answer = (t) => (t.url.includes("//a.") ? 500 : 200)
      s.say("run_0", ["run.succeeded"])
      await s.pass(0)
      s.answer = (t) => (t.url.includes("//a.") ? 410 : 200)
      s.say("run_1", ["run.succeeded"])
      await s.pass(500)
      expect([s.store.find("a")?.enabled, s.store.find("b")?.enabled]).toEqual([false, true])
      s.say("run_2", ["run.succeeded"])
      await s.pass(100 * HOUR)
      const ofA = s.rows().filter((row) => row.callback === "a")
      expect(ofA.map((row) => row.status)).toEqual(["dead", "dead"])
      expect(s.tries.filter((t) => t.url.includes("//a."))).toHaveLength(2)
      s.answer = () => 200
      s.store.redrive(ofA[0]?.id ?? "", s.now)
      await s.pass(0)
      expect(s.store.message(ofA[0]?.id ?? "")?.status).toBe("delivered")
    }))

  test("[W6] without a secret that can sign, it is soon dead, with the reason; nothing is sent unsigned", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.vault.delete("cb")
      s.say("run_1", ["run.succeeded"])
      await s.pass(100 * HOUR)
      expect(s.tries).toEqual([])
      expect(s.rows()).toMatchObject([
        { status: "dead", attempts: 4, last_error: expect.stringContaining('"cb" has no value that can sign') },
      ])
      s.say("run_2", ["run.succeeded"])
      await s.pass(1_500)
      s.vault.set("cb", [SECRET])
      await s.pass(5_000)
      expect(s.tries).toHaveLength(1)
    }))

  test("[W6] a try without an answer is given up after 10 s", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = () => "hang"
      s.say("run_1", ["run.succeeded"])
      // The ten seconds pass in a moment.
      const limit = AbortSignal.timeout.bind(AbortSignal)
      const asked: number[] = []
      const limits = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
        asked.push(ms)
        return limit(20)
      })
      await s.pass(0).finally(() => limits.mockRestore())
      expect(asked).toEqual([10_000])
      expect(s.rows()).toMatchObject([
        { status: "pending", attempts: 1, last_status: null, last_error: "the receiver did not answer within 10 s" },
      ])
    }))
})

describe("the outbox", () => {
  test("[W6] a repeated notice is one message, and only a new notice makes a new one", () =>
    stand(async (s) => {
      s.endpoint("a")
      expect(s.say("run_1", ["run.waiting"])).toBe(true)
      s.say("run_1", ["run.waiting"])
      s.say("run_1", ["run.waiting", "run.succeeded"])
      expect(
        s
          .rows()
          .map((row) => row.type)
          .toSorted(),
      ).toEqual(["run.succeeded", "run.waiting"])
      // The same id again, after its first run was deleted, is another run.
      const before = s.rows().map((row) => row.id)
      s.say("run_1", ["run.waiting"], { created: START + 1 })
      expect(s.rows()).toHaveLength(3)
      expect(before).not.toContain(s.rows().find((row) => !before.includes(row.id))?.id)
    }))

  test("[W6] each receiver gets the events that it asked for; a receiver given at a start gets those of its run", () =>
    stand(async (s) => {
      s.endpoint("a", { events: ["run.failed"] })
      s.endpoint("b")
      const callback = { url: "https://own.example.com/x", events: ["run.waiting" as const], secret: "cb" }
      s.say("run_1", ["run.waiting", "run.succeeded"], { callback })
      s.say("run_2", ["run.failed"])
      await s.pass(0)
      const got = s.tries.map((t) => `${new URL(t.url).host.split(".")[0]} ${JSON.parse(t.body).data.run} ${JSON.parse(t.body).type}`)
      expect(got.toSorted()).toEqual([
        "a run_2 run.failed",
        "b run_1 run.succeeded",
        "b run_1 run.waiting",
        "b run_2 run.failed",
        "own run_1 run.waiting",
      ])
    }))

  test("[W6] 410 from a receiver given at a start ends the messages about that run", () =>
    stand(async (s) => {
      const callback = { url: "https://own.example.com/x", events: [...NOTICES], secret: "cb" }
      s.answer = () => 410
      s.say("run_1", ["run.waiting"], { callback })
      await s.pass(0)
      s.say("run_1", ["run.waiting", "run.succeeded"], { callback })
      await s.pass(HOUR)
      expect(s.tries).toHaveLength(1)
      expect(s.rows()).toMatchObject([{ callback: null, status: "dead", last_status: 410 }])
    }))

  test("[R10] the receivers of starts that joined hear of the run, each by itself: a 410 of one ends its own messages alone", () =>
    stand(async (s) => {
      const of = (name: string) => ({ url: `https://${name}.example.com/x`, events: [...NOTICES], secret: "cb" })
      const said = { callback: of("last"), callbacks: [of("first"), of("second")] }
      s.answer = (t) => (t.url.includes("//first.") ? 410 : 200)
      s.say("run_1", ["run.waiting"], said)
      await s.pass(0)
      s.say("run_1", ["run.waiting", "run.succeeded"], said)
      s.say("run_2", ["run.succeeded"], { callbacks: [of("first")] })
      await s.pass(HOUR)
      const got = s.tries.map((t) => `${new URL(t.url).host.split(".")[0]} ${JSON.parse(t.body).data.run} ${JSON.parse(t.body).type}`)
      expect(got.toSorted()).toEqual([
        "first run_1 run.waiting",
        "first run_2 run.succeeded",
        "last run_1 run.succeeded",
        "last run_1 run.waiting",
        "second run_1 run.succeeded",
        "second run_1 run.waiting",
      ])
    }))

  test("[W6] [S1] a try is recorded before it is sent: after a crash the message is sent again under the same id", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = () => "hang"
      s.say("run_1", ["run.succeeded"])
      s.sender.send()
      await vi.waitFor(() => expect(s.tries).toHaveLength(1), SOON)
      expect(s.rows()).toMatchObject([{ status: "pending", attempts: 1 }])
      // The alarm that repeats the try was set in the same commit.
      expect(Math.max(...s.wanted)).toBe(START + 15_000)
      s.crash()
      expect(s.sender.due()).toBe(START + 15_000)
      s.answer = () => 200
      await s.pass(20_000)
      expect(s.tries.map((t) => t.at - START)).toEqual([0, 15_000])
      expect(s.tries[0]?.headers["webhook-id"]).toBe(s.tries[1]?.headers["webhook-id"])
      expect(s.rows()).toMatchObject([{ status: "delivered", attempts: 2 }])
    }))

  test("[W6] receivers that hang delay only themselves", () =>
    stand(async (s) => {
      for (const id of ["a", "b", "c", "d", "e", "f", "ok"]) s.endpoint(id, { events: id === "ok" ? ["run.failed"] : ["run.succeeded"] })
      s.answer = (t) => (t.url.includes("//ok.") ? 200 : 503)
      s.say("run_first", ["run.succeeded"])
      await s.pass(0)
      // All six have failed once; now they hang, with many messages for each of them.
      s.answer = (t) => (t.url.includes("//ok.") ? 200 : "hang")
      for (let i = 0; i < 20; i++) s.say(`run_${i}`, ["run.succeeded"])
      const before = s.tries.length
      s.sender.send()
      await vi.waitFor(() => expect(s.tries.length - before).toBe(4), SOON)
      // Nothing more can be sent now, and the alarm does not ring in vain.
      expect(s.sender.due()).toBeGreaterThan(s.now)
      for (let i = 0; i < 20; i++) s.say(`run_ok${i}`, ["run.failed"])
      s.sender.send()
      await vi.waitFor(() => expect(s.rows().filter((row) => row.status === "delivered")).toHaveLength(20), SOON)
      expect(s.tries.filter((t) => !t.url.includes("//ok."))).toHaveLength(6 + 4)
      for (const { run } of s.rows()) s.sender.drop(run)
      await s.landed()
    }))

  test("[W6] [J12] what only memory holds back has an alarm soon, for an object that dies: a try that takes long, a message without a place", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.answer = () => "hang"
      for (const run of ["run_1", "run_2", "run_3"]) s.say(run, ["run.succeeded"])
      s.sender.send()
      expect(s.sender.due()).toBe(START + 15_000)
      s.say("run_4", ["run.succeeded"])
      s.sender.send()
      expect(s.sender.due()).toBe(START + 15_000)
      // The clock steps forward: all tries are overdue.
      s.now += 195_000
      expect(s.sender.due()).toBe(s.now + 15_000)
      s.crash()
      expect(s.sender.due()).toBeLessThanOrEqual(s.now)
    }))

  test("[W6] after a run or a receiver is deleted, its messages are not sent", () =>
    stand(async (s) => {
      s.endpoint("a")
      s.endpoint("b")
      s.answer = () => 503
      for (const run of ["run_1", "run_2"]) s.say(run, ["run.succeeded"])
      await s.pass(0)
      s.sender.drop("run_1")
      expect(s.rows().map((row) => row.run)).toEqual(["run_2", "run_2"])
      expect([s.store.remove("a"), s.store.remove("a")]).toEqual([true, false])
      expect(s.rows().map((row) => row.callback)).toEqual(["b"])
      s.answer = () => "hang"
      const before = s.tries.length
      s.now += 2_000
      s.sender.send()
      await vi.waitFor(() => expect(s.tries).toHaveLength(before + 1), SOON)
      s.sender.drop("run_2")
      await s.landed()
      expect(s.rows()).toEqual([])
      expect(s.sender.due()).toBeUndefined()
    }))

  test("[W6] [H5] the log is read in pages, newest first; another list's cursor is refused", () =>
    stand(async (s) => {
      s.endpoint("a")
      for (let i = 0; i < 5; i++) {
        s.now += 1
        s.say(`run_${i}`, ["run.succeeded"])
      }
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = s.store.messages({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
        if ("badCursor" in page) throw new Error("its own cursor was refused")
        seen.push(...page.data.map((row) => row.run))
        cursor = page.next_cursor
      }
      expect(seen).toEqual(["run_4", "run_3", "run_2", "run_1", "run_0"])
      expect(s.store.messages({ limit: 2, cursor: btoa(JSON.stringify(["acme", 1, "x"])) })).toEqual({ badCursor: true })
      const page = s.store.messages({ limit: 9, run: "run_3", status: ["pending"] })
      expect("data" in page && page.data.map((row) => row.run)).toEqual(["run_3"])
    }))
})

describe("a real run", () => {
  afterEach(() => void vi.unstubAllGlobals())

  const ask = async (method: string, path: string, body?: unknown) => {
    const r = await SELF.fetch(`http://sluice${path}`, {
      method,
      headers: { authorization: "Bearer sl_local_dev", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await r.text()
    return { status: r.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const told: { type: string; run: string }[] = []
  const listen = (status: number) => {
    told.length = 0
    const real = fetch
    vi.stubGlobal("fetch", async (url: string | URL | Request, init?: RequestInit) => {
      if (!String(url).includes("receiver.example.com")) return real(url, init)
      const { type, data } = JSON.parse(String(init?.body))
      told.push({ type, run: data.run })
      return new Response(null, { status })
    })
  }
  const set = async () => {
    await ask("PUT", "/v1/secrets/cb", { value: SECRET })
    await ask("PUT", "/v1/catalog", {
      agents: { "v.md": "---\nname: v\ndescription: v\nmodel: rehearsal/default\n---\nDo it.\n" },
      flows: {
        "told.yaml":
          'name: told\ndescription: d\nautonomous: false\nsteps:\n  - { id: how, type: fork, question: "How?", options: [x, y], branches: { x: go, y: go } }\n  - { id: go, type: agent, agent: v }\n',
        "parent.yaml": "name: parent\ndescription: d\nsteps:\n  - { id: c, type: flow-ref, flow: told, autonomous: false }\n",
      },
    })
  }
  const callback = { url: "https://receiver.example.com/in", secret: "cb" }

  test("[W6] [J14] the start's receiver is in the journal, and learns that a person is needed and how the run ended", async () => {
    await set()
    listen(204)
    const started = await ask("POST", "/v1/flows/told/runs", { callback })
    expect(started.status).toBe(202)
    const { id } = started.body
    await vi.waitFor(() => expect(told).toEqual([{ type: "run.waiting", run: id }]), SOON)
    const [first] = (await ask("GET", `/v1/runs/${id}/events`)).body.data
    expect(first.callback).toEqual({ ...callback, events: [...NOTICES] })
    const [asked] = (await ask("GET", `/v1/runs/${id}/interactions`)).body.data
    await ask("POST", `/v1/runs/${id}/interactions/${asked.id}`, { answer: "x" })
    await vi.waitFor(
      () =>
        expect(told).toEqual([
          { type: "run.waiting", run: id },
          { type: "run.succeeded", run: id },
        ]),
      SOON,
    )
    await vi.waitFor(async () => {
      const { data } = (await ask("GET", `/v1/callback-deliveries?run=${id}`)).body
      expect(data.map((row: { status: string; callback: null }) => [row.status, row.callback])).toEqual([
        ["delivered", null],
        ["delivered", null],
      ])
    }, SOON)
  })

  test("[W6] a deleted run sends nothing, and its waiting messages are dropped", async () => {
    await set()
    listen(503)
    const { id } = (await ask("POST", "/v1/flows/told/runs", { callback })).body
    await vi.waitFor(() => expect(told).toHaveLength(1), SOON)
    expect((await ask("DELETE", `/v1/runs/${id}`)).status).toBe(204)
    expect((await ask("GET", `/v1/callback-deliveries?run=${id}`)).body.data).toEqual([])
    expect(told.filter((t) => t.type === "run.canceled")).toEqual([])
  })

  test("[W6] a tenant's receiver learns about every run; for a child run only that it needs a person", async () => {
    await set()
    listen(200)
    const made = await ask("POST", "/v1/callbacks", callback)
    expect(made).toMatchObject({ status: 201, body: { enabled: true, events: [...NOTICES], secret: "cb" } })
    try {
      const { id } = (await ask("POST", "/v1/flows/parent/runs", { autonomous: false })).body
      await vi.waitFor(() => expect(told.filter((t) => t.type === "run.waiting")).toHaveLength(1), SOON)
      const child = told[0]?.run ?? ""
      expect(child).not.toBe(id)
      const [asked] = (await ask("GET", `/v1/runs/${child}/interactions`)).body.data
      await ask("POST", `/v1/runs/${child}/interactions/${asked.id}`, { answer: "x" })
      await vi.waitFor(() => expect(told).toHaveLength(2), SOON)
      expect(told[1]).toEqual({ type: "run.succeeded", run: id })
    } finally {
      await ask("DELETE", `/v1/callbacks/${made.body.id}`)
    }
  })
})

describe("what a real run tells", () => {
  afterEach(() => void vi.unstubAllGlobals())

  test("[W6] [Q3] a waiting run sends its question with a link that answers it, and its end sends the output; every try the same bytes", async () => {
    const ask = async (method: string, path: string, body?: unknown, key = "Bearer sl_local_dev") => {
      const r = await SELF.fetch(`http://sluice${path}`, {
        method,
        headers: { ...(key === "" ? {} : { authorization: key }), "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await r.text()
      return { status: r.status, body: text === "" ? undefined : JSON.parse(text) }
    }
    const got: { url: string; id: string; signed: boolean; body: string }[] = []
    const real = fetch
    vi.stubGlobal("fetch", async (url: string | URL | Request, init?: RequestInit) => {
      if (!String(url).includes("told.example.com")) return real(url, init)
      const headers = new Headers(init?.headers)
      got.push({
        url: String(url),
        id: headers.get("webhook-id") ?? "",
        signed: headers.has("webhook-signature"),
        body: String(init?.body),
      })
      return new Response(null, { status: got.length === 1 ? 500 : 204 })
    })
    await ask("PUT", "/v1/secrets/cb", { value: SECRET })
    await ask("PUT", "/v1/catalog", {
      agents: { "v.md": "---\nname: v\ndescription: v\nmodel: rehearsal/default\n---\nDo it.\n" },
      flows: {
        "linked.yaml":
          'name: linked\ndescription: d\nautonomous: false\nsteps:\n  - { id: how, type: fork, question: "How?", options: [x, y], branches: { x: go, y: go } }\n  - { id: go, type: agent, agent: v }\noutputs: { said: "${{result.go.summary}}" }\n',
      },
    })
    expect((await ask("POST", "/v1/callbacks", { url: "https://told.example.com/unsigned" })).status).toBe(422)
    const slack = await ask("POST", "/v1/callbacks", { kind: "slack", url: "https://told.example.com/slack", events: ["run.waiting"] })
    expect([slack.status, slack.body.kind, slack.body.secret]).toEqual([201, "slack", ""])
    const callback = { url: "https://told.example.com/in", secret: "cb" }
    const { id } = (await ask("POST", "/v1/flows/linked/runs", { callback, tags: ["t"] })).body
    const mine = () => got.filter((one) => one.url.endsWith("/in")).map((one) => JSON.parse(one.body))
    await vi.waitFor(() => expect(new Set(got.map((one) => one.url)).size).toBe(2), SOON)
    const [{ data }] = mine()
    expect(data).toMatchObject({ run: id, flow: "linked", status: "waiting", rehearsed: true, tags: ["t"], usage: { tool_calls: 0 } })
    expect(data.interaction).toMatchObject({ kind: "fork", step: "how", payload: { question: "How?" } })
    const path = new URL(data.interaction.link).pathname
    expect(data.interaction.link).toBe(`http://sluice${path}`)
    expect(path).toMatch(/^\/i\/./)
    const toSlack = got.find((one) => one.url.endsWith("/slack"))
    expect(toSlack?.signed).toBe(false)
    expect(JSON.parse(toSlack?.body ?? "").blocks.at(-1).elements[0].url).toMatch(/^http:\/\/sluice\/i\//)
    expect((await ask("GET", path, undefined, "")).body.id).toBe(data.interaction.id)
    expect((await ask("POST", path, { answer: "x" }, "")).status).toBe(200)
    await vi.waitFor(() => expect(mine().some((one) => one.type === "run.succeeded")).toBe(true), SOON)
    expect(mine().find((one) => one.type === "run.succeeded").data).toMatchObject({
      status: "succeeded",
      output: { said: expect.any(String) },
    })
    // The first try failed: the next one has the same bytes.
    await vi.waitFor(() => expect(got.filter((one) => one.id === got[0]?.id).length).toBeGreaterThan(1), SOON)
    expect(new Set(got.filter((one) => one.id === got[0]?.id).map((one) => one.body)).size).toBe(1)
    await ask("GET", `/v1/callbacks`)
    await SELF.fetch(`http://sluice/v1/callbacks/${slack.body.id}`, { method: "DELETE", headers: { authorization: "Bearer sl_local_dev" } })
  })
})
