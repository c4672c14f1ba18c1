// Checks the address of a collector of traces [N9]: it leads outside, and carries no key.

import type { Exempt } from "./address-guard.ts"
import { judgeCallback } from "./callback-address.ts"

export function collectorFault(endpoint: string, exempt: Exempt): string | undefined {
  const judged = judgeCallback(endpoint, exempt)
  if (!judged.ok) return `address refused: ${judged.error}`
  const { search, hash, username, password } = judged.value
  if (search === "" && hash === "" && username === "" && password === "") return undefined
  return "must have no query, fragment or user: send keys as headers from the vault"
}
