// Which tools an agent of the catalog may call, and by which rule [T33]: the grants of its next run, and why other tools are denied.

import type { Policy } from "../../core/policy/policy.ts"
import { compile } from "../../core/run/plan.ts"
import { grantRules, type ToolRule } from "../../core/run/session/step-tools.ts"
import type { ToolSpec } from "../../core/tool/tool-spec.ts"
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

/** undefined: no agent of this name loads. Autonomous runs also lack `ask_user`. */
export async function explainAgent(
  { view, tools, policy, settings }: ExplainContext,
  name: string,
): Promise<readonly ToolRule[] | undefined> {
  const agent = (await view.agent(name))?.value
  if (!agent) return undefined
  const skills = await Promise.all(agent.skills.map(async (skill) => [skill, (await view.skill(skill))?.value] as const))
  const plan = compile({
    flow: subagentFlow(agent).flow,
    agents: { [name]: agent },
    skills: Object.fromEntries(skills.flatMap(([skill, value]) => (value ? [[skill, value]] : []))),
    tools,
  })
  const model = resolveModel(agent.model, agent.thinking, settings)
  return grantRules({ plan, agent, autonomous: false, policy, ...(model.ok ? { model: model.value } : {}) })
}
