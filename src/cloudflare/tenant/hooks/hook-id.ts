// Creates and reads a hook's id: 16 random bytes, the tenant's name, a NUL and a mark (own-mark.ts), as base64url. Only the bytes are
// secret: a request with such an id finds its tenant's object without a look-up, and that object knows whether the hook exists.

import { HOOK_ID } from "../../../ports/tenant/hooks.ts"
import { TENANT_NAME } from "../../../ports/tenant/tenants.ts"
import { isMarked, markOf } from "../../platform/tokens/own-mark.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import { fromBase64url, toBase64url } from "../../../core/text/base64url.ts"

const RANDOM = 16

export function newHookId(env: VaultEnv, tenant: string): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM))
  const rest = new TextEncoder().encode(`${tenant}\0${markOf(env, "hook", textOf(random, tenant))}`)
  const bytes = new Uint8Array(RANDOM + rest.length)
  bytes.set(random)
  bytes.set(rest, RANDOM)
  return toBase64url(bytes)
}

/** The tenant that a hook of this id would belong to, and whether this instance made the id; undefined: this is not a hook id. */
export function readHookId(env: VaultEnv, id: string): { readonly tenant: string; readonly isOwn: boolean } | undefined {
  const bytes = HOOK_ID.test(id) ? fromBase64url(id) : undefined
  const rest = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes?.subarray(RANDOM))
  const [tenant = "", mark = "", ...more] = rest.split("\0")
  if (bytes === undefined || more.length > 0 || !TENANT_NAME.test(tenant)) return undefined
  return { tenant, isOwn: isMarked(env, "hook", textOf(bytes.subarray(0, RANDOM), tenant), mark) }
}

const textOf = (random: Uint8Array, tenant: string): string => `${toBase64url(random)}/${tenant}`
