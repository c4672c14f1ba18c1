// A tenant's opened vault and the redactor made of it, cached in the isolate for a moment, as its providers' settings are: every turn of
// a model and every call of a tool needs them. A new value counts after 5 s at the latest, in this isolate at once.
//
// A start needs the vault before anything else, so `pin` brings it along and the start hands it on to the object of the run: a start whose
// isolates have nothing cached makes one call less between objects.

import { NO_SECRETS, Redactor } from "../../core/secrets/redact.ts"
import type { Secrets } from "../../ports/secrets.ts"

const SECRETS_TTL_MS = 5_000
const MOST = 500

/** What the tenant's object answers: scope → values, provider → key. A provider's key is a secret like any other [N6]. */
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
  /** The JSON of what it was made of. */
  readonly from: string
}

/** A vault on its way from one isolate to another, inside a call between the Worker's own objects. `at`: when it was asked for. */
export type CarriedVault = Pick<Kept, "from" | "at">

const kept = new Map<string, Kept>()
let forgotten = 0
/** When secrets changed last in this isolate, of whichever tenant. */
let forgottenAt = Number.NEGATIVE_INFINITY

export function forgetSecrets(tenant: string, at: number = Date.now()): void {
  forgotten++
  forgottenAt = Math.max(forgottenAt, at)
  kept.delete(tenant)
}

/** undefined: nothing is cached that still counts. */
export function carriedSecrets(tenant: string, now: () => number): CarriedVault | undefined {
  const held = kept.get(tenant)
  return held && now() - held.at < SECRETS_TTL_MS ? { from: held.from, at: held.at } : undefined
}

/** Caches a carried vault. It counts no longer than where it comes from, and not at all where a newer one or a change is known. */
export function takeSecrets(tenant: string, { from, at }: CarriedVault, now: () => number): void {
  const age = now() - at
  const held = kept.get(tenant)
  if (age < 0 || age >= SECRETS_TTL_MS || at <= forgottenAt || (held && held.at >= at)) return
  keep(tenant, { ...(held?.from === from ? held : vaultOf(JSON.parse(from))), from, at })
}

function keep(tenant: string, made: Kept): void {
  if (kept.size >= MOST) kept.clear()
  kept.set(tenant, made)
}

/** `fresh`: the cached vault is not good enough. */
export function cachedSecrets(tenant: string, ask: () => Promise<Opened>, now: () => number): (fresh?: boolean) => Promise<OpenVault> {
  return async (fresh = false) => {
    const held = kept.get(tenant)
    // An answer is as old as its question: the moment of the read in between is unknown.
    const at = now()
    if (held && !fresh && at - held.at < SECRETS_TTL_MS) return held
    const before = forgotten
    // What is shared between requests must be settled: a promise of another object's request may never resolve here.
    const opened = await ask()
    const from = JSON.stringify(opened)
    const made: Kept = { ...(held?.from === from ? held : vaultOf(opened)), from, at }
    if (before === forgotten) keep(tenant, made)
    return made
  }
}

/** For log lines: takes out every secret that this isolate knows, of all tenants. */
export const scrubbed = (text: string): string => [...kept.values()].reduce((shown, { redactor }) => redactor.text(shown), text)

function vaultOf({ vault, keys }: Opened): OpenVault {
  const labeled = [...Object.entries(vault), ...Object.entries(keys).map(([name, key]) => [`provider/${name}`, [key]] as const)]
  return { secrets: new Map(Object.entries(vault)), redactor: labeled.length === 0 ? NO_SECRETS : new Redactor(labeled) }
}
