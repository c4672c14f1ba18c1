// Says what definitions run once they are loaded [V33], as one text: comments, the order of members and files that nothing uses are not in it.

import { canonical, type Json } from "../../core/json.ts"
import type { Pins } from "../../core/run/event-parts.ts"
import type { Plan } from "../../core/run/plan.ts"
import { childPins } from "../run/begin/child-pins.ts"

export async function whatRuns(pins: Pins, load: (pins: Pins) => Promise<Pick<Plan, "flow" | "agents" | "skills">>): Promise<string> {
  const children = Object.keys(pins.flows ?? {}).flatMap((flow) => {
    const own = childPins(pins, flow)
    return own ? [[flow, own] as const] : []
  })
  const flows: Record<string, Json> = {}
  for (const [flow, own] of children) flows[flow] = definitionsOf(await load({ ...own, flows: {} }))
  const { skills, models, fallbacks = {}, code = {}, tools = {}, budgets = {}, batch = {}, rehearsal = null, rehearsals = {} } = pins
  const whole = {
    own: definitionsOf(await load(pins)),
    flows,
    skills,
    models,
    fallbacks,
    code,
    tools,
    budgets,
    batch,
    rehearsal,
    rehearsals,
  }
  return canonical(plain(whole) as Json)
}

const definitionsOf = ({ flow, agents, skills }: Pick<Plan, "flow" | "agents" | "skills">): Json =>
  plain({ flow, agents: { ...agents }, skills: Object.keys(skills).toSorted() })

/** As JSON has it. */
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json
