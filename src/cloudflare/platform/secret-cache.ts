// Caches a tenant's opened vault and its redactor, which every model turn and every tool call needs. A start needs the vault first, so
// `pin` returns it and the start passes it on to the run's object, which saves a call between objects when nothing is cached.

import { NO_SECRETS, Redactor } from "../../core/secrets/redact.ts"
import type { CarriedVault, Opened, Secrets } from "../../ports/secrets.ts"
import { MOMENT_MS, RecentAnswers } from "./recent-answers.ts"
import { perIsolate } from "../../ports/isolate.ts"

export interface OpenVault {
  readonly secrets: Secrets
  readonly redactor: Redactor
}

interface Made extends OpenVault {
  /** The answer that it was made from, as JSON. */
  readonly from: string
}

const vaults = perIsolate(() => new RecentAnswers<Made>(MOMENT_MS, 500))

export const forgetSecrets = (tenant: string, at: number = Date.now()): void => vaults().forget((key) => key === tenant, at)

/** The cached vault of a tenant; undefined: there is none, or it is too old. */
export function carriedSecrets(tenant: string, now: () => number): CarriedVault | undefined {
  const recent = vaults().recent(tenant, now())
  return recent && { from: recent.value.from, at: recent.at }
}

/** Caches a carried vault, unless this isolate knows a newer one or a change since. */
export const takeSecrets = (tenant: string, { from, at }: CarriedVault, now: () => number): void =>
  vaults().take(tenant, { at, make: (before) => remade(from, () => JSON.parse(from) as Opened, before) }, now())

/** `fresh`: the cached vault is not good enough. */
export const cachedSecrets =
  (tenant: string, ask: () => Promise<Opened>, now: () => number): ((fresh?: boolean) => Promise<OpenVault>) =>
  (fresh = false) =>
    vaults().get(tenant, {
      now,
      async ask(before) {
        const opened = await ask()
        return remade(JSON.stringify(opened), () => opened, before)
      },
      isGood: () => !fresh,
    })

/** Removes every secret in this isolate's cache, of all tenants, from a log line. */
export const scrubbed = (text: string): string =>
  vaults()
    .values()
    .reduce((shown, { redactor }) => redactor.text(shown), text)

/** A redactor is costly to make, so an unchanged vault keeps the one it has. */
const remade = (from: string, opened: () => Opened, before?: Made): Made =>
  before?.from === from ? before : { ...vaultOf(opened()), from }

function vaultOf({ vault, keys }: Opened): OpenVault {
  const labeled = [...Object.entries(vault), ...Object.entries(keys).map(([name, key]) => [`provider/${name}`, [key]] as const)]
  return { secrets: new Map(Object.entries(vault)), redactor: labeled.length === 0 ? NO_SECRETS : new Redactor(labeled) }
}
