// Calls a tenant's desks for the Worker and its runs (ports/desks.ts). Answers to starts show which tenants have desks; that is only a
// hint, because the tenant's object answers whatever a desk cannot.

import { Lru } from "../../engine/lru.ts"
import type { Desk } from "../../ports/desks.ts"
import type { Noted, ListedRun } from "../../ports/tenant/run-list.ts"
import { members } from "../platform/rooms.ts"
import { deskStub, type TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"
import { perIsolate } from "../../ports/isolate.ts"

/** A tenant that starts nothing for so long is asked itself. */
const LEARNED_MS = 10_000
const MAX_TENANTS = 5_000

const learned = perIsolate(() => new Lru<{ readonly count: number; readonly until: number }>(MAX_TENANTS))

/** `count` undefined: the tenant has no desks now. */
export function learnDesks(tenant: string, count: number | undefined, now: number): void {
  if (count === undefined) learned().delete(tenant)
  else learned().set(tenant, { count, until: now + LEARNED_MS })
}

export const deskAt = (env: TenantNamespace, tenant: string, desk: number): Desk =>
  members(
    (method) =>
      (...args: readonly unknown[]) =>
        deskStub(env, tenant, desk).desk(method, args),
  )

/** The desk for a run or a key; undefined: this isolate knows of none. */
export function deskFor(env: TenantNamespace, tenant: string, name: string, now: number): Desk | undefined {
  const known = learned().get(tenant)
  return known && now < known.until ? deskAt(env, tenant, placeOf(name, known.count)) : undefined
}

/** The answer of a desk of the tenant, or of the tenant's object. */
export async function deskOr<T>(desk: Desk | undefined, ask: (desk: Desk) => Promise<T | "ask">, otherwise: () => Promise<T>): Promise<T> {
  const said = desk && (await ask(desk).catch(() => "ask" as const))
  return said === undefined || said === "ask" ? otherwise() : said
}

/** Sends a run's report to its desk, or to the tenant's object if the desk does not answer. */
export async function reportOver(env: TenantNamespace, tenant: string, desk: number | undefined, row: ListedRun): Promise<Noted> {
  const said =
    desk === undefined
      ? undefined
      : await deskAt(env, tenant, desk)
          .note(row)
          .catch(() => undefined)
  return said ?? portOf(env, tenant, "runs").note(row)
}

export async function giveBackOver(env: TenantNamespace, tenant: string, run: string, now: number): Promise<void> {
  const isBack = await deskFor(env, tenant, run, now)
    ?.giveBack(run)
    .catch(() => false)
  if (isBack !== true) await portOf(env, tenant, "starts").giveBack(run)
}

/** The same for the same name, evenly spread: ids and digests end in letters that are. */
function placeOf(name: string, count: number): number {
  let sum = 0
  for (const letter of name.slice(-8)) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return sum % count
}
