// How a tenant's object takes away what lies in other objects of the tenant [N3]: its runs and its memory. Each may be asked twice.

import type { Env } from "./env.ts"
import { retrying } from "./tenant-port.ts"

/** Nobody hears of it: no callback is sent, no parent is told. */
export const runEraser =
  (env: Pick<Env, "RUN">, tenant: string) =>
  (id: string): Promise<void> =>
    retrying(() => env.RUN.get(env.RUN.idFromName(`${tenant}/${id}`)).erase())

export const memoryEraser = (env: Pick<Env, "MEMORY">, tenant: string) => (): Promise<void> =>
  retrying(() => env.MEMORY.get(env.MEMORY.idFromName(tenant)).erase())
