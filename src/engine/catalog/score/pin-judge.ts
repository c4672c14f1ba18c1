// Fixes what a judge's run follows [V6, V15]: the flow `@judge/NAME` with the step `judge`, and the judge's agent, whose outputs are a reason
// and one of the levels. Both are text like any other definition, so the run is pinned, journaled and replayed like any other.

import type { Agent } from "../../../core/flow/agent.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import { JUDGE_PREFIX, JUDGE_STEP } from "../../../core/flow/judge-flow.ts"
import type { Level, Scorer } from "../../../core/flow/scorer.ts"
import { isRehearsal } from "../pin/model-choice.ts"

/** [V15] */
const MAX_TURNS = 3
const TIMEOUT = "2m"

export interface JudgeGround {
  readonly revision: number
  readonly agent: Agent
  /** The model that answers, with others after commas. */
  readonly model: string
  keep(text: string): Promise<string>
}

export interface PinnedJudge {
  readonly flow: { readonly id: string; readonly autonomous: true }
  readonly pins: Pins
  readonly rehearsed: boolean
}

export async function pinJudge({ revision, agent, model, keep }: JudgeGround, { name, judge }: Scorer): Promise<PinnedJudge> {
  const id = `${JUDGE_PREFIX}${name}`
  const [first = model, ...others] = model.split(",")
  const rehearsed = isRehearsal(first)
  const pins: Pins = {
    revision,
    flow: { id, hash: await keep(flowText(name, agent.name)) },
    agents: { [agent.name]: await keep(agentText(agent, judge?.levels ?? [], rehearsed)) },
    skills: {},
    models: { [agent.name]: first },
    ...(others.length > 0 ? { fallbacks: { [agent.name]: others } } : {}),
  }
  return { flow: { id, autonomous: true }, pins, rehearsed }
}

const quote = JSON.stringify

const flowText = (scorer: string, agent: string): string =>
  [
    `name: ${quote(scorer)}`,
    `description: ${quote(`The judge of the scorer ${scorer}.`)}`,
    "autonomous: true",
    "steps:",
    `  - id: ${JUDGE_STEP}`,
    "    type: agent",
    `    agent: ${quote(agent)}`,
    `    task: ${quote("${{task}}")}`,
    `    timeout: ${TIMEOUT}`,
    "outputs:",
    `  level: ${quote(`\${{result.${JUDGE_STEP}.level}}`)}`,
    `  reason: ${quote(`\${{result.${JUDGE_STEP}.reason}}`)}`,
    "",
  ].join("\n")

/** The reason comes first: a judge that has written it chooses by it. A rehearsed judge gives the first of its levels, which is the best. */
function agentText(agent: Agent, levels: readonly Level[], rehearsed: boolean): string {
  const texts = levels.map(({ text }) => text)
  const { name, description, temperature, top_p, seed, stop, max_output_tokens } = agent
  const settings = { temperature, top_p, seed, stop, max_output_tokens }
  return [
    "---",
    `name: ${quote(name)}`,
    `description: ${quote(description)}`,
    "tools: []",
    `max_turns: ${MAX_TURNS}`,
    ...Object.entries(settings).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${quote(value)}`])),
    "outputs:",
    `  - { name: reason, type: string, description: ${quote("two or three sentences: what in the evidence decided")} }`,
    `  - { name: level, enum: ${quote(rehearsed ? texts.toReversed() : texts)}, description: ${quote("the level that the run reaches")} }`,
    "---",
    agent.body,
    "",
  ].join("\n")
}
