// Connects a desk to the platform.

import { pause } from "../../ports/timers.ts"
import { portOf } from "../platform/port-of.ts"
import { cachedSecrets, takeSecrets } from "../platform/secret-cache.ts"
import { clock } from "../platform/clock.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { neighbours } from "../platform/active-tenants.ts"
import type { DeskDeps } from "./desk.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

export function deskDeps(ctx: Pick<DurableObjectState, "waitUntil">, env: TenantNamespace, tenant: string, number: number): DeskDeps {
  const { now } = clock
  const { pin } = portOf(env, tenant, "starts")
  const { verify } = portOf(env, tenant, "keys")
  const { report } = portOf(env, tenant, "desks")
  const { open } = portOf(env, tenant, "secrets")
  const { rules } = portOf(env, tenant, "settings")
  const vault = cachedSecrets(tenant, open, now)
  return {
    number,
    epoch: clock.id(),
    tenant: {
      report,
      open,
      pin: (...asked) => pin(...asked).then(plain),
      verify: (digest) => verify(digest).then(plain),
      rules: () => rules().then(plain),
    },
    async clean(said, opened) {
      takeSecrets(tenant, { from: opened, at: now() }, now)
      return cleanJson(said, (await vault()).redactor)
    },
    later: (work) => ctx.waitUntil(work),
    meet: () => neighbours().meet(tenant, now()),
    now,
    pause,
  }
}

/** What another object answered has to be disposed of. Handed on as it is, it keeps whoever gets it in memory. */
const plain = <T>(answer: T): T => structuredClone(answer)
