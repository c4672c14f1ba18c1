// Checks steps that run other flows [F23], including maps: the flow exists, gets its inputs, and does not run itself forever.

import type { Placed, CheckScope } from "./check-scope.ts"
import { faceOf, literalOf, MAX_NESTING, type FlowFace } from "../flow-face.ts"
import { childFlowOf, runsChildren, type ChildRun, type InputSpec, type MapStep } from "../flow.ts"
import { nestingOf, type Circle } from "./nesting.ts"
import type { SourcePlace } from "../parse/place.ts"
import { shown } from "../parse/report.ts"
import { onlyOperands, references } from "../template.ts"

function* parentsOf(scope: CheckScope): Generator<{ placed: Placed; step: ChildRun; child: string; at: SourcePlace }> {
  for (const placed of scope.steps) {
    const { step } = placed
    if (!runsChildren(step)) continue
    const key = ["do", "flow"].find((k) => placed.node(k) !== undefined) ?? "path"
    yield { placed, step, child: childFlowOf(step), at: placed.valueAt(key) }
  }
}

export function checkChildren(scope: CheckScope): void {
  const { flows } = scope.world
  for (const { placed, step, child, at } of parentsOf(scope)) {
    const face = child === scope.flow.id ? selfOf(scope) : flows?.get(child)
    if (step.type === "map") checkBatchMap(step, placed, scope)
    if (face !== undefined) checkChildInputs(scope, placed, step, face)
    else if (scope.world.broken?.flows?.has(child) === true)
      scope.report.warn("FV-FLOW", at, `${placed.where}: the flow ${shown(child)} has errors`, "fix its file")
    else if (child !== "" && flows !== undefined && child !== scope.flow.id) {
      const hint = scope.report.hint(child, flows)
      scope.report.error(
        "FV-FLOW",
        at,
        `${placed.where}: the flow ${shown(child)} does not exist`,
        `${hint === undefined ? "" : `${hint}; or `}write it as flows/${child.replaceAll(":", "/")}.yaml`,
      )
    }
  }
}

const selfOf = ({ flow }: CheckScope): FlowFace => ({ inputs: flow.inputs, outputs: Object.keys(flow.outputs ?? {}), uses: [] })

function checkChildInputs(scope: CheckScope, placed: Placed, step: ChildRun, face: FlowFace): void {
  const { report } = scope
  const { where, keyAt, valueAt } = placed
  const child = childFlowOf(step)
  const names = Object.keys(face.inputs)
  for (const [name, spec] of Object.entries(face.inputs)) {
    if (!spec.required || spec.default !== undefined || Object.hasOwn(step.inputs, name)) continue
    report.error(
      "FV-FLOW-INPUT",
      keyAt("inputs"),
      `${where}: the flow "${child}" needs the input "${name}" (${spec.type}), which the step does not set`,
      `inputs: { ${name}: ${spec.type === "string" ? '"${{task}}"' : '"${{result.STEP.OUTPUT}}"'} }`,
    )
  }
  for (const [name, text] of Object.entries(step.inputs)) {
    const spec = Object.hasOwn(face.inputs, name) ? face.inputs[name] : undefined
    if (spec === undefined)
      report.error(
        "FV-FLOW-INPUT",
        keyAt("inputs", name),
        `${where}: the flow "${child}" has no input "${name}"`,
        report.hint(name, names) ?? `declare it in the flow "${child}": inputs: { ${name}: { type: string } }`,
      )
    else checkWire(scope, `${where}, input "${name}"`, valueAt("inputs", name), text, spec, child)
  }
}

function checkWire(scope: CheckScope, says: string, at: SourcePlace, text: string, { type }: InputSpec, child: string): void {
  const refs = onlyOperands(text, scope.ids)
  const wrong = (what: string, suggestion: string): void =>
    scope.report.error("FV-FLOW-INPUT", at, `${says}: the flow "${child}" expects ${article(type)}, but ${what}`, suggestion)
  if (refs !== undefined) {
    const given = refs
      .map((ref) => scope.typeOf(ref))
      .find((one) => one !== "any" && one !== type && !(type === "string" && one !== "array" && one !== "object"))
    if (given !== undefined)
      wrong(`${text.trim()} is ${article(given)}`, `pass ${article(type)}, or change the type of the child's input to ${given}`)
  } else if (type !== "string" && references(text, scope.ids).length > 0)
    wrong("text that contains references is text", "write a single reference with no other text")
  else if (literalOf(text, type) === undefined) wrong(`gets ${shown(text)}`, EXAMPLES[type])
}

/** [R32] Each turn of an agent with tools, and each round of a step with `until`, waits for a batch of its own. */
function checkBatchMap({ batch_api, do: child }: MapStep, { where, keyAt }: Placed, scope: CheckScope): void {
  const { flows, agents } = scope.world
  if (batch_api !== true || flows === undefined) return
  const below = new Set([child])
  const busy = new Set<string>()
  const judged: string[] = []
  for (const id of below) {
    const face = id === scope.flow.id ? faceOf(scope.flow) : flows.get(id)
    for (const { flow } of face?.uses ?? []) below.add(flow)
    for (const step of face?.judged ?? []) judged.push(`${shown(step)} of ${shown(id)}`)
    for (const name of face?.agents ?? []) {
      const tools = agents.get(name)?.tools
      if (tools && (tools.kind === "inherit" || tools.names.length > 0)) busy.add(name)
    }
  }
  const names = [...busy].map((name) => shown(name)).join(", ")
  if (busy.size > 0)
    scope.report.warn(
      "FV-MAP-BATCH",
      keyAt("batch_api"),
      `${where}: ${busy.size === 1 ? `the agent ${names} lists` : `the agents ${names} list`} tools, and each of their turns is a round of up to a day`,
      "leave `batch_api` out, or write `tools: []` in the agent",
    )
  if (judged.length > 0)
    scope.report.warn(
      "FV-MAP-BATCH",
      keyAt("batch_api"),
      `${where}: ${judged.length === 1 ? "the step" : "the steps"} ${judged.join(", ")} ${judged.length === 1 ? "has" : "have"} ` +
        "`until`, and each round waits for a batch of up to a day",
      "leave `batch_api` out, or score the runs afterwards",
    )
}

const article = (type: string): string =>
  type === "array" ? "a list" : type === "object" ? "an object" : type === "string" ? "text" : `a ${type}`
const EXAMPLES: Readonly<Record<InputSpec["type"], string>> = {
  string: "some text",
  number: "3",
  boolean: "true",
  object: `'{"key": "value"}'`,
  array: `'["first", "second"]'`,
}

/** Reports flows that always run themselves, directly or through others, and chains of child flows that are too long. */
export function checkNesting(scope: CheckScope): void {
  const { world, flow } = scope
  if (!scope.isWhole || world.flows === undefined) return
  const own = faceOf(flow)
  if (own.uses.length === 0) return
  const nesting = nestingOf(world.flows, flow.id, own)
  const uses = new Map(own.uses.map((use) => [use.step, use]))
  const named = new Set<string>()
  for (const { placed, step, child, at } of parentsOf(scope)) {
    const use = uses.get(step.id)
    if (child === "" || use === undefined) continue
    const certain = nesting.circle(flow.id, use, "certain")
    const likely = certain === undefined ? nesting.circle(flow.id, use, "likely") : undefined
    const circle = certain ?? likely
    const depth = 1 + nesting.depth(child)
    if (circle !== undefined) {
      const says = `${certain === undefined ? "the flow runs itself for each item and stops only when a list is empty" : "the flow always runs itself again"}: ${circleText(circle)}`
      if (named.has(says)) continue
      named.add(says)
      const fix = "put a decision before the step"
      if (certain !== undefined)
        scope.report.error("FV-FLOW-RECURSION", at, `${placed.where}: ${says}`, `${fix}, with a branch that skips it`)
      else
        scope.report.warn(
          "FV-FLOW-RECURSION",
          at,
          `${placed.where}: ${says}`,
          `child runs can nest at most ${MAX_NESTING} levels deep; ${fix}`,
        )
    } else if (depth > MAX_NESTING)
      scope.report.error(
        "FV-FLOW-DEPTH",
        at,
        `${placed.where}: child runs would nest ${depth} levels deep; at most ${MAX_NESTING} are allowed`,
        `start ${shown(child)}, or a flow that it runs, separately`,
      )
  }
}

function circleText({ names, isWhole, size }: Circle): string {
  const root = names[0] ?? ""
  const way = isWhole ? names : [...names, "…", root]
  const flows = new Set(names).size
  const others = isWhole && size <= flows ? "" : ` (${size} flows run each other in circles)`
  return `${way.join(" → ")}${others}`
}
