// Checks steps that run other flows [F23], including maps: the flow exists, gets its inputs, and does not run itself forever.

import type { Placed, Scope } from "./check-scope.ts"
import { faceOf, literalOf, MAX_NESTING, type FlowFace, type FlowUse } from "../flow-face.ts"
import { childFlowOf, runsChildren, type ChildRun, type InputSpec } from "../flow.ts"
import type { Place } from "../parse/place.ts"
import { shown } from "../parse/report.ts"
import { onlyReference, references } from "../template.ts"

function* parentsOf(scope: Scope): Generator<{ placed: Placed; step: ChildRun; child: string; at: Place }> {
  for (const placed of scope.steps) {
    const { step } = placed
    if (!runsChildren(step)) continue
    const key = ["do", "flow"].find((k) => placed.node(k) !== undefined) ?? "path"
    yield { placed, step, child: childFlowOf(step), at: placed.valueAt(key) }
  }
}

export function checkChildren(scope: Scope): void {
  const { flows } = scope.world
  for (const { placed, step, child, at } of parentsOf(scope)) {
    const face = child === scope.flow.id ? selfOf(scope) : flows?.get(child)
    if (face !== undefined) checkChildInputs(scope, placed, step, face)
    else if (child !== "" && flows !== undefined && child !== scope.flow.id) {
      const hint = scope.report.hint(child, flows.keys())
      scope.report.error(
        "FV-FLOW",
        at,
        `${placed.where}: the flow ${shown(child)} does not exist`,
        `${hint === undefined ? "" : `${hint}; or `}write it as flows/${child.replaceAll(":", "/")}.yaml`,
      )
    }
  }
}

const selfOf = ({ flow }: Scope): FlowFace => ({ inputs: flow.inputs, outputs: Object.keys(flow.outputs ?? {}), uses: [] })

function checkChildInputs(scope: Scope, placed: Placed, step: ChildRun, face: FlowFace): void {
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

function checkWire(scope: Scope, says: string, at: Place, text: string, { type }: InputSpec, child: string): void {
  const ref = onlyReference(text, scope.ids)
  const wrong = (what: string, suggestion: string): void =>
    scope.report.error("FV-FLOW-INPUT", at, `${says}: the flow "${child}" expects ${article(type)}, but ${what}`, suggestion)
  if (ref !== undefined) {
    const given = scope.typeOf(ref)
    if (given !== "any" && given !== type && !(type === "string" && given !== "array" && given !== "object"))
      wrong(`${text.trim()} is ${article(given)}`, `pass ${article(type)}, or change the type of the child's input to ${given}`)
  } else if (type !== "string" && references(text, scope.ids).length > 0)
    wrong("text that contains references is text", "write a single reference with no other text")
  else if (literalOf(text, type) === undefined) wrong(`gets ${shown(text)}`, EXAMPLES[type])
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
export function checkNesting(scope: Scope): void {
  const { world, flow } = scope
  if (!scope.isWhole || world.flows === undefined) return
  const own = faceOf(flow)
  const usesOf = (id: string): readonly FlowUse[] => (id === flow.id ? own.uses : (world.flows?.get(id)?.uses ?? []))
  const depth = depthsOf(flow.id, usesOf)
  for (const { placed, step, child, at } of parentsOf(scope)) {
    if (child === "") continue
    const use = own.uses.find((u) => u.step === step.id)
    const certain = use === undefined ? undefined : circle(flow.id, use, usesOf, (u) => u.always && u.type === "flow-ref")
    const likely = use === undefined || certain !== undefined ? undefined : circle(flow.id, use, usesOf, (u) => u.always)
    if (certain !== undefined)
      scope.report.error(
        "FV-FLOW-RECURSION",
        at,
        `${placed.where}: the flow always runs itself again: ${certain.join(" → ")}`,
        "put a decision before the step, with a branch that skips it",
      )
    else if (likely !== undefined)
      scope.report.warn(
        "FV-FLOW-RECURSION",
        at,
        `${placed.where}: the flow runs itself for each item and stops only when a list is empty: ${likely.join(" → ")}`,
        `child runs can nest at most ${MAX_NESTING} levels deep; put a decision before the step`,
      )
    else if (1 + depth(child) > MAX_NESTING)
      scope.report.error(
        "FV-FLOW-DEPTH",
        at,
        `${placed.where}: child runs would nest ${1 + depth(child)} levels deep; at most ${MAX_NESTING} are allowed`,
        `start ${shown(child)}, or a flow that it runs, separately`,
      )
  }
}

/** The flows from `root` through `first` back to `root`, using only uses that count. */
function circle(
  root: string,
  first: FlowUse,
  usesOf: (id: string) => readonly FlowUse[],
  counts: (use: FlowUse) => boolean,
): string[] | undefined {
  if (!counts(first)) return undefined
  const before = new Map<string, string>()
  const todo = [first.flow]
  const seen = new Set(todo)
  for (let id = todo.shift(); id !== undefined; id = todo.shift()) {
    if (id === root) {
      const names = [root]
      for (let at = before.get(root); at !== undefined; at = before.get(at)) names.push(at)
      return [root, ...(first.flow === root ? [] : names.slice(1).toReversed()), root]
    }
    for (const use of usesOf(id)) {
      if (!counts(use) || seen.has(use.flow)) continue
      seen.add(use.flow)
      before.set(use.flow, id)
      todo.push(use.flow)
    }
  }
  return undefined
}

/** How many levels of child runs a run of the flow has. A repeated flow is not followed: only the run decides how often it repeats. */
function depthsOf(root: string, usesOf: (id: string) => readonly FlowUse[]): (id: string) => number {
  const depths = new Map<string, number>([[root, 0]])
  const depth = (id: string): number => {
    const found = depths.get(id)
    if (found !== undefined) return found
    depths.set(id, 0)
    const deepest = usesOf(id).reduce((max, use) => Math.max(max, 1 + depth(use.flow)), 0)
    depths.set(id, deepest)
    return deepest
  }
  return depth
}
