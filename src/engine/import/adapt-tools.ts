// The tools of another tool's agent → `tools` or `denied_tools`. What it was denied, or needed approval for, is denied here.

import type { Json } from "../../core/json.ts"
import { isObject } from "../../core/json.ts"
import { denialsOf, matchTool, type Dialect } from "./foreign-tools.ts"
import { namesOf, replace, type Fields, type Say } from "./agent-fields.ts"

export interface ImportWorld {
  /** Every available tool. */
  readonly tools: ReadonlySet<string>
  /** Stored skills, and skills of the same import. */
  readonly skills: ReadonlySet<string>
  /** What every name of the import begins with. */
  readonly prefix?: string
  /** The names that the skills of this import get, where they are not their own. */
  readonly renamed?: ReadonlyMap<string, string>
}

const GRANTS = ["tools", "approved_tools", "allowed_tools", "allowed-tools", "allowedTools"]
const DENIALS = ["denied_tools", "disallowedTools", "disallowed-tools", "disallowed_tools"]
const WRITING = ["write", "edit"]

export function adaptTools(fields: Fields, world: ImportWorld, dialect: Dialect, say: Say): void {
  const said = [...GRANTS, ...DENIALS, "permission", "permissionMode", "readonly"].filter((key) => fields.has(key))
  if (said.length === 1 && said[0] === "denied_tools") return
  const granted = GRANTS.find((key) => fields.has(key))
  const wish = granted === undefined ? undefined : fields.get(granted)
  const found = new Set<string>()
  const deny = (names: readonly string[], why?: string): void => {
    for (const foreign of names) for (const name of denialsOf(foreign, world.tools)) found.add(name)
    if (why !== undefined && names.length > 0) say(why)
  }
  for (const key of DENIALS) deny(namesOf(fields.get(key)))
  if (fields.get("permissionMode") === "plan" || fields.get("readonly") === true)
    deny(WRITING, "denied write and edit: the agent was read-only")
  const permission = fields.get("permission")
  const closedByDefault = isObject(permission) && Object.hasOwn(permission, "*") && permission["*"] !== "allow"
  if (isObject(permission) && !closedByDefault) {
    const closed = Object.entries(permission).flatMap(([name, value]) => (value === "allow" ? [] : [name]))
    deny(closed, `denied everything not plainly allowed: ${closed.join(", ")}`)
  }

  // A map of switches (`write: false`) only denies; a switch that is on adds nothing.
  if (isObject(wish)) deny(Object.entries(wish).flatMap(([name, value]) => (value === false ? [name] : [])))
  const denied = [...found]
  const list = listOf(wish, granted !== undefined, closedByDefault ? permission : undefined)
  const left: string[] = []
  const kept: string[] = []
  let all = false
  for (const foreign of list ?? []) {
    const match = matchTool(foreign, world.tools, dialect)
    if (match.kind === "all") all = true
    else if (match.kind === "none") left.push(`${foreign} (${match.why})`)
    else kept.push(...match.names.filter((name) => !kept.includes(name)))
  }
  const asItWas = said.length === 1 && granted !== undefined && OWN_GRANTS.includes(granted) && !isObject(wish)
  if (list === undefined || all) {
    replace(fields, said, "denied_tools", denied)
    say(
      denied.length === 0
        ? "wrote denied_tools: [] because it named no tools, which means all tools in other programs"
        : `wrote denied_tools: ${denied.join(", ")}; it has every other tool that its caller has`,
    )
    return
  }
  const tools = kept.filter((name) => !found.has(name))
  if (!(asItWas && tools.length === list.length && tools.every((name, i) => name === list[i]))) {
    replace(fields, said, "tools", tools.join(", "))
    say(`its tools are now ${tools.length === 0 ? "none" : tools.join(", ")}`)
  }
  if (left.length > 0) say(`left out tools: ${left.join("; ")}`)
}

/** The tools granted by name; undefined: all except the denied. */
function listOf(wish: Json | undefined, named: boolean, permission: Record<string, unknown> | undefined): readonly string[] | undefined {
  const on = (map: Record<string, unknown>, word: unknown): string[] =>
    Object.entries(map).flatMap(([name, value]) => (value === word && name !== "*" ? [name] : []))
  if (isObject(wish)) return wish["*"] === false ? on(wish, true) : undefined
  if (named) return namesOf(wish)
  return permission === undefined ? undefined : on(permission, "allow")
}

const OWN_GRANTS = ["tools", "approved_tools", "allowed_tools"]
