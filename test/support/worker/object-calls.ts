// The calls to the objects of one tenant, while a test listens. Test files share their classes, and the objects of the files before may still
// work: their calls are let through and not written down.

import { vi } from "vitest"
import { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"

export interface ObjectCalls {
  /** In the order of their beginnings: `tenant ROOM.METHOD`, `run ROOM.METHOD`, or `run start`. */
  readonly calls: string[]
  stop(): void
}

/** The first part of an object's name is its tenant. */
export const tenantOf = (object: object): string | undefined => nameOf(object)?.split("/")[0]

export function nameOf(object: object): string | undefined {
  const ctx: unknown = Reflect.get(object, "ctx")
  return (ctx as DurableObjectState).id.name
}

export function objectCalls(tenant: string): ObjectCalls {
  const calls: string[] = []
  const noted = (object: object, call: string): void => {
    if (tenantOf(object) === tenant) calls.push(call)
  }
  const [askTenant, askRun, startRun] = [TenantObject.prototype.ask, RunObject.prototype.ask, RunObject.prototype.start]
  const spies = [
    vi.spyOn(TenantObject.prototype, "ask").mockImplementation(function (this: TenantObject, ...call) {
      noted(this, `tenant ${call[0]}.${call[1]}`)
      return Reflect.apply(askTenant, this, call)
    }),
    vi.spyOn(RunObject.prototype, "ask").mockImplementation(function (this: RunObject, ...call) {
      noted(this, `run ${call[0]}.${call[1]}`)
      return Reflect.apply(askRun, this, call)
    }),
    vi.spyOn(RunObject.prototype, "start").mockImplementation(function (this: RunObject, ...call) {
      noted(this, "run start")
      return Reflect.apply(startRun, this, call)
    }),
  ]
  return {
    calls,
    stop() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}
