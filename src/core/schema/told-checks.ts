// Rewrites a library's findings about outside data as a sentence with the place [H3]. Libraries put their findings into an error's message
// as a dump of JSON, which no person should have to read.

import { isObject } from "../json.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { kind } from "./body-faults.ts"

const MAX_DUMP = 200_000 // limit: characters of a library's message in which a dump of checks is looked for → it is shown as it is, cut
const SHOWN_FINDINGS = 3

interface Finding {
  readonly path: readonly (string | number)[]
  readonly told: string
}

/** The text with a sentence instead of a dump; a text without a dump is unchanged. */
export function toldChecks(text: string): string {
  const at = dumpIn(text)
  if (at < 0 || text.length > MAX_DUMP) return text
  const findings = readDump(text.slice(at))
  if (findings === undefined) return text
  const told = findings
    .slice(0, SHOWN_FINDINGS)
    .map(({ path, told: what }) => (path.length === 0 ? `it ${what}` : `${placeOf(path)} ${what}`))
  const more = findings.length > SHOWN_FINDINGS ? `, and ${findings.length - SHOWN_FINDINGS} more faults` : ""
  const before = lead(text.slice(0, at))
  return `${before === "" ? "" : `${before}: `}${told.join(", ")}${more}`
}

/** Where a list of findings begins that goes to the end of the text. */
const dumpIn = (text: string): number =>
  text.trimEnd().endsWith("]") ? text.search(/\[\s*\{\s*"(?:code|expected|origin|message|path|format|keys|values|note|inst|errors)"/) : -1

/** The library's own words before it; a copy of what was checked is left out. */
function lead(before: string): string {
  const [words = ""] = before.split(/(?:: Value: |\.\nError message: )/)
  return words.replace(/[\s:]+$/, "")
}

function readDump(text: string): readonly Finding[] | undefined {
  try {
    const issues: unknown = JSON.parse(text)
    if (!Array.isArray(issues) || issues.length === 0) return undefined
    const found = issues.flatMap((issue) => findingsOf(issue, []))
    return found.length === 0 ? undefined : found
  } catch {
    return undefined
  }
}

function findingsOf(issue: unknown, base: Finding["path"]): readonly Finding[] {
  if (!isObject(issue) || !Array.isArray(issue["path"]) || typeof issue["message"] !== "string") return []
  const { code, expected, message, keys, values, errors } = issue
  const path = [...base, ...issue["path"].filter((step) => typeof step === "string" || typeof step === "number")]
  if (code === "unrecognized_keys" && Array.isArray(keys))
    return [{ path, told: `has the unknown ${keys.length === 1 ? "field" : "fields"} ${keys.map((key) => short(String(key))).join(", ")}` }]
  if (code === "invalid_union" && Array.isArray(errors)) {
    const branches = errors.flatMap((branch) => (Array.isArray(branch) ? [branch.flatMap((inner) => findingsOf(inner, path))] : []))
    const meant = branches.filter((branch) => branch.length > 0).sort((a, b) => depthOf(b) - depthOf(a) || a.length - b.length)[0]
    if (meant) return meant
  }
  const given = /received (\S+)$/.exec(message)?.[1]
  if (code === "invalid_type" && typeof expected === "string")
    return [
      { path, told: given === "undefined" ? "is missing" : `must be ${kind(expected)}${given === undefined ? "" : `, and is ${given}`}` },
    ]
  if (code === "invalid_value" && Array.isArray(values))
    return [
      { path, told: values.length === 1 ? `must be ${JSON.stringify(values[0])}` : `must be one of ${values.map(String).join(", ")}` },
    ]
  return [{ path, told: `does not fit: ${message}` }]
}

/** Of a union, the alternative that was meant fails deepest. */
const depthOf = (branch: readonly Finding[]): number => Math.min(...branch.map(({ path }) => path.length))

const placeOf = (path: Finding["path"]): string => path.map((step) => pointerStep(step)).join("")
