// Checks where a callback may go [W6]: https addresses that pass the guard. In local development also http, but only to exempt hosts.

import { err, type Result } from "../../core/result.ts"
import { judgeAddress, type Exempt } from "./address-guard.ts"

const MAX_LENGTH = 2_000 // limit: characters of a receiver's address → 422 at `/url`

/** `allowPrivate` is empty outside local development. The error is the end of a sentence. */
export function judgeCallback(url: string, exempt: Exempt): Result<URL, string> {
  if (url.length > MAX_LENGTH) return err(`the address has more than ${MAX_LENGTH} characters`)
  const judged = judgeAddress(url, exempt)
  if (!judged.ok || judged.value.protocol === "https:") return judged
  const isPublic = judgeAddress(url, { ...exempt, allowPrivate: [] }).ok
  return isPublic || exempt.allowPrivate.length === 0 ? err("it must be https") : judged
}
