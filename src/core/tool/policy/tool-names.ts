// Matches names in rules with tools [T30]: by any of a tool's names, a glob, a group or a profile. Policies, hooks, approvals, the denylist
// and skills share this matcher, so a rule for one name of a tool covers all its names.
//
// The guard uses matchesTool, sameTool and outsidePolicy.

import type { ToolGroup, ToolSpec } from "../tool-spec.ts"
import type { Profile } from "./policy.ts"

/** The parts of a tool that rules use. */
export type NamedTool = Pick<ToolSpec, "name"> & Partial<Pick<ToolSpec, "same" | "groups">>

export const PROFILES: readonly Profile[] = ["minimal", "messaging", "coding", "full"]
export const GROUPS: readonly ToolGroup[] = ["fs", "runtime", "web", "memory", "mcp", "media", "flow"]
export const GROUP_PREFIX = "group:"

// Repeats what `same` says, because `deny: [file.write]` must also apply in a run whose agents only have `write`.
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

// The tools that each profile adds to the previous one [D11]. `full` has every tool, including MCP and registered tools.
const ADDED: Readonly<Record<Exclude<Profile, "full">, readonly string[]>> = {
  minimal: ["read", "ls", "grep", "find", "glob", "web.fetch", "system.info", "ask_user", "skill_read"],
  messaging: ["memory.*", "web.search", "web.search.*", "r2.*", "k8s.*", "cron.*", "subagent", "agent_catalog"],
  coding: ["write", "edit", "file.patch", "bash", "process.*", "browser.*", "agent_write", "flow_write"],
}

/** Tools that no policy restricts: those that end a session, the one that reads the rest of a truncated output [T5], and the one that
 *  finds tools, which finds only what the policy grants [T8]. */
const OUTSIDE: ReadonlySet<string> = new Set(["finish", "subagent_finalize", "read_output", "tool_search"])
export const outsidePolicy = (name: string): boolean => OUTSIDE.has(name)

/** Tools that no profile, glob or group includes: a tenant has one only when its `allow` lists this exact name [T25]. */
const BY_NAME: ReadonlySet<string> = new Set(["browser.eval"])
export const isByNameOnly = (tool: NamedTool): boolean => BY_NAME.has(tool.name)

/** All names of a tool, its own first. */
export function namesOf(tool: NamedTool): readonly string[] {
  const own = tool.same === undefined ? [tool.name] : [tool.name, tool.same]
  return [...new Set(own.flatMap((name) => [name, ...(FAMILY.get(name) ?? [])]))]
}

/** Tells whether two names mean the same tool. */
export const sameTool = (a: string, b: string): boolean => a === b || FAMILY.get(a)?.includes(b) === true

/** Tells whether the text is a glob or a group, which may match many tools. */
export const isPattern = (text: string): boolean => text.includes("*") || text.startsWith(GROUP_PREFIX)

/** Tells whether the text names a single tool of an MCP server, which the server may add later. */
export const isOfServer = (name: string): boolean => /^mcp:[^:]+:./.test(name)

/** `pattern`: a name, an anchored glob (`*` matches anything, including dots and colons), or `group:NAME`. */
export function matchesTool(pattern: string, tool: NamedTool): boolean {
  if (pattern.startsWith(GROUP_PREFIX)) {
    const group = GROUPS.find((g) => g === pattern.slice(GROUP_PREFIX.length))
    return group !== undefined && inGroup(group, tool)
  }
  return namesOf(tool).some((name) => matchesGlob(pattern, name))
}

/** The first pattern that matches the tool, for explanations [T33]. */
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

/** `*` matches any run of characters; every other character matches itself. The glob covers the whole text. Takes at most pattern × text
 *  steps, because only the last star is ever retried. */
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
