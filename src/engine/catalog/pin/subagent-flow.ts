// Generates the flow of a single agent: `@subagent/NAME`, one step called `agent`. It is text like any other flow, so a run of one agent is pinned,
// journaled and replayed like any other run. No catalog path has such an id. Its step uses the sticky session that the start names, if any [J25].

import type { Agent } from "../../../core/flow/agent.ts"
import type { Flow } from "../../../core/flow/flow.ts"
import { checkFlow } from "../check/language.ts"

export const SUBAGENT_PREFIX = "@subagent/"
export const SUBAGENT_STEP = "agent"

/** The run's inputs are passed to the agent's inputs of the same name. JSON strings are valid YAML. */
export function subagentFlow(agent: Agent): { readonly flow: Flow; readonly text: string } {
  const quote = JSON.stringify
  const lines = [`name: ${quote(agent.name)}`, `description: ${quote(`The agent ${agent.name}, asked directly.`)}`]
  if (agent.inputs.length > 0) lines.push("inputs:", ...agent.inputs.map((name) => `  ${quote(name)}: { type: string, required: false }`))
  lines.push("steps:", `  - id: ${SUBAGENT_STEP}`, "    type: agent", `    agent: ${quote(agent.name)}`, `    task: ${quote("${{task}}")}`)
  lines.push(`    session: ${quote("${{session}}")}`)
  if (agent.inputs.length > 0)
    lines.push("    inputs:", ...agent.inputs.map((name) => `      ${quote(name)}: ${quote(`\${{flow.input.${name}}}`)}`))
  const text = `${lines.join("\n")}\n`
  // The agents it may call are checked when it is pinned; they are not available here.
  const { routes: _routes, ...alone } = agent
  const { value, diagnostics } = checkFlow(text, `${SUBAGENT_PREFIX}${agent.name}`, { agents: new Map([[agent.name, alone]]) })
  if (!value)
    throw new Error(`the one-agent flow of "${agent.name}" does not load: ${diagnostics.map((d) => `${d.line}: ${d.message}`).join("; ")}`)
  return { flow: value, text }
}
