// Converts the tools of another program's agent to `tools` or `denied_tools`. Tools that were denied or needed approval are denied here,
// and an unreadable line grants nothing.

import { isObject } from "../../core/json.ts"
import { isPattern, matchesTool } from "../../core/tool/policy/tool-names.ts"
import { replace, type Fields, type Say } from "./agent-fields.ts"
import { denialsOf, matchTool, type Dialect } from "./foreign-tools.ts"
import { grantedBy } from "./granted.ts"
import { powerOf, type PowerLine } from "./power-lines.ts"

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

/** What the file says of tools, and in whose words. */
interface Asked {
  readonly powers: readonly PowerLine[]
  readonly dialect: Dialect
}

export function adaptTools(fields: Fields, { powers: lines, dialect }: Asked, world: ImportWorld, say: Say): void {
  const [first, ...others] = lines
  const only = first !== undefined && others.length === 0 && !first.stray ? first : undefined
  if (only?.key === "denied_tools") return
  const found = new Set<string>()
  const left: string[] = []
  let lists: readonly string[][] = []
  let unread: PowerLine | undefined
  let all = false
  let asked = 0
  for (const line of lines) {
    const granted = grantedBy(line)
    if (granted === undefined) unread ??= line
    for (const foreign of granted?.denied ?? []) for (const name of denialsOf(foreign, world.tools)) found.add(name)
    if (granted?.why !== undefined) say(granted.why)
    if (granted?.names === undefined) continue
    const kept: string[] = []
    let every = false
    for (const foreign of granted.names) {
      const match = matchTool(foreign, world.tools, dialect)
      if (match.kind === "all") every = true
      else if (match.kind === "none") left.push(`${foreign} (${match.why})`)
      else kept.push(...match.names.filter((name) => !kept.includes(name)))
    }
    asked = granted.names.length
    if (every) all = true
    else lists = [...lists, kept]
  }
  const said = [...fields.keys()].filter((key) => powerOf(key) !== undefined)
  const denied = [...found]
  if (unread !== undefined) {
    replace(fields, [...said, "toolkits"], "tools", "")
    say(`gave it no tools: its line of tools, "${unread.key}", cannot be read; write tools: NAME, NAME`)
    return
  }
  if (lists.length === 0) {
    replace(fields, said, "denied_tools", denied)
    say(
      denied.length > 0
        ? `wrote denied_tools: ${denied.join(", ")}; it has every other tool that its caller has`
        : `wrote denied_tools: [] because it ${all ? "asked for all tools" : "named no tools, which means all tools in other programs"}`,
    )
    return
  }
  const [list = [], ...more] = lists
  const tools = without(
    list.filter((name) => more.every((other) => other.includes(name))),
    denied,
    world.tools,
  )
  if (more.length > 0) say("took what every line of tools grants, because the file has several")
  const asItWas = only !== undefined && OWN_GRANTS.includes(only.key) && !isObject(only.value)
  if (!(asItWas && tools.length === asked && tools.join() === namedIn(only).join())) {
    replace(fields, said, "tools", tools.join(", "))
    say(`its tools are now ${tools.length === 0 ? "none" : tools.join(", ")}`)
  }
  if (left.length > 0) say(`left out tools: ${left.join("; ")}`)
}

const OWN_GRANTS = ["tools", "approved_tools", "allowed_tools"]
const namedIn = (line: PowerLine): readonly string[] => grantedBy(line)?.names ?? []

/** A pattern of which a part is denied becomes the tools that are left. */
function without(names: readonly string[], denied: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const isDenied = (name: string): boolean => denied.some((pattern) => matchesTool(pattern, { name }))
  return names.flatMap((name) => {
    if (isDenied(name)) return []
    if (!isPattern(name)) return [name]
    const matched = [...known].filter((tool) => matchesTool(name, { name: tool }))
    return matched.some(isDenied) ? matched.filter((tool) => !isDenied(tool)) : [name]
  })
}
