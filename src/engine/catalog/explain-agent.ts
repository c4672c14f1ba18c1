// Explains which tools an agent of the catalog may call, and by which rule [T33]: the grants of its next run, in any flow or in a step of
// one; why other tools are denied; which entry of the agent's file names each; whether a person is asked; and how many tokens it adds to
// the prompt.

import { howOftenAsked } from "../../core/tool/policy/approval.ts"
import type { Agent } from "../../core/flow/agent.ts"
import { agentNameOf, type Flow } from "../../core/flow/flow.ts"
import { toolLines } from "../../core/flow/parse/tool-lines.ts"
import { toolkitTools } from "../../core/tool/toolkits.ts"
import type { Policy } from "../../core/tool/policy/policy.ts"
import { matchesTool } from "../../core/tool/policy/tool-names.ts"
import { compile, type Plan } from "../../core/run/plan.ts"
import { finishNameOf, schemaFor } from "../../core/run/session/finish.ts"
import { grantRules, type ToolRule } from "../../core/run/session/step-tools.ts"
import { weightOf } from "../../core/tool/openapi.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
import type { AgentTool, ToolPlace } from "../../ports/tenant/catalog.ts"
import type { CatalogView } from "./catalog-view.ts"
import type { ModelSettings } from "./pin/model-choice.ts"
import { resolveModel } from "./pin/model-choice.ts"
import { subagentFlow } from "./pin/subagent-flow.ts"

export interface ExplainContext {
  readonly view: CatalogView
  readonly tools: readonly ToolSpec[]
  readonly policy: Policy
  readonly settings: ModelSettings
}

/** Explains an agent's tools; undefined: no valid agent has this name, or the flow has no such step. Autonomous runs also lack `ask_user`. */
export async function explainAgent(
  { view, tools, policy, settings }: ExplainContext,
  name: string,
  place?: ToolPlace,
): Promise<readonly AgentTool[] | undefined> {
  const loaded = await view.agent(name)
  const agent = loaded?.value
  if (!agent) return undefined
  const flow: Flow | undefined = place === undefined ? subagentFlow(agent).flow : (await view.flow(place.flow))?.value
  const step = flow?.steps.find((one) => agentNameOf(one) === name && (place === undefined || one.id === place.step))
  if (!flow || !step) return undefined
  const skills = await Promise.all(agent.skills.map(async (skill) => [skill, (await view.skill(skill))?.value] as const))
  const plan = compile({
    flow,
    agents: { [name]: agent },
    skills: Object.fromEntries(skills.flatMap(([skill, value]) => (value ? [[skill, value]] : []))),
    tools,
  })
  const model = resolveModel("model" in step && step.model !== undefined ? modelIn(step.model) : agent.model, agent.thinking, settings)
  const rows = grantRules({
    plan,
    agent,
    autonomous: place !== undefined && flow.autonomous,
    policy,
    ...(model.ok ? { model: model.value } : {}),
  })
  const lines = toolLines((await view.text(loaded.entry)) ?? "")
  const told = { plan, agent, policy, approvals: flow.approvals, step, lines }
  return rows.map((row) => ({ ...row, ...more(told, row) }))
}

const modelIn = (model: string | readonly string[]): string => (typeof model === "string" ? model : model.join(", "))

interface Told {
  readonly plan: Plan
  readonly agent: Agent
  readonly policy: Policy
  readonly approvals: Flow["approvals"]
  readonly step: Flow["steps"][number]
  readonly lines: ReadonlyMap<string, number>
}

/** What a row says besides its rule. */
function more({ plan, agent, policy, approvals, step, lines }: Told, { name }: ToolRule): Omit<AgentTool, keyof ToolRule> {
  const tool = plan.tools.get(name)
  if (!tool)
    return {
      asks: "never",
      tokens: name === finishNameOf(agent) ? weightOf(name, { parameters: schemaFor(agent, step) }) : 0,
      by: null,
      line: null,
    }
  const { description, parameters } = tool
  const { tools } = agent
  // The name itself says more than a pattern.
  const by =
    tools.kind === "list"
      ? (tools.names.find((one) => one === name) ?? tools.names.find((one) => matchesTool(one, tool)) ?? null)
      : (tools.denied.find((one) => matchesTool(one, tool)) ?? null)
  // A role and its toolkits bring tools that no list names.
  const kit = by === null && toolkitTools(agent).includes(name) ? (lines.has("toolkits") ? "toolkits" : "role") : undefined
  return {
    asks: howOftenAsked({ policy, flow: approvals, agent, tool }),
    tokens: weightOf(name, { description, parameters }),
    by: kit ?? by,
    line: lines.get(kit ?? by ?? "") ?? null,
  }
}
