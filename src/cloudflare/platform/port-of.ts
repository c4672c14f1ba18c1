// Presents the rooms of a tenant's object as ports: each call goes to the object over a fresh stub. If the platform says that a failed call
// may be repeated, it is repeated once, except for the methods in ONCE.

import type { TenantRooms } from "../../ports/objects.ts"
import { clock } from "./clock.ts"
import { retrying } from "./retrying.ts"
import { roomOver } from "./rooms.ts"
import { tenantStub, type TenantNamespace } from "./stubs.ts"

/** Asked once: if the call fails, no one knows whether the object has done its work, and doing it again would not be harmless. */
const ONCE: { readonly [Room in keyof TenantRooms]?: readonly (keyof TenantRooms[Room])[] } = {
  catalog: ["writeAgent", "writeFlow", "put", "remove", "apply", "rollback", "putPackage", "removePackage", "importFiles"],
  settings: ["putProvider", "removeProvider", "put", "putPolicy"],
  hooks: ["create", "remove", "redeliver", "take"],
  schedules: ["fire"],
  questions: ["ask", "open", "find", "answer", "wait"],
  // A state and a code of an authorization server count once, and so may a refresh token.
  mcp: ["connected"],
  connections: ["token"],
  // A second `move` would find the plan moved and refuse.
  plans: ["move"],
}

/** The position of `act`, the token that makes a repeated call the same call. If the caller has none, it is chosen here, so that the
 *  second try makes the same row as the first. */
const ACT: { readonly [Room in keyof TenantRooms]?: { readonly [Method in keyof TenantRooms[Room]]?: number } } = {
  keys: { create: 1 },
  schedules: { create: 1 },
  callbacks: { create: 1 },
}

/** The position of the time at which a try was sent: one that arrives late changes nothing that a later one has done. */
const ASKED: typeof ACT = { keys: { create: 2 } }

export function portOf<Room extends keyof TenantRooms>(env: TenantNamespace, tenant: string, room: Room): TenantRooms[Room] {
  const once: readonly PropertyKey[] = ONCE[room] ?? []
  const acts: Readonly<Record<string, number | undefined>> = ACT[room] ?? {}
  const times: Readonly<Record<string, number | undefined>> = ASKED[room] ?? {}
  return roomOver((name, method, given) => {
    const at = acts[method]
    const args = at === undefined || given[at] !== undefined ? given : given.toSpliced(at, 1, clock.id())
    const sent = times[method]
    const call = (): Promise<unknown> =>
      tenantStub(env, tenant).ask(name, method, sent === undefined ? args : args.toSpliced(sent, 1, clock.now()))
    return once.includes(method) ? call() : retrying(call)
  }, room)
}
