// A tenant's callbacks, for the HTTP door: rows and outbox lie in the tenant's object.

import type { CallbacksPort } from "../../ports/callbacks.ts"
import { clock } from "../platform/clock.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function callbacksPort(env: TenantPortEnv, tenant: string): CallbacksPort {
  const ask = asking(env, tenant)
  return {
    signing: (scope) => ask((o) => o.callbacks.signing(scope)),
    create(callback, act = clock.id()) {
      // The id is chosen here: asked twice, it is one row.
      const row = { id: `cb_${act}`, created: clock.now(), ...callback }
      return ask((o) => o.callbacks.create(row))
    },
    list: () => ask((o) => o.callbacks.list()),
    find: (id) => ask((o) => o.callbacks.find(id)),
    remove: (id) => ask((o) => o.callbacks.remove(id)),
    messages: (query) => ask((o) => o.callbacks.messages(query)),
    message: (id) => ask((o) => o.callbacks.message(id)),
    redrive: (id) => ask((o) => o.callbacks.redrive(id)),
  }
}
