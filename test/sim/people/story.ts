// Story: what people do to a tenant in one simulation. A tenant that is deleted may have another life under the same name.

import { CATALOG, SETTINGS, TOOLS } from "../world/catalog.ts"
import { oftenOf } from "../themes.ts"
import { ACTORS } from "./actors.ts"
import { GRACE_MS } from "./keepers.ts"
import { Life, type Actor, type World } from "./life.ts"
import { ADMIN, Person } from "./person.ts"
import type { Told } from "./told.ts"

export type { World } from "./life.ts"

const SCOPES = ["runs:write", "runs:read", "catalog:write", "catalog:read", "tools:call", "interactions:answer", "admin"]

export class Story {
  readonly world: World
  readonly tenant: string
  /** Those that this seed has. */
  readonly actors: readonly Actor[]
  /** The lives that are over, with the time at which their deletion was acknowledged. */
  readonly past: { readonly life: Life; readonly deleted: number }[] = []
  readonly instance: Person
  #life: Life | undefined
  #isCalm = false
  #ending: Promise<void> | undefined

  constructor(world: World, tenant: string) {
    this.world = world
    this.tenant = tenant
    this.instance = new Person(world.service, ADMIN)
    const { dice } = world.service
    this.actors = ACTORS.filter(({ name, often }) => dice.chance(`actor ${tenant} ${name}`, oftenOf(world.theme, name, often)))
  }

  get life(): Life {
    if (!this.#life) throw new Error("the story has not begun")
    return this.#life
  }

  get admin(): Person {
    return this.life.admin
  }

  get told(): Told {
    return this.life.told
  }

  get isCalm(): boolean {
    return this.#isCalm
  }

  /** In the calm people answer what is left; it is over when nobody is asked any more. */
  set isCalm(is: boolean) {
    this.#isCalm = is
    this.life.isCalm = is
  }

  /** Creates the tenant, or creates it again. */
  async begin(runs = 0): Promise<void> {
    const { instance, tenant } = this
    const nth = this.past.length
    const made = await instance.insist("POST", "/v1/tenants", { id: tenant })
    // An earlier try may have made it.
    if (made.status !== 201 && made.status !== 409) throw new Error(`the tenant ${tenant}: ${made.status} ${made.text.slice(0, 300)}`)
    const { key } = await instance.get<{ key: string }>("POST", `/v1/tenants/${tenant}/keys`, { name: "all", scopes: SCOPES })
    const life = new Life(this.world, tenant, nth, key, runs)
    for (const [path, body] of SETTINGS) await life.admin.get("PUT", path, body)
    for (const [name, body] of Object.entries(TOOLS)) await life.admin.get("PUT", `/v1/tools/${name}`, body)
    await life.admin.get("PUT", "/v1/catalog", CATALOG)
    life.isCalm = this.#isCalm
    this.#life = life
  }

  /** Begins what people do in the storm. */
  play(runs: number): void {
    const life = Object.assign(this.life, { runs })
    for (const actor of this.actors) actor.play(life)
    const { dice } = this.world.service
    if (this.tenant === "bolt" && dice.chance("tenant ends", 0.12))
      this.#ending = this.#end(60_000 + dice.roll("tenant ends when") * 200_000, runs)
  }

  /** Deletes the tenant while runs are under way, and creates one of the same name. */
  async #end(ms: number, runs: number): Promise<void> {
    const { world, instance, tenant, life } = this
    await world.service.sleep(ms)
    life.isOver = true
    for (;;) {
      const { status, text } = await instance.insist("DELETE", `/v1/tenants/${tenant}`)
      // 404: an earlier try came through.
      if (status === 200 || status === 404) break
      if (status !== 202) world.service.found(`[N3] the deletion of ${tenant} is answered ${status}: ${text.slice(0, 200)}`)
      await world.service.sleep(3_000)
    }
    this.past.push({ life, deleted: world.service.timeline.now })
    const refused = async (): Promise<void> => {
      const { status } = await life.admin.insist("GET", "/v1/runs?limit=1")
      if (status !== 401) world.service.found(`[N3] a key of the deleted tenant ${tenant} is answered ${status}`)
    }
    const { deleted } = this.past.at(-1) ?? { deleted: 0 }
    await this.begin(runs)
    // [H1], [S18] An isolate may remember it for as long as a revoked one. The name is there again; the key is not.
    await world.service.sleep(Math.max(0, deleted + GRACE_MS - world.service.timeline.now))
    await refused()
    for (const actor of this.actors) actor.play(this.life)
  }

  /** Resolves when nobody is at work. */
  async done(): Promise<void> {
    await this.#ending?.catch((e: unknown) => this.world.service.found(`${this.tenant}, its end: ${String(e)}`))
    await this.life.done()
  }

  /** Whoever never came to an end. */
  get atWork(): readonly string[] {
    return this.life.atWork
  }

  /** What people were promised and is not so. */
  async rest(): Promise<string[]> {
    const wrong: string[] = []
    for (const { rest } of this.actors) if (rest) wrong.push(...(await rest(this.life)))
    return wrong
  }
}
