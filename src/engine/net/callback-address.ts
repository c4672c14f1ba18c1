// Where a callback may go [W6]: https addresses that pass the guard. In local development also http, but only to exempt hosts.

import { err, ok, type Result } from "../../core/result.ts"
import { judgeAddress } from "./address-guard.ts"

const MAX_LENGTH = 2_000

/** `privateHosts` is empty outside local development. The error is the end of a sentence. */
export function judgeCallback(url: string, privateHosts: readonly string[]): Result<URL, string> {
  if (url.length > MAX_LENGTH) return err(`the address has more than ${MAX_LENGTH} characters`)
  const judged = judgeAddress(url, { allowPrivate: privateHosts })
  if (!judged.ok || judged.value.protocol === "https:") return judged
  return judgeAddress(url, { allowPrivate: [] }).ok ? err("it must be https") : isPlainAllowed(judged.value, privateHosts)
}

const isPlainAllowed = (url: URL, privateHosts: readonly string[]): Result<URL, string> =>
  privateHosts.length > 0 ? ok(url) : err("it must be https")
