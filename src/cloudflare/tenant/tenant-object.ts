// Serves a tenant as the only writer of its data; the object is named after the tenant. Its public interface is its rooms: a room is one
// facet of the object, with the interface of one port (platform/rooms.ts). A stub gives access only to the rooms of this object [S10].
//
// Writes are serialized, because storing their bodies in R2 opens the input gate [F71]. The rows of one write are one transaction. A write is
// acknowledged only after every desk of the tenant has dropped its older copy.
//
// An object that is named after a desk of the tenant is that desk, and stores nothing.

import { DurableObject } from "cloudflare:workers"
import { isDiskFull } from "../../engine/disk-full.ts"
import type { TenantRpc } from "../../ports/objects.ts"
import { StartDesk } from "../desks/desk.ts"
import { deskDeps } from "../desks/desk-deps.ts"
import { NUMBERED, otherFormatIn, ringLater } from "../platform/format.ts"
import { reopening } from "../platform/reopening.ts"
import { answerOf } from "../platform/rooms.ts"
import { assertPlace, placeIn } from "../platform/stubs.ts"
import { tenantResources, type TenantEnv, type TenantResources } from "./tenant-resources.ts"
import { tenantRooms } from "./tenant-rooms.ts"

/** More than a page, so that it takes room of its own. */
const PROBE_BYTES = 65_536

export class TenantObject extends DurableObject<TenantEnv> implements TenantRpc {
  readonly #rooms: object
  /** Why nothing here is read or written. */
  readonly #other: Error | undefined
  readonly #all: Pick<TenantResources, "alarm" | "desks" | "invocation" | "calls"> | undefined

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that callers use for the object. The runtime provides it since 2026-03.
    const { name } = ctx.id
    if (name === undefined) throw new Error("a tenant's object can only be reached by the tenant's name")
    assertPlace(ctx.id, env)
    const { tenant, desk } = placeIn(name)
    this.#other = otherFormatIn(ctx.storage, `the tenant ${tenant}`)
    if (this.#other) this.#rooms = {}
    else if (desk === undefined) {
      const all = tenantResources(ctx, env, tenant)
      this.#rooms = tenantRooms(all)
      this.#all = all
    } else this.#rooms = { desk: new StartDesk(deskDeps(ctx, env, tenant, desk)) }
  }

  /** Calls a method of a room by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#other) throw this.#other
    this.#all?.alarm.look()
    try {
      return await reopening(this.ctx, () => answerOf(this.#rooms, room, method, args))
    } finally {
      // A desk that waits for its report cannot be waited for.
      if (room !== "desks" && this.#all?.desks.isStale === true) await this.#all.desks.settle()
    }
  }

  async desk(method: string, args: readonly unknown[]): Promise<unknown> {
    return reopening(this.ctx, () => answerOf(this.#rooms, "desk", method, args))
  }

  override async alarm(): Promise<void> {
    if (this.#other) return ringLater(this.ctx.storage, this.#other)
    this.#all?.invocation.renew()
    this.#all?.calls.renew()
    await reopening(this.ctx, () => this.#all?.alarm.ring())
    await this.#all?.desks.settle()
  }

  async answers(): Promise<true> {
    return true
  }

  async hasRoom(): Promise<boolean> {
    const { storage } = this.ctx
    try {
      await reopening(this.ctx, () => {
        storage.sql.exec(`CREATE TABLE IF NOT EXISTS room (bytes BLOB ${NUMBERED})`)
        storage.sql.exec("INSERT INTO room (bytes) VALUES (zeroblob(?))", PROBE_BYTES)
      })
      await storage.sync()
      await storage.deleteAll()
      return true
    } catch (e) {
      if (isDiskFull(e)) return false
      throw e
    }
  }
}
