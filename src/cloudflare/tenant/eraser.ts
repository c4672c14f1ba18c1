// How a tenant's object takes away what lies in other objects of the tenant [N3]: its runs and its memory. Each may be asked twice.

import { memoryStub, runStub, type MemoryDoor, type RunDoor } from "../platform/stubs.ts"
import { retrying } from "../clients/tenant-port.ts"

/** Nobody hears of it: no callback is sent, no parent is told. */
export const runEraser =
  (env: RunDoor, tenant: string) =>
  (id: string): Promise<void> =>
    retrying(() => runStub(env, tenant, id).erase())

export const memoryEraser = (env: MemoryDoor, tenant: string) => (): Promise<void> => retrying(() => memoryStub(env, tenant).erase())
