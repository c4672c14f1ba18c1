// Adds a provider's own headers and options to the outgoing request [N6]. They only add: a header or member that the request already has
// stays as it is, so that no option changes what is asked or what a budget has reserved.

import { defined } from "../core/defined.ts"
import { isObject } from "../core/json.ts"
import { isOwnHeader, isOwnMember } from "../core/schema/provider-extras.ts"
import type { ProviderSettings } from "../ports/tenant/providers.ts"

type Extras = Pick<ProviderSettings, "headers" | "options">

export function withSettings(fetch: typeof globalThis.fetch, { headers: own = {}, options = {} }: Extras): typeof globalThis.fetch {
  const added = Object.entries(own).filter(([name]) => !isOwnHeader(name))
  const members = Object.fromEntries(Object.entries(options).filter(([name]) => !isOwnMember(name)))
  const hasMembers = Object.keys(members).length > 0
  if (added.length === 0 && !hasMembers) return fetch
  return (input, init) => {
    const headers = new Headers(init?.headers)
    for (const [name, value] of added) if (!headers.has(name)) headers.set(name, value)
    const body = hasMembers && typeof init?.body === "string" ? filled(init.body, members) : init?.body
    return fetch(input, { ...init, headers, ...defined({ body }) })
  }
}

function filled(text: string, members: Record<string, unknown>): string {
  const body: unknown = JSON.parse(text)
  return isObject(body) ? JSON.stringify({ ...members, ...body }) : text
}
