// Says which agents a change of the roles gives another model.

export interface RoleChange {
  readonly role: string
  /** The first model of the role; undefined: that of `default`. */
  readonly before: string | undefined
  readonly after: string | undefined
  readonly agents: readonly string[]
}

export interface AgentModel {
  readonly id: string
  /** As its file says it; absent: the default role. */
  readonly model?: string | undefined
}

type Roles = Readonly<Record<string, unknown>>

const firstOf = (roles: Roles, role: string): string | undefined => {
  const [first] = [roles[role] ?? []].flat()
  return typeof first === "string" && first !== "" ? first : undefined
}

/** A role without a model takes that of `default`. */
const modelOf = (roles: Roles, role: string): string | undefined => firstOf(roles, role) ?? firstOf(roles, "default")

const usesRole = ({ model }: AgentModel, role: string): boolean =>
  model === undefined ? role === "default" : model === `@${role}` || model.startsWith(`@${role}:`)

export const agentsOf = (agents: readonly AgentModel[], role: string): readonly string[] =>
  agents.flatMap((agent) => (usesRole(agent, role) ? [agent.id] : []))

/** In the order of `names`. */
export const changedRoles = (before: Roles, after: Roles, names: readonly string[], agents: readonly AgentModel[]): readonly RoleChange[] =>
  names.flatMap((role) => {
    const change = { role, before: modelOf(before, role), after: modelOf(after, role), agents: agentsOf(agents, role) }
    return change.before === change.after || (firstOf(before, role) === firstOf(after, role) && change.agents.length === 0) ? [] : [change]
  })
