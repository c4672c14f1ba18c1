// The one writer of all that is a tenant's, named after the tenant. It has rooms and nothing else: a room is one facet of the object, with
// the interface of one port (platform/rooms.ts). A stub gives access to the rooms of this one object and of no other [S10].
//
// Writes go one after another, because the bodies they store in R2 open the input gate [F71]; the rows of one write are one transaction.

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

  constructor(ctx: DurableObjectState, env: TenantEnv) {
    super(ctx, env)
    // The name that the object was asked for by; the runtime tells it since 2026-03.
    const tenant = ctx.id.name
    if (tenant === undefined) throw new Error("a tenant's object is reached by the tenant's name only")
    assertPlace(ctx.id, env)
    const all = tenantResources(ctx, env, tenant)
    this.#rooms = tenantRooms(all)
    this.#alarm = all.alarm
  }

  /** A method of a room, by name. */
  async ask(room: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return answerOf(this.#rooms, room, method, args)
  }

  override alarm(): Promise<void> {
    return this.#alarm.ring()
  }

  async answers(): Promise<true> {
    return true
  }
}
