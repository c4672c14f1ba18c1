// Searches tools that are too many for a prompt [T8]. When an agent's registered tools exceed its token limit, they are not sent with every
// request: the agent finds them with `tool_search`, and a tool that it finds or calls by name is sent from then on. The list of the step's
// tools is in the journal, so that a replay sends the same requests. The guard judges a found tool as any other.

import type { Agent } from "../../flow/agent.ts"
import { isObject, type JsonObject } from "../../json.ts"
import { rank, ranked, type Ranked } from "../../text/word-rank.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import type { Run, Session, StepState } from "../state.ts"
import { mayHold, READ_OUTPUT, verdictFor } from "./grant.ts"

export const TOOL_SEARCH = "tool_search"

/** [T8] Tokens of registered tools that are sent with every request; an agent's `max_tool_tokens` replaces it. */
// Limit: tokens of registered tools that are sent with every request, unless the agent has `max_tool_tokens` → the agent finds them with
// `tool_search`.
export const MAX_TOOL_TOKENS = 20_000
/** [T8] Tools of one request, whatever they weigh: OpenAI takes no more. */
// Limit: tools of one request to a model → registered ones are found with `tool_search`, and of those found the earliest give way.
export const MOST_SENT = 128
/** Tools that one search finds, at most and by default. */
export const MOST_FOUND = 20 // limit: tools that one search finds → the best ones are shown
const USUAL_FOUND = 5
const MAX_NAMES_CHARS = 1_500 // limit: characters of tool names in the prompt that tells of the search → the list ends in …

/** Four characters of a schema are about one token: an estimate, the same for all models. */
export const toolTokens = (tool: Pick<ToolSpec, "name" | "description" | "parameters">): number => {
  const before = weights.get(tool)
  if (before !== undefined) return before
  const tokens = Math.ceil((tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length) / 4)
  weights.set(tool, tokens)
  return tokens
}
const weights = new WeakMap<object, number>()

/** Splits a session's tools into those that are listed at first and those to search for. Built-in tools are always listed. */
export function offered(run: Run, agent: Agent, granted: readonly string[]): { tools: string[]; searched?: string[] } {
  const pinned = run.pins?.tools ?? {}
  const { tools } = run.plan
  const registered = granted.filter((name) => Object.hasOwn(pinned, name))
  const weight = registered.reduce((n, name) => n + toolTokens(tools.get(name) ?? NO_TOOL), 0)
  const fits = weight <= (agent.max_tool_tokens ?? MAX_TOOL_TOKENS) && granted.length <= MOST_SENT - LATER
  if (fits || registered.length === 0 || !tools.has(TOOL_SEARCH)) return { tools: [...granted] }
  return { tools: [...granted.filter((name) => !Object.hasOwn(pinned, name)), TOOL_SEARCH], searched: registered }
}
/** `read_output` comes with the first result that is cut. */
const LATER = 1
const NO_TOOL = { name: "", description: "", parameters: {} }

/** Tells whether the session may call the tool, listed or not. */
export const holds = ({ tools, session }: StepState, name: string): boolean =>
  tools.includes(name) || session?.searched?.includes(name) === true

/** The tools that match a query, best first: only tools that the session may call under the current rules. */
export function searchTools(run: Run, s: StepState, args: JsonObject): ToolSpec[] {
  const { session } = s
  const agent = session && run.plan.agents[session.agent]
  const query = args["query"]
  const limit = args["limit"]
  if (!session?.searched || !agent || typeof query !== "string") return []
  const specs = session.searched.flatMap((name): ToolSpec[] => {
    const tool = run.plan.tools.get(name)
    return tool && mayHold(agent, tool) && verdictFor(run.plan, agent, tool, run.rules.policy, session.model).granted ? [tool] : []
  })
  const most = Math.min(typeof limit === "number" ? limit : USUAL_FOUND, MOST_FOUND)
  const exact = specs.filter((tool) => tool.name.toLowerCase() === query.trim().toLowerCase())
  const found = rank(specs.map(wordsOf), query).flatMap((i) => specs[i] ?? [])
  return [...new Set([...exact, ...found])].slice(0, most)
}

/** The step's tools after a search; undefined: no change. */
export function toolsFound(run: Run, s: StepState, args: JsonObject): string[] | undefined {
  const fresh = searchTools(run, s, args).flatMap((tool) => (s.tools.includes(tool.name) ? [] : [tool.name]))
  return fresh.length > 0 ? sent(s, [...s.tools, ...fresh], fresh.length) : undefined
}

/** Lists a tool from its first call on: its schema shows what was wrong with a call that was guessed. */
export function listCalled(s: StepState, name: string): void {
  if (s.session?.searched?.includes(name) === true && !s.tools.includes(name)) s.tools = sent(s, [...s.tools, name], 1)
}

/** As many as a request holds: of those that were found, the earliest give way. They are found again, or called by name. */
function sent({ session }: StepState, tools: readonly string[], fresh: number): string[] {
  const room = MOST_SENT - (tools.includes(READ_OUTPUT) ? 0 : LATER)
  let over = tools.length - room
  return tools.filter((name, at) => !(over > 0 && at < tools.length - fresh && session?.searched?.includes(name) === true && over-- > 0))
}

/** The layer of the prompt that explains the search. */
export function searchLayer(session: Pick<Session, "searched">): string {
  const { searched } = session
  if (!searched) return ""
  let names = ""
  for (const name of searched) {
    if (names.length + name.length > MAX_NAMES_CHARS) {
      names += ", …"
      break
    }
    names += names === "" ? name : `, ${name}`
  }
  return `# More tools\n\nYou have ${searched.length} more tools than are listed. Find them with \`tool_search\`, by words for what you want to do: it shows how they are called, and from then on they are listed and you can call them. Search before you say that something cannot be done. They are: ${names}.`
}

/** Words of the name, the description and the names of the arguments; a plan's tools are the same for all its sessions. */
function wordsOf(tool: ToolSpec): Ranked {
  const before = read.get(tool)
  if (before) return before
  const { properties } = tool.parameters
  const words = ranked(tool.name, `${tool.description} ${isObject(properties) ? Object.keys(properties).join(" ") : ""}`)
  read.set(tool, words)
  return words
}
const read = new WeakMap<ToolSpec, Ranked>()
