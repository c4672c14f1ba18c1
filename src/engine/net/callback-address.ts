// Where a callback may go [W6]: https, and past the guard. In local development also http, to a host that is exempt and to no other.

import { err, ok, type Result } from "../../core/result.ts"
import { judgeAddress } from "./address-guard.ts"

const LONGEST = 2_000

/** `privateHosts` is empty outside local development. The error is a sentence's end. */
export function judgeCallback(url: string, privateHosts: readonly string[]): Result<URL, string> {
  if (url.length > LONGEST) return err(`the address has more than ${LONGEST} characters`)
  const judged = judgeAddress(url, { allowPrivate: privateHosts })
  if (!judged.ok || judged.value.protocol === "https:") return judged
  return judgeAddress(url, { allowPrivate: [] }).ok ? err("it must be https") : isPlainAllowed(judged.value, privateHosts)
}

const isPlainAllowed = (url: URL, privateHosts: readonly string[]): Result<URL, string> =>
  privateHosts.length > 0 ? ok(url) : err("it must be https")
