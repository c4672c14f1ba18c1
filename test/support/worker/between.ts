// What happens between two objects: calls of one room's method that a test holds, loses or repeats, and an object that dies.

import { runInDurableObject } from "cloudflare:test"
import { vi, type MockInstance } from "vitest"
import type { RunObject } from "../../../src/cloudflare/run/run-object.ts"
import type { TenantObject } from "../../../src/cloudflare/tenant/tenant-object.ts"
import { tenantOf } from "./object-calls.ts"
import { runObject } from "./service-client.ts"

type Ask = RunObject["ask"]

/** Calls of this method, in this tenant, go through `by`; all others go on as they are. */
export function between(
  kind: typeof RunObject | typeof TenantObject,
  tenant: string,
  [room, method]: readonly [room: string, method: string],
  by: (go: () => Promise<unknown>, call: Parameters<Ask>) => Promise<unknown>,
): MockInstance {
  const { ask } = kind.prototype
  return vi.spyOn(kind.prototype, "ask").mockImplementation(function (this: object, ...call: Parameters<Ask>) {
    const go = (): Promise<unknown> => Reflect.apply(ask, this, call)
    return tenantOf(this) === tenant && call[0] === room && call[1] === method ? by(go, call) : go()
  } as Ask)
}

/** The run's object dies, as in a deploy: its next request makes it anew from its storage. */
export const die = async (tenant: string, run: string): Promise<void> => {
  await runInDurableObject(runObject(tenant, run), (_, ctx) => ctx.abort("a deploy")).catch(() => undefined)
}

export const alarmOf = (tenant: string, run: string): Promise<number | null> =>
  runInDurableObject(runObject(tenant, run), (_, ctx) => ctx.storage.getAlarm())

/** The clock of the isolate is so much ahead while `work` goes on. */
export async function ahead<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date)
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now() + ms)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}
