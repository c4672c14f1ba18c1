// Story: what people do to a tenant in one simulation, and what they were told. What was acknowledged is kept here, for the laws.

import type { Models } from "../world/models.ts"
import type { Services } from "../world/services.ts"
import type { Service } from "../platform/service.ts"
import { CALLBACK, CATALOG, FLOWS, SETTINGS, TOOLS } from "../world/catalog.ts"
import { Person } from "./person.ts"

const ADMIN = "sl_admin_local"
/** Limit: virtual ms of the storm. */
const STORM_MS = 300_000
const SCOPES = ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "interactions:answer", "admin"]

/** A start that was answered 202. */
export interface Started {
  readonly id: string
  readonly flow: string
  /** Its task names it: no other start has this name. */
  readonly name: string
  readonly hasCallback: boolean
}

export interface Told {
  readonly starts: Started[]
  /** `RUN/INTERACTION`, by what was answered 200. */
  readonly answers: Map<string, string>
  readonly canceled: Set<string>
  readonly deleted: Set<string>
  readonly signaled: Set<string>
}

interface Asked {
  readonly id: string
  readonly run: string
  readonly kind: string
  readonly payload: { readonly options?: readonly { readonly label: string }[] }
}

export interface World {
  readonly service: Service
  readonly models: Models
  readonly services: Services
}

export class Story {
  readonly world: World
  readonly tenant: string
  readonly told: Told = { starts: [], answers: new Map(), canceled: new Set(), deleted: new Set(), signaled: new Set() }
  /** Whoever is still at work. */
  readonly #under = new Set<Promise<void>>()
  #admin: Person | undefined

  constructor(world: World, tenant: string) {
    this.world = world
    this.tenant = tenant
  }

  get admin(): Person {
    if (!this.#admin) throw new Error("the story has not begun")
    return this.#admin
  }

  /** In a calm. */
  async begin(): Promise<void> {
    const { service } = this.world
    const instance = new Person(service, ADMIN)
    await instance.get("POST", "/v1/tenants", { id: this.tenant })
    const { key } = await instance.get<{ key: string }>("POST", `/v1/tenants/${this.tenant}/keys`, { name: "all", scopes: SCOPES })
    const admin = new Person(service, key)
    for (const [path, body] of SETTINGS) await admin.get("PUT", path, body)
    for (const [name, body] of Object.entries(TOOLS)) await admin.get("PUT", `/v1/tools/${name}`, body)
    await admin.get("PUT", "/v1/catalog", CATALOG)
    this.#admin = admin
  }

  /** Begins what people do in the storm. */
  play(runs: number): void {
    const { dice } = this.world.service
    for (let n = 0; n < runs; n++) this.#at(dice.roll("when") * STORM_MS, `start ${n}`, () => this.#start(n))
    this.#at(3_000, "answering", () => this.#answer())
  }

  /** Resolves when nobody is at work. */
  async done(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under)
  }

  /** In the calm people answer what is left; it is over when nobody is asked any more. */
  isCalm = false

  #at(ms: number, what: string, act: () => Promise<void>): void {
    const { service } = this.world
    const work = service
      .sleep(ms)
      .then(act)
      .catch((e: unknown) => service.found(`${this.tenant}, ${what}: ${e instanceof Error ? e.message : String(e)}`))
      .finally(() => this.#under.delete(work))
    this.#under.add(work)
  }

  async #start(n: number): Promise<void> {
    const { service } = this.world
    const { dice } = service
    const flow = dice.pick("flow", FLOWS)
    const name = `case-${this.tenant}-${n}`
    const hasCallback = dice.chance("callback", 0.4)
    const body = {
      task: name,
      autonomous: false,
      ...(hasCallback ? { callback: CALLBACK } : {}),
      ...(dice.chance("budget", 0.3) ? { budget: { usd: 0.5 } } : {}),
    }
    const answer = await this.admin.insist("POST", `/v1/flows/${flow}/runs`, body, { "idempotency-key": `start-${name}` })
    if (answer.status !== 202) throw new Error(`the start of ${flow} was answered ${answer.status}: ${answer.text.slice(0, 300)}`)
    const { id } = JSON.parse(answer.text) as { id: string }
    this.told.starts.push({ id, flow, name, hasCallback })
    if (flow === "heed") this.#at(dice.roll("signal") * 60_000, `signal ${name}`, () => this.#signal(id))
    if (dice.chance("cancel", 0.12)) this.#at(dice.roll("cancel when") * 60_000, `cancel ${name}`, () => this.#cancel(id))
    if (dice.chance("delete", 0.1)) this.#at(30_000 + dice.roll("delete when") * 200_000, `delete ${name}`, () => this.#delete(id))
  }

  async #signal(id: string): Promise<void> {
    const answer = await this.admin.insist("POST", `/v1/runs/${id}/signals/go`, { data: {} }, { "idempotency-key": `go-${id}` })
    if (answer.status < 300) this.told.signaled.add(id)
    else if (answer.status !== 409 && answer.status !== 404) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`)
  }

  async #cancel(id: string): Promise<void> {
    const answer = await this.admin.insist("POST", `/v1/runs/${id}/cancel`, {})
    if (answer.status < 300) this.told.canceled.add(id)
    else if (answer.status !== 409 && answer.status !== 404) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`)
  }

  async #delete(id: string): Promise<void> {
    const answer = await this.admin.insist("DELETE", `/v1/runs/${id}`)
    if (answer.status < 300 || answer.status === 404) this.told.deleted.add(id)
    else if (answer.status !== 409) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`)
  }

  /** Answers what the inbox shows, until the calm has nothing left. */
  async #answer(): Promise<void> {
    const { service } = this.world
    const { dice } = service
    for (let idle = 0; idle < 3; ) {
      const open = await this.admin.all<Asked>("/v1/interactions")
      for (const { id, run, kind, payload } of open) {
        if (!this.isCalm && dice.chance("no answer yet", 0.5)) continue
        const body = kind.startsWith("approval") ? { decision: dice.pick("decision", ["approve", "reject"]) } : { answer: payload.options?.[0]?.label ?? "yes" }
        const answer = await this.admin.insist("POST", `/v1/runs/${run}/interactions/${id}`, body)
        if (answer.status === 200) this.told.answers.set(`${run}/${id}`, JSON.stringify(body))
        else if (answer.status !== 409 && answer.status !== 404)
          throw new Error(`the answer ${JSON.stringify(body)} to ${run}/${id} (${kind}) got ${answer.status}: ${answer.text.slice(0, 300)}`)
      }
      if (this.isCalm && open.length === 0) idle++
      else idle = 0
      await service.sleep(this.isCalm ? 30_000 : 4_000 + dice.roll("answering") * 20_000)
    }
  }
}
