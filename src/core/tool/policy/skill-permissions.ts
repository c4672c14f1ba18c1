// Applies the permissions in a skill's `manifest.json` to its agent [T31, D16]. They only restrict: an agent may do what the policy and the
// manifests of all its skills allow.
//
// A skill without manifest.json restricts nothing, because the Agent Skills standard does not define a manifest. A manifest forbids
// everything that it leaves out: no `permissions` means no tools, no `fs` no paths, no `net` no hosts. The guard uses permitsTool (through
// verdictOf), skillPathFault and skillScopeFault. skillNetFault checks hosts wherever the address is known, and at every redirect.

import { allowedBy } from "./access.ts"
import { isObject } from "../../json.ts"
import { err, ok, type Result } from "../../result.ts"
import { openReader, type PolicyFault, type Reader } from "./read-rules.ts"
import { GROUP_PREFIX, matchesGlob, matchIn, type NamedTool } from "./tool-names.ts"

export interface SkillPermissions {
  /** Names, globs and groups: the manifest's `tools`, or else its `tool_groups`. */
  readonly tools: readonly string[]
  readonly fs: { readonly read: readonly string[]; readonly write: readonly string[] }
  readonly net: readonly { readonly host: string; readonly ports?: readonly number[] }[]
  readonly secrets: readonly string[]
  /** Parsed and stored only: every shell here is a sandbox, so `host` grants nothing more. */
  readonly execution_environment: "sandbox" | "host"
}

/** A skill as the guard sees it; without `permissions` it restricts nothing. */
export interface PermittedSkill {
  readonly name: string
  readonly permissions?: SkillPermissions
}

/** Tells whether a skill's manifest allows the tool. Only a manifest that names tools grants any. */
export const permitsTool = (permissions: SkillPermissions, tool: NamedTool): boolean => matchIn(permissions.tools, tool) !== undefined

/** A sentence naming the first skill that does not allow the path; undefined: all skills allow it. */
export function skillPathFault(skills: readonly PermittedSkill[], side: "read" | "write", path: string): string | undefined {
  for (const { name, permissions } of skills)
    if (permissions && !allowedBy(permissions.fs[side], path))
      return `the skill "${name}" lets its agent ${side} ${orNone(permissions.fs[side])}; ${path} is outside`
  return undefined
}

/** A sentence naming the first skill that does not list a required scope; undefined: all skills list all scopes. */
export function skillScopeFault(skills: readonly PermittedSkill[], scopes: readonly string[]): string | undefined {
  for (const { name, permissions } of skills) {
    const missing = permissions && scopes.find((scope) => !permissions.secrets.includes(scope))
    if (missing !== undefined) return `the skill "${name}" does not name the secret scope ${missing}`
  }
  return undefined
}

/** `host`: lowercase, as the URL parser returns it. `port`: the effective port. */
export function skillNetFault(skills: readonly PermittedSkill[], host: string, port: number): string | undefined {
  for (const { name, permissions } of skills) {
    if (!permissions) continue
    const open = permissions.net.some((n) => matchesGlob(n.host, host) && (n.ports === undefined || n.ports.includes(port)))
    if (!open) return `the skill "${name}" lets its agent reach ${orNone(permissions.net.map((n) => n.host))}; ${host}:${port} is outside`
  }
  return undefined
}

const orNone = (list: readonly string[]): string => (list.length === 0 ? "nothing" : `only ${list.join(", ")}`)

/** Reads the text of a manifest.json, ignoring all fields except `permissions`. A skill with a malformed manifest does not load. */
export function parseManifest(text: string): Result<SkillPermissions, readonly PolicyFault[]> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return err([{ pointer: "", message: "is not valid JSON" }])
  }
  if (!isObject(body)) return err([{ pointer: "", message: "must be a JSON object" }])
  const reader = openReader()
  const permissions = readPermissions(reader, Object.hasOwn(body, "permissions") ? body["permissions"] : {})
  return reader.faults.length > 0 || permissions === undefined ? err(reader.faults) : ok(permissions)
}

const FIELDS = ["tool_groups", "tools", "fs", "net", "secrets", "execution_environment"]

function readPermissions(reader: Reader, value: unknown): SkillPermissions | undefined {
  const at = "/permissions"
  const given = reader.object(value, at, FIELDS)
  if (given === undefined) return undefined
  const groups = reader.patterns(readGroups(given["tool_groups"]), `${at}/tool_groups`)
  const tools = reader.patterns(given["tools"], `${at}/tools`)
  const fs = given["fs"] === undefined ? undefined : reader.object(given["fs"], `${at}/fs`, ["read", "write"])
  return {
    tools: tools ?? groups ?? [],
    fs: { read: reader.texts(fs?.["read"], `${at}/fs/read`) ?? [], write: reader.texts(fs?.["write"], `${at}/fs/write`) ?? [] },
    net: readNet(reader, given["net"], `${at}/net`),
    secrets: reader.texts(given["secrets"], `${at}/secrets`) ?? [],
    execution_environment: reader.choice(given["execution_environment"], `${at}/execution_environment`, ["sandbox", "host"]) ?? "sandbox",
  }
}

/** `fs` and `group:fs` mean the same. */
const readGroups = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((g: unknown) => (typeof g === "string" && !g.startsWith(GROUP_PREFIX) ? `${GROUP_PREFIX}${g.trim()}` : g))
    : value

function readNet(reader: Reader, value: unknown, at: string): SkillPermissions["net"] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    reader.fault(at, "must be a list of {host, ports?}")
    return []
  }
  return value.flatMap((item: unknown, i): SkillPermissions["net"] => {
    const one = reader.object(item, `${at}/${i}`, ["host", "ports"])
    if (one === undefined) return []
    const { host, ports } = one
    if (typeof host !== "string" || !/^[a-z0-9*.:[\]-]{1,253}$/i.test(host)) {
      reader.fault(`${at}/${i}/host`, "must be a host name without scheme, port or path; `*` matches anything")
      return []
    }
    if (ports === undefined) return [{ host: host.toLowerCase() }]
    if (!Array.isArray(ports) || !ports.every((p): p is number => Number.isInteger(p) && p > 0 && p < 65_536)) {
      reader.fault(`${at}/${i}/ports`, "must be a list of port numbers")
      return []
    }
    return [{ host: host.toLowerCase(), ports }]
  })
}
