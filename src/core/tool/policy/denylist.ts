// Checks the denylist: calls that never run, even when approved [T3, T30]. A rule has a tool's name or a glob, and optionally a regular
// expression over the canonical JSON of the arguments: as they are given, with their paths normalized, because `./.env` and `@.env` are the
// file `.env`, and with their addresses as a request names them, because `http://127.1/` is `http://127.0.0.1/`. A single match is enough.

import { canonical, isObject, type Json, type JsonObject } from "../../json.ts"
import { compilePattern } from "../../schema/linear-pattern.ts"
import { ADDRESS_FORMS, inForm, originForm } from "../../text/address-forms.ts"
import { normalizePath, unmentioned } from "../../text/path.ts"
import type { ToolSpec } from "../tool-spec.ts"
import type { Policy } from "./policy.ts"
import { matchesTool, type NamedTool } from "./tool-names.ts"

type Judged = NamedTool & Partial<Pick<ToolSpec, "paths">>

interface Texts {
  readonly all: readonly string[]
  /** The arguments that have an address, with its host alone: hosts have no letter case, whatever a rule writes. */
  readonly hosts?: string
}

/** Throws when a pattern is too costly for these arguments; the guard then refuses [G10]. */
export function denied(denylist: Policy["denylist"], tool: Judged, args: JsonObject): string | undefined {
  let texts: Texts | undefined
  for (const rule of denylist) {
    if (!matchesTool(rule.tool, tool)) continue
    if (rule.args === undefined) return rule.reason
    const pattern = compilePattern(rule.args)
    // The pattern was checked when the policy was saved, so a journal with an invalid one cannot be trusted.
    if (!pattern.ok) return `${rule.reason} (its pattern is invalid: ${pattern.error})`
    texts ??= textsOf(tool, args)
    if (texts.all.some((text) => pattern.value.test(text))) return rule.reason
    const anyCase = texts.hosts === undefined ? undefined : compilePattern(rule.args, { ignoreCase: true })
    if (texts.hosts !== undefined && anyCase?.ok && anyCase.value.test(texts.hosts)) return rule.reason
  }
  return undefined
}

function textsOf(tool: Judged, args: JsonObject): Texts {
  const plain = withPlainPaths(tool, args)
  const forms = ADDRESS_FORMS.map((form) => readdressed(plain, (text) => inForm(text, form)))
  const hosts = Object.entries(args).flatMap(([name, value]) => {
    const short = readdressed(value, (text) => inForm(text, originForm))
    return short === value ? [] : [[name, short] as const]
  })
  return {
    all: [...new Set([args, plain, ...forms].map(canonical))],
    ...(hosts.length === 0 ? {} : { hosts: canonical(Object.fromEntries(hosts)) }),
  }
}

/** With each text in another form that has one; the same value when none has. */
function readdressed<T extends Json>(value: T, change: (text: string) => string | undefined): T
function readdressed(value: Json, change: (text: string) => string | undefined): Json {
  if (typeof value === "string") return change(value) ?? value
  if (Array.isArray(value)) {
    const items = value.map((item) => readdressed(item, change))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const members = Object.entries(value as JsonObject).map(([name, one]) => [name, one, readdressed(one, change)] as const)
  return members.some(([, one, other]) => one !== other) ? Object.fromEntries(members.map(([name, , other]) => [name, other])) : value
}

function withPlainPaths({ paths }: Judged, args: JsonObject): JsonObject {
  const plain: JsonObject = {}
  for (const name of [...(paths?.read ?? []), ...(paths?.write ?? [])]) {
    const given = Object.hasOwn(args, name) ? args[name] : undefined
    const path = typeof given === "string" ? normalizePath(unmentioned(given)) : undefined
    if (path?.ok) plain[name] = path.value
  }
  return { ...args, ...plain }
}
