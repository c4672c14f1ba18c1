// Erases the tenant's other objects [N3]: its runs and its memory. Each call may be repeated.

import { memoryStub, runStub, type MemoryNamespace, type RunNamespace } from "../platform/stubs.ts"
import { retrying } from "../platform/retrying.ts"

/** Sends no callback and does not notify a parent run. */
export const runEraser =
  (env: RunNamespace, tenant: string) =>
  (id: string): Promise<void> =>
    retrying(() => runStub(env, tenant, id).erase())

export const memoryEraser = (env: MemoryNamespace, tenant: string) => (): Promise<void> => retrying(() => memoryStub(env, tenant).erase())
