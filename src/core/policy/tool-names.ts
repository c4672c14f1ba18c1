// What a name in a rule stands for [T30]: a tool by any of its names, a glob, a group, a profile. One matcher for policies, hooks,
// approvals, the denylist and skills, so that a rule about one name of a tool holds for all of them.
//
// For the guard: matchesTool, sameTool, outsidePolicy.

import type { ToolGroup, ToolSpec } from "../tool/tool-spec.ts"
import type { Profile } from "./policy.ts"

/** All that a rule sees of a tool. */
export type NamedTool = Pick<ToolSpec, "name"> & Partial<Pick<ToolSpec, "same" | "groups">>

export const PROFILES: readonly Profile[] = ["minimal", "messaging", "coding", "full"]
export const GROUPS: readonly ToolGroup[] = ["fs", "runtime", "web", "memory", "mcp", "media", "flow"]
export const GROUP_PREFIX = "group:"

// Said here too, not only by `same`: `deny: [file.write]` must hold in a run whose agents can only name `write`.
const FAMILIES: readonly (readonly string[])[] = [
  ["read", "file.read"],
  ["write", "file.write"],
  ["edit", "file.edit"],
  ["ls", "file.list"],
  ["bash", "shell.exec"],
  ["r2.share", "minio.share"],
  ["r2.ingest", "minio.ingest"],
  ["r2.sync", "minio.sync"],
]
const FAMILY: ReadonlyMap<string, readonly string[]> = new Map(FAMILIES.flatMap((names) => names.map((name) => [name, names] as const)))

const GROUP_TOOLS: Readonly<Record<ToolGroup, readonly string[]>> = {
  fs: ["read", "write", "edit", "ls", "grep", "find", "glob", "file.*"],
  runtime: ["bash", "process.*"],
  web: ["web.*", "browser.*"],
  memory: ["memory.*"],
  mcp: ["mcp:*"],
  media: ["media.*", "image.*", "audio.*"],
  flow: ["subagent", "agent_catalog", "agent_write", "flow_write", "sessions.*"],
}

// What each profile adds to the one before it [D11]; `full` is everything there is, MCP and registered tools too.
const ADDED: Readonly<Record<Exclude<Profile, "full">, readonly string[]>> = {
  minimal: ["read", "ls", "grep", "find", "glob", "web.fetch", "system.info", "ask_user", "skill_read"],
  messaging: ["memory.*", "web.search", "web.search.*", "r2.*", "k8s.*", "cron.*", "subagent", "agent_catalog"],
  coding: ["write", "edit", "file.patch", "bash", "process.*", "browser.*", "agent_write", "flow_write"],
}

/** Never judged by a policy: the end of a session, and the rest of an output that its own tool gave [T5]. */
const OUTSIDE: ReadonlySet<string> = new Set(["finish", "subagent_finalize", "read_output"])
export const outsidePolicy = (name: string): boolean => OUTSIDE.has(name)

/** In no profile, and in no glob or group either: a tenant has it when its `allow` has this very name [T25]. */
const BY_NAME: ReadonlySet<string> = new Set(["browser.eval"])
export const isByNameOnly = (tool: NamedTool): boolean => BY_NAME.has(tool.name)

/** Every name of a tool, its own first. */
export function namesOf(tool: NamedTool): readonly string[] {
  const own = tool.same === undefined ? [tool.name] : [tool.name, tool.same]
  return [...new Set(own.flatMap((name) => [name, ...(FAMILY.get(name) ?? [])]))]
}

/** Are these two names of one tool? */
export const sameTool = (a: string, b: string): boolean => a === b || FAMILY.get(a)?.includes(b) === true

/** A glob or a group: it may be about many tools. */
export const isPattern = (text: string): boolean => text.includes("*") || text.startsWith(GROUP_PREFIX)

/** `pattern`: a name, a glob (`*` is anything, dots and colons too; anchored), or `group:NAME`. */
export function matchesTool(pattern: string, tool: NamedTool): boolean {
  if (pattern.startsWith(GROUP_PREFIX)) {
    const group = GROUPS.find((g) => g === pattern.slice(GROUP_PREFIX.length))
    return group !== undefined && inGroup(group, tool)
  }
  return namesOf(tool).some((name) => matchesGlob(pattern, name))
}

/** The first pattern that a tool matches: what an explanation names [T33]. */
export const matchIn = (patterns: readonly string[] | undefined, tool: NamedTool): string | undefined =>
  patterns?.find((pattern) => matchesTool(pattern, tool))

function inGroup(group: ToolGroup, tool: NamedTool): boolean {
  return tool.groups?.includes(group) === true || namesOf(tool).some((name) => GROUP_TOOLS[group].some((p) => matchesGlob(p, name)))
}

export function inProfile(profile: Profile, tool: NamedTool): boolean {
  if (profile === "full") return true
  const names = namesOf(tool)
  const has = (added: readonly string[]): boolean => names.some((name) => added.some((p) => matchesGlob(p, name)))
  if (has(ADDED.minimal)) return true
  if (profile === "minimal") return false
  if (has(ADDED.messaging)) return true
  return profile === "coding" && has(ADDED.coding)
}

/** `*` is any run of characters, all else is itself, from end to end. At most pattern × text steps: a star only ever gives back one character. */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let from = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === "*") {
      star = p++
      from = t
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++from
    } else return false
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}
