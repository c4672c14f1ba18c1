// Checks the tools that steps call themselves [F26]: each exists and is for flows, and the arguments of a tool step fit its schema, as far as the
// file says what they are.

import type { Placed, CheckScope, ValueType } from "../flow/check/check-scope.ts"
import type { ToolTraits } from "../flow/check/check-trifecta.ts"
import type { ToolStep } from "../flow/flow.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import { shown } from "../flow/parse/report.ts"
import { onlyReference, references } from "../flow/template.ts"
import { isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { validateArgs } from "../schema/validate-args.ts"
import { absentTool, TOOL_SOURCES } from "../tool/absent-tool.ts"
import { isOfServer, isPattern } from "../tool/policy/tool-names.ts"
import { TOOLKITS } from "../tool/toolkits.ts"
import { textsIn } from "./arguments.ts"

/** Tools that end, search or go on with a session, or belong to a team of agents. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  "finish",
  "subagent_finalize",
  "ask_user",
  "skill_read",
  "read_output",
  "tool_search",
  "subagent",
  "agent_catalog",
  "agent_write",
  "flow_write",
  ...(TOOLKITS["plans"] ?? []),
  ...(TOOLKITS["agents"] ?? []),
])

/** The tool, if a step may call it. */
export function checkToolName(name: string, at: SourcePlace, where: string, { world, report }: CheckScope): ToolTraits | undefined {
  const { tools } = world
  if (name === "") return undefined
  if (OF_SESSIONS.has(name)) {
    report.error(
      "FV-TOOL",
      at,
      `${where}: ${shown(name)} belongs to an agent's session, and no step can call it`,
      INSTEAD[name] ?? "an agent with this tool",
    )
    return undefined
  }
  if (isPattern(name)) {
    report.error("FV-TOOL", at, `${where}: a step names one tool, and ${shown(name)} is a pattern`, "tool: NAME")
    return undefined
  }
  if (tools === undefined) return undefined
  const tool = tools.get(name)
  if (tool?.absent !== undefined) {
    report.warn("FV-TOOL", at, `${where}: ${absentTool(name, { reason: tool.absent })} The step fails until it is`, "another tool")
    return undefined
  }
  if (tool === undefined && isOfServer(name))
    report.warn(
      "FV-TOOL",
      at,
      `${where}: no server brings the tool ${shown(name)} now; until one does, the step fails`,
      report.hint(name, namesOf(tools)),
    )
  else if (tool === undefined)
    report.error("FV-TOOL", at, `${where}: the tool ${shown(name)} does not exist here`, report.hint(name, namesOf(tools)) ?? TOOL_SOURCES)
  else if (!tool.contexts.includes("agent"))
    report.error("FV-TOOL", at, `${where}: ${shown(name)} is not for runs, and no step can call it`, "another tool")
  return tool
}

const INSTEAD: Readonly<Record<string, string>> = {
  ask_user: "type: fork\nquestion: …\noptions: [first, second]\nbranches: { first: step-id, second: step-id }",
  subagent: "type: agent\nagent: NAME",
  call_agent: "type: agent\nagent: NAME",
}

const namesOf = (tools: ReadonlyMap<string, ToolTraits>): string[] => [...tools.keys()].filter((name) => !OF_SESSIONS.has(name))

export function checkToolStep(step: ToolStep, placed: Placed, scope: CheckScope): void {
  const tool = checkToolName(step.tool, placed.valueAt("tool"), placed.where, scope)
  if (tool?.parameters) checkArguments(step, tool.parameters, placed, scope)
}

/** What is filled in at run time is judged then; here its type is, where the file says it. */
function checkArguments({ tool, args }: ToolStep, schema: JsonSchema, placed: Placed, scope: CheckScope): void {
  const { report } = scope
  const { where } = placed
  const { properties, required, additionalProperties } = schema
  if (!isObject(properties)) return
  const names = Object.keys(properties)
  for (const name of Array.isArray(required) ? required : [])
    if (typeof name === "string" && !Object.hasOwn(args, name))
      report.error("FV-TOOL-ARGS", placed.keyAt("args"), `${where}: ${tool} needs the argument "${name}"`, `args: { ${name}: … }`)
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? (properties[name] as Json) : undefined
    if (property === undefined) {
      if (additionalProperties === false)
        report.error(
          "FV-TOOL-ARGS",
          placed.keyAt("args", name),
          `${where}: ${tool} takes no argument "${name}"`,
          report.hint(name, names) ?? "remove it",
        )
      continue
    }
    const fault = isObject(property) ? faultOf(name, value, schema, scope) : undefined
    if (fault !== undefined)
      report.error("FV-TOOL-ARGS", placed.valueAt("args", name), `${where}: ${tool}, ${fault}`, `${name}: ${exampleOf(property)}`)
  }
}

function exampleOf(property: Json | undefined): string {
  const { enum: words, type } = isObject(property) ? property : {}
  if (Array.isArray(words) && words.length > 0) return JSON.stringify(words[0])
  return (typeof type === "string" && EXAMPLES[type]) || "…"
}

const EXAMPLES: Readonly<Record<string, string>> = {
  string: "some text",
  number: "3",
  integer: "3",
  boolean: "true",
  array: "[first, second]",
  object: "{ key: value }",
}

function faultOf(name: string, value: Json, schema: JsonSchema, scope: CheckScope): string | undefined {
  const property = isObject(schema["properties"]) ? schema["properties"][name] : undefined
  if (!isObject(property)) return undefined
  const isFilled = textsIn(value).some(({ text }) => references(text, scope.ids).length > 0)
  if (!isFilled) {
    const alone = { ...schema, properties: { [name]: property as JsonObject }, required: [] }
    const checked = validateArgs(alone, { [name]: value })
    return checked.ok ? undefined : checked.error.map(({ path, message }) => `${path || `/${name}`}: ${message}`).join("; ")
  }
  const only = typeof value === "string" ? onlyReference(value, scope.ids) : undefined
  const [is, wanted] = [only && scope.typeOf(only), property["type"]]
  if (is === undefined || is === "any" || typeof wanted !== "string" || !clashes(is, wanted)) return undefined
  return `/${name}: must be of type ${wanted}, and ${JSON.stringify(value)} is of type ${is}`
}

/** Text is read as a number or a boolean where one is wanted, and anything is text where text is. */
const clashes = (is: ValueType, wanted: string): boolean =>
  wanted !== "string" && is !== wanted && [is, wanted].some((type) => type === "array" || type === "object")
