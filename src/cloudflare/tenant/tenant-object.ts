// The only writer of a tenant's data, named after the tenant. Its public interface is its rooms: a room is one facet of the object, with the
// interface of one port (platform/rooms.ts). A stub gives access only to the rooms of this object [S10].
//
// Writes are serialized, because storing their bodies in R2 opens the input gate [F71]. The rows of one write are one transaction.

import { DurableObject } from "cloudflare:workers"
import type { TenantRpc } from "../../ports/objects.ts"
import { answerOf } from "../platform/rooms.ts"
import { assertPlace } from "../platform/stubs.ts"
import type { TenantAlarm } from "./tenant-alarm.ts"
import { tenantResources, type TenantEnv } from "./tenant-resources.ts"
import { tenantRooms } from "./tenant-rooms.ts"

export class TenantObject extends DurableObject<TenantEnv> implements TenantRpc {
  readonly #rooms: object
  readonly #alarm: TenantAlarm
  readonly #counts: readonly { renew(): void }[]

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that callers use for the object. The runtime provides it since 2026-03.
    const tenant = ctx.id.name
    if (tenant === undefined) throw new Error("a tenant's object can only be reached by the tenant's name")
    assertPlace(ctx.id, env)
    const all = tenantResources(ctx, env, tenant)
    this.#rooms = tenantRooms(all)
    this.#alarm = all.alarm
    this.#counts = [all.invocation, all.calls]
  }

  /** Calls a method of a room by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return answerOf(this.#rooms, room, method, args)
  }

  override alarm(): Promise<void> {
    for (const counts of this.#counts) counts.renew()
    return this.#alarm.ring()
  }

  async answers(): Promise<true> {
    return true
  }
}
