// Implements a tenant's desk (ports/desks.ts): it pins the starts that the Worker sends, and batches the reports of their runs for the
// tenant's object. Its state is in memory, and may be lost at any moment: a run reports until its report is in the list, and a lost place
// is free again when no run can have it.

import { defined } from "../../core/defined.ts"
import type { Rules } from "../../core/tool/policy/policy.ts"
import { isLined } from "../../core/start/start-block.ts"
import { Lru } from "../../engine/lru.ts"
import { LEASE_MS, type Desk, type DeskLease, type DeskPin, type DeskStarts, type DesksRoom } from "../../ports/desks.ts"
import type { Opened } from "../../ports/secrets.ts"
import type { KeysRoom, SecretsRoom, StartsRoom } from "../../ports/objects.ts"
import { later } from "../../ports/timers.ts"
import type { Limits, PinOptions, PinResult, PromisedRow } from "../../ports/tenant/catalog.ts"
import type { Noted, ListedRun } from "../../ports/tenant/run-list.ts"
import type { SettingsPort } from "../../ports/tenant/settings.ts"
import type { KnownKey } from "../../ports/tenant/tenants.ts"
import { promisedRow } from "./promised-row.ts"
import { tooSoon, Turns, type TurnsDeps } from "../platform/turns.ts"

/** While reports of runs follow each other, they wait so long for others. */
const REPORT_MS = 100
/** Places that no one takes are returned after so long. */
const IDLE_MS = 1_500
/** Reports at a time. */
const BATCH = 100
const MAX_WAITING = 2_000 // limit: reports of runs that wait in a desk → the next run reports to the tenant's object
const MAX_PINS = 200
const MAX_KEYS = 2_000
/** A key is asked for again after so long, because the tenant's object records its use. */
const KEY_MS = 60_000

export interface DeskDeps extends TurnsDeps {
  /** Which desk of the tenant this is. */
  readonly number: number
  readonly epoch: string
  readonly tenant: DesksRoom & Pick<StartsRoom, "pin"> & Pick<KeysRoom, "verify"> & Pick<SecretsRoom, "open"> & Pick<SettingsPort, "rules">
  /** Takes the secrets of an opened vault out of what a caller has said [T32]. */
  readonly clean: <T>(said: T, opened: string) => Promise<T>
  /** Work that continues after the answer. */
  readonly later: (work: Promise<unknown>) => void
}

interface Begun {
  readonly at: number
  readonly row: ListedRun
}
interface Waiting {
  readonly row: ListedRun
  readonly resolve: (noted: Noted) => void
  readonly reject: (e: unknown) => void
}
/** What was read of the tenant, and counts until a recall or another ground. */
class Ground {
  readonly pins = new Lru<PinResult>(MAX_PINS)
  readonly keys = new Lru<{ readonly key: KnownKey; readonly at: number }>(MAX_KEYS)
  vault: string | undefined
  rules: Rules | undefined
  /** Answers on their way, by what was asked. */
  readonly asking = new Map<string, Promise<unknown>>()
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** One question at a time: the others wait for its answer. */
  async once<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const before = this.asking.get(name) as Promise<T> | undefined
    if (before) return before
    const asked = ask().finally(() => this.asking.delete(name))
    this.asking.set(name, asked)
    return asked
  }
}

/** A caller's own words may contain secrets. */
const isSaid = ({ tags = [], thread }: PromisedRow): boolean => thread !== undefined || tags.length > 0

type Pinned = Extract<PinResult, { ok: true }>

export class StartDesk implements Desk {
  readonly #deps: DeskDeps
  readonly #turns: Turns
  #lease: (DeskLease & { readonly until: number }) | undefined
  #recalled = 0
  /** When the lease was looked at last. */
  #latest = Number.NEGATIVE_INFINITY
  #places = 0
  /** Places taken so far. */
  #taken = 0
  /** Answers on their way belong to the ground of their questions. */
  #ground = new Ground("")
  /** Runs that the tenant's object has not confirmed. */
  readonly #begun = new Map<string, Begun>()
  #waiting: Waiting[] = []
  #reporting: Promise<void> | undefined
  /** When runs' reports were last brought. */
  #told = 0
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(deps: DeskDeps) {
    this.#deps = deps
    this.#turns = new Turns(deps)
  }

  async pin(target: Parameters<Desk["pin"]>[0], options: PinOptions, needsVault: boolean): Promise<DeskPin | "ask"> {
    const { start, row, ...rest } = options
    // Drafts are written without a recall.
    if ("draft" in target || start === undefined || row === undefined || rest.lined === true || !(await this.#isLeased())) return "ask"
    const pinned = await this.#pinned(target, rest)
    if (!pinned.ok) return { pinned }
    if (isLined(pinned.flow.start)) return "ask"
    const vault = needsVault || isSaid(row) ? await this.#opened() : undefined
    const said = await this.#clean(row, vault)
    const carried = needsVault ? vault : undefined
    if (this.#begun.has(start.run)) return this.#answer(pinned, carried)
    if (this.#places === 0) await this.#report(true).catch(() => undefined)
    const lease = this.#current()
    if (lease === undefined || this.#places === 0) return "ask"
    const now = this.#deps.now()
    this.#places--
    this.#taken++
    this.#begun.set(start.run, { at: now, row: promisedRow(pinned, start.run, said, now) })
    if (this.#places * 2 < lease.places) this.#deps.later(this.#report(true).catch(() => undefined))
    else this.#wake(REPORT_MS)
    const perMinute = Math.max(1, Math.floor(lease.limits.starts.quota / lease.desks))
    const retry = await this.#turns.next(perMinute)
    if (retry === undefined) return this.#answer(pinned, carried)
    await this.giveBack(start.run)
    return { pinned: { ok: false, code: "quota", message: tooSoon(perMinute), retry, limits: this.#limits(lease) } }
  }

  async verify(digest: string): Promise<KnownKey | "none" | "ask"> {
    if (!(await this.#isLeased())) return "ask"
    const ground = this.#ground
    const known = ground.keys.get(digest)
    const at = this.#deps.now()
    if (known && at >= known.at && at - known.at < KEY_MS && (known.key.expires === null || at < known.key.expires)) return known.key
    const key = await ground.once(`key ${digest}`, () => this.#deps.tenant.verify(digest))
    if (key === undefined) return "none"
    ground.keys.set(digest, { key, at })
    return key
  }

  async vault(): Promise<Opened | "ask"> {
    return (await this.#isLeased()) ? (JSON.parse(await this.#opened()) as Opened) : "ask"
  }

  async rules(): Promise<Rules | "ask"> {
    if (!(await this.#isLeased())) return "ask"
    const ground = this.#ground
    return (ground.rules ??= await ground.once("rules", () => this.#deps.tenant.rules()))
  }

  note(row: ListedRun): Promise<Noted> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new Error("too many reports wait for the tenant's object"))
    this.#deps.meet()
    const noted = new Promise<Noted>((resolve, reject) => this.#waiting.push({ row, resolve, reject }))
    if (this.#waiting.length >= BATCH) this.#deps.later(this.#report(true).catch(() => undefined))
    // Whoever must be told of a question or of an end waits for nothing.
    else this.#wake(row.callback !== undefined || row.status === "waiting" ? 1 : this.#told + REPORT_MS - this.#deps.now())
    return noted
  }

  async giveBack(run: string): Promise<boolean> {
    // A report on its way may say that the run has begun.
    await this.#reporting?.catch(() => undefined)
    if (!this.#begun.delete(run)) return false
    if (this.#current()) this.#places++
    return true
  }

  async flush(): Promise<void> {
    if (this.#reporting) await this.#reporting.catch(() => undefined)
    if (this.#begun.size > 0 || this.#waiting.length > 0) await this.#report(true)
  }

  async recall(upTo: number): Promise<DeskStarts> {
    this.#recalled = Math.max(this.#recalled, upTo)
    if (this.#lease && this.#lease.number <= this.#recalled) this.#drop()
    this.#ground = new Ground("")
    return this.#starts()
  }

  /** The lease, if it counts. */
  #current(): (DeskLease & { readonly until: number }) | undefined {
    const now = this.#deps.now()
    const left = this.#lease ? this.#lease.until - now : 0
    // When the clock is set back, nobody knows how much is left, also when it comes to the same time again.
    if (left <= 0 || left > LEASE_MS || now < this.#latest) this.#drop()
    this.#latest = now
    return this.#lease
  }

  async #isLeased(): Promise<boolean> {
    if (this.#current() === undefined) await this.#report(true).catch(() => undefined)
    return this.#current() !== undefined
  }

  /** What was read of the tenant stays: it counts again if the next lease says that nothing has changed. */
  #drop(): void {
    this.#lease = undefined
    this.#places = 0
  }

  async #pinned(target: Parameters<Desk["pin"]>[0], options: PinOptions): Promise<PinResult> {
    const name = JSON.stringify([target, options.rehearse, options.autonomous ?? null])
    const ground = this.#ground
    const known = ground.pins.get(name)
    if (known) return known
    const pinned = await ground.once(name, () => this.#deps.tenant.pin(target, options))
    ground.pins.set(name, pinned)
    return pinned
  }

  /** As JSON. */
  async #opened(): Promise<string> {
    const ground = this.#ground
    return (ground.vault ??= JSON.stringify(await ground.once("vault", () => this.#deps.tenant.open())))
  }

  async #clean({ tags, thread, ...row }: PromisedRow, vault: string | undefined): Promise<PromisedRow> {
    return vault === undefined ? { ...row, tags, thread } : { ...row, ...(await this.#deps.clean({ tags, thread }, vault)) }
  }

  #answer(pinned: Pinned, vault: string | undefined): DeskPin {
    const lease = this.#lease
    const { number, now } = this.#deps
    return {
      pinned: {
        ...pinned,
        ...(lease ? { limits: this.#limits(lease), desks: lease.desks } : {}),
        listed: true,
        desk: { number, of: lease?.desks ?? number + 1 },
      },
      ...(vault === undefined ? {} : { vault: { from: vault, at: now() } }),
    }
  }

  #limits({ limits: { concurrent, starts } }: DeskLease): Limits {
    return {
      concurrent: { ...concurrent, left: concurrent.left + this.#places },
      starts: { ...starts, left: starts.left + this.#places },
    }
  }

  /** `told`: runs that report themselves in the same message. Whoever else has begun is told with a row, so that it is not forgotten. */
  #starts(told: ReadonlySet<string> = new Set()): DeskStarts {
    return {
      epoch: this.#deps.epoch,
      started: [...this.#begun].map(([run, { at, row }]) => ({ run, at, ...defined({ tenancy: row.tenancy }) })),
      promises: [...this.#begun.values()].flatMap(({ row }) => (told.has(row.id) ? [] : row)),
    }
  }

  #report(wants: boolean): Promise<void> {
    return (this.#reporting ??= this.#send(wants).finally(() => {
      this.#reporting = undefined
      if (this.#begun.size > 0 || this.#waiting.length > 0) this.#wake(this.#waiting.length >= BATCH ? 1 : REPORT_MS)
      else if (this.#places > 0) this.#wake(IDLE_MS)
    }))
  }

  async #send(wants: boolean): Promise<void> {
    const { now, number, tenant } = this.#deps
    const asked = now()
    const lease = this.#current()
    if (!wants) this.#drop()
    const waiting = this.#waiting.splice(0, BATCH)
    if (waiting.length > 0) this.#told = asked
    const told = [...this.#begun]
    const [starts, taken] = [this.#starts(new Set(waiting.map(({ row }) => row.id))), this.#taken]
    const report = { ...starts, desk: number, lease: lease?.number ?? this.#recalled, free: this.#places, wants }
    const answer = await tenant.report({ ...report, notes: waiting.map(({ row }) => row) }).catch((e: unknown) => {
      for (const { reject } of waiting) reject(e)
      throw e
    })
    for (const [run, begun] of told) if (this.#begun.get(run) === begun) this.#begun.delete(run)
    waiting.forEach(({ resolve, reject }, i) => {
      const noted = answer.noted[i] ?? null
      if (noted === null) reject(new Error("the tenant's list could not store the report"))
      else resolve(noted)
    })
    this.#recalled = Math.max(this.#recalled, answer.recalled)
    this.#adopt(answer.lease, { asked, used: this.#taken - taken })
  }

  #adopt(lease: DeskLease | undefined, { asked, used }: { readonly asked: number; readonly used: number }): void {
    if (lease === undefined || lease.number <= this.#recalled) return this.#drop()
    if (lease.ground !== this.#ground.name) this.#ground = new Ground(lease.ground)
    this.#lease = { ...lease, until: asked + LEASE_MS }
    this.#places = Math.max(0, lease.places - used)
  }

  #wake(wait: number): void {
    const ms = Math.max(1, wait)
    const at = this.#deps.now() + ms
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    const cancel = later(() => {
      this.#timer = undefined
      const isIdle = this.#begun.size === 0 && this.#waiting.length === 0
      if (isIdle && this.#places === 0) return
      this.#deps.later(this.#report(!isIdle).catch(() => undefined))
    }, ms)
    this.#timer = { at, cancel }
  }
}
