// A tenant's callbacks, for the HTTP door: rows and outbox lie in the tenant's object.

import type { CallbackRow, CallbacksPort } from "../ports/callbacks.ts"
import { clock } from "./clock.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface CallbackRpc {
  callbackSigning: CallbacksPort["signing"]
  createCallback(row: Omit<CallbackRow, "enabled">): Promise<CallbackRow | "full">
  listCallbacks: CallbacksPort["list"]
  findCallback: CallbacksPort["find"]
  removeCallback: CallbacksPort["remove"]
  callbackMessages: CallbacksPort["messages"]
  callbackMessage: CallbacksPort["message"]
  redriveMessage: CallbacksPort["redrive"]
}

export function callbacksPort(env: TenantPortEnv, tenant: string): CallbacksPort {
  const ask = asking<CallbackRpc>(env, tenant)
  return {
    signing: (scope) => ask((o) => o.callbackSigning(scope)),
    create(callback) {
      // The id is chosen here: asked twice, it is one row.
      const row = { id: `cb_${clock.id()}`, created: clock.now(), ...callback }
      return ask((o) => o.createCallback(row))
    },
    list: () => ask((o) => o.listCallbacks()),
    find: (id) => ask((o) => o.findCallback(id)),
    remove: (id) => ask((o) => o.removeCallback(id)),
    messages: (query) => ask((o) => o.callbackMessages(query)),
    message: (id) => ask((o) => o.callbackMessage(id)),
    redrive: (id) => ask((o) => o.redriveMessage(id)),
  }
}
