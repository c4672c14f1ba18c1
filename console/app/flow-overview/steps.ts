// The steps of a flow with their runs, in the order of its file; what the graph no longer has comes last.

import type { FlowMeasures } from "../../../src/api/doc/overview.doc.ts"
import { differs } from "../../../web/overview/changes.ts"
import type { FlowSeen } from "./use-flow-overview.ts"

export type StepMeasures = FlowMeasures["total"]["steps"][number]

export interface StepSeen extends StepMeasures {
  /** Its agent or kind. */
  readonly about: string
  readonly waits: number
  /** It fails twice as often as in the time before. */
  readonly isWorse: boolean
}

export function stepsOf({ measures, before, graph, asking }: FlowSeen): readonly StepSeen[] {
  const order = new Map((graph?.nodes ?? []).map(({ id }, i) => [id, i]))
  const was = new Map(before.steps.map((step) => [step.step, step]))
  const about = new Map((graph?.nodes ?? []).map(({ id, agent, type, flow }) => [id, agent ?? flow ?? type]))
  return measures.total.steps
    .map((step) => ({
      ...step,
      about: about.get(step.step) ?? "no longer in the flow",
      waits: asking.get(step.step) ?? 0,
      isWorse: failsMore(step, was.get(step.step)),
    }))
    .toSorted((a, b) => (order.get(a.step) ?? order.size) - (order.get(b.step) ?? order.size))
}

const TWICE = 2

function failsMore(now: StepMeasures, before: StepMeasures | undefined): boolean {
  if (!before || before.reached === 0 || now.reached === 0) return false
  const [was, is] = [before.failed / before.reached, now.failed / now.reached]
  return is > was * TWICE && differs(was, is, before.reached, now.reached)
}
