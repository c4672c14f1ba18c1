// Reads an agent's place in a team [C40–C42, T42, T43]: role, routes, plan and toolkits. Reports what a single file shows;
// check-team.ts checks that the agents of `routes` exist.

import { defined } from "../defined.ts"
import type { Agent } from "../flow/agent.ts"
import type { Fields } from "../flow/parse/fields.ts"
import { isName } from "../text/names.ts"
import { type Report, shown } from "../flow/parse/report.ts"
import { isTeamRole, TEAM_ROLES, TOOLKITS } from "../tool/toolkits.ts"

const ARCHITECT = "architect"

export type Team = Pick<Agent, "role" | "routes" | "plan" | "toolkits">

export function readTeam(fields: Fields, name: string, report: Report): Team {
  const role = readRole(fields, report)
  const toolkits = readToolkits(fields, report)
  const routes = readRoutes(fields, name, report)
  const plan = readPlan(fields, role, report)
  const calls = role === "coordinator" || toolkits?.includes("agents") === true
  if (calls && (routes === undefined || routes.length === 0))
    report.error(
      "AV-ROUTES-NONE",
      fields.keyAt("routes"),
      role === "coordinator" ? "a coordinator needs routes to the agents that it calls" : 'the toolkit "agents" needs routes',
      "routes: [NAME]",
    )
  if (!calls && routes !== undefined)
    report.error(
      "AV-ROUTES-ROLE",
      fields.keyAt("routes"),
      `only a coordinator has routes; ${role === undefined ? "this agent has no role" : `this agent's role is ${role}`}`,
      "role: coordinator, or toolkits: agents",
    )
  return defined({ role, toolkits, routes, plan })
}

/** An unknown role is only a warning, because it may belong to another system. */
function readRole(fields: Fields, report: Report): string | undefined {
  const role = fields.text("role")?.trim()
  if (role === undefined || role === "") return undefined
  const known = [...TEAM_ROLES, ARCHITECT]
  if (!known.includes(role))
    report.warn(
      "AV-ROLE",
      fields.valueAt("role"),
      `the role ${shown(role)} is unknown: the agent is treated as a specialist`,
      report.hint(role, known),
    )
  return role
}

function readToolkits(fields: Fields, report: Report): string[] | undefined {
  if (!fields.has("toolkits")) return undefined
  const known = Object.keys(TOOLKITS)
  const names = new Set<string>()
  for (const { text, at } of fields.list("toolkits", true)) {
    if (known.includes(text)) names.add(text)
    else report.error("AV-TOOLKIT", at, `the toolkit ${shown(text)} does not exist`, report.hint(text, known))
  }
  return [...names]
}

function readRoutes(fields: Fields, name: string, report: Report): string[] | undefined {
  if (!fields.has("routes")) return undefined
  const routes = new Set<string>()
  for (const { text, at } of fields.list("routes", true)) {
    if (!isName(text)) fields.wrong(at, `"routes": ${shown(text)} is not a valid agent name`, "routes: [planner, executor]")
    else if (text === name) report.error("AV-ROUTES-SELF", at, `the agent "${name}" routes to itself`, "remove it")
    else if (routes.has(text)) report.error("AV-ROUTES-DUP", at, `the route to "${text}" is repeated`, "keep one of them")
    routes.add(text)
  }
  return [...routes]
}

/** The kind of plan that a planner makes and an executor executes: PUT /v1/plans/NAME. */
function readPlan(fields: Fields, role: string | undefined, report: Report): string | undefined {
  const plan = fields.text("plan")?.trim() ?? ""
  if (plan !== "" && !isName(plan)) fields.wrong(fields.valueAt("plan"), `"plan": ${shown(plan)} is not a valid plan name`, "plan: refunds")
  if (plan === "" && isTeamRole(role) && (role === "planner" || role === "executor"))
    report.error("AV-PLAN", fields.keyAt("plan"), `the role ${role} needs a plan`, "plan: NAME, with the name from PUT /v1/plans/NAME")
  return plan === "" ? undefined : plan
}
