// A hook's id: 16 random bytes and the tenant's name, as base64url. The name is no secret, the bytes are; a request with such an id
// finds its tenant's object without asking anybody, and that object knows whether there is such a hook.

import { HOOK_ID } from "../../ports/hooks.ts"
import { TENANT_NAME } from "../../ports/tenants.ts"

const RANDOM = 16

export function newHookId(tenant: string): string {
  const name = new TextEncoder().encode(tenant)
  const bytes = new Uint8Array(RANDOM + name.length)
  crypto.getRandomValues(bytes.subarray(0, RANDOM))
  bytes.set(name, RANDOM)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

/** Whose hook it would be; undefined: no id of ours. */
export function tenantOfHook(id: string): string | undefined {
  if (!HOOK_ID.test(id) || id.length % 4 === 1) return undefined
  const name = atob(id.replaceAll("-", "+").replaceAll("_", "/")).slice(RANDOM)
  return TENANT_NAME.test(name) ? name : undefined
}
