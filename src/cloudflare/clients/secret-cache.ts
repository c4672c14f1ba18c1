// A tenant's opened vault and the redactor made of it, kept in the isolate for a moment, as its providers' settings are: every turn of
// a model and every call of a tool needs them. A new value counts after 5 s at the latest, in this isolate at once.

import { NO_SECRETS, Redactor } from "../../core/secrets/redact.ts"
import type { Secrets } from "../../ports/secrets.ts"

const SECRETS_TTL_MS = 5_000
const MOST = 500

/** What the tenant's object tells: scope → values, provider → key. A provider's key is a secret like any other [N6]. */
export interface Opened {
  readonly vault: Readonly<Record<string, readonly string[]>>
  readonly keys: Readonly<Record<string, string>>
}

export interface OpenVault {
  readonly secrets: Secrets
  readonly redactor: Redactor
}

interface Kept extends OpenVault {
  readonly at: number
  /** What it was made of. */
  readonly from: string
}

const kept = new Map<string, Kept>()
let forgotten = 0

export function forgetSecrets(tenant: string): void {
  forgotten++
  kept.delete(tenant)
}

/** `fresh`: what is kept is not good enough. */
export function cachedSecrets(tenant: string, ask: () => Promise<Opened>, now: () => number): (fresh?: boolean) => Promise<OpenVault> {
  return async (fresh = false) => {
    const held = kept.get(tenant)
    // An answer is as old as its question: nobody knows when in between it was read.
    const at = now()
    if (held && !fresh && at - held.at < SECRETS_TTL_MS) return held
    const before = forgotten
    // What is shared between requests must be settled: a promise of another object's request may never resolve here.
    const opened = await ask()
    const from = JSON.stringify(opened)
    const made: Kept = { ...(held?.from === from ? held : vaultOf(opened)), from, at }
    if (kept.size >= MOST) kept.clear()
    if (before === forgotten) kept.set(tenant, made)
    return made
  }
}

/** For what is logged: every secret that this isolate knows of, whosever it is. */
export const scrubbed = (text: string): string => [...kept.values()].reduce((shown, { redactor }) => redactor.text(shown), text)

function vaultOf({ vault, keys }: Opened): OpenVault {
  const labeled = [...Object.entries(vault), ...Object.entries(keys).map(([name, key]) => [`provider/${name}`, [key]] as const)]
  return { secrets: new Map(Object.entries(vault)), redactor: labeled.length === 0 ? NO_SECRETS : new Redactor(labeled) }
}
