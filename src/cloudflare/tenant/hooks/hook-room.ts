// Serves a tenant's incoming webhooks [W1–W3]: the hooks and their deliveries, which arrive without a key.

import type { Answers, HooksRoom } from "../../../ports/objects.ts"
import { decidesOnArrival } from "../../../core/start/start-block.ts"
import { unowned } from "../catalog/configure.ts"
import type { TenantResources } from "../tenant-resources.ts"

export const hookRoom = ({ sql, hooks, deliveryRows, deliveries, secrets, account, catalog }: TenantResources): Answers<HooksRoom> => ({
  create: (settings, act) => hooks.create(settings, act),
  list: () => hooks.list(),
  find: (id) => hooks.find(id),
  replace(id, settings) {
    unowned(sql, "hook", hooks.find(id)?.name)
    return hooks.replace(id, settings)
  },
  remove(id) {
    unowned(sql, "hook", hooks.find(id)?.name)
    return hooks.remove(id)
  },
  deliveries: (hook, query) => hooks.find(hook) && deliveryRows.list(hook, query),
  delivery: (hook, id) => deliveryRows.find(hook, id),
  async redeliver(id, delivery, act) {
    const hook = hooks.find(id)
    return hook ? deliveries.redeliver(hook, delivery, act) : "not_found"
  },
  async open(id) {
    const hook = hooks.find(id)
    if (!hook?.enabled || account.leaving() !== undefined) return undefined
    return { hook, secrets: await secrets.all(hook.secret).catch(() => []) }
  },
  refuse(hook, verdict, reason) {
    if (hooks.find(hook)) deliveries.refuse(hook, verdict, reason)
  },
  async take(id, delivered) {
    const hook = hooks.find(id)
    if (!hook) return undefined
    const taken = deliveries.take(hook, delivered)
    // The sender of any other waits only until its delivery is stored [W3].
    const isOpen = taken.verdict === "accepted" || taken.verdict === "duplicate"
    const isJudged = isOpen && (decidesOnArrival(hook.start) || decidesOnArrival(await catalog.startOf(hook.flow)))
    return isJudged ? deliveries.settled(hook.id, taken) : taken
  },
})
