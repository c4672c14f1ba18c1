// Serves a tenant's callbacks [W6]: the receivers, and the messages to them.

import { signingKey } from "../../../engine/net/callback-signature.ts"
import type { CallbacksPort } from "../../../ports/tenant/callbacks.ts"
import type { Answers } from "../../../ports/objects.ts"
import { unowned } from "../catalog/configure.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"

export const callbackRoom = ({ sql, callbacks, sender, secrets }: TenantResources): Answers<CallbacksPort> => ({
  async signing(scope) {
    if (!secrets.scopes().includes(scope)) return "no_scope"
    // Values sealed under another vault key cannot sign.
    const values = await secrets.all(scope).catch(() => [])
    return values.some((value) => signingKey(value) !== undefined) ? "ok" : "no_key"
  },
  create: (callback, act = clock.id()) => callbacks.create({ id: `cb_${act}`, created: clock.now(), ...callback }),
  addPush: (run, config) => callbacks.pushes.add(run, config),
  pushes: (run) => callbacks.pushes.of(run),
  removePush: (run, id) => callbacks.pushes.remove(run, id),
  list: () => callbacks.list(),
  find: (id) => callbacks.find(id),
  remove(id) {
    unowned(sql, "callback", callbacks.find(id)?.name)
    return callbacks.remove(id)
  },
  messages: (query) => callbacks.messages(query),
  message: (id) => callbacks.message(id),
  redrive(id) {
    const done = callbacks.redrive(id, clock.now())
    if (done === "ok") sender.send()
    return done
  },
})
