// A tenant's provider settings, which every model turn needs.

import type { ProviderSettings } from "../../../ports/tenant/providers.ts"
import { MOMENT_MS, RecentAnswers } from "../../platform/recent-answers.ts"
import { perIsolate } from "../../../ports/isolate.ts"

const providers = perIsolate(() => new RecentAnswers<ProviderSettings | undefined>(MOMENT_MS, 500))

/** After a change, or after a call that failed as if the settings were wrong. */
export const forgetProvider = (tenant: string, name: string): void => providers().forget((key) => key === `${tenant}/${name}`)

/** The tenant is deleted: a new tenant under its id has its own settings. */
export const forgetProviders = (tenant: string): void => providers().forget((key) => key.startsWith(`${tenant}/`))

/** The settings as this isolate last read them; undefined: not lately. */
export const recentProvider = (tenant: string, name: string, now: number): ProviderSettings | undefined =>
  providers().recent(`${tenant}/${name}`, now)?.value

/** A provider that does not exist is asked for again at once: someone may be about to set it up. */
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
