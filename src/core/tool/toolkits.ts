// Lists the tools that a role or a toolkit adds [C33, C40, C42, T42, T43]. An agent has them in addition to its listed tools, and never
// inherits them.

/** grant.ts handles `architect`. An agent without a role is a specialist. */
export const TEAM_ROLES = ["coordinator", "planner", "executor", "specialist"] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

export const CALL_AGENT = "call_agent"
export const EXECUTE_PLAN = "executePlan"
export const STORE_PLAN = "storePlan"

export const TOOLKITS: Readonly<Record<string, readonly string[]>> = {
  references: ["resolveRef", "glimpseRef"],
  plans: [STORE_PLAN, "getPlan", EXECUTE_PLAN],
  agents: ["list_agents", CALL_AGENT],
  catalog: [
    "search_catalog",
    "get_catalog_entities",
    "list_schema_fields",
    "get_catalog_relations",
    "get_relation_paths_between",
    "sample_table_data",
    "execute_query",
  ],
}

const BY_ROLE: Readonly<Record<TeamRole, readonly string[]>> = {
  coordinator: [CALL_AGENT],
  planner: [STORE_PLAN, "getPlan"],
  executor: ["getPlan", EXECUTE_PLAN, "resolveRef", "glimpseRef"],
  specialist: [],
}

export const isTeamRole = (role: string | undefined): role is TeamRole => TEAM_ROLES.some((known) => known === role)

/** The tools of the agent's role, then of its toolkits, without duplicates. */
export function toolkitTools({
  role,
  toolkits = [],
}: {
  readonly role?: string
  readonly toolkits?: readonly string[]
}): readonly string[] {
  const own = isTeamRole(role) ? BY_ROLE[role] : []
  return [...new Set([...own, ...toolkits.flatMap((name) => (Object.hasOwn(TOOLKITS, name) ? (TOOLKITS[name] ?? []) : []))])]
}

/** Agents get these by role, toolkit or name, never by inheriting their caller's tools [F53]. */
export const TOOLKIT_TOOLS: ReadonlySet<string> = new Set(Object.values(TOOLKITS).flat())

/** [C40] These roles keep their conversation between calls within a run. */
export const isStateful = (role: string | undefined): boolean => role === "coordinator" || role === "planner"
