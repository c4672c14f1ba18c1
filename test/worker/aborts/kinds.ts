// Makes three deaths of each kind of call, and says what holds afterwards.

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { Aborts, TRIED, type Call, type Place } from "../../support/worker/aborted-calls.ts"
import { admin, tenant, type Tenant } from "../../support/worker/service-client.ts"

/** One kind of call, in a run of its own. */
export interface Kind {
  readonly call: string
  readonly is?: (args: readonly unknown[], call: Call) => boolean
  /** Who makes it. */
  readonly from: (call: Call) => Place
  /** What leads to it. A request that fails because of the death was not acknowledged. */
  readonly begin: () => Promise<unknown>
  /** As it is stored. */
  readonly isAtRest: () => Promise<boolean>
  /** What holds besides the laws. */
  readonly holds?: () => Promise<void>
}

export interface Setup {
  readonly tenant: string
  readonly catalog: object
  readonly quotas?: object
  readonly ready?: (t: Tenant) => Promise<unknown>
}

/** The house of one file's tests. */
export class House {
  t!: Tenant
  aborts!: Aborts
  readonly name: string
  /** Every run that a list has shown, or that has begun. */
  readonly #before = new Set<string>()
  /** Messages that the receiver has heard, by their id. */
  readonly heard: string[] = []
  concurrent = 50

  constructor(name: string) {
    this.name = name
  }

  readonly run = (id: string): Place => `run ${this.name}/${id}`
  get tenant(): Place {
    return `tenant ${this.name}`
  }

  async start(flow: string, body: object = {}): Promise<string> {
    return (await this.t.ask<{ id: string }>("POST", `/v1/flows/${flow}/runs`, { task: "go", ...body })).id
  }

  async row(id: string): Promise<{ status: string; ended: number | null; pending: number } | undefined> {
    const query = `SELECT status, ended, json_extract(view, '$.pending') AS pending FROM run WHERE id = '${id}'`
    return (await this.aborts.rows<{ status: string; ended: number | null; pending: number }>(query))[0]
  }

  has = async (id: string, type: RunEvent["type"]): Promise<boolean> => (await this.aborts.events(id)).some((e) => e.type === type)

  /** Told to the list too. */
  isOver = async (id: string): Promise<boolean> => typeof (await this.row(id))?.ended === "number" && (await this.has(id, "run.ended"))

  waits = async (id: string): Promise<boolean> => (await this.row(id))?.status === "waiting" && (await this.has(id, "run.waiting"))

  isGone = async (id: string): Promise<boolean> => (await this.aborts.events(id)).length === 0 && (await this.row(id)) === undefined

  /** Entries of the tenant's memory. */
  async remembered(): Promise<number> {
    const place: Place = `memory ${this.name}`
    if (!(await this.aborts.tables(place)).includes("entry")) return 0
    return (await this.aborts.rows<{ n: number }>("SELECT count(*) AS n FROM entry", place))[0]?.n ?? 0
  }

  isNew = (id: string): boolean => !this.#before.has(id)

  /** So many runs may go on at once. */
  async places(count: number): Promise<void> {
    await admin.ask("PUT", `/v1/tenants/${this.name}/quotas`, { concurrent_runs: count })
    this.concurrent = count
  }

  async child(parent: string): Promise<string | undefined> {
    return (await this.aborts.events(parent)).flatMap((e) => (e.type === "child.started" ? [e.run] : []))[0]
  }

  async soon<T>(look: () => Promise<T | undefined | false>): Promise<T> {
    for (let n = 0; n < 2_000; n++) {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    throw new Error("it did not happen")
  }

  /** What holds in every tenant at rest. */
  async lawful(): Promise<void> {
    const { t, aborts } = this
    // An object that was down waits as long as one that was not for runs that have a place and have not reported.
    for (const ms of [0, 61_000]) {
      aborts.pass(ms)
      await t.ask("GET", "/v1/runs")
    }
    const began = new Map<string, readonly RunEvent[]>()
    for (const id of aborts.runs) {
      const events = this.isNew(id) ? await aborts.events(id) : []
      if (events.length > 0) began.set(id, events)
    }
    for (const [id, events] of began) await this.#isLawful(id, events, began)
    // The list has each run that began, and no other.
    const { data } = await t.ask<{ data: { id: string }[] }>("GET", "/v1/runs?limit=200")
    const listed = data.flatMap(({ id: one }) => (this.#before.has(one) ? [] : [one])).toSorted()
    const own = [...began].flatMap(([id, [first]]) => (first?.type === "run.started" && first.parent ? [] : [id]))
    expect(listed, "the list").toEqual(own.toSorted())
    // A slice, a session and a place go with their run.
    const live = [...began].flatMap(([id, events]) => (events.some((e) => e.type === "run.ended") ? [] : [id]))
    const leases = await aborts.rows<{ run: string }>("SELECT DISTINCT run FROM lease WHERE ended = 0")
    expect(
      leases.map(({ run }) => run).filter((run) => !live.includes(run)),
      "slices of nobody",
    ).toEqual([])
    const { data: sessions } = await t.ask<{ data: { busy: boolean }[] }>("GET", "/v1/sessions")
    if (live.length === 0)
      expect(
        sessions.filter(({ busy }) => busy),
        "sessions of nobody",
      ).toEqual([])
    const place = await this.#places()
    const all = (
      await aborts.rows<{ n: number }>("SELECT count(*) AS n FROM run WHERE ended IS NULL AND json_extract(view, '$.parent') IS NULL")
    )[0]?.n
    expect(place, "places of nobody").toBe(this.concurrent - 1 - (all ?? 0))
  }

  /** Forgets what a test leaves that waits. */
  async end(): Promise<void> {
    for (const id of this.aborts.runs) {
      this.#before.add(id)
      if (!(await this.has(id, "run.ended"))) await this.t.raw("POST", `/v1/runs/${id}/cancel`, {})
    }
  }

  async #places(): Promise<number | undefined> {
    const run = `run_${[...crypto.getRandomValues(new Uint8Array(26))].map((n) => "abcdefgh"[n % 8]).join("")}`
    const { tenantObject } = await import("../../support/worker/service-client.ts")
    const said = (await tenantObject(this.name).ask("starts", "place", [run])) as { limits?: { concurrent: { left: number } } }
    await tenantObject(this.name).ask("starts", "giveBack", [run])
    return said.limits?.concurrent.left
  }

  async #isLawful(id: string, events: readonly RunEvent[], began: ReadonlyMap<string, readonly RunEvent[]>): Promise<void> {
    const view = await this.t.ask<RunView>("GET", `/v1/runs/${id}`)
    const row = await this.row(id)
    expect([id, row?.status, typeof row?.ended === "number", row?.pending ?? 0]).toEqual([
      id,
      view.status,
      view.ended !== undefined,
      view.pending ?? 0,
    ])
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === "run.started")).toHaveLength(1)
    expect(["succeeded", "failed", "canceled", "waiting", ...(view.children.length > 0 ? ["running"] : [])]).toContain(view.status)
    const heard = events.flatMap((e) => (e.type === "child.ended" ? [`${e.run} ${e.step} ${e.pass} ${e.index}`] : []))
    expect(heard, "children that have ended").toEqual([...new Set(heard)])
    const [first] = events
    const parent = first?.type === "run.started" ? first.parent?.run : undefined
    if (parent !== undefined) {
      const above = began.get(parent) ?? []
      const isAboveOver = above.some((e) => e.type === "run.ended")
      const reports = above.filter((e) => e.type === "child.ended" && e.run === id).length
      if (view.ended !== undefined && !isAboveOver) expect(reports, "the parent has heard").toBe(1)
      if (isAboveOver) expect(view.ended, "the child of an ended run").toBeDefined()
    }
    const ends = await this.aborts.rows<{ id: string; status: string; type: string }>(
      `SELECT id, status, type FROM callback_message WHERE run = '${id}'`,
    )
    const told = (isQuestion: boolean): number => ends.filter(({ type }) => (type === "run.waiting") === isQuestion).length
    const questions = events.filter((e) => e.type === "run.waiting" && e.reason === "interaction").length
    if (parent === undefined) expect([told(true), told(false)]).toEqual([questions, types.filter((type) => type === "run.ended").length])
    for (const message of ends)
      expect([message.status, this.heard.filter((one) => one === message.id).length > 0]).toEqual(["delivered", true])
  }
}

const RECEIVER = "https://receiver.example.com/hook"

export function aborted({ tenant: name, catalog, quotas, ready }: Setup, kinds: Readonly<Record<string, (house: House) => Kind>>): void {
  const house = new House(name)
  beforeAll(async () => {
    const real = fetch
    vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      if (!String(input instanceof Request ? input.url : input).startsWith(RECEIVER)) return real(input, init)
      house.heard.push(new Headers(init?.headers).get("webhook-id") ?? "")
      return new Response(null, { status: 204 })
    })
    house.aborts = new Aborts(name)
    house.t = await tenant(name)
    await house.t.ask("PUT", "/v1/catalog", catalog)
    await admin.ask("PUT", `/v1/tenants/${name}/quotas`, { concurrent_runs: house.concurrent, starts_per_minute: 10_000, ...quotas })
    await house.t.ask("PUT", "/v1/settings/budget", { steps: 640 })
    await house.t.ask("PUT", "/v1/secrets/receiver", { value: `whsec_${btoa("a secret of 24 bytes or so")}` })
    await house.t.ask("POST", "/v1/callbacks", { url: RECEIVER, secret: "receiver" })
    await ready?.(house.t)
  })
  afterAll(() => {
    house.aborts.restore()
    vi.unstubAllGlobals()
  })
  beforeEach(() => house.aborts.begin())

  describe.each(Object.keys(kinds))("%s", (what) => {
    test.each(TRIED)("%s", async (moment) => {
      const kind = kinds[what]?.(house)
      if (!kind) throw new Error(what)
      const { aborts } = house
      aborts.arm(moment, (call) => call.name === kind.call && kind.is?.(call.args, call) !== false)
      onTestFinished(() => house.end())
      let fault: unknown
      const begun = kind.begin().catch((e: unknown) => (fault = e))
      const call = await aborts.met().catch((e: unknown) => Promise.reject(fault ?? e))
      if (moment !== "broken" && moment !== "unsaid") await aborts.kill(kind.from(call))
      await aborts.calm(kind.isAtRest)
      if (moment === "late") {
        await aborts.arrive()
        await aborts.calm(kind.isAtRest)
      }
      await begun
      await kind.holds?.()
      await house.lawful()
    })
  })
}
