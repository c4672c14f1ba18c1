// A hook's id: 16 random bytes and the tenant's name, as base64url. The bytes are secret, the name is not: a request with such an id finds its
// tenant's object without a look-up, and that object knows whether there is such a hook.

import { HOOK_ID } from "../../ports/hooks.ts"
import { TENANT_NAME } from "../../ports/tenants.ts"
import { fromBase64url, toBase64url } from "../../core/text/base64url.ts"

const RANDOM = 16

export function newHookId(tenant: string): string {
  const name = new TextEncoder().encode(tenant)
  const bytes = new Uint8Array(RANDOM + name.length)
  crypto.getRandomValues(bytes.subarray(0, RANDOM))
  bytes.set(name, RANDOM)
  return toBase64url(bytes)
}

/** The tenant that a hook of this id would belong to; undefined: this is not a hook id. */
export function tenantOfHook(id: string): string | undefined {
  if (!HOOK_ID.test(id) || id.length % 4 === 1) return undefined
  const name = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(fromBase64url(id)?.subarray(RANDOM))
  return TENANT_NAME.test(name) ? name : undefined
}
