// The guard's rules a second time, written from the specification [G1–G11, Q3–Q5, T3, T30–T32] by an author who did not know guard.ts:
// for one tool, one call, one moment. oracle.ts applies them to a whole session.
//
// Written to be compared, not reused: nothing here imports the guard, the policy or the argument check.

import type { Agent } from "../../../src/core/flow/agent.ts"
import { isObject, type Json, type JsonObject } from "../../../src/core/json.ts"
import type { ApprovalRule, Policy, Rules, ToolRules } from "../../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"

/** [T30] Names that every rule treats as one tool. */
const TWINS: readonly (readonly string[])[] = [
  ["write", "file.write"],
  ["read", "file.read"],
  ["bash", "shell.exec"],
  ["r2.share", "minio.share"],
]
export const namesOf = (name: string): readonly string[] => TWINS.find((names) => names.includes(name)) ?? [name]

/** [D11, D12] By name, for the tools of oracle-world.ts. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:fs": ["read", "file.read", "write", "file.write"],
  "group:runtime": ["bash", "shell.exec"],
  "group:web": ["web.fetch", "web.search"],
  "group:memory": ["memory.read", "memory.write"],
  "group:mcp": ["mcp:srv:go", "mcp:srv:look"],
  "group:media": ["media.send"],
}
const MINIMAL = ["read", "file.read", "web.fetch", "ask_user", "skill_read"]
const MESSAGING = [...MINIMAL, "memory.read", "memory.write", "web.search", "r2.share", "minio.share"]
const CODING = [...MESSAGING, "write", "file.write", "bash", "shell.exec"]

/** `*` matches anything, other characters match themselves; the whole text must match. */
export function globFits(glob: string, text: string): boolean {
  const [head = "", ...rest] = glob.split("*")
  const last = rest.pop()
  if (last === undefined) return glob === text
  if (!text.startsWith(head) || text.length < head.length + last.length || !text.endsWith(last)) return false
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0 || found + part.length > text.length - last.length) return false
    at = found + part.length
  }
  return true
}

const hits = (patterns: readonly string[] | undefined, name: string): boolean =>
  (patterns ?? []).some((p) => (p.startsWith("group:") ? GROUPS[p]?.includes(name) === true : namesOf(name).some((n) => globFits(p, n))))

function inProfile(profile: ToolRules["profile"], name: string): boolean {
  if (profile === "minimal") return MINIMAL.includes(name)
  if (profile === "messaging") return MESSAGING.includes(name)
  return profile === "coding" ? CODING.includes(name) : true
}

/** [D14] profile, + allow, - deny; an override with `allow` and no `profile` is exactly that list. */
const base = (r: ToolRules, name: string): boolean => (inProfile(r.profile ?? "full", name) || hits(r.allow, name)) && !hits(r.deny, name)
const override = (r: ToolRules | undefined, name: string): boolean => {
  if (r === undefined) return true
  return r.allow !== undefined && r.profile === undefined ? hits(r.allow, name) && !hits(r.deny, name) : base(r, name)
}
const own = <T>(of: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(of, key) ? of[key] : undefined)

export function policyAllows({ tools }: Policy, agent: string, model: string, name: string): boolean {
  const provider = model.split("/")[0] ?? ""
  return base(tools, name) && override(own(tools.agents, agent), name) && override(own(tools.providers, provider), name)
}

/** [G8] Only the architect may hold architect tools. */
export const roleFits = (tool: ToolSpec, agent: Agent): boolean =>
  tool.contexts.includes("agent") || (agent.role === "architect" && tool.contexts.includes("architect"))

export const declares = ({ tools }: Agent, tool: ToolSpec): boolean =>
  tools.kind === "list"
    ? tools.names.includes(tool.name)
    : // Each tool once: an inheriting agent does not get its other names.
      tool.contexts.includes("agent") &&
      tool.same === undefined &&
      !namesOf(tool.name).some((n) => tools.denied.includes(n)) &&
      !["ask_user", "skill_read"].includes(tool.name)

/** [T32] */
export const scopesHeld = (tool: ToolSpec, rules: Rules): boolean =>
  (tool.requiredSecretScopes ?? []).every((s) => rules.scopes.includes(s))

/** JSON with sorted keys. */
export function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((k) => `${JSON.stringify(k)}:${sorted(value[k] ?? null)}`).join(",")}}`
}

/** [D23] Refused even when approved. */
export const denylisted = ({ denylist }: Policy, tool: ToolSpec, args: JsonObject): boolean =>
  denylist.some(
    (d) => namesOf(tool.name).some((n) => globFits(d.tool, n)) && (d.args === undefined || new RegExp(d.args, "u").test(sorted(args))),
  )

/** [G7] Paths of the test's list have a plain form; a path without one is outside every glob. */
export function accessAllows(agent: Agent, tool: ToolSpec, args: JsonObject, plain: (path: string) => string | undefined): boolean {
  const side = (fields: readonly string[] | undefined, globs: readonly string[] | undefined): boolean =>
    (fields ?? []).every((field) => {
      const path = args[field]
      if (typeof path !== "string") return true
      const form = plain(path)
      return form !== undefined && (globs === undefined || globs.some((g) => pathFits(g, form)))
    })
  return side(tool.paths?.read, agent.access.read) && side(tool.paths?.write, agent.access.write)
}

/** Only the two shapes that the tests use: `DIR/*` in the folder, `DIR/**` below it. */
function pathFits(glob: string, path: string): boolean {
  const dir = glob.slice(0, glob.indexOf("*"))
  return path.startsWith(dir) && path.length > dir.length && (glob.endsWith("**") || !path.slice(dir.length).includes("/"))
}

/** [G11], [T21] For a tool whose method is an argument, every method except GET and HEAD is a write. */
export function methodOf(tool: ToolSpec, args: JsonObject): string | undefined {
  // A write that says nothing of where it goes leaves the run, unless it is one of files or commands.
  if (tool.reach === undefined)
    return tool.effect === "write" && !tool.groups?.some((g) => g === "fs" || g === "runtime") ? "POST" : undefined
  const { method } = tool.reach
  if ("fixed" in method) return method.fixed.toUpperCase()
  const said = args[method.arg]
  return (typeof said === "string" ? said : method.fallback).toUpperCase()
}
const looksOnly = (method: string): boolean => method === "GET" || method === "HEAD"
export function writes(tool: ToolSpec, args: JsonObject): boolean {
  const method = methodOf(tool, args)
  return tool.effect === "write" || (tool.reach !== undefined && "arg" in tool.reach.method && method !== undefined && !looksOnly(method))
}

function hostOf(tool: ToolSpec, args: JsonObject): string | undefined {
  const to = tool.reach?.to
  if (to === undefined) return undefined
  if ("host" in to) return to.host
  if ("within" in to) return undefined
  const url = args[to.arg]
  // A host behind another name, or a host that parsers read differently, counts as unknown, so a person is asked.
  return typeof url === "string" && !/[@\\]/.test(url) && URL.canParse(url) ? new URL(url).hostname : undefined
}

export interface Mood {
  readonly tainted: boolean
  readonly private: boolean
}

/** [G11] Does the call need a person because of what the session has read? */
export function taintAsks(agent: Agent, policy: Policy, tool: ToolSpec, args: JsonObject, mood: Mood): boolean {
  const method = methodOf(tool, args)
  if (!mood.tainted || method === undefined || agent.effects?.after_untrusted === "allow") return false
  if (tool.effect === "write" || !looksOnly(method)) return true
  const host = hostOf(tool, args)
  return mood.private && (host === undefined || !policy.network.allow.some((g) => globFits(g, host)))
}

/** [Q4] Conditions of the tests: comparisons joined by one kind of operator. A missing path or another type asks. */
function ruleAsks(rule: ApprovalRule, args: JsonObject): boolean {
  if (typeof rule === "string") return rule === "always"
  const all = rule.value.includes("&&")
  const parts = rule.value.split(/&&|\|\|/).map((part) => compares(part.trim(), args))
  if (parts.includes(undefined)) return true
  return all ? parts.every((p) => p === true) : parts.some((p) => p === true)
}

function compares(text: string, args: JsonObject): boolean | undefined {
  const [path = "", op = "", ...literal] = text.split(" ")
  const want: Json = JSON.parse(literal.join(" "))
  let have: Json | undefined = args
  for (const key of path.split(".").slice(1)) have = isObject(have) && Object.hasOwn(have, key) ? (have as JsonObject)[key] : undefined
  if (have === undefined || typeof have !== typeof want || isObject(have) || Array.isArray(have)) return undefined
  if (op === "==") return have === want
  if (op === "!=") return have !== want
  if (have === null || want === null || typeof have === "boolean") return undefined
  return op === ">" ? have > want : op === "<" ? have < want : op === ">=" ? have >= want : have <= want
}

/** [Q4] The most specific rule counts; without `allow_relax` the tenant's floor may ask too. */
export function approvalAsks(policy: Policy, flow: ApprovalRule | undefined, agent: Agent, tool: ToolSpec, args: JsonObject): boolean {
  const floor = policy.approvals.tools
  const words = [floor, flow, agent.approvals?.tools, tool.approval].filter((r) => r !== undefined)
  const about = Object.entries(agent.tool_approvals ?? {})
  const named = about.filter(([k, r]) => namesOf(tool.name).includes(k) && r !== "default")
  const patterned = about.filter(([k, r]) => r !== "default" && hits([k], tool.name))
  const last = named.length > 0 ? named : patterned
  const specific =
    last.length > 0
      ? last.some(([, r]) => r !== "default" && ruleAsks(r, args))
      : words.length > 0 && words.slice(-1).some((r) => ruleAsks(r, args))
  return specific || (!policy.approvals.allow_relax && floor !== undefined && ruleAsks(floor, args))
}

/** [Q5] */
export const hookAsks = (policy: Policy, tool: ToolSpec): boolean => hits(policy.hooks.confirm, tool.name)
export function autonomyAsks(policy: Policy, tool: ToolSpec, args: JsonObject): boolean {
  const method = methodOf(tool, args)
  return policy.autonomy === "conservative" && (tool.effect === "write" || (method !== undefined && !looksOnly(method)))
}
