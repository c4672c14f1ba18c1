// Caches a tenant's provider settings, which every model turn needs.

import type { ProviderSettings } from "../../../ports/tenant/providers.ts"
import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { perIsolate } from "../../../ports/isolate.ts"

const providers = perIsolate(() => new RecentAnswers<ProviderSettings | undefined>(MOMENT_MS, 500))

/** Called after a change, or after a failure that suggests wrong settings. */
export const forgetProvider = (tenant: string, name: string): void => providers().forget((key) => key === `${tenant}/${name}`)

/** Called when a tenant is deleted: a new tenant under its id has other settings. */
export const forgetProviders = (tenant: string): void => providers().forget((key) => key.startsWith(`${tenant}/`))

/** The cached settings; undefined: not read recently. */
export const recentProvider = (tenant: string, name: string, now: number): ProviderSettings | undefined =>
  providers().recent(`${tenant}/${name}`, now)?.value

/** A missing provider is not cached: someone may be about to set it up. */
export const cachedProvider =
  (
    tenant: string,
    ask: (name: string) => Promise<ProviderSettings | undefined>,
    now: () => number,
  ): ((name: string) => Promise<ProviderSettings | undefined>) =>
  (name) =>
    providers().get(`${tenant}/${name}`, {
      now,
      // Unchanged settings stay the same object: the models that were made for them are kept with it.
      async ask(before) {
        const settings = await ask(name)
        return before && JSON.stringify(before) === JSON.stringify(settings) ? before : settings
      },
      keeps: (settings) => settings !== undefined,
    })
