// Serves a tenant's settings. Writes of settings are serialized, like those of the catalog.

import { runRooms } from "../../clients/run-port.ts"
import { defined } from "../../../core/defined.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { CollectionName, SettingsRoom, SettingValue } from "../../../ports/tenant/settings.ts"
import { unowned } from "../catalog/configure.ts"
import { gatedModels } from "./gated-models.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function settingsRoom({
  sql,
  settings,
  references,
  providers,
  pacer,
  policies,
  inTurn,
  env,
  tenant,
  later,
  catalog,
  starts,
}: TenantResources): Answers<SettingsRoom> {
  const gated = gatedModels({ catalog, providers, settings, starts })
  /** What is deleted with an item, in the same commit. */
  const deletedWith: { readonly [List in CollectionName]?: (name: string) => void } = {
    references: (kind) => references.forgetKind(kind),
  }
  return {
    get: (name) => settings.get(name),
    put: (name, value, as) =>
      inTurn(async () => {
        unowned(sql, "setting", name)
        const held = name === "roles" ? await gated({ roles: value as SettingValue<"roles"> }, as) : undefined
        if (held) return { held }
        settings.put(name, value)
        return undefined
      }),
    items: (list) => settings.items(list),
    putItem: (list, item) => settings.putItem(list, item),
    removeItem(list, name) {
      const isGone = settings.removeItem(list, name)
      if (isGone) deletedWith[list]?.(name)
      return isGone
    },
    providers: () => providers.list(),
    putProvider: (name, settings) =>
      inTurn(async () => {
        unowned(sql, "provider", name)
        await providers.put(name, settings)
      }),
    removeProvider: (name, as) =>
      inTurn(async () => {
        unowned(sql, "provider", name)
        const held = await gated({ providers: providers.models().providers.filter((one) => one !== name) }, as)
        if (held) return { held }
        return providers.remove(name)
      }),
    provider: (name) => providers.open(name),
    async paced(name, questions) {
      const own = await providers.open(name)
      if (own === undefined || own.kind === "scripted") return { ...defined({ settings: own }), answers: {}, bound: [] }
      const paced = await pacer()
      const answer = paced.answer(name, questions, Date.now())
      // One that is not reached comes at its time.
      for (const [run, key] of paced.woken())
        later(
          runRooms(env, tenant, run)
            .signals.turn(key)
            .catch(() => undefined),
        )
      return { settings: own, ...answer }
    },
    pacingNow: async () => (await pacer()).standing(Date.now()),
    policy: () => policies.policy(),
    putPolicy: (policy) =>
      inTurn(async () => {
        unowned(sql, "setting", "policy")
        policies.put(policy)
      }),
    rules: () => policies.rules(),
  }
}
