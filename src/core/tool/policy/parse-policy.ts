// Parses the body of PUT /v1/settings/policy into a Policy, or lists all its faults [T30, Q4, Q5]. Unknown rules are refused: a rule that
// is silently ignored looks like a rule that applies. `{}` is the default policy.

import { defined } from "../../defined.ts"
import { EFFECTS_MODES } from "./effects-modes.ts"
import { parseDuration } from "../../text/duration.ts"
import { isName } from "../../text/names.ts"
import type { JsonObject } from "../../json.ts"
import { compilePattern } from "../../schema/linear-pattern.ts"
import { pointerStep } from "../../text/pointer.ts"
import { err, ok, type Result } from "../../result.ts"
import { parseApprovalRule } from "./approval-rule.ts"
import { DEFAULT_POLICY, type Approvals, type Policy, type ToolRules } from "./policy.ts"
import { MAX_RULES, openReader, type PolicyFault, type Reader } from "./read-rules.ts"
import { PROFILES } from "./tool-names.ts"

const POLICY_FIELDS = ["tools", "approvals", "hooks", "autonomy", "denylist", "network", "max_timeout", "effects"]
const LEVELS = ["conservative", "standard", "autonomous"] as const
const DAY = 86_400_000
const MAX_PATTERN = 1_000 // limit: characters of a denylist's pattern and reason → 422 at the rule

export function parsePolicy(body: unknown): Result<Policy, readonly PolicyFault[]> {
  const reader = openReader()
  const given = reader.object(body, "", POLICY_FIELDS)
  if (given === undefined) return err(reader.faults)
  const { tools, approvals, hooks, autonomy, denylist, network, max_timeout, effects } = given
  const limit = max_timeout === undefined ? undefined : duration(reader, max_timeout, "/max_timeout", DAY)
  const modes = effects === undefined ? undefined : readEffects(reader, effects)
  const policy: Policy = {
    tools: readTools(reader, tools),
    approvals: readApprovals(reader, approvals),
    hooks: readHooks(reader, hooks),
    autonomy: reader.choice(autonomy, "/autonomy", LEVELS) ?? DEFAULT_POLICY.autonomy,
    denylist: readDenylist(reader, denylist),
    network: { allow: readHosts(reader, network) },
    ...defined({ max_timeout: limit, effects: modes }),
  }
  return reader.faults.length > 0 ? err(reader.faults) : ok(policy)
}

/** The policy as GET returns it: with defaults and durations in milliseconds. PUT accepts it as the same policy. */
export function policyView(policy: Policy): JsonObject {
  const { tools, approvals, hooks, autonomy, denylist, network, max_timeout, effects } = policy
  return {
    tools: {
      profile: tools.profile ?? "full",
      allow: [...(tools.allow ?? [])],
      deny: [...(tools.deny ?? [])],
      agents: overridesView(tools.agents),
      providers: overridesView(tools.providers),
    },
    approvals: { ...approvalsView(approvals), allow_relax: approvals.allow_relax, expires: approvals.expires },
    hooks: { confirm: [...hooks.confirm], log: [...hooks.log], silent: [...hooks.silent] },
    autonomy,
    denylist: denylist.map((d) => ({ tool: d.tool, ...defined({ args: d.args }), reason: d.reason })),
    network: { allow: [...network.allow] },
    ...defined({ max_timeout, effects: effects?.map((rule) => ({ ...rule })) }),
  }
}

const overridesView = (all: Readonly<Record<string, ToolRules>>): JsonObject =>
  Object.fromEntries(
    Object.entries(all).map(([name, { profile, allow, deny }]) => [
      name,
      defined({ profile, allow: allow && [...allow], deny: deny && [...deny] }),
    ]),
  )

const approvalsView = (approvals: Approvals): JsonObject =>
  Object.fromEntries(
    (["tools", "plans"] as const).flatMap((channel) => {
      const rule = approvals[channel]
      return rule === undefined ? [] : [[channel, typeof rule === "string" ? rule : { ...rule }]]
    }),
  )

function readTools(reader: Reader, value: unknown): Policy["tools"] {
  if (value === undefined) return DEFAULT_POLICY.tools
  const given = reader.object(value, "/tools", ["profile", "allow", "deny", "agents", "providers"])
  if (given === undefined) return DEFAULT_POLICY.tools
  return {
    ...rulesOf(reader, given, "/tools"),
    agents: readOverrides(reader, given["agents"], "/tools/agents"),
    providers: readOverrides(reader, given["providers"], "/tools/providers"),
  }
}

function rulesOf(reader: Reader, given: Record<string, unknown>, at: string): ToolRules {
  const profile = reader.choice(given["profile"], `${at}/profile`, PROFILES)
  const allow = reader.patterns(given["allow"], `${at}/allow`)
  const deny = reader.patterns(given["deny"], `${at}/deny`)
  return defined({ profile, allow, deny })
}

function readOverrides(reader: Reader, value: unknown, at: string): Readonly<Record<string, ToolRules>> {
  if (value === undefined) return {}
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    reader.fault(at, "must be a JSON object: name → {profile?, allow?, deny?}")
    return {}
  }
  const all = Object.entries(value)
  if (all.length > MAX_RULES) reader.fault(at, `has more than ${MAX_RULES} entries`)
  return Object.fromEntries(
    all.slice(0, MAX_RULES).flatMap(([name, rules]: [string, unknown]): [string, ToolRules][] => {
      const here = `${at}${pointerStep(name)}`
      if (!isName(name)) return reader.fault(here, "is not a valid name: use at most 100 letters, digits, _ and -") ?? []
      const given = reader.object(rules, here, ["profile", "allow", "deny"])
      return given === undefined ? [] : [[name, rulesOf(reader, given, here)]]
    }),
  )
}

function readApprovals(reader: Reader, value: unknown): Policy["approvals"] {
  const preset = DEFAULT_POLICY.approvals
  if (value === undefined) return preset
  const given = reader.object(value, "/approvals", ["tools", "plans", "allow_relax", "expires"])
  if (given === undefined) return preset
  const relax = given["allow_relax"]
  if (relax !== undefined && typeof relax !== "boolean") reader.fault("/approvals/allow_relax", "must be true or false")
  const rules: { tools?: Approvals["tools"] & {}; plans?: Approvals["plans"] & {} } = {}
  for (const channel of ["tools", "plans"] as const) {
    if (given[channel] === undefined) continue
    const rule = parseApprovalRule(given[channel])
    if (rule.ok) rules[channel] = rule.value
    else reader.fault(`/approvals/${channel}`, rule.error.message, rule.error.suggestion)
  }
  return {
    ...rules,
    allow_relax: relax === true,
    expires: given["expires"] === undefined ? preset.expires : duration(reader, given["expires"], "/approvals/expires", 366 * DAY),
  }
}

function duration(reader: Reader, value: unknown, at: string, max: number): number {
  const ms = parseDuration(value)
  if (ms !== undefined && ms > 0 && ms <= max) return ms
  reader.fault(at, `must be a duration from 1 ms to ${max / DAY} days: milliseconds, or a text such as 500ms, 30s, 5m, 2h or 3d`)
  return max
}

function readHooks(reader: Reader, value: unknown): Policy["hooks"] {
  const given = value === undefined ? {} : reader.object(value, "/hooks", ["confirm", "log", "silent"])
  const of = (key: string): readonly string[] => reader.patterns(given?.[key], `/hooks/${key}`) ?? []
  return { confirm: of("confirm"), log: of("log"), silent: of("silent") }
}

function readHosts(reader: Reader, value: unknown): readonly string[] {
  const given = value === undefined ? {} : reader.object(value, "/network", ["allow"])
  const hosts = reader.texts(given?.["allow"], "/network/allow") ?? []
  hosts.forEach((host, i) => {
    if (!/^[a-z0-9*.:[\]-]+$/i.test(host))
      reader.fault(`/network/allow/${i}`, "must be a host name without scheme, port or path; `*` matches anything")
  })
  return hosts.map((host) => host.toLowerCase())
}

function readDenylist(reader: Reader, value: unknown): Policy["denylist"] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > MAX_RULES) {
    reader.fault("/denylist", `must be a list of {tool, args?, reason}, at most ${MAX_RULES}`)
    return []
  }
  return value.flatMap((item: unknown, i): Policy["denylist"] => {
    const at = `/denylist/${i}`
    const given = reader.object(item, at, ["tool", "args", "reason"])
    if (given === undefined) return []
    const { tool, args, reason } = given
    const pattern = reader.pattern(tool, `${at}/tool`)
    if (typeof reason !== "string" || reason.trim() === "" || reason.length > MAX_PATTERN)
      reader.fault(`${at}/reason`, `must be a text of 1 to ${MAX_PATTERN} characters: refused calls show it`)
    if (args !== undefined) patternFault(reader, args, `${at}/args`)
    return [{ tool: pattern ?? "*", ...(typeof args === "string" ? { args } : {}), reason: String(reason).trim() }]
  })
}

/** [K30] */
function readEffects(reader: Reader, value: unknown): NonNullable<Policy["effects"]> {
  if (!Array.isArray(value) || value.length > MAX_RULES) {
    reader.fault("/effects", `must be a list of {flows, mode}, at most ${MAX_RULES}`)
    return []
  }
  return value.flatMap((item: unknown, i): NonNullable<Policy["effects"]> => {
    const at = `/effects/${i}`
    const given = reader.object(item, at, ["flows", "mode"])
    if (given === undefined) return []
    const flows = reader.text(given["flows"], `${at}/flows`)
    const mode = reader.choice(given["mode"], `${at}/mode`, EFFECTS_MODES)
    if (given["mode"] === undefined) reader.fault(`${at}/mode`, `must be one of ${EFFECTS_MODES.join(", ")}`)
    return flows === undefined || mode === undefined ? [] : [{ flows, mode }]
  })
}

/** Accepts only patterns that match in linear time: no lookaround, no backreferences. */
function patternFault(reader: Reader, args: unknown, at: string): void {
  if (typeof args !== "string" || args === "" || args.length > MAX_PATTERN) {
    reader.fault(at, `must be a regular expression of 1 to ${MAX_PATTERN} characters`)
    return
  }
  const pattern = compilePattern(args)
  if (!pattern.ok) reader.fault(at, pattern.error, "write a regular expression without lookaround and backreferences")
}
