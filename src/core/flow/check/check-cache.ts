// Checks `cache` [R39]: a step keeps its results only where equal passes can be told from others, and where asking less often leaves nothing undone.

import { toolkitTools } from "../../tool/toolkits.ts"
import { untilOf, type Step } from "../flow.ts"
import { agentOf, type CheckScope, type Placed } from "./check-scope.ts"

const LEAST_MS = 60_000 // limit: milliseconds of `cache` → `FV-CACHE`: the flow is not written
const MOST_MS = 2_592_000_000 // limit: milliseconds of `cache`, at most → `FV-CACHE`: the flow is not written

const TYPES: ReadonlySet<Step["type"]> = new Set<Step["type"]>(["agent", "agent-decision", "code", "code-decision"])

export function checkCache(scope: CheckScope): void {
  for (const placed of scope.steps) {
    if (placed.node("cache") === undefined) continue
    const [why, what] = faultOf(placed, scope) ?? []
    if (why !== undefined) scope.report.error("FV-CACHE", placed.keyAt("cache"), `${placed.where}: ${why}`, what)
  }
}

function faultOf({ step }: Placed, scope: CheckScope): readonly [why: string, what: string] | undefined {
  if (!TYPES.has(step.type)) return [`only ${[...TYPES].join(", ")} keep results, and it is of type ${step.type}`, REMOVE]
  const ms = "cache" in step ? step.cache : undefined
  if (ms !== undefined && (ms < LEAST_MS || ms > MOST_MS)) return ["a result is kept for 1m to 30d", "cache: 1h"]
  if ("session" in step && step.session !== undefined)
    return ["its conversation goes on from run to run, so no two passes ask the same", "remove `session`, or `cache`"]
  if (untilOf(step)?.from !== undefined)
    return ["a round of its `until` begins at another step, whose result it would not keep", "remove `from`, or `cache`"]
  const tool = writerOf(step, scope)
  if (tool === undefined) return undefined
  return [`its agent lists ${tool}, which always changes something: a pass that calls it is never kept`, `remove the tool, or \`cache\``]
}

const REMOVE = "remove `cache`, and write it on the steps below"

/** A tool of the agent's own list. */
function writerOf(step: Step, scope: CheckScope): string | undefined {
  const agent = agentOf(scope, step)
  if (!agent || agent.tools.kind !== "list") return undefined
  const listed = [...agent.tools.names, ...toolkitTools(agent)]
  return listed.find((name) => scope.world.tools?.get(name)?.effect === "write")
}
