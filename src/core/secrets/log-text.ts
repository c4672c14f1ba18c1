// Cleans what goes into a log [N8, T32]: fields as JSON, errors with their causes, and no secret in any of it. Secrets that this process
// knows are taken out by `known`. For others, such as a key that a caller mistyped or a token in the URL of a failed request, the places
// where secrets usually are get emptied: addresses keep their host, headers and parameters their name.

import { defined } from "../defined.ts"
import { isObject, type Json } from "../json.ts"
import { beginning } from "./beginning.ts"

/** A log line is for finding a fault, not for storing data. */
const LONGEST = 4_000 // limit: characters of a text in the log → the rest is cut, with its length
const DEEPEST = 6 // limit: levels of a value in the log → deeper ones are left out

/** In this order: a rule sees what the rules before it left. */
const PLACES: readonly (readonly [RegExp, string | ((...found: string[]) => string)])[] = [
  [/-----BEGIN [A-Z ]{3,40}-----[^-]*(?:-----END [A-Z ]{3,40}-----)?/g, "[secret]"],
  [/\b(https?|wss?):\/\/([^\s"'<>\\^`{|}]+)/gi, (_, scheme, rest) => `${scheme}://${hostOf(rest ?? "")}`],
  // Our signed links and tokens, and any JWT.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, "[secret]"],
  [/\bsl_[a-z][a-z0-9-]{0,40}(?:_(?:eu|us))?_[0-9A-Za-z]{16,}/g, "[secret]"],
  [/(\/v1\/hooks\/)[\w-]{22,}/g, "$1…"],
  [/\b(?:sk|pk|rk|whsec|ghp|gho|ghs|ghu|github_pat|xox[abeprs]|glpat|hf|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9_-]{16,}/g, "[secret]"],
  [/\?[\w%.~[\]-]{1,200}=[^\s"'<>]*/g, "?…"],
  [/\b(Bearer|Basic|Digest|Negotiate|AWS4-HMAC-SHA256)\s+[^\s"',;]+/gi, "$1 [secret]"],
  [/\b((?:set-)?cookie2?["']?\s*[:=]\s*)[^\r\n"]+/gi, "$1[secret]"],
  [
    /(?<![\w[-])([\w-]{0,40}?(?:authorization|api[-_]?key|secret|password|passwd|passphrase|signature|token|credentials?)["']?\s*[:=]\s*["']?)[^\s"',;})\]]+/gi,
    "$1[secret]",
  ],
]

/** The host is known to whoever configured it; a path and a query are not for the log. */
function hostOf(rest: string): string {
  const [authority = ""] = rest.split(/[/?#]/, 1)
  return authority.slice(authority.lastIndexOf("@") + 1) + (rest.length > authority.length + 1 ? "/…" : rest.slice(authority.length))
}

/** `known` removes the secrets that this process knows. */
export function logText(text: string, known: (text: string) => string = (same) => same): string {
  let shown = known(text)
  // A word that the cut halves may have no form of a secret any more, and the rules may shorten what is before it.
  if (shown.length > 4 * LONGEST) shown = beginning(shown, 4 * LONGEST)
  for (const [place, instead] of PLACES)
    shown = typeof instead === "string" ? shown.replace(place, instead) : shown.replace(place, (...found) => instead(...found.map(String)))
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}… (${text.length} characters)` : shown
}

/** Any value as JSON for a log. An error becomes its name, message, stack and cause. */
export function logValue(value: unknown, known?: (text: string) => string, depth = 0): Json {
  if (typeof value === "string") return logText(value, known)
  if (value === null || typeof value === "boolean" || typeof value === "number") return value
  if (typeof value === "bigint") return String(value)
  if (depth >= DEEPEST) return "…"
  const inside = (member: unknown): Json => logValue(member, known, depth + 1)
  if (value instanceof Error) return inside(errorFields(value))
  if (Array.isArray(value)) return value.slice(0, 100).map(inside)
  if (!isObject(value)) return null
  const members = Object.entries(value).filter(([, member]) => member !== undefined && typeof member !== "function")
  return Object.fromEntries(members.map(([name, member]) => [logText(name, known), inside(member)]))
}

/** The log fields of anything that was thrown. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: "Error", message: String(error) }
  const { name, message, stack, cause } = error
  return { error: name, message, stack, ...defined({ cause }) }
}
