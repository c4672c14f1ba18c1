// Checks `until` [V26]: who judges is somebody else, and a result can be good enough. A round may do again what the one before has done.

import { changesAlways } from "../../tool/reach.ts"
import { agentNameOf, childFlowOf, runsChildren, untilOf, type Step, type UntilSpec } from "../flow.ts"
import { shown } from "../parse/report.ts"
import { agentOf, type CheckScope, type Placed } from "./check-scope.ts"
import { holds } from "./check-trifecta.ts"

const TYPES: ReadonlySet<Step["type"]> = new Set<Step["type"]>(["agent", "flow-ref"])

export function checkUntil(scope: CheckScope): void {
  for (const placed of scope.steps) {
    const { step, where, keyAt } = placed
    if (placed.node("until") === undefined || step.type === "wait") continue
    if (!TYPES.has(step.type))
      scope.report.error(
        "FV-UNTIL",
        keyAt("until"),
        `${where}: only ${[...TYPES].join(", ")} can be judged, and it is of type ${step.type}`,
        "write `until` on the step whose result is judged",
      )
    const until = untilOf(step)
    if (until === undefined) continue
    checkFrom(scope, placed, until)
    checkEnough(scope, placed, until)
    checkScorer(scope, placed, until)
    checkWrites(scope, placed)
  }
}

function checkFrom({ report, order, ids }: CheckScope, { where, index, valueAt }: Placed, { from }: UntilSpec): void {
  if (from === undefined) return
  const at = order.get(from)
  if (at === undefined)
    report.error("FV-UNTIL", valueAt("until", "from"), `${where}: the step ${shown(from)} does not exist`, report.hint(from, ids))
  else if (at >= index)
    report.error(
      "FV-UNTIL",
      valueAt("until", "from"),
      `${where}: a round begins at an earlier step, and "${from}" is none`,
      "the id of an earlier step, or leave `from` out",
    )
}

function checkEnough({ report }: CheckScope, { where, valueAt }: Placed, { at_least }: UntilSpec): void {
  if (at_least === 0)
    report.error("FV-UNTIL", valueAt("until", "at_least"), `${where}: every score is at least 0, so nothing is judged`, "at_least: 1")
}

function checkScorer(scope: CheckScope, placed: Placed, { scorer: name, at_least }: UntilSpec): void {
  const { report, world } = scope
  const { where, valueAt, step } = placed
  const at = valueAt("until", "scorer")
  if (world.scorers === undefined || name === "") return
  const scorer = world.scorers(name)
  if (scorer === undefined)
    return report.error("FV-SCORER", at, `${where}: the scorer ${shown(name)} does not exist, or has errors`, `write scorers/${name}.yaml`)
  const { judge } = scorer
  if (judge === undefined) return
  const most = Math.max(...judge.levels.map(({ score }) => score))
  if (most < at_least)
    report.error(
      "FV-UNTIL",
      valueAt("until", "at_least"),
      `${where}: no level of "${name}" reaches ${at_least}: the best is ${most}`,
      `at_least: ${most}`,
    )
  const workers = workersOf(scope, step)
  if (workers.has(judge.agent))
    return report.error(
      "FV-UNTIL",
      at,
      `${where}: the agent "${judge.agent}" would judge its own work`,
      "another agent in the scorer, or another scorer",
    )
  const own = ("model" in step ? step.model : undefined) ?? agentOf(scope, step)?.model
  const judges = judge.model ?? world.agents.get(judge.agent)?.model
  if (own !== undefined && String(own) === String(judges))
    report.warn(
      "FV-UNTIL-SELF",
      at,
      `${where}: the judge has the model that it judges, ${String(own)}`,
      "`model:` of another model in the scorer",
    )
}

/** The agents whose work it is: the step's own, or those of its child flow and the flows below. */
function workersOf({ world, flow }: CheckScope, step: Step): ReadonlySet<string> {
  const own = agentNameOf(step)
  const agents = new Set(own === undefined ? [] : [own])
  const flows = new Set(runsChildren(step) ? [childFlowOf(step)] : [])
  for (const id of flows) {
    const face = id === flow.id ? undefined : world.flows?.get(id)
    for (const agent of face?.agents ?? []) agents.add(agent)
    for (const use of face?.uses ?? []) flows.add(use.flow)
  }
  return agents
}

function checkWrites(scope: CheckScope, { step, where, keyAt }: Placed): void {
  const { world, report } = scope
  for (const name of workersOf(scope, step)) {
    const agent = world.agents.get(name)
    const tool =
      agent &&
      [...(world.tools?.values() ?? [])].find(
        (one) => one.reach !== undefined && (one.effect === "write" || changesAlways(one)) && holds(agent, one),
      )
    if (tool === undefined) continue
    return report.warn(
      "FV-UNTIL-WRITES",
      keyAt("until"),
      `${where}: the agent "${name}" can call ${tool.name}, which changes something outside: each round may do it again`,
      "let a later step do it, once the result is good enough",
    )
  }
}
